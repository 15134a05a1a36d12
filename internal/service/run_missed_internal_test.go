package service

import (
	"testing"

	"kedge"
	"kedge/internal/plan"
	"kedge/internal/run"
)

// TestF1WordsThatTheRunWasNotTold: the daemon died between the ledger and the
// run; the next one tells it, once, and only what people did.
func TestF1WordsThatTheRunWasNotTold(t *testing.T) {
	w := newWorks(t)
	var specs []run.Spec
	for _, id := range []kedge.FeatureID{"skip", "block", "amend", "same", "own"} {
		d := orders
		d.ID = id
		w.feature(d)
		specs = append(specs, run.Spec{ID: id, Hash: w.hash(id), Status: kedge.Pending})
	}
	begun := run.Event{Kind: run.Begun, Run: w.run, Commit: "c0", At: w.now, Specs: specs}
	state, _ := run.Step(run.State{}, begun)
	w.add(kedge.RunStepped, run.Stepped{Run: w.run, N: 1, Version: run.Version, Event: begun, Delta: run.Diff(run.State{}, state)})
	told := func() map[kedge.FeatureID]run.EventKind {
		t.Helper()
		id, words, err := missedWords(t.Context(), w.p)
		w.ok(err)
		got := map[kedge.FeatureID]run.EventKind{}
		for _, ev := range words {
			if got[ev.Feature] = ev.Kind; id != w.run || ev.ID == "" || ev.Reason == "" || !state.Concerns(ev) {
				t.Errorf("%s is told %+v", id, ev)
			}
			state, _ = run.Step(state, ev)
		}
		return got
	}
	if got := told(); len(got) > 0 {
		t.Errorf("nobody did anything, and it is told %v", got)
	}
	human := func(typ kedge.EventType, data any) {
		t.Helper()
		ev, err := kedge.NewEvent(typ, kedge.Human("ada"), data)
		w.ok(err)
		ev.Project = w.p.ID
		_, _, err = w.p.Store.Append(t.Context(), "", ev)
		w.ok(err)
	}
	human(kedge.FeatureStatus, kedge.FeatureStatusData{ID: "skip", Status: kedge.Skipped, Reason: "no"})
	human(kedge.FeatureStatus, kedge.FeatureStatusData{ID: "block", Status: kedge.BlockedWork, Reason: "wait"})
	w.add(kedge.FeatureStatus, kedge.FeatureStatusData{ID: "own", Status: kedge.BlockedWork, Reason: "the run's own"})
	d := orders
	d.ID, d.Name = "amend", "another"
	text, hash := plan.Canonical(d)
	human(kedge.FeatureAmended, kedge.FeatureAmendedData{ID: d.ID, Definition: text, Hash: hash, Was: w.hash("amend"), Reason: "other"})
	got := told()
	if len(got) != 3 || got["skip"] != run.Skipped || got["block"] != run.Barred || got["amend"] != run.Amended {
		t.Errorf("it is told %v", got)
	}
}
