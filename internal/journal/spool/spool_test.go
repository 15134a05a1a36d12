package spool_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"kedge"
	"kedge/internal/journal/spool"
)

var now = time.Date(2026, 11, 16, 1, 0, 0, 0, time.UTC)

func put(t *testing.T, home, owner, text string) string {
	t.Helper()
	id, err := spool.Put(home, owner, now, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// TestTakenInOrderAndOnce: what waits is taken in the order in which it was left;
// what its taker refuses stays, and holds nothing else up.
func TestTakenInOrderAndOnce(t *testing.T) {
	home := filepath.Join(t.TempDir(), "a[b]*") // a folder may have any name
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"1", "2", "3"} {
		put(t, home, "p", text)
	}
	var got []string
	take := func(refuse string) func(string, []byte) error {
		return func(id string, b []byte) error {
			if !kedge.ValidID("hok", id) {
				t.Errorf("the id %q", id)
			}
			if string(b) == refuse {
				return errors.New("not now")
			}
			got = append(got, string(b))
			return nil
		}
	}
	if n, err := spool.Take(home, take("2")); n != 2 || err == nil {
		t.Errorf("%d were taken, %v", n, err)
	}
	if spool.Waiting(home) != 1 {
		t.Errorf("%d wait", spool.Waiting(home))
	}
	put(t, home, "p", "4")
	if n, err := spool.Take(home, take("2")); n != 0 || err == nil {
		t.Errorf("%d were taken before an older one, %v", n, err)
	}
	if n, err := spool.Take(home, take("")); n != 2 || err != nil {
		t.Errorf("%d were taken, %v", n, err)
	}
	if !slices.Equal(got, []string{"1", "3", "2", "4"}) {
		t.Errorf("taken were %q", got)
	}
	if n, err := spool.Take(home, take("")); n != 0 || err != nil {
		t.Errorf("%d were taken again, %v", n, err)
	}
}

// TestSpoiltIsSetAside: what nobody understands holds nothing up, is not deleted,
// and takes a bounded room.
func TestSpoiltIsSetAside(t *testing.T) {
	home := t.TempDir()
	put(t, home, "p", "?")
	put(t, home, "p", "good")
	spoilt := func(_ string, b []byte) error {
		if string(b) != "good" {
			return fmt.Errorf("a question mark: %w", spool.ErrSpoilt)
		}
		return nil
	}
	if n, err := spool.Take(home, spoilt); n != 1 || err != nil {
		t.Errorf("%d were taken, %v", n, err)
	}
	file := filepath.Join(home, "spool", "spoilt")
	if b, err := os.ReadFile(file); err != nil || !strings.HasSuffix(string(b), " ?\n") {
		t.Errorf("set aside is %q, %v", b, err)
	}
	large := strings.Repeat("?", spool.MaxBytes)
	for range spool.MaxSpoilt/spool.MaxBytes + 2 {
		put(t, home, "p", large)
	}
	if n, err := spool.Take(home, spoilt); n != 0 || err != nil {
		t.Errorf("%d were taken, %v", n, err)
	}
	if fi, err := os.Stat(file); err != nil || fi.Size() > spool.MaxSpoilt {
		t.Errorf("set aside is %v, %v", fi, err)
	}
	if n := spool.Waiting(home); n != 0 {
		t.Errorf("%d wait", n)
	}
}

// TestBounded: a daemon that never comes costs a bounded room, and what nobody can
// take of one owner fills its own part only.
func TestBounded(t *testing.T) {
	home := t.TempDir()
	for name, b := range map[string][]byte{"too long": make([]byte, spool.MaxBytes+1), "two lines": []byte("a\nb")} {
		if _, err := spool.Put(home, "p", now, b); !kedge.Invalid.Is(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	large := bytes.Repeat([]byte("x"), spool.MaxBytes)
	full := false
	for range spool.MaxOwned / spool.MaxBytes {
		_, err := spool.Put(home, "p", now, large)
		full = errors.Is(err, spool.ErrFull)
	}
	if !full {
		t.Error("there is always room")
	}
	put(t, home, "q", "the first of another owner")
	for i := range spool.MaxOwners * 2 {
		_, err := spool.Put(home, fmt.Sprint("owner ", i), now, []byte("x"))
		full = errors.Is(err, spool.ErrFull)
	}
	if !full {
		t.Error("there is room for any number of owners")
	}
}

// TestHalfWritten: what a hook could not write to the end spoils nothing but itself.
func TestHalfWritten(t *testing.T) {
	home := t.TempDir()
	put(t, home, "p", "whole")
	files, err := filepath.Glob(filepath.Join(home, "spool", "*.left"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v", files, err)
	}
	f, err := os.OpenFile(files[0], os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("\nhok-01m7h"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	put(t, home, "p", "next")
	var got []string
	if _, err := spool.Take(home, func(_ string, b []byte) error { got = append(got, string(b)); return nil }); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, []string{"whole", "next"}) {
		t.Errorf("taken were %q", got)
	}
}

// TestF27LeftWhileTaken: whatever is left while a taker is at it is taken once.
func TestF27LeftWhileTaken(t *testing.T) {
	const hooks, each = 8, 100
	home := t.TempDir()
	var leaving sync.WaitGroup
	for h := range hooks {
		leaving.Go(func() {
			for i := range each {
				if _, err := spool.Put(home, "p", now, fmt.Appendf(nil, "%d-%d", h, i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	left := make(chan struct{})
	go func() { leaving.Wait(); close(left) }()
	seen := map[string]int{}
	last := map[string]int{}
	take := func(_ string, b []byte) error {
		seen[string(b)]++
		var h string
		var i int
		if _, err := fmt.Sscanf(strings.Replace(string(b), "-", " ", 1), "%s %d", &h, &i); err != nil {
			return err
		}
		if before, ok := last[h]; ok && i < before {
			t.Errorf("of hook %s, %d was taken after %d", h, i, before)
		}
		last[h] = i
		return nil
	}
	for done := false; !done; {
		select {
		case <-left:
			done = true
		default:
		}
		_, err := spool.Take(home, take)
		if err != nil && !errors.Is(err, spool.ErrBusy) { // a hook that got no time in the middle of it
			t.Fatal(err)
		}
		done = done && err == nil
	}
	if len(seen) != hooks*each {
		t.Errorf("%d of %d were taken", len(seen), hooks*each)
	}
	for text, n := range seen {
		if n != 1 {
			t.Errorf("%s was taken %d times", text, n)
		}
	}
}

// TestStoppedHook: one that was stopped in the middle of it holds up its own project
// only, and nothing is lost when it is gone.
func TestStoppedHook(t *testing.T) {
	home := t.TempDir()
	put(t, home, "p", "mine")
	files, err := filepath.Glob(filepath.Join(home, "spool", "*.left"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v", files, err)
	}
	f, err := os.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH); err != nil {
		t.Fatal(err)
	}
	put(t, home, "q", "another's")
	var got []string
	take := func(_ string, b []byte) error { got = append(got, string(b)); return nil }
	full := errors.New("the journal is full")
	if n, err := spool.Take(home, func(string, []byte) error { return full }); n != 0 || !errors.Is(err, spool.ErrBusy) || !errors.Is(err, full) {
		t.Errorf("%d were taken, %v", n, err)
	}
	if n, err := spool.Take(home, take); n != 1 || !errors.Is(err, spool.ErrBusy) {
		t.Errorf("%d were taken, %v", n, err)
	}
	put(t, home, "p", "later")
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if n, err := spool.Take(home, take); n != 2 || err != nil || !slices.Equal(got, []string{"another's", "mine", "later"}) {
		t.Errorf("%d were taken, %q, %v", n, got, err)
	}
}

// TestSpoiltThatCannotBeSetAside waits: nothing is dropped that nobody has.
func TestSpoiltThatCannotBeSetAside(t *testing.T) {
	home := t.TempDir()
	put(t, home, "p", "?")
	aside := filepath.Join(home, "spool", "spoilt")
	if err := os.Mkdir(aside, 0o700); err != nil {
		t.Fatal(err)
	}
	spoilt := func(string, []byte) error { return spool.ErrSpoilt }
	if n, err := spool.Take(home, spoilt); n != 0 || err == nil || spool.Waiting(home) != 1 {
		t.Errorf("%d were taken, %d wait, %v", n, spool.Waiting(home), err)
	}
	if err := os.Remove(aside); err != nil {
		t.Fatal(err)
	}
	if n, err := spool.Take(home, spoilt); n != 0 || err != nil || spool.Waiting(home) != 0 {
		t.Errorf("%d were taken, %d wait, %v", n, spool.Waiting(home), err)
	}
	if b, err := os.ReadFile(aside); err != nil || !strings.HasSuffix(string(b), " ?\n") {
		t.Errorf("set aside is %q, %v", b, err)
	}
}

// FuzzTake: whatever is in a file is taken or set aside, and nothing of it stays.
func FuzzTake(f *testing.F) {
	f.Add([]byte("\nhok-01m7h5bdfrcv1cv1p9mnephbse {}\n"))
	f.Add([]byte("hok-01m7h5bdfrcv1cv1p9mnephbse\n\n \n\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		home := t.TempDir()
		put(t, home, "p", "first")
		files, err := filepath.Glob(filepath.Join(home, "spool", "*.left"))
		if err != nil || len(files) != 1 {
			t.Fatalf("%q, %v", files, err)
		}
		if err := os.WriteFile(files[0], b, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err = spool.Take(home, func(id string, _ []byte) error {
			if !kedge.ValidID("hok", id) {
				t.Errorf("the id %q", id)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if n := spool.Waiting(home); n != 0 {
			t.Errorf("%d wait", n)
		}
	})
}
