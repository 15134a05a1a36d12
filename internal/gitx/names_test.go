package gitx_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"kedge"
	"kedge/internal/gitx"
)

// holdRepository takes the lock that Kedge's writers take.
func holdRepository(t *testing.T, r *repo) (release func()) {
	t.Helper()
	f, err := os.OpenFile(r.path(".git/kedge.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	r.must(err)
	r.must(unix.Flock(int(f.Fd()), unix.LOCK_EX))
	return func() { _ = f.Close() }
}

// evilNames would be options, other revisions or more than one line.
func evilNames(out string) []string {
	return []string{
		"--output=" + out, "--upload-pack=touch " + out, "-c", "-", "--", "-O" + out, "--exec=touch " + out,
		"x\ny", "x\x00y", "x\ty", "x y", "a..b", "a:b", "a^", "a~1", "@{-1}", "a@{0}", ":/a", ":(glob)*", "a*", "a?", "a[b]", `a\b`,
		"", "/", "a/", "/a", "a//b", ".a", "a/.b", "a.lock", "a.lock/b", "a.", "a/-b", "a\x7f", strings.Repeat("a", 2000),
	}
}

// TestT8ArgumentInjection: a name that git could take for anything but a name
// is refused before git is run, and makes no file.
func TestT8ArgumentInjection(t *testing.T) {
	r := newRepo(t)
	g, ctx, sha := r.open(), t.Context(), r.git("rev-parse", "HEAD")
	out := filepath.Join(r.home, "canary")
	for _, name := range evilNames(out) {
		for what, err := range map[string]error{
			"Resolve":     second(g.Resolve(ctx, name)),
			"TreeOf":      second(g.TreeOf(ctx, name)),
			"TreeWithout": second(g.TreeWithout(ctx, name, "a")),
			"Diff":        second(g.Diff(ctx, name, "HEAD")),
			"Diff to":     second(g.Diff(ctx, "HEAD", name)),
			"ReadFile":    second(g.ReadFile(ctx, name, "a")),
			"List":        second(g.List(ctx, name, "")),
			"UpdateRef":   g.UpdateRef(ctx, "refs/heads/"+name, sha, ""),
			"ref":         g.UpdateRef(ctx, name, sha, ""),
			"new":         g.UpdateRef(ctx, "refs/heads/n", name+"x", ""),
			"old":         g.UpdateRef(ctx, "refs/heads/n", sha, name+"x"),
			"branch":      g.AddWorktree(ctx, gitx.WorktreeRequest{Path: filepath.Join(r.home, "w"), Branch: name + "\n", Base: sha}),
			"base":        g.AddWorktree(ctx, gitx.WorktreeRequest{Path: filepath.Join(r.home, "w"), Branch: "x", Base: name}),
			"to":          g.ResetWorktree(ctx, gitx.ResetRequest{To: name, Head: sha, Expect: sha}),
			"drop":        g.DropSalvage(ctx, kedge.SalvageID(name), r.attic()),
			"restore":     second(g.Restore(ctx, gitx.RestoreRequest{ID: kedge.SalvageID(name)})),
			"salvage":     second(g.Salvage(ctx, gitx.SalvageRequest{ID: kedge.SalvageID(name), Date: day})),
		} {
			if !kedge.Invalid.Is(err) {
				t.Errorf("%s(%q): %v", what, name, err)
			}
		}
	}
	if _, err := os.Lstat(out); err == nil {
		t.Error("a name made a file")
	}
}

// TestT8OddButHonestPaths: paths that look like options or patterns are paths.
func TestT8OddButHonestPaths(t *testing.T) {
	r := newRepo(t)
	paths := []string{"--output=x", "-c", ":(glob)*", "*.go", "new\nline", "[a]", `back\slash`, "sp ace"}
	for _, p := range paths {
		r.write(p, p)
	}
	sha, err := r.open().CommitPaths(t.Context(), gitx.CommitPathsRequest{Paths: paths, Message: "m", Date: day, Author: someone})
	r.must(err)
	for _, p := range paths {
		if b, err := r.open().ReadFile(t.Context(), sha, p); err != nil || string(b) != p {
			t.Errorf("%q: %q, %v", p, b, err)
		}
	}
	for _, p := range []string{"", ".", "..", "../x", "/etc/passwd", "a/../b", "a/", "a//b", ".git/config", "x/.GIT/y", "a\x00b", "./a"} {
		_, err := r.open().ReadFile(t.Context(), "HEAD", p)
		wantKind(t, err, kedge.Invalid, "not a path inside")
	}
}

// TestT10WorktreeNames: only plain names become folders.
func TestT10WorktreeNames(t *testing.T) {
	r := newRepo(t)
	for _, p := range []string{"relative", r.home + "/../up", r.home + "/-x", r.home + "/Up", r.home + "/a b", r.home + "/.hidden", r.home + "/x.lock", "/", ""} {
		err := r.open().AddWorktree(t.Context(), gitx.WorktreeRequest{Path: p, Branch: "b", Base: "HEAD"})
		if !kedge.Invalid.Is(err) {
			t.Errorf("%q: %v", p, err)
		}
	}
	if got := r.git("worktree", "list", "--porcelain"); strings.Count(got, "worktree ") != 1 {
		t.Errorf("worktrees:\n%s", got)
	}
}

func second[T any](_ T, err error) error { return err }

// FuzzT8Refs holds the rules for refs against git's own: what passes here must
// pass there.
func FuzzT8Refs(f *testing.F) {
	for _, s := range append(evilNames("/nowhere"), "main", "kedge/run-1", "feature/x.y", "ünïcode", "@", "a@b", "HEAD") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if gitx.CheckRef("refs/heads/"+s) == nil && strings.ContainsAny(s, " ~^:?*[\\\x00\n\t\x7f") {
			t.Errorf("%q passed", s)
		}
		if gitx.CheckRev(s) == nil && (s == "" || strings.HasPrefix(s, "-") || strings.ContainsAny(s, ":^~\x00\n") || strings.Contains(s, "..")) {
			t.Errorf("revision %q passed", s)
		}
		if gitx.CheckPath(s) == nil && (!filepath.IsLocal(s) || strings.ContainsRune(s, 0) || s == ".") {
			t.Errorf("path %q passed", s)
		}
	})
}

