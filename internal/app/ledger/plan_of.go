package ledger

import (
	"context"
	"slices"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/core/plan"
	"kedge/internal/journal"
)

// PlanFor gives the approved plan that a feature was made from; nil where no plan made it,
// or another version of Kedge froze the plan. Several plans may be followed at once.
func PlanFor(ctx context.Context, p *projects.Project, id kedge.FeatureID) (*kedge.Plan, error) {
	d, found, err := journal.NewestThat(ctx, p.Store, journal.KindPlan, func(d kedge.PlanData) bool {
		return isApproved(d) && slices.Contains(d.Features, id)
	})
	if err != nil || !found || id == "" {
		return nil, err
	}
	return parsed(d), nil
}

// FollowedPlan gives the plan that was approved last, while it is not done; nil where
// there is none.
func FollowedPlan(ctx context.Context, p *projects.Project) (*kedge.Plan, error) {
	l, err := ReadPlans(ctx, p)
	if err != nil || l.Plan == nil || l.Plan.Status != kedge.PlanApproved {
		return nil, err
	}
	return parsed(*l.Plan), nil
}

// PlanChecks are the checks that its plan adds to the gate of a feature, beside others
// that run there.
func PlanChecks(ctx context.Context, p *projects.Project, f kedge.Definition, others []kedge.Check) ([]kedge.Check, error) {
	made, err := PlanFor(ctx, p, f.ID)
	if err != nil || made == nil {
		return nil, err
	}
	return plan.ChecksFor(*made, f, others), nil
}

func isApproved(d kedge.PlanData) bool {
	return d.Status == kedge.PlanApproved || d.Status == kedge.PlanDone
}

func parsed(d kedge.PlanData) *kedge.Plan {
	doc, err := plan.ParsePlan(PlanFile, []byte(d.Text))
	if err != nil {
		return nil
	}
	return &doc.Plan
}
