package strays

import (
	"fmt"
	"testing"

	"kedge"
	"kedge/internal/git"
)

func TestInsideOne(t *testing.T) {
	sha := "0123456789abcdef0123456789abcdef01234567"
	for name, of := range map[string]struct {
		w    git.SubmoduleWork
		want string
	}{
		"nothing": {git.SubmoduleWork{Path: "lib"}, ""},
		"one file": {
			git.SubmoduleWork{Path: "vendor/lib", Changed: []string{"vendor/lib/l.py"}},
			"warning vendor/lib: vendor/lib/l.py was changed but is not in the commit (submodule) [not part of the work; Kedge sets it aside (kedge salvage ls); to make it part of the work, commit it there: git -C vendor/lib add -A && git -C vendor/lib commit -m 'what changed']\n",
		},
		"files and a commit": {
			git.SubmoduleWork{Path: "a b", Changed: []string{"a b/x"}, Untracked: []string{"a b/y"}, Commits: []string{sha}},
			"warning a b: a b/x, a b/y were changed but are not in the commit (submodule) [not part of the work; Kedge sets it aside (kedge salvage ls); to make it part of the work, commit it there: git -C 'a b' add -A && git -C 'a b' commit -m 'what changed']\n" +
				"info a b: committed in the submodule: 0123456789ab [before you push the work, push this commit of the submodule: git -C 'a b' push origin " + sha + ":refs/heads/NAME]\n",
		},
		"no repository": {
			git.SubmoduleWork{Path: "lib", Strange: true},
			"warning lib: removed or replaced the repository of the submodule [nothing to do: its contents are not part of the work; Kedge sets them aside (kedge salvage ls)]\n",
		},
	} {
		got := ""
		for _, f := range insideOne(of.w) {
			got += fmt.Sprintf("%s %s: %s [%s]\n", f.Level, f.Where, f.What, f.Fix)
			if f.Level == kedge.LevelError {
				t.Errorf("%s: it is an error", name)
			}
		}
		if got != of.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, of.want)
		}
	}
}
