package slot

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestRetarget(t *testing.T) {
	for name, of := range map[string]struct{ at, target, want string }{
		"beside it":             {"node_modules/.bin/a", "../a/i.js", "../a/i.js"},
		"up to the top":         {"node_modules/pkg", "../packages/pkg", "../packages/pkg"},
		"beside the checkout":   {"node_modules/own", "../../own", "/u/own"},
		"far away":              {"venv/bin/python", "/usr/bin/python3", "/usr/bin/python3"},
		"whole, into the check": {"venv/lib64", "/u/repo/venv/lib", "/w/slot/venv/lib"},
		"a name that begins so": {"a/l", "/u/repository/x", "/u/repository/x"},
		"to the checkout":       {"a/l", "/u/repo", "/w/slot"},
		"dangling":              {"l", "nowhere", "nowhere"},
	} {
		if got := retarget("/u/repo", "/w/slot", of.at, of.target); got != of.want {
			t.Errorf("%s: %q, want %q", name, got, of.want)
		}
	}
}

// TestCopyIsLikeTheOriginal: links, hard links, modes, times and empty folders; what did not
// change is not copied again, and what somebody changed in the worktree is.
func TestCopyIsLikeTheOriginal(t *testing.T) {
	from, to, store := t.TempDir(), t.TempDir(), t.TempDir()
	put := func(path, text string, perm os.FileMode) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), perm)); err != nil {
			t.Fatal(err)
		}
	}
	must := func(errs ...error) {
		t.Helper()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Date(2020, 1, 2, 3, 4, 5, 6000, time.UTC)
	put(filepath.Join(store, "shared"), "shared\n", 0o644)
	put(filepath.Join(from, "m/a/run"), "#!/bin/sh\n", 0o755)
	put(filepath.Join(from, "m/dep/.git/config"), "", 0o644)
	put(filepath.Join(from, "m/dep/x"), "x\n", 0o644)
	put(filepath.Join(from, "m/gitfile/.git"), "gitdir: /x\n", 0o644)
	put(filepath.Join(from, "m/gitfile/z"), "z\n", 0o644)
	must(os.Chtimes(filepath.Join(from, "m/a/run"), old, old),
		os.Link(filepath.Join(from, "m/a/run"), filepath.Join(from, "m/same")),
		os.Link(filepath.Join(store, "shared"), filepath.Join(from, "m/of-a-store")),
		os.MkdirAll(filepath.Join(from, "m/empty"), 0o755),
		os.MkdirAll(filepath.Join(from, "m/.bin"), 0o755),
		os.Symlink("../a/run", filepath.Join(from, "m/.bin/run")),
		os.Symlink("nowhere", filepath.Join(from, "m/dangling")),
		os.Symlink("m", filepath.Join(from, "linked")))

	run := func(names ...string) {
		t.Helper()
		var all []original
		for _, name := range names {
			found, err := originalsBelow(from, name)
			must(err)
			all = append(all, found...)
		}
		root, err := os.OpenRoot(to)
		must(err)
		defer func() { _ = root.Close() }()
		c := copier{from: from, to: root, marks: filepath.Join(store, "marks"), first: map[inode]string{}}
		must(c.copyAll(all))
	}
	lstat := func(path string) os.FileInfo {
		t.Helper()
		fi, err := os.Lstat(path)
		must(err)
		return fi
	}
	run("m", "absent")
	first := lstat(filepath.Join(to, "m/a/run"))
	if first.Mode().Perm() != 0o755 || !first.ModTime().Equal(old) {
		t.Errorf("it is %v of %v", first.Mode(), first.ModTime())
	}
	if !os.SameFile(first, lstat(filepath.Join(to, "m/same"))) || os.SameFile(first, lstat(filepath.Join(from, "m/a/run"))) {
		t.Error("the hard link is none, or one to the checkout")
	}
	if os.SameFile(lstat(filepath.Join(to, "m/of-a-store")), lstat(filepath.Join(store, "shared"))) {
		t.Error("it is a name of the file in the store that others share")
	}
	for name, want := range map[string]string{"m/.bin/run": "../a/run", "m/dangling": "nowhere"} {
		if got, err := os.Readlink(filepath.Join(to, name)); err != nil || got != want {
			t.Errorf("%s leads to %q, %v", name, got, err)
		}
	}
	if entries, err := os.ReadDir(filepath.Join(to, "m/empty")); err != nil || len(entries) > 0 {
		t.Errorf("the empty folder: %v, %v", entries, err)
	}
	for name, there := range map[string]bool{"m/dep/x": true, "m/gitfile/z": true, "m/dep/.git": false, "m/gitfile/.git": false} {
		if _, err := os.Lstat(filepath.Join(to, name)); (err == nil) != there {
			t.Errorf("%s is there: %v", name, err == nil)
		}
	}

	run("m")
	if !os.SameFile(first, lstat(filepath.Join(to, "m/a/run"))) {
		t.Error("it was copied again")
	}
	put(filepath.Join(to, "m/a/run"), "#!/bin/no\n", 0o755) // as long, and with the same time
	must(os.Chtimes(filepath.Join(to, "m/a/run"), old, old), os.RemoveAll(filepath.Join(to, "m/.bin")), os.Symlink(store, filepath.Join(to, "m/.bin")))
	run("m")
	if b, err := os.ReadFile(filepath.Join(to, "m/same")); err != nil || string(b) != "#!/bin/sh\n" {
		t.Errorf("the worktree has %q, %v", b, err)
	}
	if _, err := os.Lstat(filepath.Join(store, "run")); err == nil {
		t.Error("a link led out of the worktree")
	}
	if !os.SameFile(lstat(filepath.Join(to, "m/a/run")), lstat(filepath.Join(to, "m/same"))) {
		t.Error("the hard link is none any more")
	}

	run("linked")
	if fi := lstat(filepath.Join(to, "linked")); !fi.IsDir() {
		t.Errorf("what is named itself is %v", fi.Mode())
	}
}
