package journal

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"kedge"
)

// asked is a store with two documents of every kind that is asked about.
func asked(t *testing.T) *Store {
	t.Helper()
	s := opened(t, 2)
	for typ, docs := range map[kedge.EventType][]any{
		kedge.GateFinished:    {kedge.Evidence{ID: "evd-1", Feature: "a"}, kedge.Evidence{ID: "evd-2", Feature: "b"}, kedge.Evidence{ID: "evd-3", Feature: "a"}, kedge.Evidence{ID: "evd-4"}},
		kedge.WorkInspected:   {kedge.Inspection{ID: "ins-1", Feature: "a"}, kedge.Inspection{ID: "ins-2", Feature: "b"}},
		kedge.NoteAdded:       {kedge.Note{ID: "not-1", Feature: "a"}, kedge.Note{ID: "not-2", Title: `"feature":"a"`}},
		kedge.CheckpointSaved: {kedge.Checkpoint{ID: "ckp-1", Session: "ses-1"}, kedge.Checkpoint{ID: "ckp-2"}},
		kedge.HandoffSaved:    {kedge.Handoff{ID: "hnd-1", Session: "ses-1"}, kedge.Handoff{ID: "hnd-2", Next: "ses-1"}},
		kedge.PlanSaved:       {kedge.PlanData{ID: "pln-1", Run: "run-1"}, kedge.PlanData{ID: "pln-2"}},
		kedge.RunSaid: {
			kedge.RunSaidData{ID: "w-1", Run: "run-1", Feature: "a"},
			kedge.RunSaidData{ID: "w-2", Run: "run-1"},
			kedge.RunSaidData{ID: "w-3", Run: "run-2", Feature: "a"},
		},
		kedge.SessionStarted: {kedge.Session{ID: "ses-1", Name: "one"}, kedge.Session{ID: "ses-2", Name: "two"}},
	} {
		for _, d := range docs {
			keepEvent(t, s, typ, d)
		}
	}
	keepEvent(t, s, kedge.SessionRenamed, kedge.SessionRenamedData{ID: "ses-2", Name: "one"})
	return s
}

func keepEvent(t *testing.T, s *Store, typ kedge.EventType, data any) {
	t.Helper()
	ev, err := kedge.NewEvent(typ, kedge.ActorDaemon, data)
	if err != nil {
		t.Fatal(err)
	}
	ev.Project = "prj-1"
	if _, _, err := s.Append(t.Context(), "", ev); err != nil {
		t.Fatal(err)
	}
}

// about lists the ids of what is about a thing.
func about[T any](t *testing.T, s *Store, kind Kind, of string, id func(T) string) string {
	t.Helper()
	list, err := About[T](t.Context(), s, kind, of)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, d := range list {
		ids = append(ids, id(d))
	}
	return strings.Join(ids, " ")
}

func wantAbout(t *testing.T, s *Store) {
	t.Helper()
	verdict := func(e kedge.Evidence) string { return string(e.ID) }
	session := func(d kedge.Session) string { return string(d.ID) }
	for what, c := range map[string]struct{ got, want string }{
		"verdicts":    {about(t, s, KindEvidence, "a", verdict), "evd-1 evd-3"},
		"nothing":     {about(t, s, KindEvidence, "", verdict), ""},
		"inspections": {about(t, s, KindInspection, "b", func(d kedge.Inspection) string { return d.ID }), "ins-2"},
		"notes":       {about(t, s, KindNote, "a", func(d kedge.Note) string { return string(d.ID) }), "not-1"},
		"checkpoints": {about(t, s, KindCheckpoint, "ses-1", func(d kedge.Checkpoint) string { return string(d.ID) }), "ckp-1"},
		"handoffs":    {about(t, s, KindHandoff, "ses-1", func(d kedge.Handoff) string { return string(d.ID) }), "hnd-1"},
		"plans":       {about(t, s, KindPlan, "run-1", func(d kedge.PlanData) string { return string(d.ID) }), "pln-1"},
		"words":       {about(t, s, KindSaid, Work("run-1", "a"), func(d kedge.RunSaidData) string { return d.ID }), "w-1"},
		"words of it": {about(t, s, KindSaid, Work("run-1", ""), func(d kedge.RunSaidData) string { return d.ID }), "w-2"},
		"sessions":    {about(t, s, KindSession, "one", session), "ses-1 ses-2"},
		"an old name": {about(t, s, KindSession, "two", session), ""},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", what, c.got, c.want)
		}
	}
}

