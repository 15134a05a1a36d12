package maintenance

import (
	"context"
	"path/filepath"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/git"
	"kedge/internal/journal"
)

// RestoreRequest asks to make the project's journal whole again: from the backup in From,
// else from its own events up to the first that is damaged. Unverified also keeps events that
// Kedge cannot verify.
type RestoreRequest struct {
	From       string `json:"from,omitempty"`
	Unverified bool   `json:"unverified,omitempty"`
}

// RestoreReply says what was kept and what is missing.
type RestoreReply struct {
	Project kedge.ProjectID `json:"project"`
	From    string          `json:"from"` // the backup; empty: the journal itself
	journal.Restored
}

// Restore makes a damaged journal whole again. It refuses one that is whole, unless you name
// a backup.
func (s *Maintenance) Restore(ctx context.Context, who projects.Caller, in RestoreRequest) (RestoreReply, error) {
	if err := projects.PersonOnly(who, "restore a journal"); err != nil {
		return RestoreReply{}, err
	}
	if in.From != "" && !filepath.IsAbs(in.From) {
		return RestoreReply{}, kedge.Errorf(kedge.Invalid, "the folder of the backup must be an absolute path, not %q", in.From).WithHint("kedge restore --from /absolute/path")
	}
	pl, ok := git.Locate(who.Dir)
	if !ok {
		return RestoreReply{}, kedge.Errorf(kedge.NotFound, "the folder %q is not in a project", who.Dir).WithHint("go to your project's folder; or make this folder a project: kedge init")
	}
	id, err := git.ReadID(pl)
	if err != nil {
		return RestoreReply{}, err
	}
	if in.From == "" {
		if err := s.needsRestore(ctx, id); err != nil {
			return RestoreReply{}, err
		}
	}
	r := RestoreReply{Project: id, From: in.From}
	r.Restored, err = s.home.Restore(ctx, id, journal.RestoreOptions{From: in.From, Unverified: in.Unverified})
	return r, err
}

// needsRestore refuses to restore a journal in which nothing is wrong.
func (s *Maintenance) needsRestore(ctx context.Context, id kedge.ProjectID) error {
	o, err := s.home.Opened(id)
	if err != nil {
		if kedge.NotFound.Is(err) {
			return err
		}
		return nil //nolint:nilerr // it does not open: that is what a restoration is for
	}
	found, err := o.Store.Check(ctx)
	if err != nil {
		return nil //nolint:nilerr // likewise
	}
	for _, f := range found {
		if f.Level == kedge.LevelError && f.Fix != "kedge rebuild" {
			return nil
		}
	}
	return kedge.Errorf(kedge.Conflict, "the journal of this project is not damaged, so Kedge restored nothing").
		WithHint("to replace the journal with a backup: kedge restore --from FOLDER")
}
