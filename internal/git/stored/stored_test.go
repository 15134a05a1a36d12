package stored_test

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"kedge/internal/git/stored"
)

// repo is a repository with git at hand.
type repo struct {
	*testing.T
	dir string
}

func newRepo(t *testing.T, format string) repo {
	t.Helper()
	r := repo{t, t.TempDir()}
	r.git("init", "-q", "--object-format="+format)
	r.git("config", "user.name", "a")
	r.git("config", "user.email", "a@example.com")
	return r
}

func (r repo) git(args ...string) string {
	r.Helper()
	c := exec.Command("git", args...)
	c.Dir = r.dir
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	out, err := c.CombinedOutput()
	if err != nil {
		r.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

func (r repo) write(name, text string) {
	r.Helper()
	file := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		r.Fatal(err)
	}
}

// fill commits files whose names sort in other ways than their folders do.
func (r repo) fill() {
	r.Helper()
	for _, name := range []string{"a", "a.txt", "a0", "b/c", "b.c", "b-c", "long/" + strings.Repeat("n", 200), "ü/é", "x y"} {
		r.write(name, "text of "+name)
	}
	if err := os.Symlink("a", filepath.Join(r.dir, "link")); err != nil {
		r.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(r.dir, "a0"), 0o755); err != nil {
		r.Fatal(err)
	}
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "first")
}

func (r repo) objects() string { return filepath.Join(r.dir, ".git", "objects") }

// TestObjectsAsGitHasThem: kind and content of every object, and every tree's lines
// and name.
func TestObjectsAsGitHasThem(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		r := newRepo(t, format)
		r.fill()
		r.git("tag", "-a", "-m", "a tag", "v1")
		seen := 0
		for line := range strings.Lines(r.git("cat-file", "--batch-check", "--batch-all-objects")) {
			f := strings.Fields(line)
			kind, body, ok := stored.Object(r.objects(), f[0])
			if !ok || kind != f[1] || fmt.Sprint(len(body)) != f[2] {
				t.Fatalf("%s: %s of %d bytes, %v", line, kind, len(body), ok)
			}
			if kind == "blob" && string(body) != r.git("cat-file", "blob", f[0]) {
				t.Errorf("%s has another text", f[0])
			}
			if kind == "tree" {
				r.holdTree(f[0], body)
			}
			seen++
		}
		if seen < 10 {
			t.Errorf("only %d objects were looked at", seen)
		}
	}
}

func (r repo) holdTree(sha string, body []byte) {
	r.Helper()
	entries, ok := stored.Tree(body, len(sha))
	var lines []string
	for _, e := range entries {
		lines = append(lines, e.Mode+" "+e.Type()+" "+e.SHA+"\t"+e.Name)
	}
	want := r.git("-c", "core.quotePath=false", "ls-tree", sha)
	if got := strings.Join(lines, "\n"); !ok || got != want {
		r.Errorf("%s holds\n%s\nwant\n%s", sha, got, want)
	}
	slices.Reverse(entries)
	if name, ok := stored.TreeName(entries, len(sha)); !ok || name != sha {
		r.Errorf("the tree %s is called %s, %v", sha, name, ok)
	}
}

// TestObjectsThatAreLeftToGit: one that is packed, one whose file is not what its
// name says, a cut one.
func TestObjectsThatAreLeftToGit(t *testing.T) {
	r := newRepo(t, "sha1")
	r.fill()
	sha := r.git("rev-parse", "HEAD")
	other := r.git("rev-parse", "HEAD^{tree}")
	file := func(name string) string { return filepath.Join(r.objects(), name[:2], name[2:]) }
	text, err := os.ReadFile(file(other))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file(sha), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{"another object": text, "half of one": text[:len(text)/2], "nothing": nil} {
		if err := os.WriteFile(file(sha), b, 0o644); err != nil {
			t.Fatal(err)
		}
		if kind, _, ok := stored.Object(r.objects(), sha); ok {
			t.Errorf("%s is taken for a %s", name, kind)
		}
	}
	for _, name := range []string{"", "abc", strings.Repeat("0", 40), "../../../etc/passwd" + strings.Repeat("0", 21)} {
		if _, _, ok := stored.Object(r.objects(), name); ok {
			t.Errorf("%q is an object", name)
		}
	}
	r = newRepo(t, "sha1")
	r.fill()
	sha = r.git("rev-parse", "HEAD")
	r.git("gc", "-q")
	if _, _, ok := stored.Object(r.objects(), sha); ok {
		t.Error("a packed object has a file")
	}
}

