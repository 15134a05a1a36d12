package hardened_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/testkit/gittest"
)

// TestMemoryIsNeverStale: one Repo, asked again after everything that it might
// remember was changed by somebody else.
func TestMemoryIsNeverStale(t *testing.T) {
	r := gittest.New(t)
	g := r.Open()
	ctx := t.Context()

	t.Run("configuration", func(t *testing.T) {
		r.Git("config", "user.name", "First")
		r.Git("config", "user.email", "first@example.com")
		for _, name := range []string{"First", "Other"} {
			r.Git("config", "user.name", name)
			if who, err := g.Identity(ctx); err != nil || who.Name != name {
				t.Errorf("the user is %+v, %v, want %s", who, err, name)
			}
		}
		more := filepath.Join(t.TempDir(), "more")
		r.Must(os.WriteFile(more, []byte("[user]\n\tname = Included\n"), 0o600))
		r.Git("config", "include.path", more)
		for _, name := range []string{"Included", "Changed"} { // of a file that nobody looks at
			r.Must(os.WriteFile(more, []byte("[user]\n\tname = "+name+"\n"), 0o600))
			if who, err := g.Identity(ctx); err != nil || who.Name != name {
				t.Errorf("the included user is %+v, %v, want %s", who, err, name)
			}
		}
		r.Git("config", "--unset", "include.path")
	})

	t.Run("HEAD and refs", func(t *testing.T) {
		for _, change := range [][]string{
			{"checkout", "-q", "-b", "side"},
			{"commit", "-q", "--allow-empty", "-m", "more"},
			{"pack-refs", "--all"},
			{"checkout", "-q", "--detach"},
			{"checkout", "-q", "side"},
			{"update-ref", "refs/heads/side", "HEAD^"},
		} {
			r.Git(change...)
			h, err := g.Head(ctx)
			r.Must(err)
			if branch := r.Git("branch", "--show-current"); h.Branch != branch || h.Detached != (branch == "") || h.Commit != r.Git("rev-parse", "HEAD") {
				t.Errorf("after git %v HEAD is %+v", change, h)
			}
			sha, err := g.Resolve(ctx, "refs/heads/side")
			if err != nil || sha != r.Git("rev-parse", "refs/heads/side") {
				t.Errorf("after git %v the branch is at %s, %v", change, sha, err)
			}
		}
		r.Git("branch", "gone")
		r.Git("branch", "-D", "gone")
		_, err := g.Resolve(ctx, "refs/heads/gone")
		gittest.WantKind(t, err, kedge.NotFound, "gone")
	})

	t.Run("files and objects", func(t *testing.T) {
		for _, text := range []string{"one\n", "two\n", "six\n"} {
			r.Write("a", text)
			r.Write("new", text)
			for range 2 {
				tree, err := g.Tree(ctx)
				r.Must(err)
				if got := r.Git("cat-file", "blob", tree+":a") + r.Git("cat-file", "blob", tree+":new"); got != strings.TrimSpace(text)+strings.TrimSpace(text) {
					t.Errorf("the tree has %q, want %q twice", got, text)
				}
				without, err := g.TreeWithout(ctx, tree, "a")
				r.Must(err)
				if names := r.Git("ls-tree", "--name-only", without); strings.Contains("\n"+names+"\n", "\na\n") {
					t.Errorf("without a: %q", names)
				}
				r.Must(os.RemoveAll(filepath.Join(r.Path(".git"), "objects", without[:2], without[2:])))
			}
		}
	})

	t.Run("worktrees", func(t *testing.T) {
		dir := r.AddWorktree("w", "b")
		w, err := g.In(ctx, dir)
		r.Must(err)
		if w.Root() != dir {
			t.Errorf("opened %s", w.Root())
		}
		r.Must(os.WriteFile(filepath.Join(dir, ".git"), []byte("gitdir: "+r.Path("elsewhere")+"\n"), 0o600))
		if _, err := g.In(ctx, dir); err == nil {
			t.Error("a worktree that leads elsewhere was opened")
		}
	})
}
