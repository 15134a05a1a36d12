package journal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestF4FullFilesystem fills a real filesystem: appends fail whole and say why,
// reading goes on, and when there is room again so does the same store.
func TestF4FullFilesystem(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); err != nil {
		t.Skipf("a small filesystem cannot be mounted here (%v): TestF4NoSpace stands for it", err)
	}
	t.Cleanup(func() {
		// Detached: a program that looks at every mount must not keep it busy.
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	s, err := Open(filepath.Join(dir, "store"), Options{Key: testKey, Now: childClock})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	acked := []int{}
	try := func(i int) error {
		_, _, err := s.Append(t.Context(), childKey(i), childEvents(i)...)
		if err == nil {
			acked = append(acked, i)
		}
		return err
	}
	if err := try(0); err != nil {
		t.Fatal(err)
	}
	filler := filepath.Join(dir, "filler")
	fill(t, filler)
	n, failed := 1, 0
	for ; failed < 3 && n < 1000; n++ {
		if err := try(n); err != nil {
			failed++
			if !strings.Contains(err.Error(), "no space left") {
				t.Fatalf("append %d: %v", n, err)
			}
		}
	}
	if failed < 3 || s.Refusal() != nil {
		t.Fatalf("%d appends failed of %d; refusal %v", failed, n, s.Refusal())
	}
	checkModel(t, s, n, acked)
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if err := try(n); err != nil {
		t.Fatalf("with room again: %v", err)
	}
	checkModel(t, s, n+1, acked)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	modelCheck(t, filepath.Join(dir, "store"), n+1, acked)
}

// fill writes a file until nothing more fits.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for {
		if _, err := f.Write(make([]byte, 4096)); errors.Is(err, syscall.ENOSPC) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
