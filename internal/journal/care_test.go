package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"kedge"
)

// opened is a store of n requests that is closed when the test ends.
func opened(t *testing.T, n int) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "store"), Options{Key: testKey, Now: childClock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	for i := range n {
		if _, _, err := s.Append(t.Context(), childKey(i), childEvents(i)...); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// meddle runs SQL behind the journal's back.
func meddle(t *testing.T, s *Store, sql string) {
	t.Helper()
	j := &job{ctx: t.Context(), done: make(chan struct{}), task: func(w *writer) error {
		_, err := w.conn.ExecContext(t.Context(), sql)
		return err
	}}
	if err := s.do(t.Context(), j); err != nil || j.err != nil {
		t.Fatal(err, j.err)
	}
}

func TestCheckFindsWhatWasChangedBehindItsBack(t *testing.T) {
	for name, c := range map[string]struct{ sql, what, fix string }{
		"data":      {`UPDATE events SET data = replace(data, 'cause', 'curse') WHERE seq = 3`, "event 3 is missing or was changed", "kedge restore"},
		"actor":     {`UPDATE events SET actor = 'human:eve' WHERE seq = 2`, "event 2 is missing or was changed", "kedge restore"},
		"request":   {`UPDATE events SET request = 'other' WHERE seq = 1`, "event 1 is missing or was changed", "kedge restore"},
		"version":   {`UPDATE events SET v = 2 WHERE seq = 1`, "event 1 is missing or was changed", "kedge restore"},
		"gap":       {`DELETE FROM events WHERE seq = 2`, "event 2 is missing or was changed", "kedge restore"},
		"end":       {`DELETE FROM events WHERE seq > 4`, "event 6 was saved", "kedge restore"},
		"document":  {`UPDATE docs SET doc = replace(doc, 'cause', 'curse') WHERE kind = 'note' AND id = 'not-000001'`, `note "not-000001" differs from what the events in Kedge's journal say`, "kedge rebuild"},
		"place":     {`UPDATE docs SET pos = 99 WHERE kind = 'seen'`, `seen "last" differs`, "kedge rebuild"},
		"lost doc":  {`DELETE FROM docs WHERE kind = 'seen'`, `seen "last" differs`, "kedge rebuild"},
		"extra doc": {`INSERT INTO docs (kind, id, pos, doc) VALUES ('risk', 'rsk-1', 1, '{}')`, `risk "rsk-1" differs`, "kedge rebuild"},
		"words":     {`UPDATE search SET body = 'x'`, `note "not-000000" differs`, "kedge rebuild"},
	} {
		t.Run(name, func(t *testing.T) {
			s := opened(t, 3)
			meddle(t, s, c.sql)
			found, err := s.Check(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(found, func(f kedge.Finding) bool {
				return f.Level == kedge.LevelError && strings.Contains(f.What, c.what) && strings.Contains(f.Fix, c.fix) && strings.Contains(f.Where, dbName)
			}) {
				t.Errorf("found %+v", found)
			}
			if c.fix == "kedge rebuild" {
				if err := s.Rebuild(t.Context()); err != nil {
					t.Fatal(err)
				}
				if found, err := s.Check(t.Context()); err != nil || len(found) > 0 {
					t.Errorf("after the rebuild: %+v, %v", found, err)
				}
			}
		})
	}
}

func TestRebuildRefusesABrokenChain(t *testing.T) {
	s := opened(t, 2)
	meddle(t, s, `UPDATE events SET actor = 'human:eve' WHERE seq = 2; DELETE FROM docs`)
	if err := s.Rebuild(t.Context()); !kedge.Conflict.Is(err) || !strings.Contains(err.Error(), "event 2") {
		t.Errorf("rebuild: %v", err)
	}
	if _, _, err := s.Append(t.Context(), "", childEvents(5)...); err != nil {
		t.Errorf("the transaction stayed open: %v", err)
	}
}

func TestFoldsOfAnotherVersionAreMadeAnew(t *testing.T) {
	s := opened(t, 2)
	meddle(t, s, `UPDATE meta SET value = '0' WHERE key = 'fold'; DELETE FROM docs; DELETE FROM search`)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := Open(s.dir, Options{Key: testKey})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	checkModel(t, s, 2, []int{0, 1})
}

func TestBackup(t *testing.T) {
	s := opened(t, 3)
	path := filepath.Join(t.TempDir(), "b", "copy")
	if err := s.Backup(t.Context(), path); !kedge.Invalid.Is(err) {
		t.Errorf("into a folder that is not there: %v", err)
	}
	path = filepath.Join(t.TempDir(), "copy")
	if err := s.Backup(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(path)
	if err != nil || len(entries) != 3 || entries[0].Name() != KeyName || entries[1].Name() != tailName || entries[2].Name() != dbName {
		t.Errorf("files %v, %v", entries, err)
	}
	for _, e := range entries {
		if fi, err := e.Info(); err != nil || fi.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", e.Name(), fi.Mode(), err)
		}
	}
	if err := s.Backup(t.Context(), path); !kedge.Conflict.Is(err) {
		t.Errorf("over another: %v", err)
	}
	want, _ := look(t, s.dir)
	got, found := look(t, path)
	if found != "" || !reflect.DeepEqual(got, want) {
		t.Errorf("%s\n got %+v\nwant %+v", found, got, want)
	}
	modelCheck(t, path, 3, []int{0, 1, 2})
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("beside the backup: %v, %v", left, err)
	}
}

func TestBackupOfAReadOnlyStore(t *testing.T) {
	s := opened(t, 2)
	r, err := Open(s.dir, Options{Key: testKey, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	path := filepath.Join(t.TempDir(), "copy")
	if err := r.Backup(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	modelCheck(t, path, 2, []int{0, 1})
}

func TestBackupOfADamagedStoreIsRefused(t *testing.T) {
	s := opened(t, 2)
	meddle(t, s, `UPDATE events SET actor = 'human:eve' WHERE seq = 2`)
	path := filepath.Join(t.TempDir(), "copy")
	if err := s.Backup(t.Context(), path); !kedge.Conflict.Is(err) {
		t.Errorf("backup: %v", err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestTailIsContinued(t *testing.T) {
	for name, damage := range map[string]func(b []byte) []byte{
		"behind":     func(b []byte) []byte { return b[:tailWidth+1] },
		"torn":       func(b []byte) []byte { return b[:len(b)-10] },
		"no newline": func(b []byte) []byte { return b[:len(b)-1] },
		"zeroes":     func(b []byte) []byte { return append(b, make([]byte, 300)...) },
		"flipped":    func(b []byte) []byte { b[30] ^= 1; return b },
	} {
		t.Run(name, func(t *testing.T) {
			dir := template(t, 3)
			path := filepath.Join(dir, tailName)
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if len(b) != 4*(tailWidth+1) { // of the empty journal, and one for each append
				t.Fatalf("tail of %d bytes", len(b))
			}
			bad := damage(b)
			if err := os.WriteFile(path, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := Open(dir, Options{Key: testKey, Now: childClock})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			if _, _, err := s.Append(t.Context(), childKey(3), childEvents(3)...); err != nil {
				t.Fatal(err)
			}
			end, err := readTailEnd(path)
			if err != nil || end.Seq != 8 {
				t.Errorf("the tail ends at %d, %v", end.Seq, err)
			}
			after, err := os.ReadFile(path)
			if err != nil || !strings.HasPrefix(string(after), string(bad)) {
				t.Errorf("what was in the tail is not kept: %v", err)
			}
			found, err := s.Check(t.Context())
			if err != nil || slices.ContainsFunc(found, func(f kedge.Finding) bool { return f.Level == kedge.LevelError }) {
				t.Errorf("check: %+v, %v", found, err)
			}
			odd := name == "torn" || name == "zeroes" || name == "flipped"
			if odd != (len(found) > 0) {
				t.Errorf("findings about the tail: %+v", found)
			}
		})
	}
}

func TestLongTail(t *testing.T) {
	path := filepath.Join(t.TempDir(), tailName)
	var b strings.Builder
	for i := range int64(2000) {
		b.WriteString(mark{Seq: i + 1, Hash: strings.Repeat("ab", 32)}.line())
	}
	if err := os.WriteFile(path, []byte(b.String()+"torn"), 0o600); err != nil {
		t.Fatal(err)
	}
	if end, err := readTailEnd(path); err != nil || end.Seq != 2000 {
		t.Errorf("end %+v, %v", end, err)
	}
	if err := os.WriteFile(path, []byte(b.String()+strings.Repeat("\x00", 100<<10)), 0o600); err != nil {
		t.Fatal(err)
	}
	if end, err := readTailEnd(path); err != nil || end.Seq != 2000 {
		t.Errorf("behind zeroes: %+v, %v", end, err)
	}
}

// TestCheckpointsKeepTheLogShort: the log is moved into the database as it
// grows, and reading goes on.
func TestCheckpointsKeepTheLogShort(t *testing.T) {
	s := opened(t, 0)
	r, err := Open(s.dir, Options{Key: testKey, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	const requests = checkpointEvery / 2
	var evs []kedge.Event
	for i := range requests {
		evs = append(evs, childEvents(i)...)
	}
	if _, _, err := s.Append(t.Context(), "k", evs...); err != nil {
		t.Fatal(err)
	}
	if notes, err := All[kedge.Note](t.Context(), r, KindNote); err != nil || len(notes) != requests {
		t.Fatalf("%d notes, %v", len(notes), err)
	}
	// A task runs after the checkpoint of the append before it.
	meddle(t, s, `SELECT 1`)
	fi, err := os.Stat(s.dbPath())
	if err != nil || fi.Size() < 100<<10 {
		t.Errorf("the database has %d bytes, %v: no checkpoint was made", fi.Size(), err)
	}
}

func FuzzTail(f *testing.F) {
	good := mark{Seq: 7, Hash: strings.Repeat("0a", 32)}.line()
	f.Add([]byte(good))
	f.Add([]byte(good + good[:40]))
	f.Add([]byte(good[:40] + "\n" + good))
	f.Add([]byte("\x00\x00\x00\n\n" + good))
	f.Fuzz(func(t *testing.T, b []byte) {
		marks, odd := parseTail(b)
		if len(b) > 0 && len(marks)+len(odd) == 0 {
			t.Error("bytes without a line")
		}
		for _, m := range marks {
			if !strings.Contains(string(b), strings.TrimSuffix(m.line(), "\n")) && !strings.Contains(strings.ToLower(string(b)), m.line()[:85]) {
				t.Errorf("%+v is not in %q", m, b)
			}
		}
		// Whatever is there, a line after it is found.
		more, _ := parseTail([]byte(string(b) + "\n" + mark{Seq: 1 << 60, Hash: strings.Repeat("0a", 32)}.line()))
		if last(more).Seq < 1<<60 {
			t.Errorf("after %q: %+v", b, more)
		}
	})
}

func FuzzSearchQuery(f *testing.F) {
	dir := filepath.Join(f.TempDir(), "store")
	s, err := Open(dir, Options{Key: testKey, Now: childClock})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = s.Close() })
	if _, _, err := s.Append(f.Context(), "", childEvents(1)...); err != nil {
		f.Fatal(err)
	}
	for _, q := range []string{"cause", `"`, "a AND", "NEAR(a b)", "col:x", "^a", "a*", "-", "日本", "\x00", "\xff\xfe", "{a b}:c", "'; DROP TABLE events", "ⅷ", "a\u0301"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, q string) {
		if _, err := s.Search(t.Context(), q, 5); err != nil {
			t.Errorf("%q: %v", q, err)
		}
	})
}

// FuzzFold: whatever the payload, folding gives documents or an error, and the
// same ones again.
func FuzzFold(f *testing.F) {
	for typ := range folders {
		f.Add(string(typ), []byte(`{"id":"x","definition":{"id":"x"},"decision":{"id":"x","status":"locked","supersedes":"y"},"name":"n","status":"pending"}`))
	}
	f.Add("future.thing", []byte(`null`))
	f.Fuzz(func(t *testing.T, typ string, data []byte) {
		ev := kedge.Event{V: 1, Seq: 3, ID: "evt-3", Project: "prj-1", Type: kedge.EventType(typ), Data: data}
		before := folded{}
		for _, k := range []Kind{KindFeature, KindDecision, KindRisk, KindSession} {
			before[docKey{k, "x"}] = change{kind: k, id: "x", pos: 1, doc: `{"id":"x"}`}
			before[docKey{k, "y"}] = change{kind: k, id: "y", pos: 2, doc: `{"id":"y"}`}
		}
		one, err1 := fold(ev, before.get)
		two, err2 := fold(ev, before.get)
		if !reflect.DeepEqual(one, two) || fmt.Sprint(err1) != fmt.Sprint(err2) {
			t.Errorf("%v, %v; %v, %v", one, err1, two, err2)
		}
		for _, c := range one {
			if c.id == "" || c.kind == "" || c.doc == "" {
				t.Errorf("empty change %+v", c)
			}
		}
	})
}
