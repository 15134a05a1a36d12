package ledger

import (
	"context"
	"encoding/json"

	"kedge"
	"kedge/internal/app/projects"
)

// Deed is an event of a person; of anybody else it has no Actor.
type Deed struct {
	Actor kedge.Actor
	Seq   int64
}

// Deeds are the last ones of each sort to each feature and plan.
type Deeds struct {
	Added, Amended, Moved map[kedge.FeatureID]Deed
	Approved              map[kedge.PlanID]Deed
}

// DeedsIn reads the whole journal for what people did last.
func DeedsIn(ctx context.Context, p *projects.Project) (Deeds, error) {
	out := Deeds{
		Added: map[kedge.FeatureID]Deed{}, Amended: map[kedge.FeatureID]Deed{}, Moved: map[kedge.FeatureID]Deed{},
		Approved: map[kedge.PlanID]Deed{},
	}
	for ev, err := range p.Store.Since(ctx, 0) {
		if err != nil {
			return out, err
		}
		out.take(ev)
	}
	return out, nil
}

func (ds Deeds) take(ev kedge.Event) {
	var of struct {
		ID         string           `json:"id"`
		Status     kedge.PlanStatus `json:"status"`
		Definition struct {
			ID kedge.FeatureID `json:"id"`
		} `json:"definition"`
	}
	switch ev.Type {
	case kedge.FeatureAdded, kedge.FeatureAmended, kedge.FeatureStatus, kedge.PlanSaved:
	default:
		return
	}
	if json.Unmarshal(ev.Data, &of) != nil {
		return
	}
	d := Deed{Seq: ev.Seq}
	if ev.Actor.IsHuman() {
		d.Actor = ev.Actor
	}
	switch {
	case ev.Type == kedge.FeatureAdded:
		ds.Added[of.Definition.ID] = d
	case ev.Type == kedge.FeatureAmended:
		ds.Amended[of.Definition.ID] = d
	case ev.Type == kedge.FeatureStatus:
		ds.Moved[kedge.FeatureID(of.ID)] = d
	case of.Status == kedge.PlanApproved:
		ds.Approved[kedge.PlanID(of.ID)] = d
	}
}
