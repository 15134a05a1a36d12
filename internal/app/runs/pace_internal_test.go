package runs

import (
	"testing"
	"time"

	"kedge"

	"kedge/internal/app/projects"
	"kedge/internal/core/plan"
	"kedge/internal/core/run"
	"kedge/internal/journal"
)

// TestPaceFollowsTheJournal: what was completed when is known at every moment
// without the ledger being read again.
func TestPaceFollowsTheJournal(t *testing.T) {
	store, err := journal.Open(t.TempDir(), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	add := func(typ kedge.EventType, data any) {
		t.Helper()
		ev, err := kedge.NewEvent(typ, kedge.ActorDaemon, data)
		if err != nil {
			t.Fatal(err)
		}
		ev.Project = "prj-1"
		if _, _, err := store.Append(t.Context(), "", ev); err != nil {
			t.Fatal(err)
		}
	}
	for i, id := range []kedge.FeatureID{"a", "b", "c", "d"} {
		text, hash := plan.Canonical(kedge.Definition{ID: id, Name: "Orders"})
		add(kedge.FeatureAdded, kedge.FeatureAddedData{Definition: text, Hash: hash, Order: i})
	}
	s := New(&projects.Home{Dir: t.TempDir()}, projects.NewLife(), Config{})
	p := &projects.Project{Project: kedge.Project{ID: "prj-1"}, Opened: &projects.Opened{Store: store}}
	start := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	status := func(id kedge.FeatureID, to kedge.Status, at time.Time) {
		t.Helper()
		data := kedge.FeatureStatusData{ID: id, Status: to}
		if to == kedge.Completed || at.IsZero() {
			data.CompletedAt = &at
		}
		add(kedge.FeatureStatus, data)
	}
	want := func(n int, last time.Duration) {
		t.Helper()
		var afresh pace
		for what, c := range map[string]*pace{"followed": s.paces.Of(p.ID), "read": &afresh} {
			got, err := c.since(t.Context(), store, start)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != n || n > 0 && !got[n-1].Equal(start.Add(last)) {
				t.Errorf("%s: %v", what, got)
			}
		}
	}
	status("a", kedge.Completed, start.Add(-time.Hour)) // before the run
	want(0, 0)
	docs := s.paces.Of(p.ID).done
	status("b", kedge.Completed, start.Add(time.Minute))
	want(1, time.Minute)
	status("c", kedge.Completed, start.Add(5*time.Minute))
	want(2, 5*time.Minute)
	add(kedge.FeatureStatus, kedge.FeatureStatusData{ID: "c", Files: []string{"c.go"}}) // says nothing of it
	want(2, 5*time.Minute)
	status("c", kedge.Regressed, start)
	want(1, time.Minute)
	status("b", kedge.Pending, time.Time{})
	want(0, 0)
	if status("d", kedge.Completed, start.Add(7*time.Minute)); len(docs) != 1 {
		t.Errorf("the ledger was read again: %v", docs)
	}
	want(1, 7*time.Minute)
	if len(docs) != 2 { // the same map: it was followed, not made anew
		t.Errorf("the ledger was read again: %v", docs)
	}
	st := run.State{Status: run.StatusRunning, Features: []run.Feature{{ID: "a", Status: kedge.Pending}, {ID: "b", Status: kedge.Pending}}}
	if eta, err := s.eta(t.Context(), p, &st, start); err != nil || eta == nil || *eta != 14*60 {
		t.Errorf("eta %v, %v", eta, err)
	}
}
