package ledger

import (
	"context"
	"slices"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/journal"
)

// FindingsOn collects the findings of all verdicts and inspections of a feature, each
// finding once.
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

// VerdictOn gives the verdict that decided a feature's status: its evidence, else the
// last verdict on work, else the last verdict before any work. It is nil when there is
// none.
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
