package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"kedge"
)

// whole is what a store holds, as far as anyone can ask.
type whole struct {
	events []kedge.Event
	dump   string
	hits   []Hit
}

// look opens dir for reading and says what is there. found is what gave damage
// away: the opening, the check, or the reading; empty when nothing did.
func look(t *testing.T, dir string) (w whole, found string) {
	t.Helper()
	s, err := Open(dir, Options{Key: testKey, ReadOnly: true})
	if err != nil {
		return w, "open: " + err.Error()
	}
	defer func() { _ = s.Close() }()
	if err := s.Refusal(); err != nil {
		return w, "refusal: " + err.Error()
	}
	findings, err := s.Check(t.Context())
	if err != nil {
		return w, "check: " + err.Error()
	}
	for _, f := range findings {
		if f.Level == kedge.LevelError {
			return w, "check: " + f.What
		}
	}
	w.events, err = s.Events(t.Context(), 0)
	if err != nil {
		return w, "events: " + err.Error()
	}
	var b strings.Builder
	if err := s.Dump(t.Context(), &b); err != nil {
		return w, "dump: " + err.Error()
	}
	w.dump = b.String()
	if w.hits, err = s.Search(t.Context(), "cause", 0); err != nil {
		return w, "search: " + err.Error()
	}
	return w, ""
}

// smallStore makes a store with small pages; mode "end" leaves it closed, with
// all in the database, "kill" as a SIGKILL leaves it, with all in the log.
func smallStore(t *testing.T, mode string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "small")
	s, err := Open(dir, Options{Key: testKey, Now: childClock, pageSize: 512})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if r := runChild(t, childCommand(t, mode, dir, 0, 2)); len(r.acked) != 2 {
		t.Fatalf("child: %+v", r)
	}
	if mode == "end" {
		_ = os.Remove(filepath.Join(dir, dbName+"-wal")) // empty
	}
	_ = os.Remove(filepath.Join(dir, dbName+"-shm")) // an index of the log, made anew
	return dir
}

// flips damages one byte of a file after the other and counts what became of it.
func flips(t *testing.T, from, name string) {
	want, found := look(t, copied(t, from, t.TempDir()))
	if found != "" {
		t.Fatalf("the undamaged store: %s", found)
	}
	good, err := os.ReadFile(filepath.Join(from, name))
	if err != nil {
		t.Fatal(err)
	}
	step := 1
	if (raceEnabled || testing.Short()) && os.Getenv("KEDGE_TEST_EVERY_BYTE") == "" {
		step = 37 // the race detector makes SQLite ten times slower and sees nothing here
	}
	const workers = 4
	var detected, harmless [workers]int
	var wg sync.WaitGroup
	for w := range workers {
		dir := copied(t, from, t.TempDir())
		wg.Go(func() {
			// Nothing that only reads changes these files, so that one copy
			// serves for all flips.
			f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY, 0)
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = f.Close() }()
			for at := w * step; at < len(good) && !t.Failed(); at += workers * step {
				put(t, f, at, good[at]^1<<(at%8))
				if detects(t, dir, want) {
					detected[w]++
				} else {
					harmless[w]++
				}
				put(t, f, at, good[at])
			}
		})
	}
	wg.Wait()
	n, m := 0, 0
	for w := range workers {
		n, m = n+detected[w], m+harmless[w]
	}
	t.Logf("%s: %d bytes, %d flips detected, %d harmless", name, len(good), n, m)
	if n == 0 {
		t.Error("nothing was ever detected")
	}
}

func put(t *testing.T, f *os.File, at int, b byte) {
	if _, err := f.WriteAt([]byte{b}, int64(at)); err != nil {
		t.Error(err)
	}
}

// detects tells whether the damage in dir is detected; it fails the test when it
// is not and yet something else is read.
func detects(t *testing.T, dir string, want whole) bool {
	got, found := look(t, dir)
	if found == "" && !reflect.DeepEqual(got, want) {
		t.Errorf("%s: silent damage\n got %+v\nwant %+v", dir, got, want)
	}
	return found != ""
}

// damagedIs is detects for a file that was replaced.
func damagedIs(t *testing.T, from, dir, name string, bad []byte, want whole) bool {
	copied(t, from, dir)
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.WriteFile(filepath.Join(dir, name), bad, 0o600); err != nil {
		t.Error(err)
	}
	return detects(t, dir, want)
}

func copied(t *testing.T, from, to string) string {
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Error(err)
	}
	return to
}

func TestF7EveryByteOfTheDatabase(t *testing.T) {
	t.Parallel()
	flips(t, smallStore(t, "end"), dbName)
}

func TestF7EveryByteOfTheLogThatSIGKILLLeft(t *testing.T) {
	t.Parallel()
	flips(t, smallStore(t, "kill"), dbName+"-wal")
}

