package gitx_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/gitx"
)

// TestT7GitDirThatLeadsElsewhere: a file in the git dir that would give git another
// one's settings is refused and named, whether it was there before or comes meanwhile.
func TestT7GitDirThatLeadsElsewhere(t *testing.T) {
	r := newRepo(t)
	canary := filepath.Join(t.TempDir(), "canary")
	evil := filepath.Join(t.TempDir(), "evil")
	r.git("clone", "-q", "--bare", r.dir, evil)
	r.gitIn(evil, "config", "core.fsmonitor", "touch "+canary)
	work := r.addWorktree("w", "b")
	for name, dir := range map[string]string{"of the repository": r.dir, "of a linked work tree": work} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(strings.TrimSpace(r.gitIn(dir, "rev-parse", "--absolute-git-dir")), "commondir")
			was, _ := os.ReadFile(file) // none in the repository's own
			before, err := gitx.Open(t.Context(), dir, r.opt)
			r.must(err)
			r.must(os.WriteFile(file, []byte(evil+"\n"), 0o600))
			r.must(os.WriteFile(filepath.Join(dir, "new.txt"), []byte("x\n"), 0o600))
			_, err = before.Tree(t.Context())
			wantKind(t, err, kedge.Blocked, "commondir")
			_, err = gitx.Open(t.Context(), dir, r.opt) // as after a restart
			wantKind(t, err, kedge.Blocked, "commondir")
			if dir == r.dir {
				r.must(os.Remove(file))
			} else {
				r.must(os.WriteFile(file, was, 0o600))
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

// TestGitDirsThatFilesName: work trees whose git dir stands elsewhere are opened:
// linked ones, with a relative name too, and one apart.
func TestGitDirsThatFilesName(t *testing.T) {
	r := newRepo(t)
	work := r.addWorktree("w", "b")
	gitDir := strings.TrimSpace(r.gitIn(work, "rev-parse", "--absolute-git-dir"))
	_, err := gitx.Open(t.Context(), work, r.opt)
	r.must(err)
	rel, err := filepath.Rel(work, gitDir)
	r.must(err)
	r.must(os.WriteFile(filepath.Join(work, ".git"), []byte("gitdir: "+rel+"\n"), 0o600))
	_, err = gitx.Open(t.Context(), work, r.opt)
	r.must(err)
	apart, dir := filepath.Join(t.TempDir(), "apart.git"), filepath.Join(t.TempDir(), "clone")
	r.git("clone", "-q", "--separate-git-dir", apart, r.dir, dir)
	_, err = gitx.Open(t.Context(), dir, r.opt)
	r.must(err)
	r.must(os.WriteFile(filepath.Join(apart, "commondir"), []byte(filepath.Join(r.dir, ".git")+"\n"), 0o600))
	_, err = gitx.Open(t.Context(), dir, r.opt)
	wantKind(t, err, kedge.Blocked, "commondir")
}

// TestStashHintNamesFiles: the command that sets files aside takes only those, whatever
// their names look like.
func TestStashHintNamesFiles(t *testing.T) {
	r := newRepo(t)
	r.write("[ab].txt", "1\n")
	r.write("a.txt", "1\n")
	base := r.commit("both")
	r.write("[ab].txt", "2\n")
	ahead := r.commit("ahead")
	r.git("reset", "-q", "--hard", strings.TrimSpace(base))
	r.write("[ab].txt", "mine\n")
	r.write("a.txt", "mine, too\n")
	err := r.open().Forward(t.Context(), gitx.ForwardRequest{Branch: "main", To: strings.TrimSpace(ahead)})
	wantKind(t, err, kedge.Conflict, "[ab].txt")
	c := exec.CommandContext(t.Context(), "sh", "-c", kedge.HintOf(err))
	c.Env = r.env()
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if r.read("[ab].txt") != "1\n" || r.read("a.txt") != "mine, too\n" {
		t.Errorf("set aside: %q, %q", r.read("[ab].txt"), r.read("a.txt"))
	}
}
