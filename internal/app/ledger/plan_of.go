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
// that run there, and which of them another feature could still make green.
func PlanDemands(ctx context.Context, p *projects.Project, f kedge.Definition, others []kedge.Check) (plan.Demands, error) {
	out, _, err := demandsFor(ctx, p, f, others)
	return out, err
}

// ToldDemands are the same for what informs a session and decides nothing: commands that
// were green in any verdict before the work are due.
func ToldDemands(ctx context.Context, p *projects.Project, f kedge.Definition, others []kedge.Check) (plan.Demands, error) {
	out, d, err := demandsFor(ctx, p, f, others)
	if err != nil || len(out.Later) == 0 {
		return out, err
	}
	green, err := lastSeen(ctx, p, d, out.Checks, func(ev kedge.Evidence) bool { return isBefore(ev) || isAccepted(ev) })
	return out.Due(func(line string) bool { return green[line] }), err
}

// CheckoutDemands are the same for a gate in a checkout, where nothing can be found out
// about the files before the work: only a command that is known to be red without the work
// can wait.
func CheckoutDemands(ctx context.Context, p *projects.Project, f kedge.Definition, others []kedge.Check) (plan.Demands, error) {
	out, d, err := demandsFor(ctx, p, f, others)
	if err != nil {
		return out, err
	}
	return knownRed(ctx, p, d, out)
}

// FollowedDemands are those for a gate in a checkout that is about no feature: those of
// the plan that was approved last, while it is not done.
func FollowedDemands(ctx context.Context, p *projects.Project, others []kedge.Check) (plan.Demands, error) {
	l, err := ReadPlans(ctx, p)
	if err != nil || l.Plan == nil || l.Plan.Status != kedge.PlanApproved {
		return plan.Demands{}, err
	}
	out, err := demandsOf(ctx, p, *l.Plan, kedge.Definition{}, others)
	if err != nil {
		return out, err
	}
	return knownRed(ctx, p, *l.Plan, out)
}

func knownRed(ctx context.Context, p *projects.Project, d kedge.PlanData, of plan.Demands) (plan.Demands, error) {
	if len(of.Later) == 0 {
		return of, nil
	}
	green, err := lastSeen(ctx, p, d, of.Checks, isAccepted)
	return of.Due(func(line string) bool {
		is, known := green[line]
		return is || !known
	}), err
}

func demandsFor(ctx context.Context, p *projects.Project, f kedge.Definition, others []kedge.Check) (plan.Demands, kedge.PlanData, error) {
	d, found, err := planDataFor(ctx, p, f.ID)
	if err != nil || !found {
		return plan.Demands{}, d, err
	}
	out, err := demandsOf(ctx, p, d, f, others)
	return out, d, err
}

func demandsOf(ctx context.Context, p *projects.Project, d kedge.PlanData, f kedge.Definition, others []kedge.Check) (plan.Demands, error) {
	made := parsed(d)
	if made == nil {
		return plan.Demands{}, nil
	}
	features, err := featuresOf(ctx, p, d)
	return plan.DemandsOn(*made, f, features, others), err
}

// featuresOf are the features that a plan made.
func featuresOf(ctx context.Context, p *projects.Project, d kedge.PlanData) ([]kedge.Feature, error) {
	var out []kedge.Feature
	for _, id := range d.Features {
		doc, ok, err := journal.Get[journal.FeatureDoc](ctx, p.Store, journal.KindFeature, string(id))
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, doc.Feature)
		}
	}
	return out, nil
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
