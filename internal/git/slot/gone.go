package slot

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
)

// Gone tells whether somebody deleted the folder of a session's worktree.
func (s *Slots) Gone(r Session) bool {
	_, err := os.Lstat(r.Path)
	return errors.Is(err, fs.ErrNotExist) && !s.cfg.Repo.Removing(r.Path)
}

// goneAt is the session whose worktree was at a path, if its folder was deleted.
func (s *Slots) goneAt(path string) (Session, bool) {
	r, found := s.At(path)
	return r, found && r.Path == path && s.Gone(r)
}

// inUse is where branches are checked out, without worktrees of sessions whose folder was
// deleted: they keep nobody from a branch.
func (s *Slots) inUse(ctx context.Context) (map[string]string, error) {
	places, err := s.cfg.Repo.CheckedOut(ctx)
	maps.DeleteFunc(places, func(_, path string) bool {
		_, gone := s.goneAt(path)
		return gone
	})
	return places, err
}

// forgetGone forgets the worktree of a session that had the branch that is asked for, if
// its folder was deleted: git would not check the branch out elsewhere.
func (s *Slots) forgetGone(ctx context.Context, q SessionRequest) error {
	places, err := s.cfg.Repo.CheckedOut(ctx)
	if err != nil {
		return err
	}
	r, gone := s.goneAt(places[cmp.Or(q.Branch, SessionBranch(q.Name))])
	if !gone {
		return nil
	}
	if err := s.forgetTree(ctx, r, Request{Name: "gone-" + string(q.Session), At: q.At, Saved: q.Saved}); err != nil {
		return err
	}
	return s.forgetSession(r)
}

// forgetTree makes git forget the worktree of a record whose folder was deleted. Commits
// that only its HEAD had are set aside.
func (s *Slots) forgetTree(ctx context.Context, r Session, q Request) error {
	q.Reason = "the folder of the worktree of session " + r.Name + " was deleted"
	ask := s.salvage(q, "gone")
	saved, err := s.cfg.Repo.ForgetWorktree(ctx, r.Path, ask)
	if err != nil || saved.Ref == "" {
		return err
	}
	return q.told(ctx, saved)
}
