package sessions

import (
	"testing"

	"kedge"
)

func TestNewArgs(t *testing.T) {
	for name, of := range map[string]struct {
		args     []string
		dash     int
		worktree bool
		hint     string // empty: they are right
	}{
		"a name and a command":   {[]string{"a", "claude"}, 1, true, ""},
		"without a worktree":     {[]string{"a", "claude", "-p"}, 1, false, ""},
		"no name":                {[]string{"claude"}, 0, true, "put a name before the two dashes: kedge new NAME --worktree -- claude"},
		"no name, no worktree":   {[]string{"claude", "-p"}, 0, false, "put a name before the two dashes: kedge new NAME -- claude -p"},
		"no dashes":              {[]string{"a", "claude"}, -1, false, "kedge new a -- claude"},
		"no command":             {[]string{"a"}, 1, true, "add the command after two dashes: kedge new a --worktree -- COMMAND"},
		"a branch after a space": {[]string{"a", "fix/x", "claude"}, 2, true, "kedge new a --worktree=fix/x -- claude"},
		"and before the name":    {[]string{"fix/x", "a", "claude"}, 2, true, "kedge new a --worktree=fix/x -- claude"},
		"a name alone":           {[]string{"a"}, -1, false, "add the command after two dashes: kedge new a -- COMMAND"},
		"a quoted word":          {[]string{"a", "sh", "-c", "echo hi"}, -1, false, "kedge new a -- sh -c 'echo hi'"},
		"two names":              {[]string{"a", "b", "claude"}, 2, false, "kedge new a -- claude"},
	} {
		err := checkArgs(of.args, of.dash, of.worktree)
		if (err == nil) != (of.hint == "") || kedge.HintOf(err) != of.hint {
			t.Errorf("%s: %v (hint %q), want the hint %q", name, err, kedge.HintOf(err), of.hint)
		}
	}
}

func TestWorktreeWish(t *testing.T) {
	if w, err := worktreeWish(ownBranch); err != nil || w.Branch != "" {
		t.Errorf("without a branch: %+v, %v", w, err)
	}
	if w, err := worktreeWish("fix/x"); err != nil || w.Branch != "fix/x" {
		t.Errorf("with a branch: %+v, %v", w, err)
	}
	if _, err := worktreeWish(""); !kedge.Invalid.Is(err) {
		t.Errorf("with an empty one: %v", err)
	}
}
