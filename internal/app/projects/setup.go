package projects

import (
	"context"

	"kedge"
	"kedge/internal/git"
)

// NotSetUp tells whether the files are gone that init writes and nobody edits, and are not
// in the last commit either: init --remove took them, or the branch does not have them.
// The journal is still there, and settings that you changed may be. Files that are only
// deleted by hand are an edit, which Kedge restores.
func (h *Home) NotSetUp(ctx context.Context, p *Project) bool {
	names := []string{kedge.ValidateFile, kedge.FeaturesFile}
	for _, name := range names {
		if _, there, err := p.Read(name); there || err != nil {
			return false
		}
	}
	if !p.Git {
		return true
	}
	repo, err := h.Git(ctx, p)
	if err != nil {
		return false
	}
	for _, name := range names {
		if there, err := repo.Exists(ctx, "HEAD", name); there || err != nil {
			return false
		}
	}
	return true
}

// RefuseNotSetUp refuses a project that is not set up: whatever writes its ledger or
// starts a run would bring back the files that init --remove took out. A linked worktree
// may be of a branch that is older than these files: there the main one counts too. A
// session of a run writes only the journal.
func (h *Home) RefuseNotSetUp(ctx context.Context, p *Project) error {
	if p.RunSession != nil || !h.NotSetUp(ctx, p) {
		return nil
	}
	if main := git.MainFolder(p.Dir); main != "" && main != p.Dir && !h.NotSetUp(ctx, p.In(main)) {
		return nil
	}
	return kedge.Errorf(kedge.NotFound, "Kedge is not set up in this folder").WithHint("set up Kedge: kedge init")
}

// OpenSetUp is Open for a command that writes the ledger or starts work.
func (h *Home) OpenSetUp(ctx context.Context, who Caller) (*Project, error) {
	p, err := h.Open(ctx, who)
	if err != nil {
		return nil, err
	}
	return p, h.RefuseNotSetUp(ctx, p)
}
