package projects

import (
	"kedge"
	"kedge/internal/core/check"
	"kedge/internal/core/config"
	"kedge/internal/core/scaffold"
	"kedge/internal/process"
)

// NotShell gives the first check whose command the shell cannot parse, with what the shell
// says; "" where it can parse all. Such a check is red for ever, which looks like proof.
func NotShell(checks []kedge.Check) (c kedge.Check, said string) {
	for _, c := range checks {
		if !check.Of(c).Shell {
			continue
		}
		if said := process.SyntaxError(c.Run); said != "" {
			return c, said
		}
	}
	return kedge.Check{}, ""
}

// RefuseNotShell refuses the checks of a feature or of a file if the shell cannot parse
// one; of is who has them.
func RefuseNotShell(of string, checks []kedge.Check) error {
	c, said := NotShell(checks)
	if said == "" {
		return nil
	}
	return kedge.Errorf(kedge.Invalid, "%s: the command of check %q is not valid for the shell: %s", of, c.Name, said).
		WithHint("correct the command; to see the shell's message again: %s", kedge.Step("sh", "-n", "-c", c.Run))
}

// parseGate reads the text of gate.toml, and has the shell read its commands.
func parseGate(text []byte) (config.Gate, error) {
	g, err := config.ParseGate(scaffold.GateFile, text)
	if err != nil {
		return g, err
	}
	return g, RefuseNotShell(scaffold.GateFile, g.Checks)
}