func dumped(t *testing.T, s *Store) string {
	t.Helper()
	var b bytes.Buffer
	if err := s.Dump(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestAbout(t *testing.T) {
	s := asked(t)
	wantAbout(t, s)
	before := dumped(t, s)
	if err := s.Rebuild(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantAbout(t, s)
	if after := dumped(t, s); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	meddle(t, s, `UPDATE docs SET about = 'b' WHERE id = 'evd-1'`)
	if found, err := s.Check(t.Context()); err != nil || len(found) != 1 || !strings.Contains(found[0].What, `"evd-1" differs from what the events in Kedge's journal say`) {
		t.Errorf("found %+v, %v", found, err)
	}
}

func TestNewestThat(t *testing.T) {
	s := asked(t)
	for of, want := range map[kedge.FeatureID]kedge.EvidenceID{"a": "evd-3", "b": "evd-2", "c": ""} {
		e, found, err := NewestThat(t.Context(), s, KindEvidence, func(e kedge.Evidence) bool { return e.Feature == of })
		if err != nil || found != (want != "") || e.ID != want {
			t.Errorf("%s: %q, %v, %v", of, e.ID, found, err)
		}
	}
	if e, found, err := Newest[kedge.Evidence](t.Context(), s, KindEvidence); err != nil || !found || e.ID != "evd-4" {
		t.Errorf("the newest: %+v, %v, %v", e, found, err)
	}
}

// TestWhatIsNotAskedForIsNotRead: what a feature costs must not grow with those
// that are done.
func TestWhatIsNotAskedForIsNotRead(t *testing.T) {
	s := opened(t, 1)
	for query, index := range map[string]string{aboutQuery: "docs_about (kind=? AND about=?)", newestQuery: "docs_pos (kind=?)"} {
		steps := planOf(t, s, query)
		sorted := index == "docs_pos (kind=?)"
		if len(steps) == 0 || !strings.HasSuffix(steps[0], index) || sorted && len(steps) > 1 {
			t.Errorf("%s\nis carried out as %q", query, steps)
		}
	}
}

// planOf is how SQLite carries a query out.
func planOf(t *testing.T, s *Store, query string) (steps []string) {
	t.Helper()
	rows, err := s.anchor.QueryContext(t.Context(), `EXPLAIN QUERY PLAN `+query, "k", "a")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var a, b, c int
		var step string
		if err := rows.Scan(&a, &b, &c, &step); err != nil {
			t.Fatal(err)
		}
		steps = append(steps, step)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return steps
}

// TestAJournalOfBeforeAbout: it is read as it is, and gets its column when
// somebody opens it who may write.
func TestAJournalOfBeforeAbout(t *testing.T) {
	s := asked(t)
	want := dumped(t, s)
	meddle(t, s, `DROP INDEX docs_about; DROP INDEX docs_pos; ALTER TABLE docs DROP COLUMN about; PRAGMA user_version = 1`)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, readOnly := range []bool{true, false, true} {
		s, err := Open(s.dir, Options{Key: testKey, ReadOnly: readOnly})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		wantAbout(t, s)
		found, err := s.Check(t.Context())
		if err != nil || slices.ContainsFunc(found, func(f kedge.Finding) bool { return f.Level == kedge.LevelError }) {
			t.Errorf("read only %v: %+v, %v", readOnly, found, err)
		}
		if got := dumped(t, s); s.version > 1 && got != want {
			t.Errorf("want\n%s\ngot\n%s", want, got)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
