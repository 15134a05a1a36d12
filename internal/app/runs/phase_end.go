package runs

import (
	"context"
	"strings"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/core/run"
)

// phaseNumber is a phase as people name it.
func phaseNumber(id string) string { return strings.TrimPrefix(id, "p") }

// What the steps are for that begin a run.
const (
	beginWhy = "start a run on the features"
	phaseWhy = "work on the next phase"
)

// beginSteps start a run on the features. After one that ended with a phase they show
// what the phase changed, and begin the next one.
func beginSteps(st *run.State) []kedge.NextStep {
	next := nextPhase(st)
	if next == "" {
		return []kedge.NextStep{runStep().For(beginWhy)}
	}
	return []kedge.NextStep{
		runStep("--until", phaseNumber(next)).For(phaseWhy),
		kedge.Step("kedge", "plan", "diff", phaseNumber(st.Rules.Until.Phase)).For("see what the phase changed"),
	}
}

// begins tells whether a step begins a run.
func begins(s kedge.NextStep) bool { return s.Why == beginWhy || s.Why == phaseWhy }

// nextPhase is the first later phase with a feature that waits; empty: none.
func nextPhase(st *run.State) string {
	for _, id := range st.Rules.Until.Later {
		for i := range st.Features {
			if f := &st.Features[i]; st.Later(f) && st.Phases[f.Phase].ID == id {
				return id
			}
		}
	}
	return ""
}

// PhaseView is the phase that a run ended with, and what it came to.
type PhaseView struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	Summary string `json:"summary"`
}

// phaseView is the phase that the run ended with; nil where it did not end with one.
func phaseView(ctx context.Context, p *projects.Project, st *run.State) (*PhaseView, error) {
	if !st.AtPhaseEnd() {
		return nil, nil
	}
	l, err := ledger.ReadSnapshot(ctx, p)
	if err != nil {
		return nil, err
	}
	ph, err := ledger.FindPlanPhase(l, st.Rules.Until.Phase)
	if kedge.NotFound.Is(err) {
		return nil, nil // another plan is followed by now
	}
	if err != nil {
		return nil, err
	}
	text, err := ledger.PhaseSummary(ctx, p, l, ph)
	return &PhaseView{ID: ph.ID, Title: ph.Title, Summary: text}, err
}
