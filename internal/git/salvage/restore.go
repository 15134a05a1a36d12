package salvage

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"kedge"

	"kedge/internal/git/checkout"
	"kedge/internal/git/hardened"
	"kedge/internal/git/history"
)

// RestoreRequest asks for a salvage to come back into a worktree.
type RestoreRequest struct {
	ID    kedge.SalvageID
	Dir   string // root of the worktree; empty is this one
	Attic string // the project's attic folder
}

// Restore brings a salvage back: the difference that it made to its base is made
// to the present files, three-way where they have moved on, and the things in
// the attic are moved back. Conflict, with the paths named and nothing changed,
// when a file it needs has changes of its own. The salvage stays until it is
// dropped; restoring twice changes nothing more.
func (r *Repo) Restore(ctx context.Context, q RestoreRequest) (kedge.Salvage, error) {
	if !kedge.ValidID("sal", string(q.ID)) {
		return kedge.Salvage{}, kedge.Errorf(kedge.Invalid, "%q is not a salvage id", q.ID).WithHint("kedge salvage ls")
	}
	list, err := r.listSalvage(ctx, salvageRefs+string(q.ID))
	if err != nil {
		return kedge.Salvage{}, err
	}
	if len(list) == 0 {
		return kedge.Salvage{}, kedge.Errorf(kedge.NotFound, "no salvage %q", q.ID).WithHint("kedge salvage ls")
	}
	w, err := r.at(ctx, q.Dir)
	if err != nil {
		return kedge.Salvage{}, err
	}
	a := Attic{Dir: filepath.Join(q.Attic, string(q.ID))}
	err = r.g.Exclusively(ctx, func(ctx context.Context) error {
		return w.withScratch(ctx, func(s *scratch) error { return s.restore(ctx, list[0], a) })
	})
	return list[0].Salvage, err
}

// standing is where the worktree is when a restore begins, all as trees.
type standing struct {
	head  history.Head
	at    string // HEAD's tree
	now   string // the files as they are
	dirty map[string]bool
}

func (s *scratch) standing(ctx context.Context) (standing, error) {
	var st standing
	var err error
	if st.head, err = s.r.Head(ctx); err != nil {
		return st, err
	}
	if st.at, err = history.BaseTree(ctx, s.r.g, st.head.Commit); err != nil {
		return st, err
	}
	if st.now, err = s.WorkTree(ctx); err != nil {
		return st, err
	}
	diff, err := s.r.Diff(ctx, st.at, st.now)
	st.dirty = map[string]bool{}
	for _, c := range diff {
		st.dirty[c.Path] = true
	}
	return st, err
}

func (s *scratch) restore(ctx context.Context, v saved, a Attic) error {
	st, err := s.standing(ctx)
	if err != nil {
		return err
	}
	back, err := s.isBack(ctx, st, v, a)
	if err != nil {
		return err
	}
	if !back {
		if err := s.bringBack(ctx, st, v, a); err != nil {
			return err
		}
	}
	return s.stage(ctx, st, v)
}

func (s *scratch) bringBack(ctx context.Context, st standing, v saved, a Attic) error {
	target, err := s.target(ctx, st, v)
	if err != nil {
		return err
	}
	if err := s.refuseDirty(ctx, st, target, v, a); err != nil {
		return err
	}
	if err := s.SwitchTo(ctx, st.now, target); err != nil {
		return err
	}
	return a.GiveBack(s.r.g.Root(), v.Attic)
}

// isBack tells whether the worktree already holds the salvage whole.
func (s *scratch) isBack(ctx context.Context, st standing, v saved, a Attic) (bool, error) {
	here, err := s.r.without(ctx, st.now, v.Attic)
	if err != nil || here != v.Tree || len(v.Attic) == 0 {
		return here == v.Tree && len(v.Attic) == 0, err
	}
	for _, p := range v.Attic {
		if hardened.Exists(a.Path(p)) || !hardened.Exists(filepath.Join(s.r.g.Root(), filepath.FromSlash(p))) {
			return false, nil
		}
	}
	return true, nil
}

