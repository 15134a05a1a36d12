package salvage

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kedge"

	"kedge/internal/git/checkout"
	"kedge/internal/git/hardened"
	"kedge/internal/git/history"
	"kedge/internal/text/plain"
	"kedge/internal/text/words"
)

// salvageRefs is where salvage is kept. Nothing ever pushes it.
const salvageRefs = "refs/kedge/salvage/"

// atticSize is from which size on a file goes to the attic instead of into git.
const atticSize = 50 << 20

// Request asks for everything in a worktree that is in no commit to be
// set aside. Attic is the project's attic folder; what cannot go into a commit
// is moved into its subfolder ID.
type Request struct {
	Dir    string // root of the worktree; empty is this one
	ID     kedge.SalvageID
	Reason string
	Attic  string
	Date   time.Time
	// Since is a commit that HEAD was at: what was committed from there on, and
	// is on no ref, is set aside too. Empty: HEAD.
	Since string
	// Inside sets only that aside which submodules hold.
	Inside bool

	within *inner // of the repository of a submodule
}

// Salvage sets aside what a reset would lose: tracked and untracked files, and
// the index where it differs from HEAD, go into a commit under
// refs/kedge/salvage/; files over 50 MB, nested repositories, files behind a
// filter and files that git cannot hold are moved to the attic. What is in a
// submodule goes into a commit there, and its folder is emptied. Ignored files
// stay. Files in the commit stay in the worktree too, so that its tree is then
// the salvage's; ResetWorktree takes it as proof.
//
// The same request made again finishes what was begun. A clean worktree gives
// a Salvage without a Ref.
func (r *Repo) Salvage(ctx context.Context, q Request) (kedge.Salvage, error) {
	if !kedge.ValidID("sal", string(q.ID)) {
		return kedge.Salvage{}, kedge.Errorf(kedge.Invalid, "%q is not the id of work that Kedge set aside (a salvage)", q.ID)
	}
	w, err := r.at(ctx, q.Dir)
	if err != nil {
		return kedge.Salvage{}, err
	}
	a := Attic{Dir: filepath.Join(q.Attic, string(q.ID))}
	var out kedge.Salvage
	err = r.g.Exclusively(ctx, func(ctx context.Context) error {
		done, ok, err := r.salvage(ctx, q.ID)
		if err != nil {
			return err
		}
		if !ok {
			done, err = w.saveNew(ctx, q, a)
		}
		if err != nil || done.Ref == "" {
			out = done
			return err
		}
		out = done
		if err := a.TakeIn(w.g.Root(), done.Attic); err != nil {
			return err
		}
		return w.takeModules(ctx, done.ID, a, checkout.SubmodulesIn(w.g), done.Submodules)
	})
	return out, err
}

func (r *Repo) saveNew(ctx context.Context, q Request, a Attic) (kedge.Salvage, error) {
	var out kedge.Salvage
	set := checkout.SubmodulesIn(r.g)
	if q.within != nil {
		set = q.within.set
	}
	inside, err := r.saveModules(ctx, q, a, set)
	if err != nil {
		return out, err
	}
	err = r.withScratch(ctx, func(s *scratch) error {
		out, err = r.saveHere(ctx, s, q, a, inside)
		return err
	})
	return out, err
}

// saveHere saves what the worktree itself holds, beside what was saved of its submodules. The
// answer has no ref where there is nothing to save.
func (r *Repo) saveHere(ctx context.Context, s *scratch, q Request, a Attic, inside held) (kedge.Salvage, error) {
	h, err := r.Head(ctx)
	if err != nil {
		return kedge.Salvage{}, err
	}
	out := kedge.Salvage{ID: q.ID, Base: h.Commit, Reason: oneLine(q.Reason), At: q.Date, Attic: []string{}, Submodules: inside.in}
	also, own, err := r.commitsToKeep(ctx, h, q)
	if err != nil {
		return out, err
	}
	if own {
		out.Base = q.Since
	}
	staged, err := checkout.StagedTree(ctx, r.g)
	if err != nil {
		return out, err
	}
	things, err := s.salvageTree(ctx, q, &out, inside)
	if err != nil {
		return out, err
	}
	base, err := history.BaseTree(ctx, r.g, h.Commit)
	if err != nil {
		return out, err
	}
	if staged == base || q.Inside {
		staged = ""
	}
	lonely := own || len(also) > 1
	if out.Tree == base && staged == "" && len(things)+len(inside.in) == 0 && !lonely {
		return out, nil
	}
	if err := s.count(ctx, &out); err != nil {
		return out, err
	}
	if err := a.Plan(out.ID, r.g.Root(), things); err != nil {
		return out, err
	}
	err = r.keep(ctx, staged, &out, also...)
	return out, err
}

// commitsToKeep are the commits that what is saved refers to, HEAD first, and whether HEAD is one
// that no ref but its own branch holds.
func (r *Repo) commitsToKeep(ctx context.Context, h history.Head, q Request) (also []string, own bool, err error) {
	also = []string{h.Commit}
	if q.within != nil {
		also = append(also, q.within.alone...)
	}
	own, err = r.ownCommits(ctx, h, q)
	return also, own, err
}

