package ledger

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/verify"
	"kedge/internal/cli/frame"
	"kedge/internal/core/check"
	"kedge/internal/engine/gate"
	"kedge/internal/text/plain"
	"kedge/internal/text/words"
)

// Gate is kedge gate.
func Gate(env *frame.Env) *cobra.Command {
	var all, output bool
	c := &cobra.Command{
		Use: "gate [NAME...]", Short: "Run the project's checks and print one verdict",
		Long: `Run the project's checks and print one verdict.

Kedge runs the checks of .kedge/gate.toml on the current files and stops at
the first red one. With names, it runs only these. The order is
` + words.Wrap(check.Comma(check.KindNames())+".", 76) + `
The last line on stdout is one of
` + words.Wrap(check.Comma(check.Markers())+".", 76) + `
If a check is red, the exit code is 6.

Kedge skips a check if no file that it covers changed since HEAD, unless you
pass --all. The verdict is then partial. If a partial verdict is green, Kedge
prints "partial: not run: NAMES" before it. kedge gate does not run the checks
of features: kedge feature submit runs them, and a run repeats those of
completed features (run.regression).

For a red check, Kedge shows the first failure and where its log is. --output
adds every other failure, error and warning, with file and line, and the
totals. It shortens repeated lines and passing tests. The log stays complete.

Inside a session, Kedge compares the files with those that it verified last,
and uses the checks as they were then. So an agent cannot hide a change by
committing it. After a full green verdict outside a session, Kedge compares
with the files of that verdict.`,
		Example: "  kedge gate\n  kedge gate unit\n  kedge gate --all           every check: a full verdict\n  kedge gate --output        all failures of a red check\n  kedge gate --json",
		RunE: func(c *cobra.Command, names []string) error {
			var out verify.GateReply
			in := verify.GateRequest{Names: names, All: all, Output: output, Env: env.Environ}
			err := env.Call.Call(c.Context(), "gate", in, &out, func(b json.RawMessage) { gateStep(env, b) })
			env.Running("")
			if err != nil {
				return err
			}
			gateTalk(env, out)
			if err := env.Show(out, func(w io.Writer) { gateText(w, out) }); err != nil {
				return err
			}
			if !out.Green() {
				return frame.Printed(kedge.Red)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&all, "all", false, "run every check, even if no file that it covers changed")
	c.Flags().BoolVar(&output, "output", false, "show all failures, errors and warnings of a red check, not only the first failure")
	return c
}

// gateStep says one line when a check has ended or is left out.
func gateStep(env *frame.Env, b json.RawMessage) {
	var s gate.Step
	if json.Unmarshal(b, &s) != nil {
		return // the daemon is of another version; the verdict says it all
	}
	c := s.Check
	env.Running("")
	switch {
	case s.State == gate.Started:
		env.Running(fmt.Sprintf("run   %-12s %s: %s", c.Name, c.Kind, oneLine(c.Command)))
	case s.State == gate.Waiting:
		env.Talk("wait  %-12s %s", s.Service, plain.Line(s.Note))
	case s.State == gate.Skipped && c.Skipped == gate.NotAsked:
	case s.State == gate.Skipped:
		env.Talk("skip  %-12s %s: %s", c.Name, c.Kind, c.Skipped)
	case s.State == gate.Finished && c.FirstFailure != nil:
		env.Talk("FAIL  %-12s %s: %s (%s)", c.Name, c.Kind, oneLine(c.Command), frame.Seconds(c.MS))
	case s.State == gate.Finished:
		env.Talk("ok    %-12s %s: %s (%s)", c.Name, c.Kind, oneLine(c.Command), frame.Seconds(c.MS))
	}
}

// gateTalk shows the first failure and the findings; the rest is in the log.
func gateTalk(env *frame.Env, out verify.GateReply) {
	for _, c := range out.Checks {
		if c.FirstFailure != nil {
			failureTalk(env, c)
		}
	}
	for _, f := range out.Findings {
		env.Talk("%s: %s: %s", f.Level, plain.Line(f.Where), plain.Line(f.What))
		if f.Fix != "" {
			env.Talk("  fix: %s", plain.Line(f.Fix))
		}
	}
	if slices.ContainsFunc(out.Findings, func(f kedge.Finding) bool { return f.Level == kedge.LevelError }) {
		env.Talk("to keep these changes, commit them; then, in a terminal outside a session: kedge gate --all")
	}
	for _, o := range out.Output {
		env.Talk("output of check %s, %d of %d lines:", o.Check, o.Shown, o.Lines)
		for line := range strings.Lines(o.Text) {
			env.Talk("  %s", strings.TrimRight(line, "\n"))
		}
	}
	if out.Flaky {
		env.Talk("flaky: an earlier run of this check on the same files had the opposite result")
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

func failureTalk(env *frame.Env, c kedge.CheckResult) {
	f := c.FirstFailure
	if where := strings.TrimSpace(f.Test + " " + f.Place()); where != "" {
		env.Talk("%s: %s", c.Name, plain.Line(where))
	}
	for line := range strings.Lines(f.Message) {
		env.Talk("  %s", strings.TrimRight(line, "\n"))
	}
	env.Talk("log: %s", c.Log)
	for _, kept := range frame.KeptFiles(c.Evidence) {
		env.Talk("saved: %s", kept)
	}
}

// maxCommand bounds a command in a line; the verdict has the whole of it.
const maxCommand = 100

func oneLine(s string) string { return words.Clip(plain.Line(s), maxCommand) }
