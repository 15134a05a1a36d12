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
		err := notEquipped(reason, again(SessionNew{Name: "a", Command: []string{"sh", "-c", "x y"}}, "b"))
		if !kedge.Blocked.Is(err) || err.Error() != want[0] || kedge.HintOf(err) != want[1] {
			t.Errorf("%q gives %q with the hint %q", reason, err, kedge.HintOf(err))
		}
	}
}
