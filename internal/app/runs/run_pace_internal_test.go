package runs

import (
	"testing"
	"time"

	"kedge"
	"kedge/internal/core/run"
)

// TestPaceFollowsTheJournal: what was completed when is known at every moment
// without the ledger being read again.
func TestPaceFollowsTheJournal(t *testing.T) {
	w := newWorks(t)
	for _, id := range []kedge.FeatureID{"a", "b", "c", "d"} {
		d := orders
		d.ID = id
		w.feature(d)
	}
	start := w.now
	status := func(id kedge.FeatureID, to kedge.Status, at time.Time) {
		t.Helper()
		data := kedge.FeatureStatusData{ID: id, Status: to}
		if to == kedge.Completed || at.IsZero() {
			data.CompletedAt = &at
		}
		w.add(kedge.FeatureStatus, data)
	}
	want := func(n int, last time.Duration) {
		t.Helper()
		var afresh pace
		for what, c := range map[string]*pace{"followed": w.s.paces.of(w.p.ID), "read": &afresh} {
			got, err := c.since(t.Context(), w.p.Store, start)
			w.ok(err)
			if len(got) != n || n > 0 && !got[n-1].Equal(start.Add(last)) {
				t.Errorf("%s: %v", what, got)
			}
		}
	}
	status("a", kedge.Completed, start.Add(-time.Hour)) // before the run
	want(0, 0)
	docs := w.s.paces.of(w.p.ID).done
	status("b", kedge.Completed, start.Add(time.Minute))
	want(1, time.Minute)
	status("c", kedge.Completed, start.Add(5*time.Minute))
	want(2, 5*time.Minute)
	w.add(kedge.FeatureStatus, kedge.FeatureStatusData{ID: "c", Files: []string{"c.go"}}) // says nothing of it
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
	if eta, err := w.s.eta(t.Context(), w.p, &st, start); err != nil || eta == nil || *eta != 14*60 {
		t.Errorf("eta %v, %v", eta, err)
	}
}
