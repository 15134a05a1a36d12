package salvage

import (
	"context"
	"time"

	"kedge"
	"kedge/internal/git/hardened"
	"kedge/internal/git/history"
)

// CopyRequest asks for a copy of a worktree to be kept, while work in it goes
// on.
type CopyRequest struct {
	ID     kedge.SalvageID
	Reason string
	Date   time.Time
}

// Copy is a worktree as it stood. Salvage has no Ref when nothing in it differs
// from HEAD.
type Copy struct {
	Tree    string // without what no commit can hold
	Salvage kedge.Salvage
}

// KeepCopy keeps a copy of the worktree under the salvage refs and changes
// nothing in it: no file moves, the index stays. What cannot go into a commit
// (files over 50 MB, nested repositories, files behind a filter) is left out and
// stays where it is. Of one id the newest copy is under the ref; earlier ones are
// its ancestors. Asked for again with nothing changed it gives the same copy.
func (r *Repo) KeepCopy(ctx context.Context, q CopyRequest) (Copy, error) {
	if !kedge.ValidID("sal", string(q.ID)) {
		return Copy{}, kedge.Errorf(kedge.Invalid, "%q is not the id of work that Kedge set aside (a salvage)", q.ID).WithHint("see the ids: kedge salvage ls")
	}
	var out Copy
	err := r.g.Exclusively(ctx, func(ctx context.Context) error {
		before, had, err := r.salvage(ctx, q.ID)
		if err != nil {
			return err
		}
		out, err = r.copyTree(ctx, q)
		if err != nil || out.Salvage.Files == 0 {
			return err
		}
		if had && before.Tree == out.Tree && before.Base == out.Salvage.Base {
			out.Salvage = before
			return nil
		}
		return r.keepAfter(ctx, before, &out.Salvage)
	})
	return out, err
}

// copyTree writes the tree of what is there.
func (r *Repo) copyTree(ctx context.Context, q CopyRequest) (Copy, error) {
	var out Copy
	err := r.withScratch(ctx, func(s *scratch) error {
		h, err := r.Head(ctx)
		if err != nil {
			return err
		}
		out.Salvage = kedge.Salvage{ID: q.ID, Base: h.Commit, Reason: oneLine(q.Reason), At: q.Date, Attic: []string{}}
		if _, err := s.salvageTree(ctx, Request{}, &out.Salvage, held{}); err != nil {
			return err
		}
		out.Tree, out.Salvage.Attic = out.Salvage.Tree, []string{}
		return s.count(ctx, &out.Salvage)
	})
	return out, err
}

// keepAfter makes the commit of a copy, the one before it as a second parent.
func (r *Repo) keepAfter(ctx context.Context, before kedge.Salvage, out *kedge.Salvage) error {
	q := history.CommitRequest{Tree: out.Tree, Date: out.At, Author: hardened.Kedge, Message: salvageMessage(*out, "")}
	for _, p := range []string{out.Base, before.Commit} {
		if p != "" {
			q.Parents = append(q.Parents, p)
		}
	}
	sha, err := r.Commit(ctx, q)
	if err != nil {
		return err
	}
	out.Commit, out.Ref = sha, salvageRefs+string(out.ID)
	return history.MoveRef(ctx, r.g, out.Ref, sha, before.Commit)
}

// DropCopy forgets a copy whose work is in a commit now. One that is not there
// is fine.
func (r *Repo) DropCopy(ctx context.Context, id kedge.SalvageID) error {
	if !kedge.ValidID("sal", string(id)) {
		return kedge.Errorf(kedge.Invalid, "%q is not the id of work that Kedge set aside (a salvage)", id).WithHint("see the ids: kedge salvage ls")
	}
	return r.g.Exclusively(ctx, func(ctx context.Context) error {
		s, ok, err := r.salvage(ctx, id)
		if err != nil || !ok {
			return err
		}
		return history.MoveRef(ctx, r.g, s.Ref, "", s.Commit)
	})
}

// KeepTree keeps a tree, of work on a base commit, under the salvage refs: no worktree is looked
// at. The answer has no Ref where the tree is that of the base. Asked for again it gives the same.
func (r *Repo) KeepTree(ctx context.Context, q CopyRequest, base, tree string) (kedge.Salvage, error) {
	if !kedge.ValidID("sal", string(q.ID)) {
		return kedge.Salvage{}, kedge.Errorf(kedge.Invalid, "%q is not the id of work that Kedge set aside (a salvage)", q.ID).WithHint("see the ids: kedge salvage ls")
	}
	out := kedge.Salvage{ID: q.ID, Base: base, Tree: tree, Reason: oneLine(q.Reason), At: q.Date, Attic: []string{}}
	err := r.g.Exclusively(ctx, func(ctx context.Context) error {
		before, had, err := r.salvage(ctx, q.ID)
		if had && before.Tree == tree && before.Base == base {
			out = before
			return nil
		}
		if err != nil {
			return err
		}
		paths, err := r.SalvagePaths(ctx, out)
		if out.Files = len(paths); err != nil || out.Files == 0 {
			return err
		}
		return r.keepAfter(ctx, before, &out)
	})
	return out, err
}
