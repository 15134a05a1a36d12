package features

import (
	"context"
	"encoding/json"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/core/plan"
	"kedge/internal/core/run"
)

// ImportRequest holds another program's feature list.
type ImportRequest struct {
	File   string `json:"file"` // its name, for messages
	Format string `json:"format,omitempty"`
	Text   string `json:"text"`
}

// ImportReply says what was taken over.
type ImportReply struct {
	Added     []kedge.FeatureID `json:"added"`
	Unchanged []kedge.FeatureID `json:"unchanged"` // in the ledger already, with the same definition
	Claimed   []kedge.FeatureID `json:"claimed"`   // of the added: said to be completed, and not verified
	Skipped   []kedge.FeatureID `json:"skipped"`   // of the added: skipped there, and so here
	Left      []LeftFeature     `json:"left"`      // the unchanged with their status, which stays as it is
	Findings  []kedge.Finding   `json:"findings"`
	ledger.Notices
}

// LeftFeature is a feature of a list that the ledger has already.
type LeftFeature struct {
	ID     kedge.FeatureID `json:"id"`
	Status kedge.Status    `json:"status"`
}

// FeaturesImport takes a list over, all of it or nothing. What the ledger has
// stays as it is, its status too. What is new starts as pending, since what the list
// claims is for the checks to confirm; but nobody is to work on what it skipped.
func (s *FeatureList) FeaturesImport(ctx context.Context, who projects.Caller, in ImportRequest) (ImportReply, error) {
	im, err := plan.Import(in.File, in.Format, []byte(in.Text))
	if err != nil {
		return ImportReply{}, err
	}
	p, evs, notices, err := s.ledger.Change(ctx, who, func(p *projects.Project, l ledger.Snapshot) ([]kedge.Event, error) {
		if err := ledger.RefuseUnknownList(p, l); err != nil && !p.Holds(ledger.FeaturesFile, in.Text) {
			return nil, err
		}
		fresh, err := l.Unknown(im.Features)
		if err != nil {
			return nil, err
		}
		evs, err := l.Add(who, "import:"+in.File, fresh)
		if err != nil {
			return nil, err
		}
		skips, err := skippedIn(who, in.File, fresh)
		return append(evs, skips...), err
	})
	if err == nil {
		err = s.runs.Tell(ctx, p, who, run.Input{Kind: run.Planned})
	}
	if err != nil {
		return ImportReply{}, err
	}
	reply := ImportReply{
		Added: []kedge.FeatureID{}, Unchanged: []kedge.FeatureID{}, Claimed: []kedge.FeatureID{}, Skipped: []kedge.FeatureID{},
		Left: []LeftFeature{}, Findings: im.Findings, Notices: notices,
	}
	if reply.Findings == nil {
		reply.Findings = []kedge.Finding{}
	}
	if err := reply.sort(im.Features, evs); err != nil {
		return reply, err
	}
	return reply, reply.tellLeft(ctx, p)
}

// skippedIn gives the events of features that the imported list has as skipped.
func skippedIn(who projects.Caller, file string, fresh []plan.Claimed) ([]kedge.Event, error) {
	var evs []kedge.Event
	for _, c := range fresh {
		if c.Claim != kedge.Skipped {
			continue
		}
		ev, err := projects.Event(kedge.FeatureStatus, who, kedge.FeatureStatusData{ID: c.ID, Status: kedge.Skipped, Reason: "skipped in " + file})
		if err != nil {
			return nil, err
		}
		evs = append(evs, ev)
	}
	return evs, nil
}

// tellLeft adds the status of the features that existed before.
func (r *ImportReply) tellLeft(ctx context.Context, p *projects.Project) error {
	if len(r.Unchanged) == 0 {
		return nil
	}
	l, err := ledger.ReadSnapshot(ctx, p)
	if err != nil {
		return err
	}
	status := map[kedge.FeatureID]kedge.Status{}
	for _, d := range l.Docs {
		status[d.ID] = d.Status
	}
	for _, id := range r.Unchanged {
		r.Left = append(r.Left, LeftFeature{id, status[id]})
	}
	return nil
}

// sort separates added features, found by their events, from those that existed before.
func (r *ImportReply) sort(claimed []plan.Claimed, evs []kedge.Event) error {
	added := map[kedge.FeatureID]bool{}
	for _, ev := range evs {
		var data kedge.FeatureAddedData
		if ev.Type != kedge.FeatureAdded {
			continue
		}
		var def kedge.Definition
		if err := json.Unmarshal(ev.Data, &data); err != nil {
			return kedge.Errorf(kedge.Internal, "cannot read an entry of type %q in Kedge's journal of this project: %w", ev.Type, err).WithHint("see what is wrong: kedge doctor")
		}
		if err := json.Unmarshal(data.Definition, &def); err != nil {
			return kedge.Errorf(kedge.Internal, "cannot read an entry of type %q in Kedge's journal of this project: %w", ev.Type, err).WithHint("see what is wrong: kedge doctor")
		}
		added[def.ID] = true
		switch data.Claim {
		case kedge.Completed:
			r.Claimed = append(r.Claimed, def.ID)
		case kedge.Skipped:
			r.Skipped = append(r.Skipped, def.ID)
		default:
		}
	}
	for _, c := range claimed {
		if added[c.ID] {
			r.Added = append(r.Added, c.ID)
		} else {
			r.Unchanged = append(r.Unchanged, c.ID)
		}
	}
	return nil
}
