package checkout_test

import (
	"os"
	"path/filepath"
	"testing"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/testkit/gittest"
)

func TestResetWorktreeKeepsIgnoredFiles(t *testing.T) {
	r := gittest.New(t)
	r.Write(".gitignore", "node_modules/\n")
	first := r.Commit("second")
	dir := r.AddWorktree("w", "b")
	r.Write("a", "newer\n")
	r.Write("added/file", "x\n")
	second := r.Commit("third")
	w := &gittest.Repo{T: t, Dir: dir, Home: r.Home, Opt: r.Opt}
	w.Write("node_modules/dep/index.js", "dependency")
	w.Write("untracked/deep/file", "work\n")
	w.Write("a", "dirty\n")
	s := w.Salvage(gittest.NewSalvageID())

	r.Must(r.Open().ResetWorktree(t.Context(), git.ResetRequest{Dir: dir, To: second, Head: first, Expect: s.Tree}))

	if got := w.Git("status", "--porcelain", "--branch"); got != "## b" {
		t.Errorf("status: %q", got)
	}
	if got := w.Git("rev-parse", "b"); got != second {
		t.Errorf("b is %s, want %s", got, second)
	}
	if w.Read("node_modules/dep/index.js") != "dependency" || w.Read("a") != "newer\n" || w.Read("added/file") != "x\n" {
		t.Error("wrong content after the reset")
	}
	if _, err := os.Lstat(w.Path("untracked")); err == nil {
		t.Error("untracked files are still there")
	}
	r.Must(r.Open().ResetWorktree(t.Context(), git.ResetRequest{Dir: dir, To: second, Head: first, Expect: s.Tree})) // twice is once
}

// TestResetWorktreeRefusesToLose: neither changes, nor commits, nor ignored
// files are lost by a reset.
func TestResetWorktreeRefusesToLose(t *testing.T) {
	r := gittest.New(t)
	base := r.Git("rev-parse", "HEAD")
	r.Write(".gitignore", "*.log\n")
	r.Write("out.log", "now a tracked file\n")
	r.Git("add", "-f", "out.log")
	later := r.Commit("second")
	r.Git("checkout", "-q", "-b", "side", base)
	dir := r.AddWorktree("w", "b")
	w := &gittest.Repo{T: t, Dir: dir, Home: r.Home, Opt: r.Opt}
	clean := w.Tree()
	reset := func(to, expect string) error {
		return r.Open().ResetWorktree(t.Context(), git.ResetRequest{Dir: dir, To: to, Head: base, Expect: expect})
	}

	w.Write("a", "dirty\n")
	gittest.WantKind(t, reset(later, clean), kedge.Conflict, "changed while Kedge worked")
	w.Write("a", "one\n")

	r.Must(os.WriteFile(filepath.Join(r.Dir, ".git", "info", "exclude"), []byte("out.log\n"), 0o644))
	w.Write("out.log", "precious ignored output\n")
	gittest.WantKind(t, reset(later, clean), kedge.Conflict, `file "out.log", which git ignores`)
	if w.Read("out.log") != "precious ignored output\n" {
		t.Error("the ignored file was replaced")
	}
	r.Must(os.Remove(w.Path("out.log")))

	w.Write("a", "committed only here\n")
	only := w.Commit("only here")
	err := r.Open().ResetWorktree(t.Context(), git.ResetRequest{Dir: dir, To: later, Head: only, Expect: w.Tree()})
	gittest.WantKind(t, err, kedge.Conflict, "no other branch has it")
	w.Git("branch", "keep")
	r.Must(r.Open().ResetWorktree(t.Context(), git.ResetRequest{Dir: dir, To: later, Head: only, Expect: w.Tree()}))
}
