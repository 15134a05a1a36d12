package spool_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/spool"
)

var now = time.Date(2026, 11, 16, 1, 0, 0, 0, time.UTC)

func put(t *testing.T, home string, after time.Duration, text string) string {
	t.Helper()
	id, err := spool.Put(home, "p", now.Add(after), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// TestTakenInOrderAndOnce: what waits is taken by its time; what its taker refuses
// stays, and holds nothing else up.
func TestTakenInOrderAndOnce(t *testing.T) {
	home := t.TempDir()
	for _, n := range []int{3, 1, 4, 2} {
		put(t, home, time.Duration(n)*time.Second, fmt.Sprint(n))
	}
	var got []string
	take := func(refuse string) func(string, []byte) error {
		return func(_ string, b []byte) error {
			if string(b) == refuse {
				return errors.New("not now")
			}
			got = append(got, string(b))
			return nil
		}
	}
	if n, err := spool.Take(home, take("3")); n != 3 || err == nil {
		t.Errorf("%d were taken, %v", n, err)
	}
	if spool.Waiting(home) != 1 {
		t.Errorf("%d wait", spool.Waiting(home))
	}
	if n, err := spool.Take(home, take("")); n != 1 || err != nil {
		t.Errorf("%d were taken, %v", n, err)
	}
	if !slices.Equal(got, []string{"1", "2", "4", "3"}) {
		t.Errorf("taken were %q", got)
	}
	if n, err := spool.Take(home, take("")); n != 0 || err != nil {
		t.Errorf("%d were taken again, %v", n, err)
	}
}

// TestSpoiltIsSetAside: what nobody understands holds nothing up, and is not
// deleted.
func TestSpoiltIsSetAside(t *testing.T) {
	home := t.TempDir()
	id := put(t, home, 0, "?")
	put(t, home, time.Second, "good")
	n, err := spool.Take(home, func(_ string, b []byte) error {
		if string(b) == "?" {
			return fmt.Errorf("a question mark: %w", spool.ErrSpoilt)
		}
		return nil
	})
	if n != 1 || err != nil {
		t.Errorf("%d were taken, %v", n, err)
	}
	if b, err := os.ReadFile(filepath.Join(home, "spool", nameOf(t, home, id))); err != nil || string(b) != "?" {
		t.Errorf("set aside is %q, %v", b, err)
	}
}

// nameOf is the file of an id that was set aside.
func nameOf(t *testing.T, home, id string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(home, "spool", id+".*.bad"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%q, %v", found, err)
	}
	return filepath.Base(found[0])
}

// TestOneOwnerLeavesRoom: what nobody can take of one owner fills its own part only.
func TestOneOwnerLeavesRoom(t *testing.T) {
	home := t.TempDir()
	for i := range spool.MaxOwned {
		put(t, home, time.Duration(i)*time.Second, "x")
	}
	if _, err := spool.Put(home, "p", now, []byte("x")); !errors.Is(err, spool.ErrFull) {
		t.Errorf("one more of the same owner: %v", err)
	}
	if _, err := spool.Put(home, "q", now, []byte("x")); err != nil {
		t.Errorf("the first of another owner: %v", err)
	}
	if n := spool.Waiting(home); n != spool.MaxOwned+1 {
		t.Errorf("%d wait", n)
	}
}

// TestNamesOfBefore: what an earlier version left is taken too.
func TestNamesOfBefore(t *testing.T) {
	home := t.TempDir()
	put(t, home, time.Second, "new")
	old := filepath.Join(home, "spool", kedge.NewID("hok", now)+".json")
	if err := os.WriteFile(old, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	var got []string
	if n, err := spool.Take(home, func(_ string, b []byte) error { got = append(got, string(b)); return nil }); n != 2 || err != nil || got[0] != "old" {
		t.Errorf("%d were taken, %q, %v", n, got, err)
	}
}

// TestBounded: a daemon that never comes costs a bounded room.
func TestBounded(t *testing.T) {
	home := t.TempDir()
	if _, err := spool.Put(home, "p", now, make([]byte, spool.MaxBytes+1)); err == nil {
		t.Error("a large one is taken")
	}
	dir := filepath.Join(home, "spool")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range spool.MaxFiles {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("hok-%026d.json", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := spool.Put(home, "p", now, []byte("x")); !errors.Is(err, spool.ErrFull) {
		t.Errorf("the one too many: %v", err)
	}
	if n := spool.Waiting(home); n != spool.MaxFiles {
		t.Errorf("%d wait", n)
	}
}

// TestSpoiltTakesNoPlace: what is set aside keeps nobody from leaving more, and the
// oldest of it go.
func TestSpoiltTakesNoPlace(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, "spool")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range spool.MaxFiles - 1 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("hok-%026d.json", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i := range spool.MaxSpoilt {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("hok-%026d.json.bad", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	last := put(t, home, 0, "?")
	if _, err := spool.Put(home, "p", now, []byte("x")); !errors.Is(err, spool.ErrFull) {
		t.Errorf("the one too many: %v", err)
	}
	_, err := spool.Take(home, func(_ string, b []byte) error {
		if string(b) == "?" {
			return spool.ErrSpoilt
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != spool.MaxSpoilt {
		t.Fatalf("%d are set aside, %v", len(entries), err)
	}
	if name := entries[len(entries)-1].Name(); name != nameOf(t, home, last) || entries[0].Name() != fmt.Sprintf("hok-%026d.json.bad", 1) {
		t.Errorf("the oldest is %q, the newest %q", entries[0].Name(), name)
	}
}

// TestHalfWrittenIsNotSeen: what a killed hook was writing is no event.
func TestHalfWrittenIsNotSeen(t *testing.T) {
	home := t.TempDir()
	put(t, home, 0, "whole")
	if err := os.WriteFile(filepath.Join(home, "spool", ".kedge-tmp-1"), []byte("ha"), 0o600); err != nil {
		t.Fatal(err)
	}
	var got []string
	if _, err := spool.Take(home, func(_ string, b []byte) error { got = append(got, string(b)); return nil }); err != nil {
		t.Fatal(err)
	}
	if strings.Join(got, " ") != "whole" {
		t.Errorf("taken were %q", got)
	}
}
