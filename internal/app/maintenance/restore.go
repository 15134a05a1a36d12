package maintenance

import (
	"context"
	"os"
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
	Project    string `json:"project,omitempty"` // its id; empty: the project of the caller's folder
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
	id, err := s.restored(who, in.Project)
	if err != nil {
		return RestoreReply{}, err
	}
	if err := s.mayRestore(ctx, id, in.From); err != nil {
		return RestoreReply{}, err
	}
	r := RestoreReply{Project: id, From: in.From}
	r.Restored, err = s.home.Restore(ctx, id, journal.RestoreOptions{From: in.From, Unverified: in.Unverified})
	return r, err
}

// restored gives the project whose journal is restored.
func (s *Maintenance) restored(who projects.Caller, name string) (kedge.ProjectID, error) {
	if name == "" {
		pl, ok := git.Locate(who.Dir)
		if !ok {
			return "", kedge.Errorf(kedge.NotFound, "the folder %q is not in a project", who.Dir).WithHint("name the project: kedge restore --project ID (to see the ids: kedge project ls)")
		}
		return git.ReadID(pl)
	}
	id := kedge.ProjectID(name)
	if _, err := os.Stat(s.home.StateDir(id)); err != nil || !kedge.ValidID("prj", name) {
		return "", kedge.Errorf(kedge.NotFound, "Kedge knows no project with the id %q", name).WithHint("see the projects and their ids: kedge project ls")
	}
	return id, nil
}

// mayRestore refuses to restore a journal that is not damaged, unless from a backup; and to put
// a backup over one that living sessions need.
func (s *Maintenance) mayRestore(ctx context.Context, id kedge.ProjectID, from string) error {
	o, err := s.home.Opened(id)
	switch {
	case kedge.NotFound.Is(err):
		return err
	case err != nil:
		return nil //nolint:nilerr // it does not open: that is what a restoration is for
	case from == "":
		return needsRestore(ctx, o.Store)
	case o.Store.Refusal() != nil:
		return nil
	}
	sessions, err := journal.All[kedge.Session](ctx, o.Store, journal.KindSession)
	if err != nil {
		return nil //nolint:nilerr // likewise
	}
	for _, ses := range sessions {
		if ses.Live() {
			return kedge.Errorf(kedge.Conflict, "session %q is running, and a backup does not know it; Kedge restored nothing", ses.Name).
				WithHint("end the run and the sessions first: kedge run --stop; kedge kill NAME")
		}
	}
	return nil
}

// needsRestore refuses to restore a journal in which nothing is wrong.
func needsRestore(ctx context.Context, st *journal.Store) error {
	found, err := st.Check(ctx)
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
