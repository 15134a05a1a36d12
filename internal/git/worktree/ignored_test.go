package worktree_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"kedge/internal/git"
	"kedge/internal/testkit/gittest"
)

func TestIgnoredSince(t *testing.T) {
	r := gittest.New(t)
	r.Write(".gitignore", "/deps/\n*.log\n.env\n")
	r.Commit("ignore")
	dir := r.Worktree("w")
	r.Must(r.Open().AddWorktree(t.Context(), git.WorktreeRequest{Path: dir, Branch: "b", Base: "main"}))
	w, err := r.Open().In(t.Context(), dir)
	r.Must(err)
	write := func(name, text string) {
		r.Must(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		r.Must(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	want := func(when string, files ...string) {
		t.Helper()
		got, err := w.IgnoredSince(t.Context())
		r.Must(err)
		if slices.Sort(got); !slices.Equal(got, files) {
			t.Errorf("%s: %q, want %q", when, got, files)
		}
	}
	want("without any")
	write(".env", "A=1\n")
	write("deps/x", "x\n")
	want("before they were noted", ".env", "deps/x")
	r.Must(w.NoteIgnored(t.Context()))
	want("after that")
	write("untracked", "not ignored\n")
	write("deps/deep/new\nline", "x\n")
	write("a.log", "x\n")
	write(".env", "A=1\nB=2\n")
	want("with others", ".env", "a.log", "deps/deep/new\nline")
	r.Must(os.Remove(filepath.Join(dir, "deps", "x")))
	want("one less", ".env", "a.log", "deps/deep/new\nline")
}
