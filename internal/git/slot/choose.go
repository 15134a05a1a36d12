package slot

import (
	"slices"
	"strings"

	"kedge"
	"kedge/internal/git"
)

// Wish is what somebody asks of the worktree of a session, and what the repository has.
type Wish struct {
	Session string            // its name
	Branch  string            // empty: kedge/NAME, made anew
	Head    git.Head          // of the checkout in which it is asked for
	Refs    map[string]string // every ref and where it is
	Places  map[string]string // the worktree in which a branch is checked out, by branch
}

// Choice is the branch of a worktree.
type Choice struct {
	Branch string
	Base   string // the commit that it is at, or is made at
	Make   bool   // it does not exist yet
}

// Choose decides which branch the worktree of a session is on. An existing branch is
// only taken when it was named: a name that was used before must not bring back old work.
func Choose(w Wish) (Choice, error) {
	c := Choice{Branch: w.Branch}
	if c.Branch == "" {
		c.Branch = SessionBranch(w.Session)
	}
	if err := git.CheckBranch(c.Branch); err != nil {
		return c, err
	}
	if id, ours := strings.CutPrefix(c.Branch, "kedge/"); ours && kedge.ValidID("run", id) {
		return c, kedge.Errorf(kedge.Invalid, "the branch %q belongs to a run, and sessions may not work on it", c.Branch).WithHint("name another branch: --worktree=BRANCH")
	}
	at, exists := w.Refs["refs/heads/"+c.Branch]
	place, inUse := w.Places[c.Branch]
	switch {
	case inUse:
		return c, kedge.Errorf(kedge.Conflict, "the branch %q is checked out in %q", c.Branch, place).
			WithHint("name another branch: --worktree=BRANCH; or first switch that folder to another branch: git -C %s switch OTHER", git.Quoted(place))
	case exists && w.Branch == "":
		return c, kedge.Errorf(kedge.Conflict, "the branch %q exists already", c.Branch).
			WithHint("to work on that branch: --worktree=%s; to get a new branch, give the session another name", git.Quoted(c.Branch))
	case exists:
		c.Base = at
		return c, nil
	}
	if other := inTheWay(c.Branch, w.Refs); other != "" {
		return c, kedge.Errorf(kedge.Conflict, "git cannot make the branch %q while a branch %q exists", c.Branch, other).
			WithHint("name another branch: --worktree=BRANCH")
	}
	c.Base, c.Make = w.Head.Commit, true
	return c, nil
}

// inTheWay is a branch whose name is a folder of the other's, or the other way round: git
// cannot have both.
func inTheWay(branch string, refs map[string]string) string {
	var found []string
	for ref := range refs {
		other, is := strings.CutPrefix(ref, "refs/heads/")
		if is && (strings.HasPrefix(branch, other+"/") || strings.HasPrefix(other, branch+"/")) {
			found = append(found, other)
		}
	}
	if len(found) == 0 {
		return ""
	}
	return slices.Min(found)
}

// SessionBranch is the branch that a session gets when none is named.
func SessionBranch(name string) string { return "kedge/" + name }
