package supply

import (
	"context"
	"slices"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/core/brief"
	"kedge/internal/core/run"
	"kedge/internal/engine"
)

// phaseInput fills in what the approved plan says about the feature's phase, and
// a summary of each phase before it.
func (b Writer) phaseInput(ctx context.Context, l ledger.Snapshot, id kedge.FeatureID, in *brief.RunInput) error {
	phases := ledger.Phases(l)
	at := slices.IndexFunc(phases, func(ph ledger.PlanPhase) bool { return slices.Contains(ph.Made, id) })
	if at < 0 {
		return nil // it is not of the plan
	}
	in.Phase, in.Prompt = phases[at].Title, phases[at].Prompt
	for _, ph := range phases[:at] {
		text, err := ledger.PhaseSummary(ctx, b.p, l, ph)
		if err != nil {
			return err
		}
		in.Summaries = append(in.Summaries, brief.PhaseSummary{Phase: ph.Title, Text: text})
	}
	return nil
}

// phaseEnds saves the checkpoint with which a run ends at the end of a phase.
func (b Writer) phaseEnds(ctx context.Context, c run.Command) error {
	if c.Scope != run.PhaseEnd {
		return nil
	}
	at := engine.Position{Dir: b.p.Dir, Commit: c.Commit}
	repo, err := b.s.home.Git(ctx, b.p)
	if err != nil {
		return err
	}
	if at.Tree, err = repo.TreeOf(ctx, c.Commit); err != nil && !kedge.NotFound.Is(err) {
		return err
	}
	_, err = b.Checkpoint(ctx, c, at)
	return err
}
