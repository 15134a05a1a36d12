package projects

import (
	"context"
	"path/filepath"
	"slices"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/git/slot"
	"kedge/internal/journal"
)

// Slots gives the worktrees of the project's runs. All callers of a project share one
// lock.
func (h *Home) Slots(p *Project, repo *git.Repo) *slot.Slots {
	return slot.New(slot.Config{
		Repo: repo, Dir: h.worktreesDir(p.ID), Attic: h.Attic(p), Project: p.ID, Now: h.Clock,
		Lock: &p.slots, Over: p.over,
	})
}

// over gives which runs are over, by the journal.
func (p *Project) over(ctx context.Context) (func(kedge.RunID) bool, error) {
	docs, err := p.Store.Runs(ctx)
	if err != nil {
		return nil, err
	}
	ended := map[kedge.RunID]bool{}
	for i := range docs {
		ended[docs[i].State.Run] = docs[i].State.Ended()
	}
	return func(id kedge.RunID) bool { return ended[id] }, nil
}

// Begun tells whether the journal has a session. One that cannot be looked up has begun:
// nothing of it is taken away.
func (p *Project) Begun(ctx context.Context) func(kedge.SessionID) bool {
	return func(id kedge.SessionID) bool {
		_, found, err := journal.Get[kedge.Session](ctx, p.Store, journal.KindSession, string(id))
		return found || err != nil
	}
}

// HasWork tells whether a worktree has changes that are not committed, besides what Kedge
// itself writes from the journal.
func HasWork(ctx context.Context, repo *git.Repo, dir string) (bool, error) {
	w, err := repo.In(ctx, dir)
	if err != nil {
		return false, err
	}
	if dirty, err := w.Dirty(ctx); err != nil || !dirty {
		return false, err
	}
	tree, err := w.Tree(ctx)
	if err != nil {
		return false, err
	}
	changes, err := w.Diff(ctx, "HEAD", tree)
	work := slices.ContainsFunc(changes, func(c git.Change) bool { return !kedge.IsGenerated(c.Path) })
	return work || len(changes) == 0, err // without a changed file it is a repository inside
}

// RefuseUnborn refuses work on a repository that has no commit to begin at.
func RefuseUnborn(head git.Head) error {
	if !head.Unborn {
		return nil
	}
	return kedge.Errorf(kedge.Blocked, "the repository has no commit yet").WithHint("make the first commit: git add -A && git commit -m start")
}

// worktreesDir is the folder of the worktrees of a project.
func (h *Home) worktreesDir(id kedge.ProjectID) string {
	return filepath.Join(h.Dir, "worktrees", string(id))
}

// SessionWorktree is the worktree of a session in which the caller's folder lies; false for
// your own checkout, and for worktrees that you or a run made.
func (h *Home) SessionWorktree(p *Project) (kedge.SessionWorktree, bool) {
	own, found := slot.New(slot.Config{Dir: h.worktreesDir(p.ID)}).At(p.Dir)
	return own.SessionWorktree, found
}

// MeasuresDrift tells whether drift is measured in the caller's folder: in your checkout,
// and not where sessions work apart from it.
func (h *Home) MeasuresDrift(p *Project) bool {
	if p.RunSession != nil {
		return false
	}
	_, apart := h.SessionWorktree(p)
	return !apart
}

// HasSessionWorktrees tells whether sessions of a project have worktrees of their own.
func (h *Home) HasSessionWorktrees(id kedge.ProjectID) bool {
	return slot.HasSessions(h.worktreesDir(id))
}
