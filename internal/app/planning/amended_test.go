package planning

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/runs"
	"kedge/internal/core/delta"
	"kedge/internal/core/run"
	"kedge/internal/engine/local"
	"kedge/internal/journal"
)

// TestF1AmendmentThatTheRunWasNotTold: the daemon died between the amendment and the run.
// The next one tells the run all of it, and the same request again has the same answer.
func TestF1AmendmentThatTheRunWasNotTold(t *testing.T) {
	w := newWorks(t)
	dying := false
	w.engine = func(_ context.Context, p kedge.Project, st *journal.Store) (runs.RunEngine, error) {
		e := local.New(local.Config{Project: p.ID, Store: st, Executor: leaves{}, Now: w.s.projects.Now})
		if dying {
			return deadEngine{e}, nil
		}
		return e, nil
	}
	items := func(n ...string) string {
		text := "\n## Phase 1: start {#p1}\n\n"
		for _, item := range n {
			text += "- [ ] " + item + "\n  check: test -e x\n"
		}
		return text
	}
	head, _, _ := strings.Cut(foundingPlan, "\n## Structure")
	w.Put(".kedge/plan.md", head+items("p1.1 one", "p1.2 two", "p1.3 three"))
	_, err := w.s.PlanApprove(t.Context(), w.who(), PlanApproveRequest{Path: "/bin:/usr/bin"})
	w.ok(err)
	specs, err := ledger.Specs(t.Context(), w.p)
	w.ok(err)
	begun := run.Input{Kind: run.Begun, Run: w.Run, Commit: w.Git("rev-parse", "HEAD"), At: w.Now, Specs: specs}
	state, _ := run.Step(run.State{}, begun)
	state.Halt, state.Status, state.Jobs, state.Outbox = run.Stopped, run.StatusStopped, nil, nil
	w.add(kedge.RunStepped, delta.Stepped{Run: w.Run, N: 1, Version: run.Version, Event: begun, Delta: delta.Diff(run.State{}, state)})

	l, err := ledger.ReadSnapshot(t.Context(), w.p)
	w.ok(err)
	front, _, _ := strings.Cut(l.Plan.Text, "\n## Phase 1")
	ask := PlanAmendRequest{
		Text:   strings.Replace(front, "- `true`", "- `git --version`", 1) + items("p1.1 first", "p1.2 second", "p1.4 four"),
		Reason: "wrong", DryRun: true, Path: "/bin:/usr/bin",
	}
	want, err := w.s.PlanAmend(t.Context(), w.who(), ask)
	w.ok(err)
	who := w.who()
	ask.DryRun, dying = false, true
	if _, err := w.s.PlanAmend(t.Context(), who, ask); !errors.Is(err, errKilled) {
		t.Fatalf("amended: %v", err)
	}
	dying = false
	m := missing{w}
	m.next()
	words, steps := m.told(1)
	if all := []string{"amended p1.1 by human:ada", "amended p1.2 by human:ada", "planned  by human:ada", "skipped p1.3 by human:ada"}; !slices.Equal(words, all) {
		t.Errorf("it is told %v", words)
	}
	got, err := w.s.PlanAmend(t.Context(), who, ask)
	w.ok(err)
	want.DryRun, want.Told, want.Locked, want.Notices = false, got.Told, got.Locked, got.Notices
	if !reflect.DeepEqual(got, want) || got.Was == "" || len(got.Fields) != 1 {
		t.Errorf("again:\n%+v\nwant\n%+v", got, want)
	}
	if words, _ := m.told(steps); len(words) > 0 {
		t.Errorf("it is told again: %v", words)
	}
}
