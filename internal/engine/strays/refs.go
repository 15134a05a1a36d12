package strays

import (
	"context"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/git/slot"
	"kedge/internal/text/words"
)

// Refs is what is known of a repository's refs from before a session.
type Refs struct {
	Repo     *git.Repo // the user's checkout
	Tree     *git.Repo // the worktree in which the session worked
	Base     string    // the commit at which it began
	Before   map[string]string
	Landings []slot.Landing // what Kedge itself moved
	Session  kedge.SessionID
}

// Moved says which refs are not where they were when the worktree was prepared.
// Who moved them cannot be known; nothing is put back.
func Moved(ctx context.Context, r Refs) ([]kedge.Finding, error) {
	var out []kedge.Finding
	h, err := r.Tree.Head(ctx)
	if err != nil {
		return nil, err
	}
	if h.Commit != r.Base {
		out = append(out, kedge.Finding{
			Level: kedge.LevelInfo, What: "made commits of its own in the worktree", Where: words.Hash(h.Commit), Fix: "nothing to do: Kedge judges their content like any other change",
		})
	}
	if r.Before == nil {
		return out, nil
	}
	now, err := Watched(ctx, r.Repo)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(keys(r.Before, now)) {
		if r.Before[name] == now[name] || landed(r.Landings, name, r.Before[name], now[name]) {
			continue
		}
		m := kedge.RefMove{Ref: name, From: words.Hash(r.Before[name]), To: words.Hash(now[name]), Session: r.Session}
		if m.Within, err = r.within(ctx, h.Commit, now[name]); err != nil {
			return nil, err
		}
		out = append(out, m.Finding())
	}
	return out, nil
}

// within tells whether a commit is one that the worktree, which is at head, did not begin
// with and has now.
func (r Refs) within(ctx context.Context, head, commit string) (bool, error) {
	if commit == "" || head == r.Base {
		return false, nil
	}
	if had, err := r.Repo.Descends(ctx, r.Base, commit); err != nil || had {
		return false, err
	}
	return r.Repo.Descends(ctx, head, commit)
}

// landed tells whether a branch came from one commit to another by nothing but what
// Kedge itself landed. What was begun and never done is among the landings, so that
// several may begin at one commit.
func landed(all []slot.Landing, ref, from, to string) bool {
	seen, open := map[string]bool{}, []string{from}
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		if at == to {
			return true
		}
		if seen[at] {
			continue
		}
		seen[at] = true
		for _, l := range all {
			if l.Ref == ref && l.From == at {
				open = append(open, l.To)
			}
		}
	}
	return false
}

// keys are those of both maps, each once.
func keys(a, b map[string]string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range a {
			if !yield(k) {
				return
			}
		}
		for k := range b {
			if _, seen := a[k]; !seen && !yield(k) {
				return
			}
		}
	}
}

// Watched are the branches and tags that are not Kedge's own.
func Watched(ctx context.Context, repo *git.Repo) (map[string]string, error) {
	refs, err := repo.Refs(ctx)
	for name := range refs {
		local := strings.HasPrefix(name, "refs/heads/") || strings.HasPrefix(name, "refs/tags/")
		if !local || strings.HasPrefix(name, "refs/heads/kedge/") {
			delete(refs, name)
		}
	}
	return refs, err
}
