package gitx_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"kedge/internal/gitx"
)

// bare is the tree as it is without anything that was kept.
func (r *repo) bareTree() string {
	r.t.Helper()
	opt := r.opt
	opt.Cache = gitx.Cache{}
	g, err := gitx.Open(r.t.Context(), r.dir, opt)
	r.must(err)
	tree, err := g.Tree(r.t.Context())
	r.must(err)
	return tree
}

// old makes a file's times so old that git believes its index about it.
func (r *repo) old(names ...string) {
	r.t.Helper()
	past := day.AddDate(-1, 0, 0)
	for _, name := range names {
		r.must(os.Chtimes(r.path(name), past, past))
	}
}

// TestT7StagedBlobsAreNotTheFiles: what a plain "git add" made of a file, with
// attributes and settings that are in no tree, does not reach Kedge's tree, even
// though git's index calls the file unchanged.
func TestT7StagedBlobsAreNotTheFiles(t *testing.T) {
	const code = "package x\n\nconst n = 1 /*$Id: */ + 4 /* $*/\n"
	for name, c := range map[string]struct {
		set  func(*repo)
		text string
	}{
		"ident":     {func(r *repo) { r.privately("*.go ident\n") }, code},
		"encoding":  {func(r *repo) { r.privately("*.go working-tree-encoding=UTF-7\n") }, "package x // +AGE-\n"},
		"line ends": {func(r *repo) { r.privately("*.go text eol=crlf\n") }, "package x\r\n"},
		"a filter": {func(r *repo) {
			r.privately("*.go filter=other\n")
			r.git("config", "filter.other.clean", "echo other")
		}, code},
		"a user's attributes": {func(r *repo) {
			r.must(os.WriteFile(filepath.Join(r.home, "attributes"), []byte("*.go ident\n"), 0o644))
			r.git("config", "core.attributesFile", filepath.Join(r.home, "attributes"))
		}, code},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			c.set(r)
			r.write("d/x.go", c.text)
			r.old("d/x.go")
			r.git("add", "-A")
			r.git("update-index", "--refresh")
			if r.git("ls-files", "-m") != "" {
				t.Fatal("git itself has doubts: this shows nothing")
			}
			for _, when := range []string{"first", "again"} {
				b, err := r.open().ReadFile(t.Context(), r.tree(), "d/x.go")
				if err != nil || string(b) != c.text {
					t.Errorf("%s: the tree holds %q, %v; the file is %q", when, b, err, c.text)
				}
			}
			if dirty, err := r.open().Dirty(t.Context()); err != nil || !dirty {
				t.Errorf("dirty %v, %v", dirty, err)
			}
			r.git("commit", "-q", "-m", "second")
			if dirty, err := r.open().Dirty(t.Context()); err != nil || !dirty {
				t.Errorf("with the other blob committed: dirty %v, %v", dirty, err)
			}
		})
	}
}

