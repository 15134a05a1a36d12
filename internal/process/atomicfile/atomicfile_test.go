package atomicfile_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"kedge/internal/process/atomicfile"
)

func TestWriteReplacesWholeFileWithExactMode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	for _, c := range []struct {
		text string
		perm os.FileMode
	}{{"first, the longer one", 0o600}, {"second", 0o755}, {"", 0o666}} {
		if err := atomicfile.Write(path, []byte(c.text), c.perm); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != c.text {
			t.Errorf("content %q, %v; want %q", got, err, c.text)
		}
		if st, err := os.Stat(path); err != nil || st.Mode().Perm() != c.perm {
			t.Errorf("mode %v, %v; want %v", st.Mode(), err, c.perm)
		}
	}
	onlyNames(t, filepath.Dir(path), "f")
}

func TestWriteReplacesALinkAndNotItsTarget(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	must(t, os.WriteFile(target, []byte("mine"), 0o600))
	must(t, os.Symlink("target", link))
	must(t, atomicfile.Write(link, []byte("new"), 0o600))
	if got, _ := os.ReadFile(target); string(got) != "mine" {
		t.Errorf("target now holds %q", got)
	}
	if st, err := os.Lstat(link); err != nil || !st.Mode().IsRegular() {
		t.Errorf("link is %v, %v; want a regular file", st, err)
	}
}

func TestWriteInStaysInside(t *testing.T) {
	outside, inside := t.TempDir(), t.TempDir()
	must(t, os.Symlink(outside, filepath.Join(inside, "out")))
	must(t, os.Mkdir(filepath.Join(inside, "real"), 0o755))
	must(t, os.Symlink("real", filepath.Join(inside, "in")))
	root, err := os.OpenRoot(inside)
	must(t, err)
	defer root.Close()
	for _, name := range []string{"out/f", "../f", "out/deep/f", filepath.Join(outside, "f")} {
		if err := atomicfile.WriteIn(root, name, []byte("x"), 0o600); err == nil {
			t.Errorf("%q was written", name)
		}
	}
	onlyNames(t, outside)
	for _, name := range []string{"f", "made/here/f", "in/f"} {
		if err := atomicfile.WriteIn(root, name, []byte("x"), 0o600); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	onlyNames(t, filepath.Join(inside, "real"), "f")
	onlyNames(t, inside, "f", "in", "made", "out", "real")
}

func TestWriteErrorsNameTheFileAndLeaveNothing(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "folder"), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	for _, name := range []string{"folder", "missing/f", "file/f"} {
		path := filepath.Join(dir, name)
		err := atomicfile.Write(path, []byte("x"), 0o600)
		if err == nil {
			t.Fatalf("%q was written", name)
		}
		if !strings.Contains(err.Error(), `"`+path+`"`) || strings.Contains(err.Error(), atomicfile.TempPrefix) {
			t.Errorf("%q: error %q does not name the file alone", name, err)
		}
	}
	onlyNames(t, dir, "file", "folder")
}

func TestReadersSeeOldOrNewNeverHalf(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	a, b := bytes.Repeat([]byte("a"), 1<<16), bytes.Repeat([]byte("b"), 1<<16)
	must(t, atomicfile.Write(path, a, 0o600))
	var wg sync.WaitGroup
	for _, text := range [][]byte{a, b} {
		wg.Go(func() {
			for range 20 {
				if err := atomicfile.Write(path, text, 0o600); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 200 {
		got, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(got, a) && !bytes.Equal(got, b) {
			t.Fatalf("read %d bytes, %v: neither the one nor the other", len(got), err)
		}
	}
	wg.Wait()
}

func onlyNames(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("%s holds %q, want %q", dir, got, want)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
