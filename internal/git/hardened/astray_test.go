package hardened_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/testkit/gittest"
)

// TestT7GitDirThatLeadsElsewhere: a file in the git dir that would give git another
// one's settings is refused and named, whether it was there before or comes meanwhile.
func TestT7GitDirThatLeadsElsewhere(t *testing.T) {
	r := gittest.New(t)
	canary := filepath.Join(t.TempDir(), "canary")
	evil := filepath.Join(t.TempDir(), "evil")
	r.Git("clone", "-q", "--bare", r.Dir, evil)
	r.GitIn(evil, "config", "core.fsmonitor", "touch "+canary)
	work := r.AddWorktree("w", "b")
	for name, dir := range map[string]string{"of the repository": r.Dir, "of a linked worktree": work} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(strings.TrimSpace(r.GitIn(dir, "rev-parse", "--absolute-git-dir")), "commondir")
			was, _ := os.ReadFile(file) // none in the repository's own
			before, err := git.Open(t.Context(), dir, r.Opt)
			r.Must(err)
			r.Must(os.WriteFile(file, []byte(evil+"\n"), 0o600))
			r.Must(os.WriteFile(filepath.Join(dir, "new.txt"), []byte("x\n"), 0o600))
			_, err = before.Tree(t.Context())
			gittest.WantKind(t, err, kedge.Blocked, "commondir")
			_, err = git.Open(t.Context(), dir, r.Opt) // as after a restart
			gittest.WantKind(t, err, kedge.Blocked, "commondir")
			if dir == r.Dir {
				r.Must(os.Remove(file))
			} else {
				r.Must(os.WriteFile(file, was, 0o600))
			}
			if _, err := before.Tree(t.Context()); err != nil {
				t.Errorf("put right: %v", err)
			}
		})
	}
	if _, err := os.Stat(canary); err == nil {
		t.Error("a program of the other settings was run")
	}
}

// TestGitDirsThatFilesName: worktrees whose git dir stands elsewhere are opened:
// linked ones, with a relative name too, and one apart.
func TestGitDirsThatFilesName(t *testing.T) {
	r := gittest.New(t)
	work := r.AddWorktree("w", "b")
	gitDir := strings.TrimSpace(r.GitIn(work, "rev-parse", "--absolute-git-dir"))
	_, err := git.Open(t.Context(), work, r.Opt)
	r.Must(err)
	rel, err := filepath.Rel(work, gitDir)
	r.Must(err)
	r.Must(os.WriteFile(filepath.Join(work, ".git"), []byte("gitdir: "+rel+"\n"), 0o600))
	_, err = git.Open(t.Context(), work, r.Opt)
	r.Must(err)
	apart, dir := filepath.Join(t.TempDir(), "apart.git"), filepath.Join(t.TempDir(), "clone")
	r.Git("clone", "-q", "--separate-git-dir", apart, r.Dir, dir)
	_, err = git.Open(t.Context(), dir, r.Opt)
	r.Must(err)
	r.Must(os.WriteFile(filepath.Join(apart, "commondir"), []byte(filepath.Join(r.Dir, ".git")+"\n"), 0o600))
	_, err = git.Open(t.Context(), dir, r.Opt)
	gittest.WantKind(t, err, kedge.Blocked, "commondir")
}
