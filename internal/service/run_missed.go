package service

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/run"
	"kedge/internal/store"
)

// missedWords are what people did to the features of the run that lives and that
// it was not told, because the daemon died between the ledger and the run. Only
// what a person did last to a feature counts: all else is the run's own doing.
func missedWords(ctx context.Context, p *project) (kedge.RunID, []run.Event, error) {
	doc, err := watched(ctx, p, "")
	if kedge.NotFound.Is(err) || err == nil && doc.State.Ended() && doc.State.Halt == "" {
		return "", nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	docs, err := all[store.FeatureDoc](ctx, p, store.KindFeature)
	if err != nil {
		return "", nil, err
	}
	var out []run.Event
	for _, d := range docs {
		out = append(out, missedOf(&doc.State, d)...)
	}
	if len(out) == 0 {
		return doc.State.Run, nil, nil
	}
	people, err := lastPeople(ctx, p)
	if err != nil {
		return "", nil, err
	}
	out = slices.DeleteFunc(out, func(ev run.Event) bool { return people[ev.Feature] == "" })
	for i := range out {
		ev := &out[i]
		ev.Actor = people[ev.Feature]
		ev.ID = kedge.EventID(fmt.Sprintf("missed-%d-%s-%s", doc.Steps, ev.Feature, ev.Kind))
	}
	return doc.State.Run, out, nil
}

// missedOf compares a feature of the ledger with what the run knows of it. What
// the run is about to write itself is not compared.
func missedOf(st *run.State, d store.FeatureDoc) []run.Event {
	f := featureOf(st, d.ID)
	if f == nil || slices.ContainsFunc(st.Outbox, func(c run.Command) bool {
		return c.Feature == d.ID && c.Kind == run.Ledger
	}) {
		return nil
	}
	var out []run.Event
	add := func(kind run.EventKind) {
		out = append(out, run.Event{Kind: kind, Feature: d.ID, Hash: d.Hash, Reason: cmp.Or(d.Reason, "while the daemon was away")})
	}
	if !strings.HasPrefix(d.Hash, f.Hash) {
		add(run.Amended)
	}
	switch {
	case d.Status == f.Status:
	case d.Status == kedge.Skipped:
		add(run.Skipped)
	case d.Status == kedge.BlockedWork:
		add(run.Barred)
	}
	return out
}

// lastPeople says of each feature which person changed it last; none where the
// last change was not a person's.
func lastPeople(ctx context.Context, p *project) (map[kedge.FeatureID]kedge.Actor, error) {
	const page = 1000
	out := map[kedge.FeatureID]kedge.Actor{}
	for after := int64(0); ; {
		evs, err := p.Store.Events(ctx, after, page)
		if err != nil || len(evs) == 0 {
			return out, err
		}
		for _, ev := range evs {
			after = ev.Seq
			var of struct {
				ID kedge.FeatureID `json:"id"`
			}
			if ev.Type != kedge.FeatureAmended && ev.Type != kedge.FeatureStatus || json.Unmarshal(ev.Data, &of) != nil {
				continue
			}
			out[of.ID] = ""
			if strings.HasPrefix(string(ev.Actor), "human:") {
				out[of.ID] = ev.Actor
			}
		}
	}
}
