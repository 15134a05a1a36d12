package journal_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"kedge"
	"kedge/internal/journal"
	"kedge/internal/testkit/redacttest"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)

func fixed() time.Time { return t0 }

func open(t *testing.T, dir string, o journal.Options) *journal.Store {
	t.Helper()
	if o.Now == nil {
		o.Now = fixed
	}
	s, err := journal.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func event(t *testing.T, typ kedge.EventType, data any) kedge.Event {
	t.Helper()
	ev, err := kedge.NewEvent(typ, kedge.Human("ann"), data)
	if err != nil {
		t.Fatal(err)
	}
	ev.Project = "prj-1"
	return ev
}

func note(t *testing.T, i int) kedge.Event {
	t.Helper()
	return event(t, kedge.NoteAdded, kedge.Note{ID: kedge.NoteID(fmt.Sprintf("not-%04d", i)), Title: fmt.Sprintf("note %d", i), RootCause: "because"})
}

func appendAll(t *testing.T, s *journal.Store, key string, evs ...kedge.Event) []kedge.Event {
	t.Helper()
	out, again, err := s.Append(t.Context(), key, evs...)
	if err != nil || again {
		t.Fatalf("append: again %v, %v", again, err)
	}
	return out
}

func dump(t *testing.T, s *journal.Store) string {
	t.Helper()
	var b bytes.Buffer
	if err := s.Dump(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// sound fails the test on every finding of level error or warning.
func sound(t *testing.T, s *journal.Store) {
	t.Helper()
	found, err := s.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		if f.Level != kedge.LevelInfo {
			t.Errorf("check: %+v", f)
		}
	}
}

func TestAppendGivesThePlaceInTheJournal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b", "p?x#1%20")
	s := open(t, dir, journal.Options{})
	out := appendAll(t, s, "", note(t, 1), note(t, 2))
	for i, ev := range out {
		if ev.Seq != int64(i+1) || !kedge.ValidID("evt", string(ev.ID)) || len(ev.Hash) != 64 || ev.V != 1 {
			t.Errorf("event %d: %+v", i, ev)
		}
		if !ev.At.Equal(t0.Truncate(time.Millisecond)) || ev.Project != "prj-1" || ev.Actor != "human:ann" {
			t.Errorf("event %d: %+v", i, ev)
		}
	}
	got, err := s.Events(t.Context(), 0)
	if err != nil || !reflect.DeepEqual(got, out) {
		t.Errorf("read back %+v, %v; want %+v", got, err, out)
	}
	got, err = s.Events(t.Context(), 1)
	if err != nil || len(got) != 1 || got[0].Seq != 2 {
		t.Errorf("after 1: %+v, %v", got, err)
	}
	sound(t, s)
}

func TestPermissions(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "home", "prj")
	s := open(t, dir, journal.Options{})
	appendAll(t, s, "", note(t, 1))
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		if fi.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v", path, fi.Mode())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestReopenContinuesTheChain(t *testing.T) {
	dir := t.TempDir()
	for i := range 3 {
		s := open(t, dir, journal.Options{})
		out := appendAll(t, s, "", note(t, i))
		if out[0].Seq != int64(i+1) {
			t.Errorf("seq %d after %d", out[0].Seq, i)
		}
		sound(t, s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	_, _, err := open(t, dir, journal.Options{ReadOnly: true}).Append(t.Context(), "", note(t, 9))
	if !kedge.Conflict.Is(err) {
		t.Errorf("append to a read-only store: %v", err)
	}
}

func TestF27KeyHasOneEffect(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, journal.Options{})
	if _, seen, err := s.Seen(t.Context(), "k1"); seen || err != nil {
		t.Errorf("seen before: %v, %v", seen, err)
	}
	first := appendAll(t, s, "k1", note(t, 1), note(t, 2))
	appendAll(t, s, "k2", note(t, 3))
	out, again, err := s.Append(t.Context(), "k1", note(t, 4))
	if err != nil || !again || !reflect.DeepEqual(out, first) {
		t.Errorf("second time: %v %v %+v", err, again, out)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir, journal.Options{})
	out, seen, err := s.Seen(t.Context(), "k1")
	if err != nil || !seen || !reflect.DeepEqual(out, first) {
		t.Errorf("after reopening: %v %v %+v", err, seen, out)
	}
	if evs, _ := s.Events(t.Context(), 0); len(evs) != 3 {
		t.Errorf("%d events", len(evs))
	}
}

func TestF27ConcurrentRetries(t *testing.T) {
	s := open(t, t.TempDir(), journal.Options{})
	var wg sync.WaitGroup
	ids := make([]kedge.EventID, 16)
	fresh := make([]bool, 16)
	for i := range 16 {
		wg.Go(func() {
			out, again, err := s.Append(t.Context(), "same", note(t, 1))
			if err != nil {
				t.Error(err)
				return
			}
			ids[i], fresh[i] = out[0].ID, !again
		})
	}
	wg.Wait()
	n := 0
	for i := range 16 {
		if ids[i] != ids[0] {
			t.Errorf("two effects: %q, %q", ids[i], ids[0])
		}
		if fresh[i] {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d callers were the first", n)
	}
}

func TestGroupCommitOf64Writers(t *testing.T) {
	s := open(t, t.TempDir(), journal.Options{})
	const writers, each = 64, 2
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				n := w*each + i
				out, _, err := s.Append(t.Context(), fmt.Sprintf("key-%d", n), note(t, n), note(t, n+10000))
				if err != nil {
					t.Error(err)
					return
				}
				if out[1].Seq != out[0].Seq+1 {
					t.Errorf("a request was torn apart: %d, %d", out[0].Seq, out[1].Seq)
				}
				if _, ok, err := journal.Get[kedge.Note](t.Context(), s, journal.KindNote, fmt.Sprintf("not-%04d", n)); !ok || err != nil {
					t.Errorf("note %d is not readable after its ack: %v", n, err)
				}
			}
		})
	}
	wg.Wait()
	evs, err := s.Events(t.Context(), 0)
	if err != nil || len(evs) != 2*writers*each {
		t.Errorf("%d events, %v", len(evs), err)
	}
	sound(t, s)
}

