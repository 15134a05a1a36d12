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
		demands, err := ledger.ToldDemands(ctx, b.p, f, slices.Concat(in.GateChecks, f.Checks))
		if err != nil {
			return err
		}
		for _, c := range demands.Checks {
			if demands.Later[c.Name] != "" {
				in.Later = append(in.Later, c)
			} else {
				in.GateChecks = append(slices.Clip(in.GateChecks), c)
			}
		}
	}
	in.Decisions = brief.DecisionsOn(in.Decisions, phases, f)
	in.Risks = brief.RisksOn(in.Risks, phases, f)
	return nil
}

// PlanDemands are the checks that its plan adds to the gate of a feature.
func (l recorder) PlanDemands(ctx context.Context, f kedge.Definition, others []kedge.Check) (plan.Demands, error) {
	return ledger.PlanDemands(ctx, l.p, f, others)
}
