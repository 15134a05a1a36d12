package gitx_test

import (
	"os"
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
			if dir == r.dir {
				_, err = gitx.Open(t.Context(), dir, r.opt)
				wantKind(t, err, kedge.Blocked, "commondir")
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
