package planning

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/core/plan"
)

// amendedBefore is the answer to a request that was carried out already: what its events
// changed in the plan and the features that the journal had before them.
func amendedBefore(ctx context.Context, p *projects.Project, evs []kedge.Event) (PlanAmendReply, error) {
	data, _, err := savedPlan(evs)
	if err != nil {
		return PlanAmendReply{}, err
	}
	old, err := earlierThan(ctx, p, evs[0].Seq, data.ID)
	if err != nil {
		return PlanAmendReply{}, err
	}
	a := amendment{was: old.plan, data: data}
	for _, ev := range evs {
		err = cmp.Or(err, a.take(ev, old))
	}
	for _, id := range data.Features {
		added := slices.ContainsFunc(a.Added, func(c plan.Claimed) bool { return c.ID == id })
		if !added && !slices.Contains(old.plan.Features, id) {
			a.Restored = append(a.Restored, id)
		}
	}
	was, bad := plan.ParsePlan(ledger.PlanFile, []byte(old.plan.Text))
	now, worse := plan.ParsePlan(ledger.PlanFile, []byte(data.Text))
	if err = cmp.Or(err, bad, worse); err != nil {
		return PlanAmendReply{}, err
	}
	a.Fields = plan.FieldChanges(was.Plan, now.Plan)
	return a.reply(PlanAmendRequest{}), nil
}

// take reads from an event of an amendment what it did to a feature.
func (a *amendment) take(ev kedge.Event, old earlier) error {
	switch ev.Type {
	case kedge.FeatureAdded:
		def, err := definedBy(ev)
		a.Added = append(a.Added, plan.Claimed{Definition: def})
		return err
	case kedge.FeatureAmended:
		def, err := definedBy(ev)
		a.Changed = append(a.Changed, plan.Redefined{ID: def.ID, Keys: plan.ChangedKeys(old.features[def.ID], def), Now: def})
		return err
	case kedge.FeatureStatus:
		d, err := projects.Data[kedge.FeatureStatusData](ev)
		if d.Status == kedge.Skipped {
			a.Removed = append(a.Removed, d.ID)
		}
		return err
	default:
		return nil
	}
}

// earlier is what the journal had before an event: a plan, and the definitions of features.
type earlier struct {
	plan     kedge.PlanData
	features map[kedge.FeatureID]kedge.Definition
}

// earlierThan reads the journal up to an event.
func earlierThan(ctx context.Context, p *projects.Project, seq int64, id kedge.PlanID) (earlier, error) {
	out := earlier{features: map[kedge.FeatureID]kedge.Definition{}}
	for ev, err := range p.Store.Since(ctx, 0) {
		if err != nil || ev.Seq >= seq {
			return out, err
		}
		switch ev.Type {
		case kedge.FeatureAdded, kedge.FeatureAmended:
			def, err := definedBy(ev)
			if err != nil {
				return out, err
			}
			out.features[def.ID] = def
		case kedge.PlanSaved:
			d, err := projects.Data[kedge.PlanData](ev)
			if err != nil {
				return out, err
			}
			if d.ID == id {
				out.plan = d
			}
		default:
		}
	}
	return out, nil
}

// definedBy is the definition that an event gives a feature.
func definedBy(ev kedge.Event) (kedge.Definition, error) {
	var d struct {
		Definition kedge.Definition `json:"definition"`
	}
	err := json.Unmarshal(ev.Data, &d)
	return d.Definition, err
}
