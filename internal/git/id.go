package git

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"kedge"
	"kedge/internal/process/atomicfile"
)

// ProjectID reads the id that Kedge gave the repository; empty when it has none.
// It stands in the common git dir, so that every worktree finds it.
func (r *Repo) ProjectID() (kedge.ProjectID, error) {
	b, err := os.ReadFile(r.idFile())
	if os.IsNotExist(err) {
		return "", nil
	}
	if err != nil {
		return "", kedge.Errorf(kedge.Internal, "cannot read the project's id: %w", err)
	}
	id := strings.TrimSpace(string(b))
	if !kedge.ValidID("prj", id) {
		return "", kedge.Errorf(kedge.Invalid, "%s:1: %q is not a project id", r.idFile(), id).
			WithHint("restore the file from a backup; if you have no backup, remove the file, then run: kedge init")
	}
	return kedge.ProjectID(id), nil
}

// SetProjectID gives the repository its id; Conflict when it has another one.
func (r *Repo) SetProjectID(ctx context.Context, id kedge.ProjectID) error {
	if !kedge.ValidID("prj", string(id)) {
		return kedge.Errorf(kedge.Invalid, "%q is not a valid project id", id)
	}
	return r.g.Exclusively(ctx, func(ctx context.Context) error {
		has, err := r.ProjectID()
		if err != nil || has == id {
			return err
		}
		if has != "" {
			return kedge.Errorf(kedge.Conflict, "the repository already has the project id %q", has).WithHint("see where the project stands: kedge status")
		}
		return atomicfile.Write(r.idFile(), []byte(string(id)+"\n"), 0o644)
	})
}

func (r *Repo) idFile() string { return filepath.Join(r.g.CommonDir(), "kedge-id") }
