package ledger

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/core/check"
	"kedge/internal/core/plan"
	"kedge/internal/journal"
)

// Ledger is the feature list as the journal has it, in its order.
type Ledger struct {
	Docs []journal.FeatureDoc
	Plan *kedge.PlanData // the plan that was approved last; nil when there is none
	Open *kedge.PlanData // the plan that sessions make or made, newer than Plan and not approved; nil when there is none
}

// ReadLedger reads the features, the plan that was approved last, and the one
// that waits to be approved after it.
func ReadLedger(ctx context.Context, p *projects.Project) (Ledger, error) {
	docs, err := projects.All[journal.FeatureDoc](ctx, p, journal.KindFeature)
	if err != nil {
		return Ledger{}, err
	}
	approved, open, err := plansOf(ctx, p)
	return Ledger{Docs: docs, Plan: approved, Open: open}, err
}

// ReadPlans is ReadLedger without the features: what it costs does not grow with them.
func ReadPlans(ctx context.Context, p *projects.Project) (Ledger, error) {
	approved, open, err := plansOf(ctx, p)
	return Ledger{Plan: approved, Open: open}, err
}

// ReadFeature reads as much of the ledger as it takes to give one feature a
// status: the feature, the plan, and the others only where they decide whether the
// plan is done. What a step of a run costs must not grow with what is done.
func ReadFeature(ctx context.Context, p *projects.Project, id kedge.FeatureID, to kedge.Status) (Ledger, error) {
	approved, _, err := plansOf(ctx, p)
	if err != nil {
		return Ledger{}, err
	}
	if approved != nil && (approved.Status == kedge.PlanDone || settled(to)) {
		return ReadLedger(ctx, p)
	}
	d, ok, err := journal.Get[journal.FeatureDoc](ctx, p.Store, journal.KindFeature, string(id))
	if err != nil || !ok {
		return Ledger{}, err
	}
	return Ledger{Docs: []journal.FeatureDoc{d}}, nil
}

// settled tells whether a plan does not wait for a feature any more.
func settled(s kedge.Status) bool { return s == kedge.Completed || s == kedge.Skipped }

// plansOf are the plan that was approved last, and the newest of all where
// sessions make it and nobody approved it; nil where there is none.
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

// Current is the plan that is made or followed now: one that was dropped is
// neither. It is zero when there is none.
func (l Ledger) Current() kedge.PlanData {
	switch {
	case l.Open != nil:
		return *l.Open
	case l.Plan != nil:
		return *l.Plan
	default:
		return kedge.PlanData{}
	}
}

// Features are the features in the order of the ledger.
func (l Ledger) Features() []kedge.Feature {
	out := make([]kedge.Feature, len(l.Docs))
	for i, d := range l.Docs {
		out[i] = d.Feature
	}
	return out
}

// Find gives the feature with this id, to be looked at or changed in this copy of
// the ledger; NotFound when there is none.
func (l Ledger) Find(id kedge.FeatureID) (*journal.FeatureDoc, error) {
	for i := range l.Docs {
		if l.Docs[i].ID == id {
			return &l.Docs[i], nil
		}
	}
	return nil, kedge.Errorf(kedge.NotFound, "no feature %q", id).WithHint("see the list: kedge features")
}

// File is features.json as it should be.
func (l Ledger) File(p *projects.Project) plan.FeatureFile {
	return plan.FeatureFile{Version: plan.FileVersion, Project: p.Name, Features: l.Features()}
}

// ReadFeatures opens the caller's project and reads its ledger.
func (s *Book) ReadFeatures(ctx context.Context, who projects.Caller) (Ledger, *projects.Project, error) {
	p, err := s.home.Open(ctx, who)
	if err != nil {
		return Ledger{}, nil, err
	}
	l, err := ReadLedger(ctx, p)
	return l, p, err
}

// NotReady is the error about a feature that cannot be worked on.
func NotReady(at plan.Standing) error {
	e := kedge.Errorf(kedge.Blocked, "%s", at.Why)
	if len(at.Blockers) > 0 {
		return e.WithHint("kedge feature show %s", at.Blockers[0].ID)
	}
	return e.WithHint("kedge feature show %s", at.Feature.ID)
}

// Next is deterministic but for the branch and commit, which are the caller's
// and empty where they are not known.
func (s *Book) Next(ctx context.Context, p *projects.Project, l Ledger) kedge.Next {
	n := kedge.Next{Why: plan.WhyNothing(l.Features())}
	n.Branch, n.Commit = s.home.Head(ctx, p)
	f, ok := plan.Next(l.Features())
	if !ok {
		return n
	}
	n.Feature, n.Phase, n.Item, n.Command = &f, f.Phase, l.ItemOf(f.ID), FirstCommand(f)
	switch k := len(f.Dependencies); k {
	case 0:
		n.Why = fmt.Sprintf("priority %d, no dependencies", f.Priority)
	case 1:
		n.Why = fmt.Sprintf("priority %d, its one dependency is completed", f.Priority)
	default:
		n.Why = fmt.Sprintf("priority %d, all %d dependencies are completed", f.Priority, k)
	}
	return n
}

// FirstCommand is what to do first: run the feature's own check, which should be
// red before the work and must be green after it; without one, its first step.
func FirstCommand(f kedge.Feature) string {
	for _, c := range f.Checks {
		if line := check.ShellLine(c); line != "" {
			return line
		}
	}
	if len(f.Checks) > 0 {
		return "kedge feature submit " + string(f.ID) // a request needs the gate's service
	}
	for _, step := range f.Steps {
		if step = strings.TrimSpace(step); step != "" {
			return step
		}
	}
	return "do the work, then: kedge feature submit " + string(f.ID)
}

// FindingsOn collects what was found in the work on a feature, each thing once.
func FindingsOn(ctx context.Context, p *projects.Project, id kedge.FeatureID) ([]kedge.Finding, error) {
	out := []kedge.Finding{}
	add := func(found []kedge.Finding) {
		for _, f := range found {
			if !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	verdicts, err := journal.About[kedge.Evidence](ctx, p.Store, journal.KindEvidence, string(id))
	if err != nil {
		return nil, err
	}
	for _, ev := range verdicts {
		add(ev.Verdict.Findings)
	}
	inspections, err := journal.About[kedge.Inspection](ctx, p.Store, journal.KindInspection, string(id))
	for _, in := range inspections {
		add(in.Findings)
	}
	return out, err
}

// VerdictOn is what a feature was judged by: its evidence, else the last verdict on
// work on it, else the last one before any work; nil when there is none.
func VerdictOn(ctx context.Context, p *projects.Project, f kedge.Feature) (*kedge.Evidence, error) {
	all, err := journal.About[kedge.Evidence](ctx, p.Store, journal.KindEvidence, string(f.ID))
	if err != nil {
		return nil, err
	}
	var last, judged *kedge.Evidence
	for i := range all {
		ev := &all[i]
		if f.Evidence != nil && ev.ID == *f.Evidence {
			return ev, nil
		}
		if last == nil || !ev.At.Before(last.At) {
			last = ev
		}
		if ev.JudgesWork() && (judged == nil || !ev.At.Before(judged.At)) {
			judged = ev
		}
	}
	if judged == nil {
		judged = last
	}
	return judged, nil
}