// TestRefRulesAreGits compares the rules with git check-ref-format.
func TestRefRulesAreGits(t *testing.T) {
	r := emptyRepo(t)
	for _, s := range append(evilNames("x"), "main", "kedge/run-1", "ünï", "@", "a@b", "a.b.c", "x/@/y") {
		if strings.ContainsRune(s, 0) || len(s) > 1000 || strings.Contains(s, "/-") || strings.HasPrefix(s, "-") {
			continue // cannot be an argument, or is refused here for being like an option
		}
		_, err := r.tryGit(r.dir, "check-ref-format", "refs/heads/"+s)
		if ours := gitx.CheckRef("refs/heads/"+s) == nil; ours != (err == nil) {
			t.Errorf("%q: ours %v, git's %v", s, ours, err == nil)
		}
	}
}

// FuzzParse: what git prints is cut up without a panic, whatever it is.
func FuzzParse(f *testing.F) {
	f.Add("local\x00user.name\nA\x00global\x00filter.x.clean\ntr a b\x00")
	f.Add(":100644 100644 a b M\x00p\x001\t2\tp\x00")
	f.Add("100644 blob abc\tp\x00")
	f.Add("salvage: x\n\nKedge-Attic: \"a\"\nKedge-Files: 3\n")
	f.Fuzz(func(t *testing.T, s string) {
		if n := gitx.ParseAll(s); n < 0 {
			t.Error("negative")
		}
	})
}
