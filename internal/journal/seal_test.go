package journal

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge"
)

// testKey seals the journals of these tests.
var testKey = bytes.Repeat([]byte{7}, keySize)

// behindItsBack runs SQL on a journal that nobody has open, as somebody with an editor of databases does.
func behindItsBack(t *testing.T, dir, script string) {
	t.Helper()
	db, err := sql.Open("sqlite", dsn(filepath.Join(dir, dbName), "mode=rw"))
	if err == nil {
		_, err = db.Exec(script)
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// forge appends an event as an older Kedge would: with the right number and a hash without a key.
func forge(t *testing.T, dir string, tailToo bool) mark {
	t.Helper()
	s := &Store{dir: dir}
	db, conn, err := s.openWriter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	head, err := headOf(t.Context(), conn)
	if err != nil {
		t.Fatal(err)
	}
	r := chain{}.link(childEvents(50)[0], "", head, childClock())
	if err := errors.Join(insertRow(t.Context(), conn, &r), conn.Close(), db.Close()); err != nil {
		t.Fatal(err)
	}
	m := mark{Seq: r.Seq, Hash: r.Hash}
	if tailToo {
		f, err := os.OpenFile(filepath.Join(dir, tailName), os.O_APPEND|os.O_WRONLY, 0)
		if err == nil {
			_, err = f.WriteString(m.line())
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// TestForgedEventIsRefused: an event that somebody without the key appended is found when the journal is
// opened; it is never made true by Rebuild, and Restore leaves it out.
func TestForgedEventIsRefused(t *testing.T) {
	for _, tailToo := range []bool{false, true} {
		dir := template(t, 3)
		m := forge(t, dir, tailToo)
		s, err := Open(dir, Options{Key: testKey, Now: childClock})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Refusal(); !kedge.Conflict.Is(err) || !strings.Contains(kedge.HintOf(err), "kedge restore") {
			t.Errorf("refusal: %v", err)
		}
		if err := s.Rebuild(t.Context()); !kedge.Conflict.Is(err) {
			t.Errorf("rebuild: %v", err)
		}
		found, err := s.Check(t.Context())
		if err != nil || len(found) == 0 {
			t.Errorf("check: %v, %v", found, err)
		}
		_ = s.Close()
		r, err := Restore(t.Context(), dir, RestoreOptions{Now: childClock, Key: testKey})
		if err != nil || r.Kept != m.Seq-1 || len(r.Missing) != 1 || r.Missing[0].Seq != m.Seq || r.Missing[0].Type == "" {
			t.Errorf("restored: %+v, %v", r, err)
		}
		modelCheck(t, dir, 3, []int{0, 1, 2})
		if _, err := os.Stat(filepath.Join(r.Aside, dbName)); err != nil {
			t.Errorf("what was there before: %v", err)
		}
	}
}

// TestWhatIsNotAsKedgeLeftItIsRefused takes away, one by one, what a sealed journal must have.
func TestWhatIsNotAsKedgeLeftItIsRefused(t *testing.T) {
	other := bytes.Repeat([]byte{8}, keySize)
	for name, c := range map[string]struct {
		key    []byte
		damage func(t *testing.T, dir string)
	}{
		"no tail": {testKey, func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, tailName)); err != nil {
				t.Fatal(err)
			}
		}},
		"empty tail": {testKey, func(t *testing.T, dir string) {
			if err := os.Truncate(filepath.Join(dir, tailName), 0); err != nil {
				t.Fatal(err)
			}
		}},
		"no seal": {testKey, func(t *testing.T, dir string) { behindItsBack(t, dir, `DELETE FROM meta WHERE key = 'seal'`) }},
		"seal moved on": {testKey, func(t *testing.T, dir string) {
			behindItsBack(t, dir, `UPDATE meta SET value = replace(value, '0 ', '6 ') WHERE key = 'seal'`)
		}},
		"no key":      {nil, func(*testing.T, string) {}},
		"another key": {other, func(*testing.T, string) {}},
		"newest event": {testKey, func(t *testing.T, dir string) {
			behindItsBack(t, dir, `UPDATE events SET actor = 'human:eve' WHERE seq = 6`)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := template(t, 3)
			c.damage(t, dir)
			for _, readOnly := range []bool{true, false} {
				s, err := Open(dir, Options{Key: c.key, ReadOnly: readOnly, Now: childClock})
				if err != nil {
					t.Fatal(err)
				}
				if s.Refusal() == nil {
					t.Errorf("read only %v: not refused", readOnly)
				}
				if evs, err := s.Events(t.Context(), 0); err != nil || len(evs) != 6 {
					t.Errorf("it cannot be read: %d events, %v", len(evs), err)
				}
				if _, _, err := s.Append(t.Context(), "", childEvents(9)...); err == nil {
					t.Error("it took an event")
				}
				_ = s.Close()
			}
		})
	}
}

// older makes a journal as a Kedge without seals left it.
func older(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "old")
	s, err := Open(dir, Options{Now: childClock})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if _, _, err := s.Append(t.Context(), childKey(i), childEvents(i)...); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	behindItsBack(t, dir, `PRAGMA user_version = 2`)
	return dir
}

// TestOlderJournalIsSealed: it is readable before, sealed when it is first opened for writing, and takes
// no event without the key from then on. One that was changed before is not sealed.
func TestOlderJournalIsSealed(t *testing.T) {
	dir := older(t)
	r, err := Open(dir, Options{Key: testKey, ReadOnly: true})
	if err != nil || r.Refusal() != nil {
		t.Fatal(err, r.Refusal())
	}
	_ = r.Close()
	s, err := Open(dir, Options{Key: testKey, Now: childClock})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Append(t.Context(), childKey(3), childEvents(3)...); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	modelCheck(t, dir, 4, []int{0, 1, 2, 3})
	forge(t, dir, true)
	if s, err = Open(dir, Options{Key: testKey}); err != nil || s.Refusal() == nil {
		t.Errorf("a forged event behind the seal: %v", err)
	}
	_ = s.Close()

	dir = older(t)
	behindItsBack(t, dir, `UPDATE events SET actor = 'human:eve' WHERE seq = 2`)
	if s, err = Open(dir, Options{Key: testKey}); err != nil || s.Refusal() == nil || len(s.chain.key) > 0 {
		t.Errorf("a changed journal was sealed: %v", err)
	}
	_ = s.Close()
}

func TestRestoreKeepsWhatIsWhole(t *testing.T) {
	dir := template(t, 4)
	behindItsBack(t, dir, `UPDATE events SET data = replace(data, 'cause', 'curse') WHERE seq = 5`)
	r, err := Restore(t.Context(), dir, RestoreOptions{Now: childClock, Key: testKey})
	if err != nil || r.Kept != 4 || len(r.Missing) != 4 || r.Missing[0].Seq != 5 || r.Missing[3].Seq != 8 {
		t.Fatalf("restored: %+v, %v", r, err)
	}
	modelCheck(t, dir, 4, []int{0, 1})
}

// TestRestoreWithoutTheKey: nothing can be verified, so nothing is kept unless you ask for it.
func TestRestoreWithoutTheKey(t *testing.T) {
	other := bytes.Repeat([]byte{8}, keySize)
	dir := template(t, 3)
	if r, err := Restore(t.Context(), dir, RestoreOptions{Now: childClock, Key: other}); !kedge.Conflict.Is(err) || !strings.Contains(kedge.HintOf(err), "--unverified") {
		t.Fatalf("everything was dropped without a question: %+v, %v", r, err)
	}
	r, err := Restore(t.Context(), dir, RestoreOptions{Now: childClock, Key: other, Unverified: true})
	if err != nil || r.Kept != 6 || r.Unverified != 6 || len(r.Missing) != 0 {
		t.Fatalf("restored: %+v, %v", r, err)
	}
	s, err := Open(dir, Options{Key: other, Now: childClock})
	if err != nil || s.Refusal() != nil {
		t.Fatal(err, s.Refusal())
	}
	defer func() { _ = s.Close() }()
	if found, err := s.Check(t.Context()); err != nil || len(found) > 0 {
		t.Errorf("check: %+v, %v", found, err)
	}
	checkModel(t, s, 3, []int{0, 1, 2})
}

// TestRestoreABackup, with its own key and into a KEDGE_HOME with another one.
func TestRestoreABackup(t *testing.T) {
	other := bytes.Repeat([]byte{8}, keySize)
	s := opened(t, 3)
	backup := filepath.Join(t.TempDir(), "b")
	if err := s.Backup(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	for _, key := range [][]byte{testKey, other} {
		dir := template(t, 5)
		r, err := Restore(t.Context(), dir, RestoreOptions{Now: childClock, Key: key, From: backup})
		if err != nil || r.Kept != 6 || r.Unverified != 0 || len(r.Missing) != 4 {
			t.Fatalf("restored: %+v, %v", r, err)
		}
		if s, err = Open(dir, Options{Key: key, Now: childClock}); err != nil || s.Refusal() != nil {
			t.Fatal(err, s.Refusal())
		}
		checkModel(t, s, 3, []int{0, 1, 2})
		_ = s.Close()
	}
}

// TestRestoreIsFinished: one that was cut short once the journal was whole is finished by the next, from
// every step on; nobody opens the journal in between.
func TestRestoreIsFinished(t *testing.T) {
	for step := range 6 {
		dir := template(t, 2)
		behindItsBack(t, dir, `UPDATE events SET actor = 'human:eve' WHERE seq = 4`)
		src, err := readSource(t.Context(), dir, RestoreOptions{Key: testKey})
		if err != nil {
			t.Fatal(err)
		}
		at := filepath.Join(dir, restoredName)
		aside := filepath.Join(dir, "damaged-x")
		report := src.restored(mark{})
		report.Aside = aside
		err = errors.Join(os.Mkdir(at, 0o700), src.writeInto(t.Context(), at, RestoreOptions{Now: childClock, Key: testKey}), writeReport(at, report))
		if err != nil {
			t.Fatal(err)
		}
		for _, do := range []func() error{
			func() error { return removeAll(filepath.Join(dir, dbName+"-wal"), filepath.Join(dir, dbName+"-shm")) },
			func() error { return moveOver(filepath.Join(at, dbName), filepath.Join(dir, dbName)) },
			func() error { return moveOver(filepath.Join(at, tailName), filepath.Join(dir, tailName)) },
			func() error { return os.MkdirAll(aside, 0o700) },
			func() error { return copyFile(filepath.Join(at, reportName), filepath.Join(aside, reportName)) },
		}[:step] {
			if err := do(); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Open(dir, Options{Key: testKey}); !kedge.Conflict.Is(err) || !strings.Contains(kedge.HintOf(err), "kedge restore") {
			t.Errorf("step %d: opened: %v", step, err)
		}
		r, err := Restore(t.Context(), dir, RestoreOptions{Now: childClock, Key: testKey})
		if err != nil || r.Kept != 3 || len(r.Missing) != 1 {
			t.Errorf("step %d: %+v, %v", step, r, err)
		}
		s, err := Open(dir, Options{Key: testKey})
		if err != nil || s.Refusal() != nil {
			t.Fatalf("step %d: %v", step, err)
		}
		_ = s.Close()
	}
}

// TestFilesThatAreGone: what is removed or replaced under a daemon takes no more events.
func TestFilesThatAreGone(t *testing.T) {
	for _, name := range []string{dbName, tailName} {
		s := opened(t, 2)
		if err := os.Remove(filepath.Join(s.dir, name)); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Append(t.Context(), "", childEvents(9)...); !kedge.Conflict.Is(err) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if found, err := s.Check(t.Context()); err != nil || len(found) == 0 {
			t.Errorf("%s: check: %+v, %v", name, found, err)
		}
	}
}

// TestGapIsRefused: an event in the middle is gone; nothing is appended behind the gap.
func TestGapIsRefused(t *testing.T) {
	dir := template(t, 80)
	behindItsBack(t, dir, `DELETE FROM events WHERE seq = 3`)
	s, err := Open(dir, Options{Key: testKey, Now: childClock})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if s.Refusal() == nil {
		t.Error("not refused")
	}
}

// TestNoJournalIsMadeInPlaceOfALostOne: neither where both files are gone.
func TestNoJournalIsMadeInPlaceOfALostOne(t *testing.T) {
	dir := template(t, 2)
	for _, name := range []string{dbName, tailName} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Open(dir, Options{Key: testKey, Existing: true}); !kedge.Conflict.Is(err) {
		t.Errorf("opened: %v", err)
	}
}

func TestOpenKey(t *testing.T) {
	home := t.TempDir()
	if key, err := OpenKey(home, true); err != nil || key != nil {
		t.Errorf("a reader: %v, %v", key, err)
	}
	one, err := OpenKey(home, false)
	if err != nil || len(one) != keySize {
		t.Fatal(one, err)
	}
	if two, err := OpenKey(home, false); err != nil || !bytes.Equal(one, two) {
		t.Errorf("another key: %v", err)
	}
	path := filepath.Join(home, KeyName)
	if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", fi.Mode(), err)
	}
	if left, err := os.ReadDir(home); err != nil || len(left) != 1 {
		t.Errorf("beside the key: %v, %v", left, err)
	}
	if err := os.WriteFile(path, []byte("short\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenKey(home, false); !kedge.Conflict.Is(err) {
		t.Errorf("a damaged key: %v", err)
	}
}
