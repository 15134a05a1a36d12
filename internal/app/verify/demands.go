package verify

import (
	"context"
	"slices"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/core/plan"
	"kedge/internal/journal"
)

// demanded are the checks of its plan that neither the project's checks nor the feature's
// run already. A gate that is about no feature is about the one of the caller's
// session, else about the plan that is followed now.
func demanded(ctx context.Context, p *projects.Project, j judgement, checks []kedge.Check) (plan.Demands, error) {
	others := slices.Concat(checks, j.own)
	id := j.feature
	if id == "" && p.RunSession != nil {
		id = p.RunSession.Feature
	}
	if id != "" {
		d, _, err := journal.Get[journal.FeatureDoc](ctx, p.Store, journal.KindFeature, string(id))
		if err != nil {
			return plan.Demands{}, err
		}
		if p.RunSession != nil {
			return ledger.ToldDemands(ctx, p, d.Definition, others) // the run's own gates decide
		}
		return ledger.CheckoutDemands(ctx, p, d.Definition, others)
	}
	return ledger.FollowedDemands(ctx, p, others)
}
