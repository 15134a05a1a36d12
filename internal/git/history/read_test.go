package history_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/git/history"
	"kedge/internal/testkit/gittest"
)

// Tracked is about the worktree it is asked of, and what is only on the disk is not.
func TestTracked(t *testing.T) {
	r := gittest.New(t)
	linked := filepath.Join(r.Home, "linked")
	r.Git("worktree", "add", "-q", linked)
	r.Must(os.MkdirAll(filepath.Join(linked, "d"), 0o755))
	r.Must(os.WriteFile(filepath.Join(linked, "d", "x"), []byte("x"), 0o644))
	g := r.Open()
	for _, committed := range []bool{false, true} {
		if committed {
			r.Git("-C", linked, "add", "d")
			r.Git("-C", linked, "commit", "-q", "-m", "d")
		}
		for dir, want := range map[string]bool{linked: committed, g.Root(): false} {
			if got, err := g.Tracked(t.Context(), dir, "d"); err != nil || got != want {
				t.Errorf("%s, committed %t: %t, %v", dir, committed, got, err)
			}
		}
	}
	_, err := g.Tracked(t.Context(), t.TempDir(), "d")
	if err == nil {
		t.Error("of a folder that is no worktree of it")
	}
}

func TestHead(t *testing.T) {
	r := gittest.Empty(t)
	head := func() git.Head {
		h, err := r.Open().Head(t.Context())
		r.Must(err)
		return h
	}
	if h := head(); h != (git.Head{Branch: "main", Unborn: true}) {
		t.Errorf("unborn: %+v", h)
	}
	r.Write("a", "one\n")
	sha := r.Commit("first")
	if h := head(); h != (git.Head{Branch: "main", Commit: sha}) {
		t.Errorf("branch: %+v", h)
	}
	r.Git("checkout", "-q", "--detach")
	if h := head(); h != (git.Head{Detached: true, Commit: sha}) {
		t.Errorf("detached: %+v", h)
	}
}

func TestDiff(t *testing.T) {
	r := gittest.New(t)
	r.Write("gone", "1\n2\n")
	from := r.Commit("second")
	r.Must(os.Remove(r.Path("gone")))
	r.Write("a", "one\ntwo\nthree\n")
	r.Write("bin", "\x00\x01")
	r.Write("new\tfile", "x\n")
	to := r.Tree()
	got, err := r.Open().Diff(t.Context(), from, to)
	r.Must(err)
	want := []git.Change{
		{Path: "a", Status: "M", Added: 2},
		{Path: "bin", Status: "A", Binary: true},
		{Path: "gone", Status: "D", Removed: 2},
		{Path: "new\tfile", Status: "A", Added: 1},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
	_, err = r.Open().Diff(t.Context(), from, strings.Repeat("ab", 20))
	gittest.WantKind(t, err, kedge.NotFound, "this repository lacks commit")
	same, err := r.Open().Diff(t.Context(), from, from)
	if err != nil || same == nil || len(same) != 0 {
		t.Errorf("same: %v, %v", same, err)
	}
}

func TestReading(t *testing.T) {
	r := gittest.New(t)
	r.Write("d/x", "x\n")
	r.Write("d/y", "y\n")
	r.Commit("second")
	g, ctx := r.Open(), t.Context()
	b, err := g.ReadFile(ctx, "main", "d/x")
	if err != nil || string(b) != "x\n" {
		t.Errorf("read %q, %v", b, err)
	}
	_, err = g.ReadFile(ctx, "main", "d/z")
	gittest.WantKind(t, err, kedge.NotFound, `no file "d/z"`)
	_, err = g.ReadFile(ctx, "main", "d")
	gittest.WantKind(t, err, kedge.Invalid, "not a file")
	_, err = g.ReadFile(ctx, "nobranch", "d/x")
	gittest.WantKind(t, err, kedge.NotFound, "nobranch")
	for path, want := range map[string]bool{"a": true, "d": true, "d/y": true, "e": false} {
		if ok, err := g.Exists(ctx, "HEAD", path); err != nil || ok != want {
			t.Errorf("exists %q: %v, %v", path, ok, err)
		}
	}
	list, err := g.List(ctx, "HEAD", "d")
	if err != nil || len(list) != 2 || list[0].Path != "d/x" || list[0].Type != "blob" {
		t.Errorf("list: %+v, %v", list, err)
	}
	sha, err := g.Resolve(ctx, r.Git("rev-parse", "--short", "HEAD"))
	if err != nil || sha != r.Git("rev-parse", "HEAD") {
		t.Errorf("resolve: %q, %v", sha, err)
	}
}

// FuzzParse: what git prints is cut up without a panic, whatever it is.
func FuzzParse(f *testing.F) {
	f.Add(":100644 100644 a b M\x00p\x001\t2\tp\x00")
	f.Add("100644 blob abc\tp\x00")
	f.Fuzz(func(t *testing.T, s string) {
		if n := history.ParseAll(s); n < 0 {
			t.Error("negative")
		}
	})
}
