package slot

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"

	"kedge"
	"kedge/internal/process/atomicfile"
)

// Abandoned are the worktrees of sessions that never began: who made them is gone. Begun
// tells which sessions did.
func (s *Slots) Abandoned(begun func(kedge.SessionID) bool) ([]Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.abandoned(begun)
}

func (s *Slots) abandoned(begun func(kedge.SessionID) bool) ([]Session, error) {
	all, err := s.Sessions()
	return slices.DeleteFunc(all, func(r Session) bool { return begun(r.Session) || r.making() }), err
}

// Undo takes away the worktree of a session that did not come to be, right after it was
// made: what is in it comes from its commit, copied files and set-up, and is nobody's work.
func (s *Slots) Undo(ctx context.Context, r Session) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.undoNow(ctx, r)
}

// undoNow is Undo for who has the lock.
func (s *Slots) undoNow(ctx context.Context, r Session) error {
	if w, err := s.open(ctx, r.Path, nil); err == nil {
		tree, err := w.Tree(ctx)
		if err == nil {
			err = atomicfile.Write(putFile(w), []byte(tree+"\n"), 0o600) // Kedge put it there
		}
		if err != nil {
			return s.giveUp(r, err)
		}
	}
	return s.undo(ctx, r, Request{At: r.At})
}

// giveUp lets others take the worktree away later.
func (s *Slots) giveUp(r Session, err error) error {
	r.Maker = ""
	return errors.Join(err, s.writeSession(r))
}

// ClearAbandoned takes away what Abandoned lists. What is in it and in no commit is set
// aside first: it may have stood there for days.
func (s *Slots) ClearAbandoned(ctx context.Context, r Session, begun func(kedge.SessionID) bool, q Request) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, err := s.abandoned(begun)
	if err != nil || !slices.ContainsFunc(now, func(o Session) bool { return o.Path == r.Path && o.Session == r.Session }) {
		return err
	}
	return s.undo(ctx, r, q)
}

// undo removes the worktree of a record, the branch that was made for it, and the record:
// in this order, so that whoever is killed on the way finds what is left.
func (s *Slots) undo(ctx context.Context, r Session, q Request) error {
	if err := s.undoTree(ctx, r, q); err != nil {
		return s.giveUp(r, err)
	}
	if err := s.undoBranch(ctx, r); err != nil {
		return s.giveUp(r, err)
	}
	return s.forgetSession(r)
}

func (s *Slots) undoTree(ctx context.Context, r Session, q Request) error {
	if !s.cfg.Repo.Removing(r.Path) {
		if err := s.cfg.Repo.AbortWorktree(ctx, r.Path); err != nil {
			return err
		}
		if !s.cfg.Repo.Registered(r.Path) {
			return nil
		}
		if s.Gone(r) {
			return s.forgetTree(ctx, r, q)
		}
		if err := s.addSession(ctx, r); err != nil && !kedge.Conflict.Is(err) { // one that was moved on is whole
			return err
		}
	}
	_, err := s.drop(ctx, r.Path, q)
	return errors.Join(err, s.Sweep(ctx))
}

// undoBranch removes the branch that was made for a worktree and got no commit since.
func (s *Slots) undoBranch(ctx context.Context, r Session) error {
	if !r.Made {
		return nil
	}
	ref := "refs/heads/" + r.Branch
	at, err := s.cfg.Repo.Resolve(ctx, ref)
	if err != nil || at != r.Base {
		return ignoring(err, kedge.NotFound)
	}
	places, err := s.cfg.Repo.CheckedOut(ctx)
	if _, inUse := places[r.Branch]; inUse || err != nil {
		return err
	}
	return s.cfg.Repo.UpdateRef(ctx, ref, "", r.Base)
}

func ignoring(err error, kind kedge.Kind) error {
	if kind.Is(err) {
		return nil
	}
	return err
}

func (s *Slots) forgetSession(r Session) error {
	if err := os.Remove(r.Path + ".json"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return kedge.Errorf(kedge.Internal, "cannot delete the state file of the worktree %q: %w", r.Path, err)
	}
	return nil
}

// ClearSession takes away the worktree of a session that is over. What Kedge itself wrote
// there is set aside first. Conflict when a process works in it, or when it has ignored
// files that are not of its set-up. The branch goes with it if Kedge named it and its commits are on the branch that it was made from.
func (s *Slots) ClearSession(ctx context.Context, path string, q Request) (Branches, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := Branches{Kept: map[string]string{}}
	r, found := s.At(path)
	if !found {
		return out, kedge.Errorf(kedge.NotFound, "%q is not the worktree of a session", path).WithHint("see the worktrees and their sessions: kedge worktree ls")
	}
	if s.Gone(r) {
		if err := s.forgetTree(ctx, r, q); err != nil {
			return out, err
		}
	} else if err := s.dropSession(ctx, r, q); err != nil {
		return out, err
	}
	return s.dropSessionBranch(ctx, r, out)
}

func (s *Slots) dropSession(ctx context.Context, r Session, q Request) error {
	if err := s.refuseIgnored(ctx, r); err != nil {
		return err
	}
	_, err := s.drop(ctx, r.Path, q)
	return err
}

// dropSessionBranch removes what a worktree that is gone leaves behind.
func (s *Slots) dropSessionBranch(ctx context.Context, r Session, out Branches) (Branches, error) {
	if r.namedByKedge() && r.From != "" {
		gone, stays, err := s.cfg.Repo.DropBranch(ctx, r.Branch, r.From)
		switch {
		case err != nil:
			return out, err
		case gone:
			out.Gone = append(out.Gone, r.Branch)
		case stays != "":
			out.Kept[r.Branch] = stays
		}
	} else if r.Made {
		out.Kept[r.Branch], _ = s.SessionBranchStays(ctx, r, nil) // it asks nobody then
	}
	return out, s.forgetSession(r)
}

// namedByKedge tells whether the branch is nobody's but Kedge's: it made it, and nobody
// said what it is called. Older records do not say that, so the name has to fit too.
func (r Session) namedByKedge() bool {
	return r.Made && !r.Named && r.Branch == SessionBranch(r.Name)
}

// SessionBranchStays says why the branch of a session's worktree would stay when the
// worktrees at these paths are gone; empty when it would go. It changes nothing.
func (s *Slots) SessionBranchStays(ctx context.Context, r Session, going []string) (string, error) {
	switch {
	case !r.namedByKedge():
		return "you named it", nil
	case r.From == "":
		return "no branch was checked out when it was made", nil
	}
	return s.cfg.Repo.BranchStays(ctx, r.Branch, r.From, going)
}

// Lost are the records of worktrees whose sessions began and that somebody else removed.
func (s *Slots) Lost(begun func(kedge.SessionID) bool) ([]Session, error) {
	all, err := s.Sessions()
	return slices.DeleteFunc(all, func(r Session) bool {
		_, err := os.Lstat(r.Path)
		return err == nil || !begun(r.Session) || s.cfg.Repo.Removing(r.Path) || s.cfg.Repo.Registered(r.Path)
	}), err
}

// ForgetLost forgets the worktree of a record that Lost lists, and its branch as
// ClearSession does.
func (s *Slots) ForgetLost(ctx context.Context, r Session) (Branches, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dropSessionBranch(ctx, r, Branches{Kept: map[string]string{}})
}
