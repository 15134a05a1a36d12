package salvage

import (
	"cmp"
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
// when a file it needs has changes of its own; the same holds for what it has of
// submodules. The salvage stays until it is dropped; restoring twice changes nothing more.
func (r *Repo) Restore(ctx context.Context, q RestoreRequest) (kedge.Salvage, error) {
	if !kedge.ValidID("sal", string(q.ID)) {
		return kedge.Salvage{}, kedge.Errorf(kedge.Invalid, "%q is not the id of work that Kedge set aside (a salvage)", q.ID).WithHint("see the ids: kedge salvage ls")
	}
	list, err := r.listSalvage(ctx, salvageRefs+string(q.ID))
	if err != nil {
		return kedge.Salvage{}, err
	}
	if len(list) == 0 {
		return kedge.Salvage{}, kedge.Errorf(kedge.NotFound, "Kedge has no set-aside work (salvage) with the id %q", q.ID).WithHint("see the ids: kedge salvage ls")
	}
	w, err := r.at(ctx, q.Dir)
	if err != nil {
		return kedge.Salvage{}, err
	}
	a := Attic{Dir: filepath.Join(q.Attic, string(q.ID))}
	err = r.g.Exclusively(ctx, func(ctx context.Context) error {
		parts, err := w.parts(ctx, list[0], a, checkout.SubmodulesIn(w.g).Home(), "")
		if err != nil {
			return err
		}
		for _, really := range []bool{false, true} { // first all of them are looked at
			for _, p := range parts {
				if err := p.restore(ctx, really); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return list[0].Salvage, err
}

// part is what one repository gets back: the worktree or a submodule of it.
type part struct {
	r     *Repo
	v     saved
	attic Attic
	under string // the path of the submodule, with a slash at its end
}

// parts are the worktree and the submodules that have something of a salvage, each with the
// commit of it.
func (r *Repo) parts(ctx context.Context, v saved, a Attic, home, under string) ([]part, error) {
	out := []part{{r, v, a, under}}
	for _, m := range v.Submodules {
		below, err := r.partsIn(ctx, v, a, home, under, m)
		if err != nil {
			return nil, err
		}
		out = append(out, below...)
	}
	return out, nil
}

func (r *Repo) partsIn(ctx context.Context, v saved, a Attic, home, under string, in kedge.SalvagedSubmodule) ([]part, error) {
	m := checkout.Submodule{Path: in.Path, Dir: filepath.Join(r.g.Root(), filepath.FromSlash(in.Path)), Home: homeAt(home, in.Home)}
	sub, state, err := m.Open(ctx, r.g)
	if err != nil {
		return nil, err
	}
	if state != checkout.Own {
		return nil, kedge.Errorf(kedge.Blocked, "salvage %s has work of submodule %q, and this submodule is not checked out here", v.ID, under+in.Path).
			WithHint("check out the submodule, then try again: git -C %s submodule update --init -- %s && kedge salvage restore %s", hardened.Quote(r.g.Root()), hardened.Quote(in.Path), v.ID)
	}
	if err := checkout.GiveCommit(ctx, r.g, m.Home, sub.CommonDir(), salvageRefs+string(v.ID), in.Commit); err != nil {
		return nil, err
	}
	s := Of(sub)
	list, err := s.listSalvage(ctx, salvageRefs+string(v.ID))
	if err != nil || len(list) == 0 {
		return nil, cmp.Or(err, error(kedge.Errorf(kedge.NotFound, "Kedge cannot restore salvage %s: the repository of submodule %q no longer has the work that Kedge set aside there", v.ID, under+in.Path).WithHint("look for commit %s in another copy of the submodule", in.Commit)))
	}
	return s.parts(ctx, list[0], a.of(in.Path), m.Home, under+in.Path+"/")
}

// restore brings one of them back, or only looks whether it can be brought back.
func (p part) restore(ctx context.Context, really bool) error {
	return p.r.withScratch(ctx, func(s *scratch) error { return s.restore(ctx, p, really) })
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

func (s *scratch) restore(ctx context.Context, p part, really bool) error {
	v, a := p.v, p.attic
	st, err := s.standing(ctx)
	if err != nil {
		return err
	}
	back, err := s.isBack(ctx, st, v, a)
	if err != nil {
		return err
	}
	if !back {
		if err := s.bringBack(ctx, st, p, really); err != nil {
			return err
		}
	}
	if !really {
		return nil
	}
	return s.stage(ctx, st, v)
}

func (s *scratch) bringBack(ctx context.Context, st standing, p part, really bool) error {
	target, err := s.target(ctx, st, p)
	if err != nil {
		return err
	}
	if err := s.refuseDirty(ctx, st, target, p); err != nil || !really {
		return err
	}
	if err := s.SwitchTo(ctx, st.now, target); err != nil {
		return err
	}
	return p.attic.GiveBack(s.r.g.Root(), p.v.Attic)
}

// isBack tells whether the worktree already holds the salvage whole.
func (s *scratch) isBack(ctx context.Context, st standing, v saved, a Attic) (bool, error) {
	here, err := s.r.without(ctx, st.now, append(pathsOf(v.Submodules), v.Attic...))
	if err != nil {
		return false, err
	}
	there, err := s.r.without(ctx, v.Tree, pathsOf(v.Submodules))
	if err != nil || here != there {
		return false, err
	}
	for _, p := range v.Attic {
		if hardened.Exists(a.Path(p)) || !hardened.Exists(filepath.Join(s.r.g.Root(), filepath.FromSlash(p))) {
			return false, nil
		}
	}
	return true, nil
}

func pathsOf(list []kedge.SalvagedSubmodule) []string {
	var out []string
	for _, m := range list {
		out = append(out, m.Path)
	}
	return out
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
func (s *scratch) target(ctx context.Context, st standing, p part) (string, error) {
	v := p.v
	base, err := history.BaseTree(ctx, s.r.g, v.Base)
	if err != nil {
		return "", err
	}
	if len(v.Submodules) > 0 { // what is in them comes back there, on whatever commit they are
		if v.Tree, err = s.asIn(ctx, v.Tree, base, pathsOf(v.Submodules)); err != nil {
			return "", err
		}
	}
	if st.now == base || st.now == v.Tree {
		return v.Tree, nil
	}
	return s.merge(ctx, base, st.now, p, v.Tree)
}

// asIn is a tree with some paths as they are in another.
func (s *scratch) asIn(ctx context.Context, tree, other string, paths []string) (string, error) {
	out := ""
	err := s.r.withScratch(ctx, func(t *scratch) error {
		if _, err := t.Do(ctx, nil, "read-tree", tree); err != nil {
			return err
		}
		if err := t.Plus(ctx, other, paths); err != nil {
			return err
		}
		var err error
		out, err = t.Tree(ctx)
		return err
	})
	return out, err
}

// merge applies the difference from base to the salvage to the tree now. The
// commits are only there because merge-tree wants commits.
func (s *scratch) merge(ctx context.Context, base, now string, p part, theirs string) (string, error) {
	q := history.CommitRequest{Tree: base, Message: "base", Date: p.v.At, Author: hardened.Kedge}
	root, err := s.r.Commit(ctx, q)
	if err != nil {
		return "", err
	}
	q.Parents = []string{root}
	side := [2]string{}
	for i, tree := range []string{now, theirs} {
		q.Tree, q.Message = tree, fmt.Sprintf("side %d", i)
		if side[i], err = s.r.Commit(ctx, q); err != nil {
			return "", err
		}
	}
	out, err := s.Do(ctx, nil, "merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", side[0], side[1])
	f := hardened.Fields(out)
	if hardened.ExitCode(err) == 1 && len(f) > 0 {
		return "", p.conflict(f[1:])
	}
	if err != nil || len(f) == 0 {
		return "", kedge.Errorf(kedge.Internal, "git cannot merge the set-aside work (the salvage): %w", err).WithHint("see whether git is older than 2.38: git --version")
	}
	return f[0], nil
}

// refuseDirty refuses to write over files with changes of their own.
func (s *scratch) refuseDirty(ctx context.Context, st standing, target string, p part) error {
	v, a := p.v, p.attic
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
		return p.conflict(taken)
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

// conflict names files of the worktree, seen from its top.
func (p part) conflict(paths []string) error {
	var all []string
	for _, name := range slices.Compact(slices.Clone(paths)) {
		all = append(all, p.under+name)
	}
	return kedge.Errorf(kedge.Conflict, "restoring salvage %s would overwrite files that have uncommitted changes, so Kedge restored nothing: %s", p.v.ID, hardened.Some(all, 10)).
		WithHint("commit or move these files, then: kedge salvage restore %s", p.v.ID)
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
