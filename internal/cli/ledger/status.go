package ledger

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/status"
	"kedge/internal/cli/frame"
	"kedge/internal/core/run"
	"kedge/internal/text/plain"
	"kedge/internal/text/words"
)

// Status is kedge status.
func Status(env *frame.Env) *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Show where the work stands, and what to do next",
		Long: `Show progress, changes made outside Kedge, and the commands to run next.

Commands that change something print the same next steps.`, Args: cobra.NoArgs,
		Example: "  kedge status\n  kedge status --json",
		RunE: func(c *cobra.Command, _ []string) error {
			return frame.Ask(c.Context(), env, "status", status.Request{}, statusText)
		},
	}
}

func statusText(w io.Writer, out status.Reply) {
	row := func(name, format string, args ...any) {
		frame.Row(w, statusIndent, rowRole(name, out), name, fmt.Sprintf(format, args...))
	}
	headText(w, out)
	rolesText(row, out)
	if out.NotSetUp {
		row("set-up", "Kedge is not set up here: its files are not in .kedge/")
	}
	if out.Plan != nil && out.Plan.ID == "" {
		row("plan", "%s: a draft in %s; check it: kedge plan check", words.Spaced(out.Plan.Status), ".kedge/plan.md")
	}
	if r := out.Run; r != nil {
		row("run", "%s %s", r.ID, runText(out))
		for _, line := range r.Notices {
			row("", "%s", plain.Line(line))
		}
		forecastRows(row, r)
	}
	for _, f := range out.Settings {
		row("settings", "%s: %s", f.Where, plain.Line(f.What))
		row("", "fix: %s", plain.Line(f.Fix))
	}
	if out.Plan != nil {
		for _, n := range out.Plan.NotGreen {
			row("not green", "%s", plain.Line(n.Text()))
		}
	}
	for _, of := range out.Warnings {
		row("warning", "%s: %s", of.Session, plain.Line(of.Sentence(of.Session)))
	}
	if out.Checkpoint != nil {
		row("checkpoint", "%s", *out.Checkpoint)
	}
	lastText(row, out)
	driftText(w, row, out)
	for _, e := range out.Edits {
		row("hand edit", "%s: %s; %s", e.Path, frame.WithoutPath(e), ledger.Settles(e.Action))
	}
	for _, path := range out.Behind {
		row("behind", "%s is out of date; the next command that changes something updates it", path)
	}
	for _, of := range out.Stranded {
		row("stranded", "feature %s depends on feature %s, which was skipped", of.ID, of.Behind)
	}
	for _, line := range nextLines(out) {
		row("next", "%s", plain.Line(line))
	}
	if out.Daemon == nil {
		row("daemon", "not running")
	} else {
		row("daemon", "running, pid %d", out.Daemon.PID)
	}
}

// statusIndent is where the texts of the rows begin.
const statusIndent = 12

// rowRole is what a row means to you.
func rowRole(name string, out status.Reply) frame.Role {
	switch name {
	case "waits", "warning", "hand edit", "stranded", "settings":
		return frame.Waits
	case "not green", "regressed":
		return frame.Failed
	case "verified":
		if out.Features.Completed > 0 {
			return frame.Verified
		}
		return frame.Plain
	case "gate":
		if out.Gate.Verdict == kedge.ValidationOK {
			return frame.Verified
		}
		return frame.Failed
	case "checkpoint", "daemon", "behind":
		return frame.Quiet
	}
	return frame.Plain
}

// forecastRows show what a run that is not over may take, and how far it is off.
func forecastRows(row func(name, format string, args ...any), r *status.RunInfo) {
	if r.Forecast == nil || r.Forecast.Forecast.Features == 0 {
		return
	}
	row("forecast", "%s", frame.ForecastText(r.Forecast.Forecast))
	if r.Forecast.Forecast.Basis.Features > 0 {
		row("", "%s", frame.CourseText(*r.Forecast))
	}
}

// runText is where the run stands. One that goes on by itself does so only under
// a daemon.
func runText(out status.Reply) string {
	state, held := frame.HeldByYou(run.Status(out.Run.State), run.Halt(out.Run.Halt), out.Run.HaltedBy, out.Run.HaltedAt)
	if !held {
		state = strings.TrimSuffix(strings.ReplaceAll(out.Run.State, "_", " ")+": "+out.Run.Reason, ": ")
	}
	if standsStill(out) {
		return "waits (" + state + ") until the daemon runs again: kedge up"
	}
	if idleNow(out) || out.Run.State == string(run.StatusStopped) && len(out.NextSteps) == 0 { // what it came to need not be so any more
		return "is over (" + state + ")"
	}
	return state
}

