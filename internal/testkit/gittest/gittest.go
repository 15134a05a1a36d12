// Package gittest makes repositories for tests. It owns one folder of the test and a
// home beside it, so that no git configuration of the machine counts.
//
// It promises that the same calls give the same objects. It never runs outside tests.
package gittest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/git/hardened"
)

// Day is the moment that tests happen at.
var Day = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// Someone is who commits of tests are by.
var Someone = git.Person{Name: "Ada", Email: "ada@example.com"}

// Repo is a repository for a test, with a home of its own.
type Repo struct {
	T    *testing.T
	Dir  string
	Home string
	Opt  git.Options
}

// New makes a repository with one commit of the file "a".
func New(t *testing.T) *Repo {
	t.Helper()
	r := Empty(t)
	r.Write("a", "one\n")
	r.Commit("first")
	return r
}

// Empty makes one whose HEAD is unborn.
func Empty(t *testing.T) *Repo {
	t.Helper()
	tmp, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &Repo{T: t, Dir: filepath.Join(tmp, "work"), Home: filepath.Join(tmp, "home")}
	for _, dir := range []string{r.Dir, r.Home} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	r.Opt.Env, r.Opt.Cache = r.Env(), git.Cache{Dir: filepath.Join(r.Home, "kept"), Keep: true}
	r.UserConfig("[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n")
	r.Git("init", "-q")
	return r
}

// Env is the environment that plain git has.
func (r *Repo) Env() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + r.Home, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"GIT_AUTHOR_DATE=@1700000000 +0000", "GIT_COMMITTER_DATE=@1700000000 +0000",
	}
}

// UserConfig is the whole configuration of the user from now on.
func (r *Repo) UserConfig(text string) {
	r.T.Helper()
	r.Must(os.WriteFile(filepath.Join(r.Home, ".gitconfig"), []byte(text), 0o644))
}

// Must ends the test on an error.
func (r *Repo) Must(err error) {
	r.T.Helper()
	if err != nil {
		r.T.Fatalf("%v (hint: %s)", err, kedge.HintOf(err))
	}
}

// Git runs plain git in the worktree.
func (r *Repo) Git(args ...string) string {
	r.T.Helper()
	return r.GitIn(r.Dir, args...)
}

// GitIn runs plain git in a folder.
func (r *Repo) GitIn(dir string, args ...string) string {
	r.T.Helper()
	out, err := r.TryGit(dir, args...)
	if err != nil {
		r.T.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(out)
}

// TryGit runs plain git in a folder, and may fail.
func (r *Repo) TryGit(dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(context.WithoutCancel(r.T.Context()), "git", args...)
	cmd.Dir, cmd.Env = dir, r.Env()
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// Path is where a file of the worktree is.
func (r *Repo) Path(p string) string { return filepath.Join(r.Dir, filepath.FromSlash(p)) }

// Write writes a file of the worktree, and the folders that it is in.
func (r *Repo) Write(p, text string) {
	r.T.Helper()
	r.Must(os.MkdirAll(filepath.Dir(r.Path(p)), 0o755))
	r.Must(os.WriteFile(r.Path(p), []byte(text), 0o644))
}

// Read reads a file of the worktree.
func (r *Repo) Read(p string) string {
	r.T.Helper()
	b, err := os.ReadFile(r.Path(p))
	r.Must(err)
	return string(b)
}

// Commit commits everything with plain git and gives the commit.
func (r *Repo) Commit(msg string) string {
	r.T.Helper()
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", msg)
	return r.Git("rev-parse", "HEAD")
}

// Hardened is the repository for the tests of a part of gitx.
func (r *Repo) Hardened() *hardened.Git {
	r.T.Helper()
	g, err := hardened.Open(r.T.Context(), r.Dir, r.Opt)
	r.Must(err)
	return g
}

// Open opens the repository.
func (r *Repo) Open() *git.Repo {
	r.T.Helper()
	g, err := git.Open(r.T.Context(), r.Dir, r.Opt)
	r.Must(err)
	return g
}

// Tree is the tree of the files as they stand.
func (r *Repo) Tree() string {
	r.T.Helper()
	tree, err := r.Open().Tree(r.T.Context())
	r.Must(err)
	return tree
}

// Attic is the attic folder of the repository's project.
func (r *Repo) Attic() string { return filepath.Join(r.Home, "attic") }

// Salvage sets the changes of the worktree aside.
func (r *Repo) Salvage(id kedge.SalvageID) kedge.Salvage {
	r.T.Helper()
	s, err := r.Open().Salvage(r.T.Context(), git.SalvageRequest{ID: id, Reason: "test", Attic: r.Attic(), Date: Day})
	r.Must(err)
	return s
}

// Restore brings a salvage back into the worktree.
func (r *Repo) Restore(id kedge.SalvageID) error {
	r.T.Helper()
	_, err := r.Open().Restore(r.T.Context(), git.RestoreRequest{ID: id, Attic: r.Attic()})
	return err
}

// Reset takes the worktree back to HEAD the way Kedge does.
func (r *Repo) Reset(s kedge.Salvage) {
	r.T.Helper()
	r.Must(r.Open().ResetWorktree(r.T.Context(), git.ResetRequest{To: s.Base, Head: s.Base, Expect: s.Tree}))
}

// Worktree is where AddWorktree makes the one of a name.
func (r *Repo) Worktree(name string) string { return filepath.Join(r.Home, "worktrees", name) }

// AddWorktree makes a worktree at HEAD, on a branch, and gives its folder.
func (r *Repo) AddWorktree(name, branch string) string {
	r.T.Helper()
	r.Must(r.Open().AddWorktree(r.T.Context(), git.WorktreeRequest{Path: r.Worktree(name), Branch: branch, Base: "HEAD"}))
	return r.Worktree(name)
}

// NewSalvageID is an id of its own.
func NewSalvageID() kedge.SalvageID { return kedge.SalvageID(kedge.NewID("sal", Day)) }

// WantKind checks an error's kind and that it says what to do where it must.
func WantKind(t *testing.T, err error, kind kedge.Kind, text string) {
	t.Helper()
	if !kind.Is(err) {
		t.Fatalf("error %v is %q, want %q", err, kedge.KindOf(err), kind)
	}
	if !strings.Contains(err.Error(), text) {
		t.Fatalf("error %q does not say %q", err, text)
	}
}

// Second is the error of a call that gives two values.
func Second[T any](_ T, err error) error { return err }

// MakeDirty gives a repository one of every kind of change.
func MakeDirty(r *Repo) {
	r.T.Helper()
	r.Write(".gitignore", "ignored\n")
	r.Write("gone", "x\n")
	r.Write("becomes-dir", "x\n")
	r.Write("script", "#!/bin/sh\n")
	r.Commit("second")
	r.Write("a", "changed\n")
	r.Must(os.Remove(r.Path("gone")))
	r.Must(os.Remove(r.Path("becomes-dir")))
	r.Write("becomes-dir/file", "y\n")
	r.Must(os.Chmod(r.Path("script"), 0o755))
	r.Write("new/tool", "#!/bin/sh\n")
	r.Must(os.Chmod(r.Path("new/tool"), 0o755))
	r.Must(os.Symlink("../a", r.Path("new/link")))
	r.Must(os.Symlink("nowhere", r.Path("dangling")))
	r.Write("odd\n\"name\" é", "odd\n")
	r.Write("ignored", "stays\n")
	r.Write("staged", "staged\n")
	r.Git("add", "staged")
	r.Write("staged", "changed after staging\n")
}
