package ledger

import (
	"context"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/core/plan"
	"kedge/internal/journal"
	"kedge/internal/text/words"
)

// Snapshot is the feature list, in its order, and the plans, as the journal had them
// when they were read.
type Snapshot struct {
	Docs []journal.FeatureDoc
	Plan *kedge.PlanData // the plan that was approved last; nil when there is none
	Open *kedge.PlanData // the plan that sessions make or made, newer than Plan and not approved; nil when there is none
}

// ReadSnapshot reads the features, the plan that was approved last, and a newer plan
// that waits for approval.
func ReadSnapshot(ctx context.Context, p *projects.Project) (Snapshot, error) {
	docs, err := projects.All[journal.FeatureDoc](ctx, p, journal.KindFeature)
	if err != nil {
		return Snapshot{}, err
	}
	approved, open, err := plansOf(ctx, p)
	return Snapshot{Docs: docs, Plan: approved, Open: open}, err
}

// ReadPlans reads the plans without the features. Its cost does not grow with the number
// of features.
func ReadPlans(ctx context.Context, p *projects.Project) (Snapshot, error) {
	approved, open, err := plansOf(ctx, p)
	return Snapshot{Plan: approved, Open: open}, err
}

// ReadFeature reads what it takes to give one feature the status to: the feature, the
// plan, and the other features only where they decide whether the plan is done. The cost
// of a step of a run must not grow with the work that is done.
func ReadFeature(ctx context.Context, p *projects.Project, id kedge.FeatureID, to kedge.Status) (Snapshot, error) {
	approved, _, err := plansOf(ctx, p)
	if err != nil {
		return Snapshot{}, err
	}
	if approved != nil && (approved.Status == kedge.PlanDone || to.Over()) {
		return ReadSnapshot(ctx, p)
	}
	d, ok, err := journal.Get[journal.FeatureDoc](ctx, p.Store, journal.KindFeature, string(id))
	if err != nil || !ok {
		return Snapshot{}, err
	}
	return Snapshot{Docs: []journal.FeatureDoc{d}}, nil
}

// plansOf gives the plan that was approved last, and the newest plan if a planning
// session made it and it waits for approval. Either is nil when there is none.
func plansOf(ctx context.Context, p *projects.Project) (approved, open *kedge.PlanData, err error) {
	newest := true
	d, found, err := journal.NewestThat(ctx, p.Store, journal.KindPlan, func(d kedge.PlanData) bool {
		if newest && d.Run != "" && d.Text != "" && IsOpenPlan(d) {
			open = &d
		}
		newest = false
		return d.Status == kedge.PlanApproved || d.Status == kedge.PlanDone
	})
	if err != nil || !found {
		return nil, open, err
	}
	return &d, open, nil
}

// Current gives the plan that is being made or followed, or a zero value. A dropped plan
// does not count.
func (l Snapshot) Current() kedge.PlanData {
	switch {
	case l.Open != nil:
		return *l.Open
	case l.Plan != nil:
		return *l.Plan
	default:
		return kedge.PlanData{}
	}
}

// Features gives the features in the order of the list.
func (l Snapshot) Features() []kedge.Feature {
	out := make([]kedge.Feature, len(l.Docs))
	for i, d := range l.Docs {
		out[i] = d.Feature
	}
	return out
}

// Find gives the feature with this id, or NotFound. The result points into the snapshot:
// changing it changes the snapshot, not the journal.
func (l Snapshot) Find(id kedge.FeatureID) (*journal.FeatureDoc, error) {
	for i := range l.Docs {
		if l.Docs[i].ID == id {
			return &l.Docs[i], nil
		}
	}
	ids := make([]string, len(l.Docs))
	for i, d := range l.Docs {
		ids[i] = string(d.ID)
	}
	return nil, kedge.Errorf(kedge.NotFound, "there is no feature %q", id).WithHint("%ssee the features and their ids: kedge features", words.DidYouMean(string(id), ids))
}

// File gives the content that features.json should have.
func (l Snapshot) File(p *projects.Project) plan.FeatureFile {
	return plan.FeatureFile{Version: plan.FileVersion, Project: p.Name, Features: l.Features()}
}

// ReadFeatures opens the caller's project and reads its snapshot.
func (s *Ledger) ReadFeatures(ctx context.Context, who projects.Caller) (Snapshot, *projects.Project, error) {
	p, err := s.home.Open(ctx, who)
	if err != nil {
		return Snapshot{}, nil, err
	}
	l, err := ReadSnapshot(ctx, p)
	return l, p, err
}
