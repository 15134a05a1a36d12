package journal

import (
	"encoding/json"
	"testing"

	"kedge"
)

// TestJobsOfOneTransactionSeeEachOther commits jobs as one batch: each folds over
// those before it, and one that is refused half-way is as if it had not been.
func TestJobsOfOneTransactionSeeEachOther(t *testing.T) {
	s, err := Open(t.TempDir(), Options{Key: testKey, Now: childClock})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	status := func(id kedge.FeatureID, st kedge.Status) kedge.Event {
		return made(t, kedge.FeatureStatus, kedge.FeatureStatusData{ID: id, Status: st})
	}
	batch := []*job{
		{evs: []kedge.Event{made(t, kedge.FeatureAdded, kedge.FeatureAddedData{Definition: json.RawMessage(`{"id":"one","name":"One"}`)})}},
		{evs: []kedge.Event{status("one", kedge.InProgress)}, key: "k"},
		{evs: []kedge.Event{status("one", kedge.BlockedWork), status("none", kedge.Pending)}},
		{evs: []kedge.Event{status("one", kedge.Skipped)}, key: "k"},
		{evs: []kedge.Event{made(t, kedge.FilesSeen, kedge.FilesSeenData{Tree: "t"})}},
	}
	commitTogether(t, s, batch)
	for i, want := range []struct {
		seq   int64
		again bool
		err   bool
	}{{seq: 1}, {seq: 2}, {err: true}, {seq: 2, again: true}, {seq: 3}} {
		j := batch[i]
		refused := kedge.NotFound.Is(j.err)
		if refused != want.err || j.again != want.again || !want.err && (len(j.out) != 1 || j.out[0].Seq != want.seq) {
			t.Errorf("job %d: %+v, again %v, %v", i, j.out, j.again, j.err)
		}
	}
	one, ok, err := Get[FeatureDoc](t.Context(), s, KindFeature, "one")
	if err != nil || !ok || one.Status != kedge.InProgress {
		t.Errorf("feature: %+v, %v, %v", one, ok, err)
	}
	if found, err := s.Check(t.Context()); err != nil || len(found) > 0 {
		t.Errorf("check: %+v, %v", found, err)
	}
}

func made(t *testing.T, typ kedge.EventType, data any) kedge.Event {
	t.Helper()
	ev, err := kedge.NewEvent(typ, kedge.ActorDaemon, data)
	if err != nil {
		t.Fatal(err)
	}
	return ev
}

// commitTogether hands the writer a batch as it would have found it waiting.
func commitTogether(t *testing.T, s *Store, batch []*job) {
	t.Helper()
	for _, j := range batch {
		j.ctx, j.done = t.Context(), make(chan struct{})
	}
	all := &job{ctx: t.Context(), done: make(chan struct{}), task: func(w *writer) error { w.appends(batch); return nil }}
	if err := s.do(t.Context(), all); err != nil || all.err != nil {
		t.Fatal(err, all.err)
	}
}
