package strays

import (
	"context"
	"fmt"
	"strings"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/text/words"
)

// mostNamed bounds how many files of a submodule are named.
const mostNamed = 5

// Inside says what a session left in the submodules of its worktree that is in no commit: the
// checks there see it, and those in a clean worktree do not.
func Inside(ctx context.Context, tree *git.Repo) ([]kedge.Finding, error) {
	found, err := tree.InSubmodules(ctx)
	var out []kedge.Finding
	for _, w := range found {
		out = append(out, insideOne(w)...)
	}
	return out, err
}

func insideOne(w git.SubmoduleWork) []kedge.Finding {
	var out []kedge.Finding
	if w.Strange {
		out = append(out, kedge.Finding{
			Level: kedge.LevelWarning, What: "removed or replaced the repository of the submodule", Where: w.Path,
			Fix: "nothing to do: its contents are not part of the work; Kedge sets them aside (kedge salvage ls)",
		})
	}
	if n := len(w.Changed) + len(w.Untracked); n > 0 {
		out = append(out, kedge.Finding{
			Level: kedge.LevelWarning, What: changedInside(w), Where: w.Path,
			Fix: "not part of the work; Kedge sets it aside (kedge salvage ls); to make it part of the work, commit it there: " + commitInside(w),
		})
	}
	if len(w.Commits) > 0 {
		var all []string
		for _, sha := range w.Commits {
			all = append(all, words.Hash(sha))
		}
		out = append(out, kedge.Finding{
			Level: kedge.LevelInfo, What: "committed in the submodule: " + words.Some(all, mostNamed), Where: w.Path,
			Fix: fmt.Sprintf("before you push the work, push this commit of the submodule: git -C %s push origin %s:refs/heads/NAME", git.Quoted(w.Path), w.Commits[0]),
		})
	}
	return out
}

func changedInside(w git.SubmoduleWork) string {
	files := append(append([]string{}, w.Changed...), w.Untracked...)
	verb := "was changed but is"
	if len(files) > 1 {
		verb = "were changed but are"
	}
	return words.Some(files, mostNamed) + " " + verb + " not in the commit (submodule)"
}

func commitInside(w git.SubmoduleWork) string {
	return fmt.Sprintf("git -C %[1]s add -A && git -C %[1]s commit -m 'what changed'", git.Quoted(w.Path))
}

// OnlyInside says why a worktree in which a session worked has no change: all that it did is
// in submodules and in no commit of them. Empty: it did nothing there.
func OnlyInside(ctx context.Context, tree *git.Repo) (string, error) {
	found, err := tree.InSubmodules(ctx)
	var said []string
	for _, w := range found {
		if len(w.Changed)+len(w.Untracked) > 0 {
			said = append(said, changedInside(w)+"; commit it there: "+commitInside(w))
		}
	}
	if len(said) == 0 {
		return "", err
	}
	return "the only changes are in a submodule: " + strings.Join(said, "; "), err
}
