package reports

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/core/delta"
	"kedge/internal/core/run"
)

var update = flag.Bool("update", false, "write the golden files")

// every is what each kind of event can say, and the command that it answers.
var every = []struct {
	kind     run.InputKind
	about    run.Command
	outcomes []run.Outcome
}{
	{run.Begun, run.Command{}, []run.Outcome{run.OK}},
	{run.TakenOver, run.Command{}, []run.Outcome{run.OK}},
	{run.Prepared, run.Command{Kind: run.Prepare}, []run.Outcome{run.OK, run.CannotRun, run.Drifted, run.Failed}},
	{run.Gated, run.Command{Kind: run.Gate, Tree: "t"}, []run.Outcome{run.Green, run.Partial, run.Empty, run.Red, run.Void, run.Regressed, run.CannotRun, run.Failed}},
	{run.Proved, run.Command{Kind: run.Prove}, []run.Outcome{run.Fails, run.NoChecks, run.Green, run.Broken, run.CannotRun, run.Failed}},
	{run.Briefed, run.Command{Kind: run.Brief}, []run.Outcome{run.OK, run.Failed}},
	{run.Signalled, run.Command{Kind: run.StartSession}, []run.Outcome{run.WantCheckpoint, run.WantHandover, run.Stalled, run.Asked, run.Noticed}},
	{run.Exited, run.Command{Kind: run.StartSession}, []run.Outcome{run.Finished, run.Crashed, run.Killed, run.Closed, run.HitLimit, run.Asked, run.NoLogin, run.Unapproved, run.Drifted, run.Failed}},
	{run.Ended, run.Command{Kind: run.EndSession}, []run.Outcome{run.OK, run.Failed}},
	{run.Checkpointed, run.Command{Kind: run.Checkpoint}, []run.Outcome{run.OK, run.Failed}},
	{run.Gated, run.Command{Kind: run.Gate}, []run.Outcome{run.Green, run.Partial, run.Empty, run.Red, run.Void, run.Regressed, run.CannotRun}},
	{run.Parked, run.Command{Kind: run.Park}, []run.Outcome{run.OK, run.Drifted, run.Failed}},
	{run.Inspected, run.Command{Kind: run.Inspect}, []run.Outcome{run.Clean, run.Empty, run.Outside, run.Forbidden, run.Unapproved, run.Failed}},
	{run.Inspected, run.Command{Kind: run.Inspect, Purpose: run.MakePlan}, []run.Outcome{run.Clean, run.Red, run.Outside}},
	{run.Integrated, run.Command{Kind: run.Integrate}, []run.Outcome{run.Green, run.Partial, run.Empty, run.Red, run.Void, run.Regressed, run.Conflicting, run.Outside, run.CannotRun, run.Failed}},
	{run.Gated, run.Command{Kind: run.Gate, Purpose: run.FixFirst, Tree: "t"}, []run.Outcome{run.Green, run.Red}},
	{run.Integrated, run.Command{Kind: run.Integrate, Purpose: run.TakeBack}, []run.Outcome{run.Green, run.Red}},
	{run.Committed, run.Command{Kind: run.Commit}, []run.Outcome{run.OK, run.Drifted, run.Failed}},
	{run.Committed, run.Command{Kind: run.Commit, Purpose: run.TakeBack}, []run.Outcome{run.OK}},
	{run.Noted, run.Command{Kind: run.Note}, []run.Outcome{run.OK, run.Failed}},
	{run.Ledgered, run.Command{Kind: run.Ledger, Status: kedge.Completed, Evidence: "evd-1"}, []run.Outcome{run.OK, run.Failed}},
	{run.Ledgered, run.Command{Kind: run.Ledger, Status: kedge.NeedsReview, Reason: "it has no checks of its own"}, []run.Outcome{run.OK}},
	{run.Ledgered, run.Command{Kind: run.Ledger, Status: kedge.Completed, Reason: "the baseline was red and is now green without a change"}, []run.Outcome{run.OK}},
	{run.Reverted, run.Command{Kind: run.Revert, Base: "0123456789abcdef"}, []run.Outcome{run.OK, run.Drifted, run.Failed}},
	{run.Landed, run.Command{Kind: run.Land, Commit: "0123456789abcdef"}, []run.Outcome{run.OK, run.Refused, run.Failed}},
	{run.Said, run.Command{}, []run.Outcome{run.OK}},
	{run.Answered, run.Command{}, []run.Outcome{run.OK}},
	{run.PauseAsked, run.Command{}, []run.Outcome{run.OK}},
	{run.StopAsked, run.Command{}, []run.Outcome{run.OK}},
	{run.Continued, run.Command{}, []run.Outcome{run.OK}},
	{run.LandAsked, run.Command{}, []run.Outcome{run.OK}},
	{run.Approved, run.Command{}, []run.Outcome{run.OK}},
	{run.Denied, run.Command{}, []run.Outcome{run.OK}},
	{run.Planned, run.Command{}, []run.Outcome{run.OK}},
	{run.Amended, run.Command{}, []run.Outcome{run.OK}},
	{run.Accepted, run.Command{}, []run.Outcome{run.OK}},
	{run.Reopened, run.Command{}, []run.Outcome{run.OK}},
	{run.Skipped, run.Command{}, []run.Outcome{run.OK}},
	{run.Barred, run.Command{}, []run.Outcome{run.OK}},
}

// innerWords are words that only the code knows.
var innerWords = []string{"_", "tip", "epoch", "barred", " proved", "gated", "ledgered", "the session: ", "looked at: "}

