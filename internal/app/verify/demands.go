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

// demanded are the feature's checks, and those of its plan that the project's checks do
// not run already. A gate that is about no feature is about the one of the caller's
// session, else about the plan that is followed now.
func demanded(ctx context.Context, p *projects.Project, j judgement, checks []kedge.Check) ([]kedge.Check, error) {
	others := slices.Concat(checks, j.own)
	id := j.feature
	if id == "" && p.RunSession != nil {
		id = p.RunSession.Feature
	}
	if id != "" {
		d, _, err := journal.Get[journal.FeatureDoc](ctx, p.Store, journal.KindFeature, string(id))
		if err != nil {
			return nil, err
		}
		plans, err := ledger.PlanChecks(ctx, p, d.Definition, others)
		return slices.Concat(j.own, plans), err
	}
	followed, err := ledger.FollowedPlan(ctx, p)
	if err != nil || followed == nil {
		return j.own, err
	}
	return slices.Concat(j.own, plan.ChecksFor(*followed, kedge.Definition{}, others)), nil
}
