package projects

import (
	"context"
	"path/filepath"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/git/slot"
)

// Slots gives the worktrees of the project's runs. All callers of a project share one
// lock.
func (h *Home) Slots(p *Project, repo *git.Repo) *slot.Slots {
	return slot.New(slot.Config{
		Repo: repo, Dir: filepath.Join(h.Dir, "worktrees", string(p.ID)), Attic: h.Attic(p), Project: p.ID, Now: h.Clock,
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
