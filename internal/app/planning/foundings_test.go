package planning

import (
	"context"
	"errors"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/app/runs"
	"kedge/internal/journal"
)

const foundingPlan = "---\nversion: 1\ntitle: A shop\nstatus: ready\n---\n\n## Questions\n\nnone\n\n## Root cause\n\nx\n\n## Files expected to change\n\n- src/**\n\n" +
	"## Assumptions\n\nnone\n\n## Invariants\n\nnone\n\n## Risks\n\nnone\n\n## Validation\n\n- `true`\n\n" +
	"## Structure\n\n- src: the code\n\n## Set-up\n\n- true (once deps.txt)\n\n## Checks\n\n- style: true (once style.sh)\n" +
	"\n## Phase 1: start {#p1}\n\n- [ ] p1.1 the skeleton\n  check: test -e go.mod\n"

var errNoEngine = errors.New("this is as far as the test goes")

// cut approves the plan and dies before the settings are written.
func cut(t *testing.T) *works {
	t.Helper()
	w := newWorks(t)
	w.engine = func(context.Context, kedge.Project, *journal.Store) (runs.RunEngine, error) { return nil, errNoEngine }
	w.Put(".kedge/plan.md", foundingPlan)
	_, _, _, err := w.s.book.Change(t.Context(), w.who(), func(p *projects.Project, l ledger.Snapshot) ([]kedge.Event, error) {
		d, err := w.s.approvable(t.Context(), p, l, PlanApproveRequest{Path: "/bin:/usr/bin"})
		if err != nil {
			return nil, err
		}
		return w.s.approve(t.Context(), p, l, w.who(), d)
	})
	w.ok(err)
	if got := w.settings(); strings.Contains(got, "style") {
		t.Fatalf("the settings are written already: %s", got)
	}
	return w
}

// settings are those that the branch has.
func (w *works) settings() string {
	w.t.Helper()
	return w.Git("show", "HEAD:.kedge/gate.toml")
}

// TestFoundingAfterADeath: the daemon died between the approval and the settings of the
// plan; the next run writes and commits them, once.
func TestFoundingAfterADeath(t *testing.T) {
	for name, before := range map[string]func(*works){
		"before they are written":   func(*works) {},
		"before they are committed": func(w *works) { _, err := w.s.writeDue(t.Context(), w.p); w.ok(err) },
	} {
		t.Run(name, func(t *testing.T) {
			w := cut(t)
			before(w)
			if _, err := w.s.RunStart(t.Context(), w.who(), runs.RunStartRequest{}); err == nil {
				t.Error("the run has an engine")
			}
			if got := w.settings(); strings.Count(got, `name = "style"`) != 1 || !strings.Contains(got, `name = "all"`) {
				t.Errorf("gate.toml is\n%s", got)
			}
			if got := w.Git("show", "HEAD:.kedge/config.toml"); !strings.Contains(got, "deps.txt") {
				t.Errorf("config.toml is\n%s", got)
			}
			w.Put(".kedge/gate.toml", "version = 1\n")
			w.Git("commit", "-q", "-a", "-m", "without checks")
			w.ok(w.s.FinishFounding(t.Context(), w.p, w.who()))
			if got := w.settings(); strings.Contains(got, "style") {
				t.Errorf("a check that was removed is back:\n%s", got)
			}
		})
	}
}

// TestFoundingOfNoApproval: what was noted for an approval that never was does nothing.
func TestFoundingOfNoApproval(t *testing.T) {
	w := newWorks(t)
	w.ok(w.s.keepDue(w.p, "pln-none"))
	w.ok(w.s.FinishFounding(t.Context(), w.p, w.who()))
	if id, err := w.s.due(w.p); err != nil || id != "" {
		t.Errorf("due is %q, %v", id, err)
	}
}
