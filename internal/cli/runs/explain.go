package runs

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/reports"
	"kedge/internal/cli/frame"
	"kedge/internal/cli/ledger"
	"kedge/internal/text/plain"
	"kedge/internal/text/words"
)

// Explain is kedge explain.
func Explain(env *frame.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "explain FEATURE|COMMIT|ID",
		Short: "Tell the story of a feature, or of a commit that a run made",
		Long: `Tell the story of a feature or a commit: the session, the evidence, the
decisions that apply, attempts, how often each check ran, verdicts, refusals and
findings.

For a feature, Kedge explains the newest commit of its work. You can also give
the id of a session or of a verdict, or the last five characters of the id.
Kedge then explains the feature of this session or verdict.

If no run made the commit, Kedge shows which session was running at that time,
if any.`,
		Example: "  kedge explain login\n  kedge explain HEAD\n  kedge explain 4f1c2ab --json",
		Args:    cobra.ExactArgs(1), ValidArgsFunction: frame.FeatureIDs(env),
		RunE: func(c *cobra.Command, args []string) error {
			return frame.Ask(c.Context(), env, "explain", reports.ExplainRequest{Commit: args[0]}, func(w io.Writer, out reports.ExplainReply) {
				explainText(env, w, out)
			})
		},
	}
}

func explainText(env *frame.Env, w io.Writer, out reports.ExplainReply) {
	row := func(name, format string, args ...any) {
		frame.Row(w, 12, explainRole(name, out), name, plain.Line(fmt.Sprintf(format, args...)))
	}
	if out.Kind == reports.NoCommit {
		explainedFeature(row, out)
		row("commit", "none")
		cornersText(row, out)
		ledgerText(env, row, out)
		return
	}
	row("commit", "%s %s", out.Commit, out.Subject)
	switch {
	case out.Kind == reports.OtherCommit:
		otherText(row, out)
		return
	case out.Kind == reports.LedgerCommit && out.Work == "":
		row("by", "Kedge: this commit changes only files that Kedge writes")
		ledgerText(env, row, out)
		return
	case out.Kind == reports.LedgerCommit:
		row("by", "Kedge: this commit has only its own files about the work in commit %s", out.Work)
	}
	explainedFeature(row, out)
	if out.Run != "" {
		row("run", "%s, attempt %d", out.Run, out.Attempts)
	}
	if s := out.Session; s != nil {
		row("session", "%s %s (%s)", s.ID, s.Name, s.Agent)
		if r := s.Route; r != nil {
			row("route", "%s by %s: %s", r.Name(), r.Row, r.Why)
		}
		if b := s.Begun; b != nil {
			row("begun", "%s: %s", b.How, b.Why)
		}
		row("", "%s", ledger.FirstEdit(s.FirstEdit))
		for _, c := range s.Compactions {
			row("compacted", "%s", compactionText(c))
		}
	}
	if out.Checkpoint != "" {
		row("checkpoint", "%s", out.Checkpoint)
	}
	evidenceText(row, out)
	cornersText(row, out)
	redText(row, out.Red)
	ranOften(row, out.Checks)
	for _, f := range out.Files {
		row("file", "%s %s +%d -%d", f.Status, f.Path, f.Added, f.Removed)
	}
	for _, d := range out.Decisions {
		row("decision", "%s %s", d.ID, d.Title)
	}
	for _, f := range out.Findings {
		row("finding", "%s: %s: %s", f.Level, f.Where, f.What)
	}
	explainedSteps(env, row, out)
}

// explainRole is what a row means to you.
func explainRole(name string, out reports.ExplainReply) frame.Role {
	switch name {
	case "feature":
		return frame.Name
	case "evidence":
		if ev := out.Evidence; ev == nil || ev.Verdict.Verdict != kedge.ValidationOK {
			return frame.Plain
		}
		return frame.Verified
	case "red", "failure":
		return frame.Failed
	case "finding":
		return frame.Waits
	case "kept", "route", "validated", "checkpoint":
		return frame.Quiet
	}
	return frame.Plain
}

// otherText says whose a commit is that no run made, as far as anybody can know.
func otherText(row func(name, format string, args ...any), out reports.ExplainReply) {
	if len(out.Findings) == 0 {
		row("by", "you, or a command that you ran: no run of Kedge made this commit")
		return
	}
	row("by", "an agent or you: a session was running then, and no run of Kedge made or checked this commit")
	if s := out.Session; s != nil {
		row("session", "%s %s (%s)", s.ID, s.Name, s.Agent)
	}
	for _, f := range out.Findings {
		row("finding", "%s: %s; %s", f.Level, f.What, f.Fix)
	}
}

// ledgerText tells the story of what is no work: a feature that was blocked.
func ledgerText(env *frame.Env, row func(name, format string, args ...any), out reports.ExplainReply) {
	if out.Kind != reports.NoCommit {
		explainedFeature(row, out)
	}
	if out.Run != "" {
		row("run", "%s", out.Run)
	}
	redText(row, out.Red)
	ranOften(row, out.Checks)
	explainedSteps(env, row, out)
}

