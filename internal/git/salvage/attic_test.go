package salvage_test

import (
	"os"
	"path/filepath"
	"testing"

	"kedge"
	"kedge/internal/git/salvage"
)

func write(t *testing.T, path, text string, perm os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), perm); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, perm); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestThereAndBack(t *testing.T) {
	root, a := t.TempDir(), salvage.Attic{Dir: filepath.Join(t.TempDir(), "sal-x")}
	paths := []string{"d/big", "repo"}
	write(t, filepath.Join(root, "d/big"), "big", 0o755)
	write(t, filepath.Join(root, "repo/.git/HEAD"), "ref", 0o600)
	must(t, a.Plan("sal-x", root, []salvage.Thing{{Path: "d/big", Kind: salvage.Big, Size: 3}, {Path: "repo", Kind: salvage.Repository}}))
	must(t, a.Check(paths))
	must(t, a.TakeIn(root, paths))
	if read(t, a.Path("d/big")) != "big" || read(t, a.Path("repo/.git/HEAD")) != "ref" {
		t.Error("not in the attic")
	}
	write(t, filepath.Join(root, "d/big"), "newer", 0o644)
	must(t, a.TakeIn(root, paths)) // again: what is newer stays where it is
	if read(t, a.Path("d/big")) != "big" || read(t, filepath.Join(root, "d/big")) != "newer" {
		t.Error("a second call moved the newer file over the old")
	}
	taken, err := a.Taken(root, paths, func(string) bool { return false })
	must(t, err)
	if len(taken) != 1 || taken[0] != "d/big" {
		t.Errorf("taken: %v", taken)
	}
	must(t, os.Remove(filepath.Join(root, "d/big")))
	must(t, a.GiveBack(root, paths))
	must(t, a.GiveBack(root, paths))
	fi, err := os.Stat(filepath.Join(root, "d/big"))
	must(t, err)
	if fi.Mode().Perm() != 0o755 || read(t, filepath.Join(root, "repo/.git/HEAD")) != "ref" {
		t.Error("not given back as it was")
	}
}

// TestAcrossDisks copies where a rename cannot: modes, times and links are kept.
func TestAcrossDisks(t *testing.T) {
	root := t.TempDir()
	from, to := filepath.Join(root, "from"), filepath.Join(root, "to")
	write(t, filepath.Join(from, "sub/tool"), "#!/bin/sh\n", 0o755)
	write(t, filepath.Join(from, "secret"), "s", 0o400)
	must(t, os.Symlink("sub/tool", filepath.Join(from, "link")))
	must(t, os.Symlink("/nowhere", filepath.Join(from, "dangling")))
	must(t, os.Chmod(filepath.Join(from, "sub"), 0o500))
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(to, "sub"), 0o700) })
	before, err := os.Stat(filepath.Join(from, "sub/tool"))
	must(t, err)
	must(t, salvage.MoveFar(from, to))
	if _, err := os.Lstat(from); err == nil {
		t.Error("the old place is still there")
	}
	after, err := os.Stat(filepath.Join(to, "link"))
	must(t, err)
	if after.Mode() != before.Mode() || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("%v %v, was %v %v", after.Mode(), after.ModTime(), before.Mode(), before.ModTime())
	}
	if target, err := os.Readlink(filepath.Join(to, "dangling")); err != nil || target != "/nowhere" {
		t.Errorf("%q, %v", target, err)
	}
	if fi, err := os.Stat(filepath.Join(to, "secret")); err != nil || fi.Mode().Perm() != 0o400 {
		t.Errorf("%v, %v", fi, err)
	}
}

func TestRefusals(t *testing.T) {
	root, a := t.TempDir(), salvage.Attic{Dir: filepath.Join(t.TempDir(), "sal-x")}
	if err := a.Check([]string{"x"}); !kedge.NotFound.Is(err) {
		t.Errorf("no manifest: %v", err)
	}
	must(t, a.Plan("sal-x", root, []salvage.Thing{{Path: "x", Kind: salvage.Odd}}))
	if err := a.Check([]string{"y"}); !kedge.Invalid.Is(err) {
		t.Errorf("a path that is not in the manifest: %v", err)
	}
	if _, err := a.Taken(root, []string{"x"}, func(string) bool { return false }); !kedge.NotFound.Is(err) {
		t.Errorf("in neither place: %v", err)
	}
	for _, p := range []string{"../x", "/etc/passwd", ""} {
		if err := a.TakeIn(root, []string{p}); !kedge.Invalid.Is(err) {
			t.Errorf("%q: %v", p, err)
		}
	}
	if err := (salvage.Attic{Dir: "relative"}).Plan("sal-x", root, []salvage.Thing{{Path: "x"}}); !kedge.Invalid.Is(err) {
		t.Errorf("a relative attic: %v", err)
	}
}
