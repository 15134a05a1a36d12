package hardened_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/git/hardened"
	"kedge/internal/testkit/gittest"
)

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
	r := gittest.New(t)
	g, ctx, sha := r.Open(), t.Context(), r.Git("rev-parse", "HEAD")
	out := filepath.Join(r.Home, "canary")
	for _, name := range evilNames(out) {
		for what, err := range map[string]error{
			"Resolve":     gittest.Second(g.Resolve(ctx, name)),
			"TreeOf":      gittest.Second(g.TreeOf(ctx, name)),
			"TreeWithout": gittest.Second(g.TreeWithout(ctx, name, "a")),
			"Diff":        gittest.Second(g.Diff(ctx, name, "HEAD")),
			"Diff to":     gittest.Second(g.Diff(ctx, "HEAD", name)),
			"ReadFile":    gittest.Second(g.ReadFile(ctx, name, "a")),
			"List":        gittest.Second(g.List(ctx, name, "")),
			"UpdateRef":   g.UpdateRef(ctx, "refs/heads/"+name, sha, ""),
			"ref":         g.UpdateRef(ctx, name, sha, ""),
			"new":         g.UpdateRef(ctx, "refs/heads/n", name+"x", ""),
			"old":         g.UpdateRef(ctx, "refs/heads/n", sha, name+"x"),
			"branch":      g.AddWorktree(ctx, git.WorktreeRequest{Path: filepath.Join(r.Home, "w"), Branch: name + "\n", Base: sha}),
			"base":        g.AddWorktree(ctx, git.WorktreeRequest{Path: filepath.Join(r.Home, "w"), Branch: "x", Base: name}),
			"to":          g.ResetWorktree(ctx, git.ResetRequest{To: name, Head: sha, Expect: sha}),
			"drop":        g.DropSalvage(ctx, kedge.SalvageID(name), r.Attic()),
			"restore":     gittest.Second(g.Restore(ctx, git.RestoreRequest{ID: kedge.SalvageID(name)})),
			"salvage":     gittest.Second(g.Salvage(ctx, git.SalvageRequest{ID: kedge.SalvageID(name), Date: gittest.Day})),
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
	r := gittest.New(t)
	paths := []string{"--output=x", "-c", ":(glob)*", "*.go", "new\nline", "[a]", `back\slash`, "sp ace"}
	for _, p := range paths {
		r.Write(p, p)
	}
	sha, err := r.Open().CommitPaths(t.Context(), git.CommitPathsRequest{Paths: paths, Message: "m", Date: gittest.Day, Author: gittest.Someone})
	r.Must(err)
	for _, p := range paths {
		if b, err := r.Open().ReadFile(t.Context(), sha, p); err != nil || string(b) != p {
			t.Errorf("%q: %q, %v", p, b, err)
		}
	}
	for _, p := range []string{"", ".", "..", "../x", "/etc/passwd", "a/../b", "a/", "a//b", ".git/config", "x/.GIT/y", "a\x00b", "./a"} {
		_, err := r.Open().ReadFile(t.Context(), "HEAD", p)
		gittest.WantKind(t, err, kedge.Invalid, "not a path inside")
	}
}

// FuzzT8Refs holds the rules for refs against git's own: what passes here must
// pass there.
func FuzzT8Refs(f *testing.F) {
	for _, s := range append(evilNames("/nowhere"), "main", "kedge/run-1", "feature/x.y", "ünïcode", "@", "a@b", "HEAD") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if hardened.CheckRef("refs/heads/"+s) == nil && strings.ContainsAny(s, " ~^:?*[\\\x00\n\t\x7f") {
			t.Errorf("%q passed", s)
		}
		if hardened.CheckRev(s) == nil && (s == "" || strings.HasPrefix(s, "-") || strings.ContainsAny(s, ":^~\x00\n") || strings.Contains(s, "..")) {
			t.Errorf("revision %q passed", s)
		}
		if hardened.CheckPath(s) == nil && (!filepath.IsLocal(s) || strings.ContainsRune(s, 0) || s == ".") {
			t.Errorf("path %q passed", s)
		}
	})
}

// TestRefRulesAreGits compares the rules with git check-ref-format.
func TestRefRulesAreGits(t *testing.T) {
	r := gittest.Empty(t)
	for _, s := range append(evilNames("x"), "main", "kedge/run-1", "ünï", "@", "a@b", "a.b.c", "x/@/y") {
		if strings.ContainsRune(s, 0) || len(s) > 1000 || strings.Contains(s, "/-") || strings.HasPrefix(s, "-") {
			continue // cannot be an argument, or is refused here for being like an option
		}
		_, err := r.TryGit(r.Dir, "check-ref-format", "refs/heads/"+s)
		if ours := hardened.CheckRef("refs/heads/"+s) == nil; ours != (err == nil) {
			t.Errorf("%q: ours %v, git's %v", s, ours, err == nil)
		}
	}
}

// FuzzParseSettings: what git prints is cut up without a panic, whatever it is.
func FuzzParseSettings(f *testing.F) {
	f.Add("local\x00user.name\nA\x00global\x00filter.x.clean\ntr a b\x00")
	f.Fuzz(func(t *testing.T, s string) {
		if n := hardened.ParseSettings(s); n < 0 {
			t.Error("negative")
		}
	})
}