func TestF7LostAndZeroedBlocks(t *testing.T) {
	t.Parallel()
	for mode, name := range map[string]string{"end": dbName, "kill": dbName + "-wal"} {
		from := smallStore(t, mode)
		want, _ := look(t, copied(t, from, t.TempDir()))
		good, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			t.Fatal(err)
		}
		base := t.TempDir()
		stride := 512
		if raceEnabled || testing.Short() {
			stride = 3 * 512
		}
		for at := 0; at < len(good); at += stride {
			zeroed := append([]byte{}, good...)
			clear(zeroed[at:min(at+512, len(zeroed))])
			damagedIs(t, from, filepath.Join(base, "z"), name, zeroed, want)
			for _, cut := range []int{at, at + 1, at + 300} {
				if !damagedIs(t, from, filepath.Join(base, "c"), name, good[:min(cut, len(good)-1)], want) && cut < len(good)/2 {
					t.Errorf("%s cut to %d of %d bytes: not detected", name, cut, len(good))
				}
			}
		}
	}
}

// TestF7EmptyOrMissingDatabase: a database that is gone is not made anew over
// what was acknowledged, and nothing is written to look at it.
func TestF7EmptyOrMissingDatabase(t *testing.T) {
	for _, missing := range []bool{true, false} {
		for _, readOnly := range []bool{true, false} {
			dir := smallStore(t, "end")
			path := filepath.Join(dir, dbName)
			if err := os.Truncate(path, 0); err != nil {
				t.Fatal(err)
			}
			if missing {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := Open(dir, Options{Key: testKey, ReadOnly: readOnly}); !kedge.Conflict.Is(err) || !strings.Contains(err.Error(), "Kedge had saved 4 events") || kedge.HintOf(err) == "" {
				t.Errorf("missing %v, read only %v: %v", missing, readOnly, err)
			}
			if fi, err := os.Stat(path); err == nil && fi.Size() > 0 || err == nil && missing {
				t.Errorf("missing %v, read only %v: the database was made anew", missing, readOnly)
			}
		}
	}
}

// TestF7BehindItsTail: a journal that lost acknowledged events can be read, takes
// no more, says what to do, and keeps what is left of the log for that.
func TestF7BehindItsTail(t *testing.T) {
	dir := smallStore(t, "kill")
	wal := filepath.Join(dir, dbName+"-wal")
	b, err := os.ReadFile(wal)
	if err != nil {
		t.Fatal(err)
	}
	b = b[:len(b)*3/4]
	if err := os.WriteFile(wal, b, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Open(dir, Options{Key: testKey})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Append(t.Context(), "", childEvents(9)...); !kedge.Conflict.Is(err) || !strings.Contains(kedge.HintOf(err), "kedge restore") {
		t.Errorf("append: %v, hint %q", err, kedge.HintOf(err))
	}
	if err := s.Rebuild(t.Context()); !kedge.Conflict.Is(err) {
		t.Errorf("rebuild: %v", err)
	}
	if evs, err := s.Events(t.Context(), 0); err != nil || len(evs) == 0 || len(evs) >= 4 {
		t.Errorf("%d events, %v", len(evs), err)
	}
	found, err := s.Check(t.Context())
	if err != nil || len(found) == 0 || !strings.Contains(found[0].What, "saved") {
		t.Errorf("check: %+v, %v", found, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(wal); err != nil || string(after) != string(b) {
		t.Errorf("the log was changed: %v", err)
	}
	r, err := Restore(t.Context(), dir, RestoreOptions{Now: childClock, Key: testKey})
	if err != nil || r.Kept != 2 || len(r.Missing) != 2 || r.Missing[0].Seq != 3 {
		t.Fatalf("restored: %+v, %v", r, err)
	}
	modelCheck(t, dir, 2, []int{0})
}

func TestF8NewerVersion(t *testing.T) {
	dir := smallStore(t, "end")
	s, err := Open(dir, Options{Key: testKey})
	if err != nil {
		t.Fatal(err)
	}
	newer := latest() + 1
	j := &job{ctx: t.Context(), done: make(chan struct{}), task: func(w *writer) error {
		_, err := w.conn.ExecContext(t.Context(), fmt.Sprintf(`PRAGMA user_version = %d`, newer))
		return err
	}}
	if err := s.do(t.Context(), j); err != nil || j.err != nil {
		t.Fatal(err, j.err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	before := files(t, dir)
	for _, readOnly := range []bool{true, false} {
		_, err := Open(dir, Options{Key: testKey, ReadOnly: readOnly})
		want := []string{fmt.Sprintf("version %d", newer), fmt.Sprintf("version %d", latest())}
		if !kedge.Conflict.Is(err) || !strings.Contains(err.Error(), want[0]) || !strings.Contains(err.Error(), want[1]) {
			t.Errorf("read only %v: %v", readOnly, err)
		}
	}
	if after := files(t, dir); !reflect.DeepEqual(after, before) {
		t.Error("a newer journal was written to")
	}
}

// files reads the files that hold the journal.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, name := range []string{dbName, dbName + "-wal", tailName} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		out[name] = string(b)
	}
	return out
}