func explainedFeature(row func(name, format string, args ...any), out reports.ExplainReply) {
	if f := out.Feature; f != nil {
		row("feature", "%s: %s (%s)", f.ID, f.Name, words.Spaced(f.Status))
	}
}

func explainedSteps(env *frame.Env, row func(name, format string, args ...any), out reports.ExplainReply) {
	for _, e := range out.Ends {
		row("end", "%s", endText(e))
		if e.Compared != nil {
			row("compared", "%s", comparedText(env, *e.Compared))
		}
		if e.Failure != "" {
			row("failure", "%s", e.Failure)
			row("cause", "%s", cmp.Or(e.Cause, "the agent stated no cause"))
		}
	}
	for _, st := range out.Steps {
		row("step", "%s  %s", env.Clock(st.At), st.Text)
	}
}

// comparedText says what was held against a checkpoint before the first edit.
func comparedText(env *frame.Env, c kedge.Compared) string {
	if c.Unknown != "" {
		return "the files were not compared with checkpoint " + string(c.Checkpoint) + ": " + c.Unknown
	}
	text := fmt.Sprintf("%s in progress at checkpoint %s (%s); changed by somebody else until this session's first edit: ", words.Count(c.Files, "file"), c.Checkpoint, env.Clock(c.At))
	if len(c.Changed) == 0 {
		return text + "none"
	}
	var names []string
	for _, d := range c.Changed {
		names = append(names, string(d.State)+" "+d.Path)
	}
	return text + words.Clip(strings.Join(names, ", "), 300)
}

// endText says whether a session ended clean, and if not why.
func endText(e reports.SessionEnd) string {
	if e.Clean {
		return fmt.Sprintf("session %s ended clean: all its work is in commit %[3]s, which is green in verdict %[2]s", e.Session, e.Evidence, words.Hash(e.Commit))
	}
	return fmt.Sprintf("session %s did not end clean: %s", e.Session, e.Why)
}

func evidenceText(row func(name, format string, args ...any), out reports.ExplainReply) {
	if out.Validated != "" {
		row("validated", "git tree %s", out.Validated)
	}
	ev := out.Evidence
	if ev == nil {
		row("evidence", "unknown")
		return
	}
	row("evidence", "%s %s", ev.ID, frame.VerdictText(ev.Verdict.Verdict))
	for _, c := range ev.Verdict.Checks {
		ranRows(row, c)
	}
}

// cornersText says what the tests of the work show.
func cornersText(row func(name, format string, args ...any), out reports.ExplainReply) {
	if text := frame.CornersText(out.Corners); text != "" {
		row("tests", "%s", text)
	}
}

// redText tells of the verdicts on the way that were not green: what was red, how it
// ended and where its output is.
func redText(row func(name, format string, args ...any), red []kedge.Evidence) {
	for _, ev := range red {
		row("red", "%s %s", ev.ID, frame.VerdictText(ev.Verdict.Verdict))
		for _, c := range ev.Verdict.Checks {
			if c.FirstFailure != nil {
				ranRows(row, c)
			}
		}
	}
}

// ranOften says how often each check ran on the way, and where.
func ranOften(row func(name, format string, args ...any), checks []reports.CheckRuns) {
	var parts []string
	for _, c := range checks {
		var stages []string
		for _, at := range c.Stages {
			name := cmp.Or(string(at.Stage), "on request")
			if at.Times > 1 {
				name += " " + words.Count(at.Times, "time")
			}
			stages = append(stages, name)
		}
		parts = append(parts, fmt.Sprintf("%s ran %s (%s)", c.Check, words.Count(c.Times, "time"), strings.Join(stages, ", ")))
	}
	if len(parts) > 0 {
		row("checks", "%s", strings.Join(parts, ", "))
	}
}

// ranRows show one check of a verdict and the files that it left.
func ranRows(row func(name, format string, args ...any), c kedge.CheckResult) {
	row("check", "%s", ranText(c))
	for _, kept := range frame.KeptFiles(c.Evidence) {
		row("kept", "%s", kept)
	}
}

// ranText is one check of a verdict: what ran, how it ended and where its output is.
func ranText(c kedge.CheckResult) string {
	if c.Skipped != "" {
		return fmt.Sprintf("%s: %s (not run: %s)", c.Name, c.Command, c.Skipped)
	}
	text := fmt.Sprintf("%s: %s (exit %d, %s%s)", c.Name, c.Command, c.Exit, frame.Seconds(c.MS), frame.ReusedFrom(c))
	if c.Log != "" {
		text += ", log " + c.Log
	}
	return text
}

// compactionText says what became of a context.
func compactionText(c kedge.Compaction) string {
	who := "started by the agent"
	if c.Asked {
		who = "requested by Kedge"
	}
	if c.Failed != "" {
		return who + ", but not done: " + c.Failed
	}
	return fmt.Sprintf("%s: %s tokens in the context before, %s after", who, tokensOr(c.Before), tokensOr(c.After))
}

func tokensOr(n *int64) string {
	if n == nil {
		return "an unknown number of"
	}
	return frame.Thousands(*n)
}
