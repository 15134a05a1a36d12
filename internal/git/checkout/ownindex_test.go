package checkout_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"kedge/internal/git"
	"kedge/internal/testkit/gittest"
)

// bare is the tree as it is without anything that was kept.
func bareTree(r *gittest.Repo) string {
	r.T.Helper()
	opt := r.Opt
	opt.Cache = git.Cache{}
	g, err := git.Open(r.T.Context(), r.Dir, opt)
	r.Must(err)
	tree, err := g.Tree(r.T.Context())
	r.Must(err)
	return tree
}

// old makes a file's times so old that git believes its index about it.
func old(r *gittest.Repo, names ...string) {
	r.T.Helper()
	past := gittest.Day.AddDate(-1, 0, 0)
	for _, name := range names {
		r.Must(os.Chtimes(r.Path(name), past, past))
	}
}

// TestT7StagedBlobsAreNotTheFiles: what a plain "git add" made of a file, with
// attributes and settings that are in no tree, does not reach Kedge's tree, even
// though git's index calls the file unchanged.
func TestT7StagedBlobsAreNotTheFiles(t *testing.T) {
	const code = "package x\n\nconst n = 1 /*$Id: */ + 4 /* $*/\n"
	for name, c := range map[string]struct {
		set  func(*gittest.Repo)
		text string
	}{
		"ident":     {func(r *gittest.Repo) { privately(r, "*.go ident\n") }, code},
		"encoding":  {func(r *gittest.Repo) { privately(r, "*.go working-tree-encoding=UTF-7\n") }, "package x // +AGE-\n"},
		"line ends": {func(r *gittest.Repo) { privately(r, "*.go text eol=crlf\n") }, "package x\r\n"},
		"a filter": {func(r *gittest.Repo) {
			privately(r, "*.go filter=other\n")
			r.Git("config", "filter.other.clean", "echo other")
		}, code},
		"a user's attributes": {func(r *gittest.Repo) {
			r.Must(os.WriteFile(filepath.Join(r.Home, "attributes"), []byte("*.go ident\n"), 0o644))
			r.Git("config", "core.attributesFile", filepath.Join(r.Home, "attributes"))
		}, code},
	} {
		t.Run(name, func(t *testing.T) {
			r := gittest.New(t)
			c.set(r)
			r.Write("d/x.go", c.text)
			old(r, "d/x.go")
			r.Git("add", "-A")
			r.Git("update-index", "--refresh")
			if r.Git("ls-files", "-m") != "" {
				t.Fatal("git itself has doubts: this shows nothing")
			}
			for _, when := range []string{"first", "again"} {
				b, err := r.Open().ReadFile(t.Context(), r.Tree(), "d/x.go")
				if err != nil || string(b) != c.text {
					t.Errorf("%s: the tree holds %q, %v; the file is %q", when, b, err, c.text)
				}
			}
			if dirty, err := r.Open().Dirty(t.Context()); err != nil || !dirty {
				t.Errorf("dirty %v, %v", dirty, err)
			}
			r.Git("commit", "-q", "-m", "second")
			if dirty, err := r.Open().Dirty(t.Context()); err != nil || !dirty {
				t.Errorf("with the other blob committed: dirty %v, %v", dirty, err)
			}
		})
	}
}