func TestOneRefusedJobTakesNoOtherWithIt(t *testing.T) {
	s := open(t, t.TempDir(), journal.Options{})
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			evs := []kedge.Event{note(t, i)}
			if i%2 == 1 {
				evs = append(evs, event(t, kedge.FeatureStatus, kedge.FeatureStatusData{ID: "nobody", Status: kedge.Pending}))
			}
			_, _, err := s.Append(t.Context(), fmt.Sprint(i), evs...)
			if i%2 == 0 && err != nil || i%2 == 1 && !kedge.NotFound.Is(err) {
				t.Errorf("job %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	notes, err := journal.All[kedge.Note](t.Context(), s, journal.KindNote)
	if err != nil || len(notes) != 20 {
		t.Errorf("%d notes, %v", len(notes), err)
	}
	if _, seen, _ := s.Seen(t.Context(), "1"); seen {
		t.Error("a refused request left its key behind")
	}
	sound(t, s)
}

func TestBadEventsAreRefused(t *testing.T) {
	s := open(t, t.TempDir(), journal.Options{})
	good := note(t, 1)
	for name, change := range map[string]func(*kedge.Event){
		"not JSON":  func(ev *kedge.Event) { ev.Data = []byte("{") },
		"no data":   func(ev *kedge.Event) { ev.Data = nil },
		"no type":   func(ev *kedge.Event) { ev.Type = "" },
		"no actor":  func(ev *kedge.Event) { ev.Actor = "" },
		"no id":     func(ev *kedge.Event) { ev.Data = []byte(`{}`) },
		"bad shape": func(ev *kedge.Event) { ev.Data = []byte(`{"id":7}`) },
	} {
		ev := good
		change(&ev)
		if _, _, err := s.Append(t.Context(), "", ev); !kedge.Invalid.Is(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := s.Append(t.Context(), strings.Repeat("k", 257), good); !kedge.Invalid.Is(err) {
		t.Errorf("long key: %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := s.Append(cancelled, "", good); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if evs, _ := s.Events(t.Context(), 0); len(evs) != 0 {
		t.Errorf("%d events", len(evs))
	}
}

func TestUnknownEventsStayInTheChain(t *testing.T) {
	s := open(t, t.TempDir(), journal.Options{})
	appendAll(t, s, "", event(t, "future.thing", map[string]int{"x": 1}), note(t, 1))
	if got := dump(t, s); strings.Contains(got, "future") {
		t.Errorf("dump: %s", got)
	}
	evs, err := s.Events(t.Context(), 0)
	if err != nil || len(evs) != 2 || string(evs[0].Data) != `{"x":1}` {
		t.Errorf("%+v, %v", evs, err)
	}
	sound(t, s)
}

func TestT15NoSecretReachesTheDisk(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, journal.Options{})
	for family, text := range redacttest.Canaries() {
		appendAll(t, s, "", event(t, kedge.NoteAdded, kedge.Note{ID: kedge.NoteID("not-" + family), Title: "t", RootCause: text, Tags: []string{text}}))
		appendAll(t, s, "", event(t, "future.thing", map[string]any{text: []string{text}}))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for family, secret := range redacttest.Secrets() {
			if bytes.Contains(b, []byte(secret)) {
				t.Errorf("%s is in %s", family, f.Name())
			}
		}
	}
}

func TestReadersBesideAWriter(t *testing.T) {
	dir := t.TempDir()
	if _, err := journal.Open(dir, journal.Options{ReadOnly: true}); !kedge.NotFound.Is(err) {
		t.Errorf("no journal yet: %v", err)
	}
	w := open(t, dir, journal.Options{})
	appendAll(t, w, "", note(t, 1))
	r := open(t, dir, journal.Options{ReadOnly: true})
	for i := 2; i < 5; i++ {
		appendAll(t, w, "", note(t, i))
		notes, err := journal.All[kedge.Note](t.Context(), r, journal.KindNote)
		if err != nil || len(notes) != i {
			t.Errorf("reader sees %d notes of %d, %v", len(notes), i, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if dump(t, r) == "" {
		t.Error("the reader lost the journal when the writer closed")
	}
	sound(t, r)
}

func TestAppendAfterCloseIsRefused(t *testing.T) {
	s := open(t, t.TempDir(), journal.Options{})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Append(t.Context(), "", note(t, 1)); !kedge.Conflict.Is(err) {
		t.Errorf("append: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
}