// without is TreeWithout for attic paths, of which git may hold none.
func (r *Repo) without(ctx context.Context, tree string, paths []string) (string, error) {
	var can []string
	for _, p := range paths {
		if hardened.Storable(p) {
			can = append(can, p)
		}
	}
	return r.TreeWithout(ctx, tree, can...)
}

// target is the tree that the worktree shall have, attic things aside: the
// salvage's where nothing moved since, else a three-way merge.
func (s *scratch) target(ctx context.Context, st standing, v saved) (string, error) {
	base, err := history.BaseTree(ctx, s.r.g, v.Base)
	if err != nil {
		return "", err
	}
	if st.now == base || st.now == v.Tree {
		return v.Tree, nil
	}
	return s.merge(ctx, base, st.now, v)
}

// merge applies the difference from base to the salvage to the tree now. The
// commits are only there because merge-tree wants commits.
func (s *scratch) merge(ctx context.Context, base, now string, v saved) (string, error) {
	q := history.CommitRequest{Tree: base, Message: "base", Date: v.At, Author: hardened.Kedge}
	root, err := s.r.Commit(ctx, q)
	if err != nil {
		return "", err
	}
	q.Parents = []string{root}
	side := [2]string{}
	for i, tree := range []string{now, v.Tree} {
		q.Tree, q.Message = tree, fmt.Sprintf("side %d", i)
		if side[i], err = s.r.Commit(ctx, q); err != nil {
			return "", err
		}
	}
	out, err := s.Do(ctx, nil, "merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", side[0], side[1])
	f := hardened.Fields(out)
	if hardened.ExitCode(err) == 1 && len(f) > 0 {
		return "", conflict(v.ID, slices.Compact(f[1:]))
	}
	if err != nil || len(f) == 0 {
		return "", kedge.Errorf(kedge.Internal, "cannot merge the salvage: %w", err).WithHint("update git if this prints a version before 2.38: git --version")
	}
	return f[0], nil
}

// refuseDirty refuses to write over files with changes of their own.
func (s *scratch) refuseDirty(ctx context.Context, st standing, target string, v saved, a Attic) error {
	if err := a.Check(v.Attic); err != nil {
		return err
	}
	taken, err := a.Taken(s.r.g.Root(), v.Attic, func(p string) bool { return s.committed(ctx, st, p) })
	if err != nil {
		return err
	}
	diff, err := s.r.Diff(ctx, st.now, target)
	if err != nil {
		return err
	}
	for _, c := range diff {
		if st.dirty[c.Path] {
			taken = append(taken, c.Path)
		}
	}
	if len(taken) > 0 {
		slices.Sort(taken)
		return conflict(v.ID, slices.Compact(taken))
	}
	return nil
}

// committed tells whether what stands at an attic thing's place is a file as in
// HEAD, so that nothing is lost with it.
func (s *scratch) committed(ctx context.Context, st standing, p string) bool {
	if !hardened.Storable(p) || st.dirty[p] {
		return false
	}
	e, err := history.Find(ctx, s.r.g, st.at, p)
	return err == nil && e != nil && e.Type == "blob"
}

func conflict(id kedge.SalvageID, paths []string) error {
	return kedge.Errorf(kedge.Conflict, "restoring %s would overwrite files that have uncommitted changes: %s", id, hardened.Some(paths, 10)).
		WithHint("commit or move these files, then: kedge salvage restore %s", id)
}

// stage gives the user's index the salvaged one's tree back, where it holds
// nothing else and HEAD is where it was.
func (s *scratch) stage(ctx context.Context, st standing, v saved) error {
	if v.index == "" || v.Base != st.head.Commit {
		return nil
	}
	staged, err := checkout.StagedTree(ctx, s.r.g)
	if err != nil || staged != st.at {
		return err
	}
	return s.r.withScratch(ctx, func(t *scratch) error {
		if _, err := t.Do(ctx, nil, "read-tree", v.index+"^{tree}"); err != nil {
			return err
		}
		if _, err := t.Do(ctx, nil, "update-index", "-q", "--refresh"); hardened.ExitCode(err) > 1 {
			return err
		}
		return t.Install(ctx)
	})
}
