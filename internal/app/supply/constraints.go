package supply

import (
	"context"
	"slices"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/core/brief"
	"kedge/internal/core/plan"
)

// constrain fills in what binds the work on a feature, and leaves out what does not apply
// to it: the plan's invariants and assumptions, decisions and risks. The checks of the
// plan stand with the project's. Work at no feature is bound by all decisions.
func (b Writer) constrain(ctx context.Context, in *brief.RunInput) error {
	if in.Feature == nil {
		return nil
	}
	f := in.Feature.Definition
	made, err := ledger.PlanFor(ctx, b.p, f.ID)
	if err != nil {
		return err
	}
	var phases []kedge.Phase
	if made != nil {
		phases = made.Phases
		in.Constraints = brief.ConstraintsOn(*made, f)
		in.GateChecks = slices.Concat(in.GateChecks, plan.ChecksFor(*made, f, slices.Concat(in.GateChecks, f.Checks)))
	}
	in.Decisions = brief.DecisionsOn(in.Decisions, phases, f)
	in.Risks = brief.RisksOn(in.Risks, phases, f)
	return nil
}

// PlanChecks are the checks that its plan adds to the gate of a feature.
func (l recorder) PlanChecks(ctx context.Context, f kedge.Definition, others []kedge.Check) ([]kedge.Check, error) {
	return ledger.PlanChecks(ctx, l.p, f, others)
}