// nextSecond waits until what changed so far changed in another second than now:
// only then is it kept.
func nextSecond(r *gittest.Repo) {
	r.T.Helper()
	now := func() int64 {
		r.Must(os.WriteFile(filepath.Join(r.Home, "clock"), nil, 0o600))
		fi, err := os.Stat(filepath.Join(r.Home, "clock"))
		r.Must(err)
		return fi.ModTime().Unix()
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(5 * time.Minute)
	for was := now(); now() == was; {
		select {
		case <-tick.C:
		case <-deadline:
			r.T.Fatal("the clock stands still")
		}
	}
}

// TestRow41KeptIndexChangesNothing: the tree is the same with what was kept of
// the last time as without, whatever happened meanwhile.
func TestRow41KeptIndexChangesNothing(t *testing.T) {
	r := gittest.New(t)
	r.Write("b", "two\n")
	r.Write("d/c.txt", "three\r\n")
	r.Write("ignored.log", "tracked all the same\n")
	r.Git("add", "-A")
	r.Write(".gitignore", "*.log\n")
	r.Commit("second")
	nextSecond(r)
	steps := []struct {
		name string
		do   func()
	}{
		{"nothing", func() {}},
		{"an edit", func() { r.Write("a", "changed\n") }},
		{"staged", func() { r.Git("add", "-A") }},
		{"and changed back", func() { r.Write("a", "one\n") }},
		{"an untracked file", func() { r.Write("new", "new\n") }},
		{"that is ignored then", func() { r.Write(".gitignore", "*.log\nnew\n") }},
		{"a tracked file is ignored", func() { r.Write("ignored.log", "changed\n") }},
		{"and not tracked any more", func() { r.Git("rm", "-q", "--cached", "ignored.log") }},
		{"and tracked again", func() { r.Git("add", "-f", "ignored.log") }},
		{"attributes", func() { r.Write(".gitattributes", "*.txt text\n") }},
		{"attributes that are tracked", func() { r.Git("add", ".gitattributes") }},
		{"other attributes", func() { r.Write(".gitattributes", "*.txt -text\n") }},
		{"no attributes", func() { r.Must(os.Remove(r.Path(".gitattributes"))) }},
		{"a file for a folder", func() { r.Must(os.RemoveAll(r.Path("d"))); r.Write("d", "file\n") }},
		{"a folder for a file", func() { r.Must(os.Remove(r.Path("b"))); r.Write("b/x", "x\n") }},
		{"a repository in a folder", func() { r.Git("init", "-q", "b") }},
		{"and none", func() { r.Must(os.RemoveAll(r.Path("b/.git"))) }},
		{"a link", func() { r.Must(os.Remove(r.Path("a"))); r.Must(os.Symlink("b", r.Path("a"))) }},
		{"a mode", func() { r.Must(os.Chmod(r.Path("d"), 0o755)) }},
		{"settings", func() { r.Git("config", "core.autocrlf", "input"); r.Write("crlf", "x\r\n"); r.Git("add", "-A") }},
		{"settings taken back", func() { r.Git("config", "--unset", "core.autocrlf") }},
		{"hidden", func() { r.Git("update-index", "--skip-worktree", "d", "crlf"); r.Must(os.Remove(r.Path("crlf"))) }},
		{"hidden and changed", func() { r.Write("d", "changed\n") }},
		{"there again", func() { r.Write("crlf", "y\n") }},
		{"no longer hidden", func() { r.Git("update-index", "--no-skip-worktree", "crlf"); r.Must(os.Remove(r.Path("crlf"))) }},
		{"reset", func() { r.Git("update-index", "--no-skip-worktree", "d"); r.Git("reset", "-q", "--hard") }},
		{"no index", func() { r.Must(os.Remove(r.Path(".git/index"))) }},
		{"and one again", func() { r.Git("reset", "-q") }},
		{"a branch without it all", func() { r.Git("checkout", "-q", "--orphan", "other"); r.Git("rm", "-q", "-r", "--cached", ".") }},
	}
	for _, s := range steps {
		s.do()
		if with, without := r.Tree(), bareTree(r); with != without {
			t.Errorf("%s: the tree is %s, with what was kept %s\n%s", s.name, without, with, r.Git("diff", without, with))
		}
	}
	kept, err := os.ReadDir(r.Opt.Cache.Dir)
	if err != nil || len(kept) != 1 {
		t.Errorf("kept is %v, %v", kept, err)
	}
}

// TestKeptIndexOfBeforeACommit: what was kept of a file before it was changed and
// committed makes nobody's worktree dirty.
func TestKeptIndexOfBeforeACommit(t *testing.T) {
	r := gittest.New(t)
	nextSecond(r)
	r.Tree() // keeps it
	if kept, err := os.ReadDir(r.Opt.Cache.Dir); err != nil || len(kept) != 1 {
		t.Fatalf("nothing was kept: %v, %v", kept, err)
	}
	r.Write("a", "two, and longer\n")
	dirty := func() bool {
		t.Helper()
		is, err := r.Open().Dirty(t.Context())
		r.Must(err)
		return is
	}
	if !dirty() {
		t.Error("a change is not seen")
	}
	r.Commit("second")
	if dirty() {
		t.Error("what is committed counts as changed")
	}
	r.Write("a", "three\n")
	r.Git("add", "a")
	if !dirty() {
		t.Error("what is staged is not seen")
	}
	r.Write("a", "two, and longer\n")
	if !dirty() {
		t.Error("what is staged is not seen beside a file as in HEAD")
	}
	r.Git("reset", "-q")
	if dirty() {
		t.Error("dirty with nothing changed")
	}
}

// TestKeptIndexThatIsDamaged is read past, and replaced.
func TestKeptIndexThatIsDamaged(t *testing.T) {
	r := gittest.New(t)
	nextSecond(r)
	want := r.Tree()
	kept, err := filepath.Glob(filepath.Join(r.Opt.Cache.Dir, "*"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("kept is %v, %v", kept, err)
	}
	for _, text := range []string{"", "DIRC", "no index at all, but long enough to be one"} {
		r.Must(os.WriteFile(kept[0], []byte(text), 0o600))
		if got := r.Tree(); got != want {
			t.Errorf("%q: the tree is %s, want %s", text, got, want)
		}
		if b, err := os.ReadFile(kept[0]); err != nil || string(b) == text {
			t.Errorf("%q was not replaced: %v", text, err)
		}
	}
	r.Opt.Cache.Keep = false
	r.Must(os.Remove(kept[0]))
	r.Tree()
	if _, err := os.Lstat(kept[0]); err == nil {
		t.Error("a reader kept an index")
	}
}

// TestKeptIndexSparesReading: a file that was hashed once is not read again,
// which a filter that counts would see.
func TestKeptIndexSparesReading(t *testing.T) {
	r := gittest.New(t)
	count := filepath.Join(r.Home, "count")
	r.Write(".gitattributes", "*.big filter=count\n")
	r.Git("config", "filter.count.clean", "echo >>'"+count+"'; cat")
	r.Opt.Approved = func(string, string) bool { return true }
	r.Write("x.big", "loud\n")
	r.Commit("second")
	nextSecond(r)
	r.Must(os.WriteFile(count, nil, 0o600))
	want := r.Tree()
	first, err := os.ReadFile(count)
	r.Must(err)
	if len(first) == 0 {
		t.Error("the user's index was believed")
	}
	if got := r.Tree(); got != want {
		t.Errorf("the tree is %s, was %s", got, want)
	}
	again, err := os.ReadFile(count)
	r.Must(err)
	if len(again) != len(first) {
		t.Errorf("it was read %d times, then %d times more", len(first), len(again)-len(first))
	}
}
