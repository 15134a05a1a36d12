package scaffold

import (
	"strings"

	"kedge"
	"kedge/internal/core/config"
	"kedge/internal/text/lazyre"
)

// WithSetup gives config.toml with a set-up command. A file that has one keeps it: changed
// is false.
func WithSetup(file string, b []byte, setup string, kinds config.Kinds) (text []byte, changed bool, err error) {
	c, err := config.ParseConfig(file, b, kinds)
	if err != nil || c.Worktree.Setup != "" || setup == "" {
		return b, false, err
	}
	line := "setup = " + quote(setup) + "\n"
	out := strings.TrimRight(string(b), "\n") + "\n\n# The set-up of a plan that you approved.\n[worktree]\n" + line
	if at := worktreeTable.FindStringIndex(string(b)); at != nil {
		out = string(b[:at[1]]) + line + string(b[at[1]:])
	}
	if c, err = config.ParseConfig(file, []byte(out), kinds); err != nil || c.Worktree.Setup != setup {
		return b, false, kedge.Errorf(kedge.Invalid, "Kedge cannot add the plan's set-up command to %s", file).WithHint("add it under [worktree]: %s", strings.TrimSpace(line))
	}
	return []byte(out), true, nil
}

var worktreeTable = lazyre.New(`(?m)^\[worktree\][ \t]*(#[^\n]*)?\n`)

// WithChecks gives gate.toml with more checks, and the names of those that it did not
// have.
func WithChecks(file string, b []byte, checks []kedge.Check) (text []byte, added []string, err error) {
	g, err := config.ParseGate(file, b)
	if err != nil {
		return b, nil, err
	}
	has := map[string]bool{}
	for _, c := range g.Checks {
		has[c.Name] = true
	}
	var fresh []kedge.Check
	for _, c := range checks {
		if !has[c.Name] {
			fresh, added = append(fresh, c), append(added, c.Name)
		}
	}
	if len(fresh) == 0 {
		return b, nil, nil
	}
	out := []byte(strings.TrimRight(string(b), "\n") + "\n\n# Checks of a plan that you approved.\n" + strings.TrimLeft(Tables(fresh, nil), "\n"))
	_, err = config.ParseGate(file, out)
	return out, added, err
}
