package slot

import (
	"context"
	"slices"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/text/words"
)

// HoldsIgnored says which ignored files in the worktree of a session were made or changed
// since its set-up, by an agent or by you; empty for none. They are in no commit, and
// nothing sets them aside. What Kedge writes itself does not count.
func HoldsIgnored(ctx context.Context, w *git.Repo) (string, error) {
	files, err := w.IgnoredSince(ctx)
	files = slices.DeleteFunc(files, kedge.IsGenerated)
	if err != nil || len(files) == 0 {
		return "", err
	}
	return "it has ignored files that were made or changed since its set-up: " + words.Some(files, 3), nil
}

// refuseIgnored is the Conflict of a worktree with such files.
func (s *Slots) refuseIgnored(ctx context.Context, r Session) error {
	if s.cfg.Repo.Removing(r.Path) { // it was looked at when that began
		return nil
	}
	w, err := s.open(ctx, r.Path, nil)
	if err != nil {
		return err
	}
	why, err := HoldsIgnored(ctx, w)
	if err != nil || why == "" {
		return err
	}
	return kedge.Errorf(kedge.Conflict, "Kedge did not remove the worktree %q: %s", r.Path, why).
		WithHint("copy what you need, then: git worktree remove --force %s && kedge worktree gc", git.Quoted(r.Path))
}