func TestNoTreeHasSuchEntries(t *testing.T) {
	sha := strings.Repeat("a", 40)
	for name, entries := range map[string][]stored.Entry{
		"twice":    {{"100644", "a", sha}, {"100644", "a", sha}},
		"slash":    {{"100644", "a/b", sha}},
		"no name":  {{"100644", "", sha}},
		"no sha":   {{"100644", "a", "abc"}},
		"half hex": {{"100644", "a", strings.Repeat("g", 40)}},
	} {
		if got, ok := stored.TreeName(entries, 40); ok {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestTreesThatAreLeftToGit: with names that are no names in a folder.
func TestTreesThatAreLeftToGit(t *testing.T) {
	for _, name := range []string{"", ".", "..", ".git", ".GIT", "a/b", "/", "../.kedge/gate.toml"} {
		body := "100644 a\x00" + strings.Repeat("s", 20) + "100644 " + name + "\x00" + strings.Repeat("s", 20)
		if list, ok := stored.Tree([]byte(body), 40); ok {
			t.Errorf("%q is taken: %v", name, list)
		}
	}
	if list, ok := stored.Tree([]byte("100644 .gitignore\x00"+strings.Repeat("s", 20)+"40000 ...\x00"+strings.Repeat("s", 20)), 40); !ok || len(list) != 2 {
		t.Errorf("plain names: %v, %v", list, ok)
	}
}

// TestNothingWaitsForAPipe: nor follows a link, nor reads what is too big, in the
// place of an object.
func TestNothingWaitsForAPipe(t *testing.T) {
	r := newRepo(t, "sha1")
	r.fill()
	sha := r.git("rev-parse", "HEAD")
	file := filepath.Join(r.objects(), sha[:2], sha[2:])
	moved := filepath.Join(r.dir, "moved")
	if err := os.Rename(file, moved); err != nil {
		t.Fatal(err)
	}
	for name, put := range map[string]func() error{
		"a pipe":   func() error { return syscall.Mkfifo(file, 0o600) },
		"a link":   func() error { return os.Symlink(moved, file) },
		"a folder": func() error { return os.Mkdir(file, 0o700) },
		"too much": func() error {
			text, err := os.ReadFile(moved)
			return errors.Join(err, os.WriteFile(file, append(text, make([]byte, 5<<20)...), 0o600))
		},
	} {
		if err := put(); err != nil {
			t.Fatal(err)
		}
		if _, _, ok := stored.Object(r.objects(), sha); ok {
			t.Errorf("%s is taken for an object", name)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(moved, file); err != nil {
		t.Fatal(err)
	}
	if _, _, ok := stored.Object(r.objects(), sha); !ok {
		t.Error("the object itself is not read")
	}
}

// TestIndexAsGitHasIt: in every version, with a conflict, a file that is not checked
// out and one that is only meant to be added.
func TestIndexAsGitHasIt(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		for _, version := range []string{"2", "3", "4"} {
			r := newRepo(t, format)
			r.fill()
			r.git("update-index", "--index-version", version)
			r.write("meant", "x")
			r.git("add", "-N", "meant")
			r.git("update-index", "--skip-worktree", "b/c")
			r.git("update-index", "--assume-unchanged", "b.c")
			r.conflict()
			b, err := os.ReadFile(filepath.Join(r.dir, ".git", "index"))
			if err != nil {
				t.Fatal(err)
			}
			list, ok := stored.Index(b, len(r.git("rev-parse", "HEAD")))
			var lines []string
			for _, e := range list {
				lines = append(lines, fmt.Sprintf("%v %s %s\t%s", e.Skipped, e.Mode, e.SHA, e.Path))
			}
			if got, want := strings.Join(lines, "\n"), r.lsFiles(); !ok || got != want {
				t.Errorf("%s, version %s, %v:\n%s\nwant\n%s", format, version, ok, got, want)
			}
		}
	}
}

// conflict puts three versions of a path into the index.
func (r repo) conflict() {
	r.Helper()
	sha := r.git("hash-object", "-w", "a")
	var lines string
	for stage := 1; stage <= 3; stage++ {
		lines += fmt.Sprintf("100644 %s %d\tboth\n", sha, stage)
	}
	c := exec.Command("git", "update-index", "--index-info")
	c.Dir, c.Stdin = r.dir, strings.NewReader(lines)
	if out, err := c.CombinedOutput(); err != nil {
		r.Fatalf("%v: %s", err, out)
	}
}

func (r repo) lsFiles() string {
	r.Helper()
	var lines []string
	for _, line := range strings.Split(strings.TrimSuffix(r.git("ls-files", "-v", "-s", "-z"), "\x00"), "\x00") {
		head, path, _ := strings.Cut(line, "\t")
		f := strings.Fields(head)
		lines = append(lines, fmt.Sprintf("%v %s %s\t%s", f[0] == "S", f[1], f[2], path))
	}
	return strings.Join(lines, "\n")
}

// TestIndexesThatAreLeftToGit: split, sparse, damaged, cut, none.
func TestIndexesThatAreLeftToGit(t *testing.T) {
	read := func(r repo) []byte {
		b, err := os.ReadFile(filepath.Join(r.dir, ".git", "index"))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	r := newRepo(t, "sha1")
	r.fill()
	good := read(r)
	damaged := bytes.Clone(good)
	damaged[20] ^= 1
	split := newRepo(t, "sha1")
	split.fill()
	split.git("update-index", "--split-index")
	sparse := newRepo(t, "sha1")
	sparse.fill()
	sparse.git("sparse-checkout", "set", "--cone", "--sparse-index", "b")
	for name, b := range map[string][]byte{
		"split": read(split), "sparse": read(sparse), "damaged": damaged, "cut": good[:len(good)-9], "head": good[:12], "none": nil,
	} {
		if list, ok := stored.Index(b, 40); ok {
			t.Errorf("%s: %d entries", name, len(list))
		}
	}
	if list, ok := stored.Index(good, 40); !ok || len(list) != 10 {
		t.Errorf("%d entries, %v", len(list), ok)
	}
}

func FuzzIndex(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x00" + strings.Repeat("\x00", 20)))
	f.Add([]byte("DIRC\x00\x00\x00\x04\x00\x00\x00\x01" + strings.Repeat("\x00", 100)))
	f.Fuzz(func(t *testing.T, b []byte) {
		list, ok := stored.Index(b, 40)
		for _, e := range list {
			if ok && (e.Path == "" || len(e.SHA) != 40 || len(e.Mode) < 6) {
				t.Errorf("%+v", e)
			}
		}
	})
}

func FuzzTree(f *testing.F) {
	f.Add([]byte("100644 a\x00" + strings.Repeat("s", 20) + "40000 b\x00" + strings.Repeat("t", 20)))
	f.Fuzz(func(t *testing.T, body []byte) {
		entries, ok := stored.Tree(body, 40)
		for _, e := range entries {
			if !ok || e.Name == "" || len(e.SHA) != 40 || len(e.Mode) != 6 {
				t.Errorf("%+v, %v", e, ok)
			}
		}
	})
}

func FuzzObject(f *testing.F) {
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	_, _ = w.Write([]byte("blob 2\x00ab"))
	_ = w.Close()
	f.Add(z.Bytes())
	dir := f.TempDir()
	name := strings.Repeat("a", 40)
	if err := os.MkdirAll(filepath.Join(dir, name[:2]), 0o755); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(filepath.Join(dir, name[:2], name[2:]), b, 0o644); err != nil {
			t.Fatal(err)
		}
		if kind, _, ok := stored.Object(dir, name); ok {
			t.Errorf("a %s that is not what its name says", kind)
		}
	})
}
