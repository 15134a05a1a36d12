package ledger

import (
	"context"
	"slices"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/core/check"
	"kedge/internal/core/plan"
	"kedge/internal/journal"
)

// PlanFor gives the approved plan that a feature was made from; nil where no plan made it,
// or another version of Kedge froze the plan. Several plans may be followed at once.
func PlanFor(ctx context.Context, p *projects.Project, id kedge.FeatureID) (*kedge.Plan, error) {
	d, found, err := planDataFor(ctx, p, id)
	if err != nil || !found {
		return nil, err
	}
	return parsed(d), nil
}

func planDataFor(ctx context.Context, p *projects.Project, id kedge.FeatureID) (kedge.PlanData, bool, error) {
	if id == "" {
		return kedge.PlanData{}, false, nil
	}
	return journal.NewestThat(ctx, p.Store, journal.KindPlan, func(d kedge.PlanData) bool {
		return isApproved(d) && slices.Contains(d.Features, id)
	})
}

// PlanDemands are the checks that its plan adds to the gate of a feature, beside others
// that run there, and which of them are not due yet.
func PlanDemands(ctx context.Context, p *projects.Project, f kedge.Definition, others []kedge.Check) (plan.Demands, error) {
	d, found, err := planDataFor(ctx, p, f.ID)
	if err != nil || !found {
		return plan.Demands{}, err
	}
	return demandsOf(ctx, p, d, f, others)
}

// FollowedDemands are the same for a gate that is about no feature: those of the plan that
// was approved last, while it is not done.
func FollowedDemands(ctx context.Context, p *projects.Project, others []kedge.Check) (plan.Demands, error) {
	l, err := ReadPlans(ctx, p)
	if err != nil || l.Plan == nil || l.Plan.Status != kedge.PlanApproved {
		return plan.Demands{}, err
	}
	return demandsOf(ctx, p, *l.Plan, kedge.Definition{}, others)
}

func demandsOf(ctx context.Context, p *projects.Project, d kedge.PlanData, f kedge.Definition, others []kedge.Check) (plan.Demands, error) {
	made := parsed(d)
	if made == nil {
		return plan.Demands{}, nil
	}
	var features []kedge.Feature
	for _, id := range d.Features {
		doc, ok, err := journal.Get[journal.FeatureDoc](ctx, p.Store, journal.KindFeature, string(id))
		if err != nil {
			return plan.Demands{}, err
		}
		if ok {
			features = append(features, doc.Feature)
		}
	}
	green, err := greenBefore(ctx, p, plan.ChecksFor(*made, f, others))
	if err != nil {
		return plan.Demands{}, err
	}
	return plan.DemandsOn(*made, f, features, others, func(line string) bool { return green[line] }), nil
}

// greenBefore tells which commands were green when accepted work was last looked at.
func greenBefore(ctx context.Context, p *projects.Project, checks []kedge.Check) (map[string]bool, error) {
	seen, green := map[string]bool{}, map[string]bool{}
	_, _, err := journal.NewestThat(ctx, p.Store, journal.KindEvidence, func(ev kedge.Evidence) bool {
		if !aboutAccepted(ev) {
			return len(checks) == 0
		}
		for _, r := range ev.Verdict.Checks {
			if r.Skipped == "" && !seen[r.Command] {
				seen[r.Command], green[r.Command] = true, r.FirstFailure == nil
			}
		}
		return !slices.ContainsFunc(checks, func(c kedge.Check) bool { return !seen[check.ShellLine(c)] })
	})
	return green, err
}

// aboutAccepted tells whether a verdict is about files that the work of others starts
// from: those before the work on a feature, or those that complete one.
func aboutAccepted(ev kedge.Evidence) bool {
	before := ev.Feature == "" && (ev.For == kedge.StageProve || ev.For == kedge.StageBaseline)
	return before || ev.Verdict.Green() && (ev.Anchor || ev.For == kedge.StageIntegrate)
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