// nextSecond waits until what changed so far changed in another second than now:
// only then is it kept.
func (r *repo) nextSecond() {
	r.t.Helper()
	now := func() int64 {
		r.must(os.WriteFile(filepath.Join(r.home, "clock"), nil, 0o600))
		fi, err := os.Stat(filepath.Join(r.home, "clock"))
		r.must(err)
		return fi.ModTime().Unix()
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(5 * time.Minute)
	for was := now(); now() == was; {
		select {
		case <-tick.C:
		case <-deadline:
			r.t.Fatal("the clock stands still")
		}
	}
}

// TestRow41KeptIndexChangesNothing: the tree is the same with what was kept of
// the last time as without, whatever happened meanwhile.
func TestRow41KeptIndexChangesNothing(t *testing.T) {
	r := newRepo(t)
	r.write("b", "two\n")
	r.write("d/c.txt", "three\r\n")
	r.write("ignored.log", "tracked all the same\n")
	r.git("add", "-A")
	r.write(".gitignore", "*.log\n")
	r.commit("second")
	r.nextSecond()
	steps := []struct {
		name string
		do   func()
	}{
		{"nothing", func() {}},
		{"an edit", func() { r.write("a", "changed\n") }},
		{"staged", func() { r.git("add", "-A") }},
		{"and changed back", func() { r.write("a", "one\n") }},
		{"an untracked file", func() { r.write("new", "new\n") }},
		{"that is ignored then", func() { r.write(".gitignore", "*.log\nnew\n") }},
		{"a tracked file is ignored", func() { r.write("ignored.log", "changed\n") }},
		{"and not tracked any more", func() { r.git("rm", "-q", "--cached", "ignored.log") }},
		{"and tracked again", func() { r.git("add", "-f", "ignored.log") }},
		{"attributes", func() { r.write(".gitattributes", "*.txt text\n") }},
		{"attributes that are tracked", func() { r.git("add", ".gitattributes") }},
		{"other attributes", func() { r.write(".gitattributes", "*.txt -text\n") }},
		{"no attributes", func() { r.must(os.Remove(r.path(".gitattributes"))) }},
		{"a file for a folder", func() { r.must(os.RemoveAll(r.path("d"))); r.write("d", "file\n") }},
		{"a folder for a file", func() { r.must(os.Remove(r.path("b"))); r.write("b/x", "x\n") }},
		{"a repository in a folder", func() { r.git("init", "-q", "b") }},
		{"and none", func() { r.must(os.RemoveAll(r.path("b/.git"))) }},
		{"a link", func() { r.must(os.Remove(r.path("a"))); r.must(os.Symlink("b", r.path("a"))) }},
		{"a mode", func() { r.must(os.Chmod(r.path("d"), 0o755)) }},
		{"settings", func() { r.git("config", "core.autocrlf", "input"); r.write("crlf", "x\r\n"); r.git("add", "-A") }},
		{"settings taken back", func() { r.git("config", "--unset", "core.autocrlf") }},
		{"hidden", func() { r.git("update-index", "--skip-worktree", "d", "crlf"); r.must(os.Remove(r.path("crlf"))) }},
		{"hidden and changed", func() { r.write("d", "changed\n") }},
		{"there again", func() { r.write("crlf", "y\n") }},
		{"no longer hidden", func() { r.git("update-index", "--no-skip-worktree", "crlf"); r.must(os.Remove(r.path("crlf"))) }},
		{"reset", func() { r.git("update-index", "--no-skip-worktree", "d"); r.git("reset", "-q", "--hard") }},
		{"no index", func() { r.must(os.Remove(r.path(".git/index"))) }},
		{"and one again", func() { r.git("reset", "-q") }},
		{"a branch without it all", func() { r.git("checkout", "-q", "--orphan", "other"); r.git("rm", "-q", "-r", "--cached", ".") }},
	}
	for _, s := range steps {
		s.do()
		if with, without := r.tree(), r.bareTree(); with != without {
			t.Errorf("%s: the tree is %s, with what was kept %s\n%s", s.name, without, with, r.git("diff", without, with))
		}
	}
	kept, err := os.ReadDir(r.opt.Cache.Dir)
	if err != nil || len(kept) != 1 {
		t.Errorf("kept is %v, %v", kept, err)
	}
}

// TestKeptIndexThatIsDamaged is read past, and replaced.
func TestKeptIndexThatIsDamaged(t *testing.T) {
	r := newRepo(t)
	r.nextSecond()
	want := r.tree()
	kept, err := filepath.Glob(filepath.Join(r.opt.Cache.Dir, "*"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("kept is %v, %v", kept, err)
	}
	for _, text := range []string{"", "DIRC", "no index at all, but long enough to be one"} {
		r.must(os.WriteFile(kept[0], []byte(text), 0o600))
		if got := r.tree(); got != want {
			t.Errorf("%q: the tree is %s, want %s", text, got, want)
		}
		if b, err := os.ReadFile(kept[0]); err != nil || string(b) == text {
			t.Errorf("%q was not replaced: %v", text, err)
		}
	}
	r.opt.Cache.Keep = false
	r.must(os.Remove(kept[0]))
	r.tree()
	if _, err := os.Lstat(kept[0]); err == nil {
		t.Error("a reader kept an index")
	}
}

// TestKeptIndexSparesReading: a file that was hashed once is not read again,
// which a filter that counts would see.
func TestKeptIndexSparesReading(t *testing.T) {
	r := newRepo(t)
	count := filepath.Join(r.home, "count")
	r.write(".gitattributes", "*.big filter=count\n")
	r.git("config", "filter.count.clean", "echo >>'"+count+"'; cat")
	r.opt.Approved = func(string, string) bool { return true }
	r.write("x.big", "loud\n")
	r.commit("second")
	r.nextSecond()
	r.must(os.WriteFile(count, nil, 0o600))
	want := r.tree()
	first, err := os.ReadFile(count)
	r.must(err)
	if len(first) == 0 {
		t.Error("the user's index was believed")
	}
	if got := r.tree(); got != want {
		t.Errorf("the tree is %s, was %s", got, want)
	}
	again, err := os.ReadFile(count)
	r.must(err)
	if len(again) != len(first) {
		t.Errorf("it was read %d times, then %d times more", len(first), len(again)-len(first))
	}
}