// TestEveryLineOfARun: the golden file has each line that a run can print, so that a
// change of the words is read by somebody. None has a word of the code, or two colons
// before its reason.
func TestEveryLineOfARun(t *testing.T) {
	var b strings.Builder
	for _, e := range every {
		for _, o := range e.outcomes {
			ev := inputOf(e.kind, o)
			line := wordsFor(delta.Stepped{Event: ev}, e.about)
			fmt.Fprintf(&b, "%-12s %-16s %s\n", e.kind, o, line)
			own := strings.TrimSuffix(strings.TrimSuffix(line, "REASON"), "FAILURE")
			for _, w := range innerWords {
				if strings.Contains(own, w) {
					t.Errorf("%s %s: %q has %q", e.kind, o, line, w)
				}
			}
			if strings.Count(own, ": ") > 1 {
				t.Errorf("%s %s: %q has two colons", e.kind, o, line)
			}
		}
	}
	for _, c := range startedBy() {
		fmt.Fprintf(&b, "%-12s %-16s %s\n", c.Kind, c.Purpose, joined(startedWords(c)...))
	}
	golden := filepath.Join("testdata", "steps.golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || string(want) != b.String() {
		t.Errorf("the lines of a run differ from %s; read them, then: go test ./internal/app/reports -update\n%s", golden, b.String())
	}
}

// inputOf is an event with everything that such a one can carry.
func inputOf(kind run.InputKind, o run.Outcome) run.Input {
	ev := run.Input{Kind: kind, Outcome: o, Reason: "REASON", Commit: "0123456789abcdef"}
	switch kind {
	case run.Gated, run.Integrated, run.Inspected:
		if o == run.Red {
			ev.Failure = "FAILURE"
		}
		if o == run.Regressed {
			ev.Features = []kedge.FeatureID{"one", "two"}
		}
	case run.Reverted:
		ev.Text = "sal-1"
	case run.Landed:
		ev.Text = "main"
	case run.Said, run.Answered:
		ev.Text, ev.Reason, ev.Actor = "TEXT", "", "human:ada"
	case run.PauseAsked, run.StopAsked, run.Continued, run.LandAsked, run.Approved, run.Denied, run.Planned, run.Amended, run.Accepted, run.Reopened, run.Skipped, run.Barred:
		ev.Actor = "human:ada"
	default:
	}
	if o == run.Green || o == run.OK && kind != run.Denied && kind != run.Amended && kind != run.Reopened && kind != run.Skipped && kind != run.Barred {
		ev.Reason = ""
	}
	if kind == run.Landed {
		ev.Commit = ""
	}
	return ev
}

// startedBy are commands that a run tells of as it gives them.
func startedBy() []run.Command {
	at := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	return []run.Command{
		{Kind: run.StartSession, Purpose: run.Implement, Attempt: 1},
		{Kind: run.StartSession, Purpose: run.Repair, Attempt: 2, Resume: "c", Reason: "REASON"},
		{Kind: run.StartSession, Purpose: run.FixFirst, Attempt: 1, Route: "claude:opus"},
		{Kind: run.Timer, At: at, Wait: 15 * time.Minute},
		{Kind: run.Timer, At: at, Wait: 2 * time.Hour, Until: at.Add(2 * time.Hour)},
	}
}

func startedWords(c run.Command) []string {
	if c.Kind == run.Timer {
		return []string{waitWords(c)}
	}
	return []string{startWords(c)}
}

// TestDocsShowLinesOfARun: what the pages show of a run is what a run prints today.
func TestDocsShowLinesOfARun(t *testing.T) {
	golden, err := os.ReadFile(filepath.Join("testdata", "steps.golden"))
	if err != nil {
		t.Fatal(err)
	}
	var known []string
	for line := range strings.Lines(string(golden)) {
		if len(line) > 30 {
			text := regexp.QuoteMeta(strings.TrimSpace(line[30:]))
			text = regexp.MustCompile(`REASON|FAILURE|TEXT|evd-1|sal-1|0123456789ab|ada|one, two|attempt\\? \d|"main"|12:15|14:00`).ReplaceAllString(text, ".+")
			known = append(known, text)
		}
	}
	line := regexp.MustCompile(`^( +)\d\d:\d\d:\d\d  (?:[\w.-]+: )?(.*)$`)
	is := regexp.MustCompile("^(" + strings.Join(known, "|") + ")$")
	pages, err := filepath.Glob("../../../docs/*/*.md")
	if err != nil || len(pages) < 10 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	n := 0
	for _, page := range append(pages, "../../../docs/tour.md", "../../../README.md") {
		b, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for at, text := range strings.Split(string(b), "\n") {
			if m := line.FindStringSubmatch(text); m != nil {
				if n++; !is.MatchString(strings.TrimSuffix(m[2], "…")) && !is.MatchString(m[2]) {
					t.Errorf("%s:%d: no run prints %q", page, at+1, m[2])
				}
			}
		}
	}
	if n < 20 {
		t.Errorf("only %d lines", n)
	}
}

// TestNothingWasDone: steps that did nothing say so, and who did it instead.
func TestNothingWasDone(t *testing.T) {
	for _, x := range []struct {
		ev    run.Input
		about run.Command
		want  string
	}{
		{
			run.Input{Kind: run.Integrated, Outcome: run.Green, Moot: true, Text: `done by commit 1a2b3c (feature "a")`},
			run.Command{Kind: run.Integrate},
			`merged and checked in full: green, and nothing is left of its work; done by commit 1a2b3c (feature "a")`,
		},
		{run.Input{Kind: run.Answered, Reason: PlansOn, Actor: kedge.Human("ada")}, run.Command{}, "planning continues without an answer"},
	} {
		if got := wordsFor(delta.Stepped{Event: x.ev}, x.about); got != x.want {
			t.Errorf("%q, want %q", got, x.want)
		}
	}
}