// ownCommits tells whether HEAD has moved on from a commit to ones that no ref
// but its own branch holds.
func (r *Repo) ownCommits(ctx context.Context, h history.Head, q Request) (bool, error) {
	if q.Since == "" || h.Unborn || h.Commit == q.Since || q.Inside {
		return false, nil
	}
	if q.within != nil {
		return slices.Contains(q.within.alone, h.Commit), nil
	}
	kept, err := history.KeptBy(ctx, r.g, h.Commit, h.Branch)
	return len(kept) == 0, err
}

// salvageTree writes the tree of what goes into the commit, and gives the things
// that go to the attic. Those are not in the tree, even where an older version
// was: so it is the tree of what stays in the folder.
//
// Nothing of the submodules that hold something is in the tree either: it has them as
// they are when that is set aside.
func (s *scratch) salvageTree(ctx context.Context, q Request, out *kedge.Salvage, inside held) ([]Thing, error) {
	c, err := s.Differences(ctx)
	if err != nil {
		return nil, err
	}
	if c = c.Without(inside.paths()); q.Inside {
		c = checkout.Changes{}
		if _, err := s.Do(ctx, nil, "read-tree", "HEAD"); err != nil {
			return nil, err
		}
	}
	things, rest, err := s.sort(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := s.Add(ctx, rest); err != nil {
		return nil, err
	}
	things = append(things, inside.away...)
	var away []string
	for _, t := range things {
		out.Attic = append(out.Attic, t.Path)
		if hardened.Storable(t.Path) {
			away = append(away, t.Path)
		}
	}
	if _, err := s.List(ctx, away, "update-index", "--force-remove", "-z", "--stdin"); err != nil {
		return nil, err
	}
	out.Tree, err = s.Tree(ctx)
	return things, err
}

// sort decides which paths go to the attic and which into the commit.
func (s *scratch) sort(ctx context.Context, c checkout.Changes) (things []Thing, rest []string, err error) {
	filters, err := s.Filtered(ctx, c.Paths(), false)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range s.Foreign(c.Nested) {
		things = append(things, Thing{Path: p, Kind: Repository})
	}
	for _, p := range c.Paths() {
		fi, err := os.Lstat(filepath.Join(s.r.g.Root(), p))
		_, behind := filters[p]
		switch {
		case err != nil || fi.IsDir():
			rest = append(rest, p)
		case !hardened.Storable(p):
			things = append(things, Thing{Path: p, Kind: Odd, Size: fi.Size()})
		case behind:
			things = append(things, Thing{Path: p, Kind: Filtered, Size: fi.Size()})
		case fi.Mode().IsRegular() && fi.Size() > atticSize:
			things = append(things, Thing{Path: p, Kind: Big, Size: fi.Size()})
		default:
			rest = append(rest, p)
		}
	}
	slices.SortFunc(things, func(a, b Thing) int { return strings.Compare(a.Path, b.Path) })
	return things, rest, nil
}

// count says how many paths the salvage holds.
func (s *scratch) count(ctx context.Context, out *kedge.Salvage) error {
	paths, err := s.r.SalvagePaths(ctx, *out)
	out.Files = len(paths)
	return err
}

// keep makes the commit and its ref. A staged tree becomes a second commit that
// it has as a parent; so does a commit that is not to be lost.
func (r *Repo) keep(ctx context.Context, staged string, out *kedge.Salvage, also ...string) error {
	q := history.CommitRequest{Tree: out.Tree, Date: out.At, Author: hardened.Kedge}
	for _, p := range append([]string{out.Base}, also...) {
		if p != "" && !slices.Contains(q.Parents, p) {
			q.Parents = append(q.Parents, p)
		}
	}
	index := ""
	if staged != "" {
		i := q
		i.Tree, i.Message = staged, "the index of salvage "+string(out.ID)
		var err error
		if index, err = r.Commit(ctx, i); err != nil {
			return err
		}
		q.Parents = append(q.Parents, index)
	}
	q.Message = salvageMessage(*out, index)
	sha, err := r.Commit(ctx, q)
	if err != nil {
		return err
	}
	out.Commit, out.Ref = sha, salvageRefs+string(out.ID)
	was, err := history.RefValue(ctx, r.g, out.Ref) // in a submodule: of a try that a crash broke off
	if err != nil || was == sha {
		return err
	}
	return history.MoveRef(ctx, r.g, out.Ref, sha, was)
}

func oneLine(s string) string {
	const most = 200
	return cmp.Or(words.Clip(strings.Join(strings.Fields(plain.Line(s)), " "), most), "no reason given")
}

// SaveLonely puts a commit that is on no ref under a salvage ref; one that is on a ref,
// or not there any more, needs none. The caller holds the repository. It is a function,
// so that whoever is given a repository does not have it.
func SaveLonely(ctx context.Context, g *hardened.Git, commit string, q Request) (kedge.Salvage, error) {
	r := Of(g)
	done, ok, err := r.salvage(ctx, q.ID)
	if err != nil || ok || hardened.CheckSHA("commit", commit) != nil {
		return done, err
	}
	if _, err := history.CommitOf(ctx, r.g, commit); err != nil {
		return done, nil //nolint:nilerr // there is nothing left of it that could be kept
	}
	kept, err := history.KeptBy(ctx, r.g, commit, "")
	if err != nil || len(kept) > 0 {
		return done, err
	}
	tree, err := r.TreeOf(ctx, commit)
	if err != nil {
		return done, err
	}
	s := kedge.Salvage{ID: q.ID, Base: commit, Tree: tree, Reason: oneLine(q.Reason), At: q.Date, Attic: []string{}}
	return s, r.keep(ctx, "", &s)
}
