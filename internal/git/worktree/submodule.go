package worktree

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/git/checkout"
	"kedge/internal/git/hardened"
	"kedge/internal/git/salvage"
)

// FillSubmodules brings the submodules of a worktree, and theirs, to where a tree or commit
// has them, from what the repository has fetched of them already, or from what was committed
// in another worktree of Kedge's: nothing comes over a network, and nothing that a submodule
// brings along is run. One that the user's checkout leaves empty beside others is left empty.
// Blocked when one was never fetched, or holds work that would be lost.
func (r *Repo) FillSubmodules(ctx context.Context, rev string) error {
	set := checkout.SubmodulesIn(r.g)
	all, err := set.At(ctx, rev)
	if err != nil || len(all) == 0 {
		return err
	}
	some := false // the user decided which
	for i, m := range all {
		if all[i].Home, all[i].Lent, err = r.fetched(ctx, m, []string{m.Path}); err != nil {
			return err
		}
		some = some || all[i].Home != ""
	}
	for _, m := range all {
		there, filled := set.InCheckout(m.Path)
		switch {
		case m.Home != "":
			err = r.fillSubmodule(ctx, r, m, []string{m.Path})
		case m.Name == "", some && there && !filled: // git leaves one without a name empty as well
		default:
			err = kedge.Errorf(kedge.Blocked, "the submodule %q was never fetched in this repository", m.Path).
				WithHint("fetch it: git submodule update --init --recursive -- %s", hardened.Quote(m.Path))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fetched is the home of a submodule if that has its commit; empty else. A commit that was
// made in a worktree of Kedge's is brought there; where there is no home, it is lent from
// that worktree. The path is from the top of the worktree, submodule by submodule.
func (r *Repo) fetched(ctx context.Context, m checkout.Submodule, path []string) (home string, lent bool, err error) {
	missing, err := checkout.MissingCommits(ctx, r.g, m.Home, []string{m.Link})
	if err != nil || len(missing) == 0 {
		return m.Home, false, err
	}
	for _, admin := range r.adminDirs() {
		root := hardened.RootBehind(filepath.Join(admin, "gitdir"))
		if root == "" || !hardened.Exists(filepath.Join(admin, hardened.OwnerFile)) {
			continue
		}
		w, err := r.at(ctx, root)
		if err != nil {
			continue // it is going
		}
		from, err := w.repositoryAt(ctx, path)
		if err != nil {
			return "", false, err
		}
		if missing, err := checkout.MissingCommits(ctx, r.g, from, []string{m.Link}); from == "" || err != nil || len(missing) > 0 {
			continue
		}
		if m.Home == "" {
			return from, true, nil
		}
		return m.Home, false, m.GiveHome(ctx, r.g, from, keptRefs+m.Link, m.Link)
	}
	return "", false, nil
}

// repositoryAt is the git dir of a submodule that is filled; empty for none.
func (r *Repo) repositoryAt(ctx context.Context, path []string) (string, error) {
	g := r.g
	for _, p := range path {
		sub, state, err := checkout.Submodule{Path: p, Dir: filepath.Join(g.Root(), filepath.FromSlash(p))}.Open(ctx, g)
		if err != nil || state != checkout.Own {
			return "", err
		}
		g = sub
	}
	return g.CommonDir(), nil
}

// keptRefs is where a submodule keeps commits that were made in a worktree of Kedge's and
// that a commit of the repository names.
const keptRefs = "refs/kedge/commits/"

// fillSubmodule brings one submodule, and those below it, to its commit.
func (r *Repo) fillSubmodule(ctx context.Context, top *Repo, m checkout.Submodule, path []string) error {
	if real, err := filepath.EvalSymlinks(filepath.Dir(m.Dir)); err != nil || !strings.HasPrefix(real+"/", r.g.Root()+"/") {
		return kedge.Errorf(kedge.Blocked, "the path of submodule %q leads out of the worktree, through a link", m.Path).WithHint("see what changed: git -C %s status", hardened.Quote(r.g.Root()))
	}
	stays, err := r.clearSubmodule(ctx, m)
	if err != nil {
		return err
	}
	if !stays {
		if err := m.Fill(ctx, r.g); err != nil {
			return err
		}
	}
	sub, state, err := m.Open(ctx, r.g)
	if err != nil || state != checkout.Own {
		return err
	}
	all, err := m.Below(sub).At(ctx, m.Link)
	for _, n := range all {
		at := append(slices.Clone(path), n.Path)
		if n.Home, n.Lent, err = top.fetched(ctx, n, at); err != nil {
			return err
		}
		if n.Home == "" {
			continue // the user's checkout does not have it
		}
		if err := m.Enlist(ctx, sub, n); err != nil {
			return err
		}
		if err := Of(sub).fillSubmodule(ctx, top, n, at); err != nil {
			return err
		}
	}
	return err
}

// clearSubmodule removes a submodule that is at another commit, unless work
// would be lost; true when it is where it shall be.
func (r *Repo) clearSubmodule(ctx context.Context, m checkout.Submodule) (stays bool, err error) {
	sub, state, err := m.Open(ctx, r.g)
	if err != nil {
		return false, err
	}
	why := "files, but is not a git repository"
	switch state {
	case checkout.Absent:
		return false, nil
	case checkout.Own:
		h, err := Of(sub).Head(ctx)
		if err != nil || h.Commit == m.Link {
			return true, err
		}
		if why, err = holds(ctx, m, sub); err != nil {
			return false, err
		}
	case checkout.Strange:
	}
	if why != "" {
		return false, kedge.Errorf(kedge.Blocked, "the submodule %q has %s", m.Path, why).WithHint("move its folder away: mv %s %s", hardened.Quote(m.Dir), hardened.Quote(m.Dir+".old"))
	}
	return false, salvage.EmptyFolder(m.Dir, m.Path)
}

// holds says what the repository of a submodule holds that its home does not; empty for
// nothing.
func holds(ctx context.Context, m checkout.Submodule, sub *hardened.Git) (string, error) {
	alone, err := m.Alone(ctx, sub)
	if err != nil {
		return "", err
	}
	dirty, err := Of(sub).Dirty(ctx)
	if err != nil {
		return "", err
	}
	below, err := m.Below(sub).Look(ctx)
	switch {
	case len(alone) > 0:
		return "commits of its own", err
	case dirty || len(below) > 0:
		return "changes that are not committed", err
	}
	return "", err
}

// InSubmodules says what the submodules of the worktree hold that is in no commit which the
// repository has fetched.
func (r *Repo) InSubmodules(ctx context.Context) ([]checkout.SubmoduleWork, error) {
	return checkout.SubmodulesIn(r.g).Look(ctx)
}

// EmptySubmodules removes the files of the submodules, where they hold nothing that the
// repository has not; a submodule with work of its own stays. But is a revision: those that
// are where it has them stay too; empty: none.
func (r *Repo) EmptySubmodules(ctx context.Context, but string) error {
	set := checkout.SubmodulesIn(r.g)
	all, err := set.Tracked(ctx, "")
	if err != nil || len(all) == 0 {
		return err
	}
	links := map[string]string{}
	if but != "" {
		stay, err := set.At(ctx, but)
		if err != nil {
			return err
		}
		for _, m := range stay {
			links[m.Path] = m.Link
		}
	}
	for _, m := range all {
		if err := r.emptySubmodule(ctx, m, links[m.Path]); err != nil {
			return err
		}
	}
	return nil
}

func (r *Repo) emptySubmodule(ctx context.Context, m checkout.Submodule, link string) error {
	sub, state, err := m.Open(ctx, r.g)
	if err != nil || state != checkout.Own {
		return err
	}
	h, err := Of(sub).Head(ctx)
	if err != nil || h.Commit == link {
		return err
	}
	if why, err := holds(ctx, m, sub); err != nil || why != "" {
		return err
	}
	return salvage.EmptyFolder(m.Dir, m.Path)
}