func standsStill(out status.Reply) bool {
	return out.Run != nil && out.Daemon == nil && slices.Contains([]run.Status{run.StatusRunning, run.StatusPlanning, run.StatusQuota}, run.Status(out.Run.State))
}

// lastText shows what was said last: the handoff, the verdict, the open risks.
func lastText(row func(name, format string, args ...any), out status.Reply) {
	if h := out.Handoff; h != nil {
		row("handoff", "%s, %d%% done, saved %s", h.ID, h.Percent, words.Ago(time.Since(h.At)))
	}
	if g := out.Gate; g != nil {
		row("gate", "%s; %s", verdictText(g), sinceText(out))
	}
	if out.OpenRisks > 0 {
		row("risks", "%d open: kedge risk ls", out.OpenRisks)
	}
}

func verdictText(g *status.GateInfo) string {
	s := frame.VerdictText(g.Verdict)
	if g.Partial {
		s += " (partial)"
	}
	if g.Feature != "" {
		s += " for " + string(g.Feature)
	}
	return s + ", " + words.Ago(time.Since(g.At))
}

// sinceText says whether the verdict is about the present files. A run judges files of its
// own worktree: then yours differ from them although none of yours changed.
func sinceText(out status.Reply) string {
	text, g := "files changed since", out.Gate
	switch {
	case g.Changed == nil:
		return "whether files changed since is unknown"
	case !*g.Changed:
		return "no file changed since"
	case len(out.Drift) == 0 && out.DriftUnknown == "":
		text = "the checked files differ from yours"
	}
	if g.Again == "" {
		return text
	}
	return text + ": " + plain.Line(g.Again)
}

// shownDrift is how many drifted paths a person is shown; --json has all.
const shownDrift = 20

func driftText(w io.Writer, row func(name, format string, args ...any), out status.Reply) {
	switch {
	case out.DriftUnknown != "":
		row("drift", "unknown: %s", out.DriftUnknown)
	case len(out.Drift) == 0:
		return // see headText
	default:
		row("drift", "%s since Kedge last recorded the files; read before you edit:", frame.Counted(len(out.Drift), "change"))
	}
	t := frame.Table{Indent: 2, Columns: []frame.Column{{}, {Least: 20, Ends: true}, {}}}
	for _, d := range out.Drift[:min(shownDrift, len(out.Drift))] {
		t.Row(string(d.State), d.Path, fmt.Sprintf("+%d -%d", d.Added, d.Removed))
	}
	t.Print(w)
	if more := len(out.Drift) - shownDrift; more > 0 {
		fmt.Fprintf(w, "  and %d more; to see all: kedge status --json\n", more)
	}
}

// nextLines say what comes next: the next feature, where nothing works on any, and
// what a person does.
func nextLines(out status.Reply) []string {
	if standsStill(out) {
		return []string{"kedge up"}
	}
	idle := idleNow(out)
	var lines []string
	switch {
	case len(out.NextSteps) == 0 && out.Next == nil:
		lines = append(lines, nothingNext(out.Why, out.Features))
	case idle && out.Next != nil || len(out.NextSteps) == 0:
		lines = append(lines, nextFeature(*out.Next))
	}
	for _, s := range out.NextSteps {
		lines = append(lines, frame.StepWithWhy(s))
	}
	return lines
}

// idleNow tells whether there is work and nothing works on it.
func idleNow(out status.Reply) bool {
	return slices.ContainsFunc(out.NextSteps, func(s kedge.NextStep) bool { return s.Is("kedge", "next") })
}

func nextFeature(n kedge.Next) string {
	s := string(n.Feature.ID)
	if n.Item != "" && n.Item != s {
		s = n.Item + " " + s
	}
	return s + ": " + n.Feature.Name
}

// nothingNext says why nothing is next and, at the very beginning and when all is done,
// how there comes to be work.
func nothingNext(why string, n status.FeatureCounts) string {
	switch n.Total {
	case 0:
		return "nothing: " + why + "; add one: kedge feature add --help, or plan them: kedge plan --help"
	case n.Completed + n.Skipped:
		return "nothing: " + why + "; add one: kedge feature add --help, or plan more: kedge plan --help"
	default:
		return "nothing: " + why
	}
}
