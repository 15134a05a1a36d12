package sessions

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"kedge"
)

func TestWithWorktree(t *testing.T) {
	env := []string{"A=1", "KEDGE_SLOT=9", "KEDGE_PORT=9"}
	got := withWorktree(env, &kedge.SessionWorktree{Slot: "s2", Port: 32001})
	if want := []string{"A=1", "KEDGE_SLOT=s2", "KEDGE_PORT=32001"}; !slices.Equal(got, want) {
		t.Errorf("it is %q, want %q", got, want)
	}
	if got := withWorktree(env, nil); !slices.Equal(got, env) {
		t.Errorf("without a worktree it is %q", got)
	}
}

func TestNearest(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "a", "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	for below, want := range map[string]string{".": "", "a": "a", "a/b": "a/b", "a/c/d": "a", "x/y": ""} {
		if got := nearest(root, below); got != filepath.Join(root, want) {
			t.Errorf("%s: %s", below, got)
		}
	}
}

func TestNotEquipped(t *testing.T) {
	for reason, want := range map[string][2]string{
		"x is not ignored (next: echo x >> .gitignore)": {"x is not ignored", "echo x >> .gitignore"},
		`the setup "m" failed: exit 1 (log: /l)`:        {`the setup "m" failed: exit 1 (log: /l)`, "correct [worktree] setup in .kedge/config.toml and commit it, then: kedge new a --worktree=b -- sh -c 'x y'"},
	} {
		err := notEquipped(reason, again(SessionNew{Name: "a", Command: []string{"sh", "-c", "x y"}, Worktree: &WorktreeWish{Branch: "b"}}, ""))
		if !kedge.Blocked.Is(err) || err.Error() != want[0] || kedge.HintOf(err) != want[1] {
			t.Errorf("%q gives %q with the hint %q", reason, err, kedge.HintOf(err))
		}
	}
}

func TestAgainSaysEverythingThatWasAsked(t *testing.T) {
	in := SessionNew{Name: "a", Dir: "/repo", Command: []string{"claude"}, Worktree: &WorktreeWish{}}
	all := in
	all.Dir, all.OnLimit, all.Worktree = "/repo/a b", kedge.OnLimitWait, &WorktreeWish{Branch: "x", Attach: true}
	for want, in := range map[string]SessionNew{
		"kedge new a --worktree -- claude":                                              in,
		"kedge new a --worktree=x --dir '/repo/a b' --on-limit wait --attach -- claude": all,
	} {
		if got := again(in, "/repo"); got != want {
			t.Errorf("it is %q, want %q", got, want)
		}
	}
}

func TestRefuseRemoved(t *testing.T) {
	root := t.TempDir()
	checkout, tree := filepath.Join(root, "repo"), filepath.Join(root, "tree")
	for _, dir := range []string{filepath.Join(checkout, "sub"), tree} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	in := SessionNew{Name: "a", Dir: filepath.Join(tree, "sub"), Command: []string{"x"}, OnLimit: kedge.OnLimitWait}
	if err := refuseRemoved(in, checkout); err != nil {
		t.Errorf("without a worktree: %v", err)
	}
	in.own = &kedge.SessionWorktree{Path: tree, Branch: "kedge/a"}
	if err := refuseRemoved(in, checkout); err != nil {
		t.Errorf("it is there: %v", err)
	}
	if err := os.Remove(tree); err != nil {
		t.Fatal(err)
	}
	for below, dir := range map[string]string{".": "", "sub": " --dir " + filepath.Join(checkout, "sub"), "other": ""} {
		in.Dir = filepath.Join(tree, below)
		want := "start a session of this name in a new worktree: kedge new a --worktree=kedge/a" + dir + " --on-limit wait -- x"
		if err := refuseRemoved(in, checkout); !kedge.NotFound.Is(err) || kedge.HintOf(err) != want {
			t.Errorf("%s: %v (hint %q), want %q", below, err, kedge.HintOf(err), want)
		}
	}
}
