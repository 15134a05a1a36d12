package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/verify"
	"kedge/internal/core/check"
	"kedge/internal/engine/gate"
	"kedge/internal/text/plain"
)

func newGate(env *Env) *cobra.Command {
	var all, output bool
	c := &cobra.Command{
		Use: "gate [NAME...]", Short: "Run the checks and give one verdict",
		Long: `Runs the checks of .kedge/gate.toml on the tree as it stands, in the order
` + check.Comma(check.KindNames()) + `, and stops at the first red one.
With names, only these checks are run. The last line is one of
` + check.Comma(check.Markers()) + `.

Changes are measured from HEAD, and a check that covers nothing that changed is
left out; then the verdict is partial, and a green one is preceded by a line that
names what was not run. The own checks of features are not run: feature submit runs
these, and a run those of finished features again (run.regression). In a session they are measured from the
tree that was verified last, and the checks are those of that tree: what an agent
commits hides nothing. A full green verdict of a person outside a session moves
that tree to the one as it stands, for a person looked at it.

Of a red check the first failure is shown, and where its log is. --output shows what
matters of the rest as well: every failure, error, warning, place and total, with what
repeats or passes folded away. The log stays whole.`,
		Example: "  kedge gate\n  kedge gate unit\n  kedge gate --all           every check: a full verdict\n  kedge gate --output        all failures of a red check\n  kedge gate --json",
		RunE: func(c *cobra.Command, names []string) error {
			var out verify.GateReply
			in := verify.GateRequest{Names: names, All: all, Output: output, Env: env.Environ}
			err := env.Call.Call(c.Context(), "gate", in, &out, func(b json.RawMessage) { gateStep(env, b) })
			env.running("")
			if err != nil {
				return err
			}
			gateTalk(env, out)
			if err := env.show(out, func(w io.Writer) { gateText(w, out) }); err != nil {
				return err
			}
			if !out.Green() {
				return errSaid{kedge.Red}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&all, "all", false, "run every check, also those that cover nothing that changed")
	c.Flags().BoolVar(&output, "output", false, "show what matters of the output of a red check, not only its first failure")
	return c
}

// gateStep says one line when a check has ended or is left out.
func gateStep(env *Env, b json.RawMessage) {
	var s gate.Step
	if json.Unmarshal(b, &s) != nil {
		return // the daemon is of another version; the verdict says it all
	}
	c := s.Check
	env.running("")
	switch {
	case s.State == gate.Started:
		env.running(fmt.Sprintf("run   %-12s %s: %s", c.Name, c.Kind, oneLine(c.Command)))
	case s.State == gate.Waiting:
		env.talk("wait  %-12s %s", s.Service, plain.Line(s.Note))
	case s.State == gate.Skipped && c.Skipped == gate.NotAsked:
	case s.State == gate.Skipped:
		env.talk("skip  %-12s %s: %s", c.Name, c.Kind, c.Skipped)
	case s.State == gate.Finished && c.FirstFailure != nil:
		env.talk("FAIL  %-12s %s: %s (%s)", c.Name, c.Kind, oneLine(c.Command), seconds(c.MS))
	case s.State == gate.Finished:
		env.talk("ok    %-12s %s: %s (%s)", c.Name, c.Kind, oneLine(c.Command), seconds(c.MS))
	}
}

// running shows at a terminal what goes on now, in place of what it showed last;
// nothing takes that away.
func (env *Env) running(line string) {
	if !env.redraws() {
		return
	}
	cols, _ := env.screenSize()
	fmt.Fprint(env.rawErr, "\r\x1b[2K"+cutTo(plain.Line(line), max(cols-1, 1)))
}

// gateTalk shows the first failure and the findings; the rest is in the log.
func gateTalk(env *Env, out verify.GateReply) {
	for _, c := range out.Checks {
		if c.FirstFailure != nil {
			failureTalk(env, c)
		}
	}
	for _, f := range out.Findings {
		env.talk("%s: %s: %s", f.Level, plain.Line(f.Where), plain.Line(f.What))
		if f.Fix != "" {
			env.talk("  fix: %s", plain.Line(f.Fix))
		}
	}
	if slices.ContainsFunc(out.Findings, func(f kedge.Finding) bool { return f.Level == kedge.LevelError }) {
		env.talk("where such a change is meant, a person commits it and runs, outside a session: kedge gate --all")
	}
	for _, o := range out.Output {
		env.talk("output of %s, %d of %d lines:", o.Check, o.Shown, o.Lines)
		for line := range strings.Lines(o.Text) {
			env.talk("  %s", strings.TrimRight(line, "\n"))
		}
	}
	if out.Flaky {
		env.talk("flaky: the same check on the same tree has ended the other way before")
	}
}

// gateText is the answer, its marker last. A green one that leaves checks out
// says so in the answer itself: who reads nothing else must not take it for more.
func gateText(w io.Writer, out verify.GateReply) {
	if out.Partial && out.Green() {
		var left []string
		for _, c := range out.Checks {
			if c.Skipped != "" {
				left = append(left, c.Name)
			}
		}
		fmt.Fprintf(w, "partial: not run: %s\n", plain.Line(strings.Join(left, ", ")))
	}
	fmt.Fprintln(w, out.Verdict.Verdict)
}

func failureTalk(env *Env, c kedge.CheckResult) {
	f := c.FirstFailure
	where := f.Test
	if f.File != "" {
		where = strings.TrimSpace(fmt.Sprintf("%s %s:%d", f.Test, f.File, f.Line))
	}
	if where != "" {
		env.talk("%s: %s", c.Name, plain.Line(where))
	}
	for line := range strings.Lines(f.Message) {
		env.talk("  %s", strings.TrimRight(line, "\n"))
	}
	env.talk("log: %s", c.Log)
}

// maxCommand bounds a command in a line; the verdict has the whole of it.
const maxCommand = 100

func oneLine(s string) string {
	r := []rune(plain.Line(s))
	if len(r) > maxCommand {
		return string(r[:maxCommand]) + "…"
	}
	return string(r)
}

func seconds(ms int64) string {
	return (time.Duration(ms) * time.Millisecond).Round(10 * time.Millisecond).String()
}
