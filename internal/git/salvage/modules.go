package salvage

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/git/checkout"
	"kedge/internal/git/hardened"
	"kedge/internal/git/history"
)

// What a submodule of a worktree holds goes into a salvage of its own repository. Its commit
// is brought to the git dir that the repository keeps of the submodule, and the salvage of
// the worktree names it. The folder is emptied when all of that is on the disk. The user's
// own checkout keeps its submodules: nobody takes it away.

// held is what submodules hold of a salvage.
type held struct {
	in   []kedge.SalvagedSubmodule
	away []Thing // those whose folders go to the attic: the repository has nothing of them
}

// paths are those of the submodules.
func (h held) paths() map[string]bool {
	out := map[string]bool{}
	for _, m := range h.in {
		out[m.Path] = true
	}
	for _, t := range h.away {
		out[t.Path] = true
	}
	return out
}

// saveModules sets aside what the submodules of the worktree hold. It changes no file.
func (r *Repo) saveModules(ctx context.Context, q Request, a Attic, set checkout.Submodules) (held, error) {
	var out held
	if r.g.GitDir() == r.g.CommonDir() && q.within == nil {
		return out, nil
	}
	all, err := set.Tracked(ctx, q.Since)
	for _, m := range all {
		if err := r.saveModule(ctx, q, a, set, m, &out); err != nil {
			return out, err
		}
	}
	return out, err
}

func (r *Repo) saveModule(ctx context.Context, q Request, a Attic, set checkout.Submodules, m checkout.Submodule, out *held) error {
	if err := m.DropPart(); err != nil {
		return err
	}
	sub, state, err := m.Open(ctx, r.g)
	if err != nil || state == checkout.Absent {
		return err
	}
	missing, err := checkout.MissingCommits(ctx, r.g, m.Home, []string{m.Link})
	if err != nil {
		return err
	}
	if m.Home == "" || len(missing) > 0 && state == checkout.Strange {
		if err := m.Unlink(ctx, r.g); err != nil {
			return err
		}
		out.away = append(out.away, Thing{Path: m.Path, Kind: Repository})
		return nil
	}
	if state == checkout.Strange {
		if err := m.Mend(ctx, r.g, filepath.Join(a.Dir, "replaced", filepath.FromSlash(m.Path))); err != nil {
			return err
		}
		if sub, state, err = m.Open(ctx, r.g); err != nil || state != checkout.Own {
			return errors.Join(err, kedge.Errorf(kedge.Internal, "the submodule %q cannot be read", m.Path).WithHint("see what is there: ls -la %s", hardened.Quote(m.Dir)))
		}
	}
	return r.saveOwn(ctx, q, a, set, m, sub, out)
}

// saveOwn sets aside what is in the repository of a submodule.
func (r *Repo) saveOwn(ctx context.Context, q Request, a Attic, set checkout.Submodules, m checkout.Submodule, sub *hardened.Git, out *held) error {
	alone, err := m.Alone(ctx, sub)
	if err != nil {
		return err
	}
	s := Of(sub)
	q.Dir, q.Since, q.within, q.Inside = "", "", &inner{alone: alone, set: m.Below(sub)}, false
	if _, err := history.CommitOf(ctx, sub, m.Link); err == nil {
		q.Since = m.Link
	}
	v, err := s.saveNew(ctx, q, a.of(m.Path))
	if err != nil || v.Ref == "" {
		return err
	}
	if err := m.GiveHome(ctx, r.g, sub.CommonDir(), v.Ref, v.Commit); err != nil {
		return err
	}
	home, err := filepath.Rel(set.Home(), m.Home)
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot find the repository of submodule %q: %w", m.Path, err)
	}
	out.in = append(out.in, kedge.SalvagedSubmodule{Path: m.Path, Home: filepath.ToSlash(home), Commit: v.Commit})
	return nil
}

// inner is what only the salvage of a submodule's repository knows.
type inner struct {
	alone []string // commits that only it has
	set   checkout.Submodules
}

// of is the attic of a submodule.
func (a Attic) of(path string) Attic {
	return Attic{Dir: filepath.Join(a.Dir, "submodules", filepath.FromSlash(path))}
}

// takeModules empties the folders of submodules whose work is in a salvage. One that holds
// anything else by now stays.
func (r *Repo) takeModules(ctx context.Context, id kedge.SalvageID, a Attic, set checkout.Submodules, list []kedge.SalvagedSubmodule) error {
	if len(list) == 0 {
		return nil
	}
	all, err := set.Tracked(ctx, "")
	if err != nil {
		return err
	}
	for _, v := range list {
		i := slices.IndexFunc(all, func(m checkout.Submodule) bool { return m.Path == v.Path })
		if i < 0 {
			continue
		}
		if err := r.takeModule(ctx, id, a.of(v.Path), all[i], v); err != nil {
			return err
		}
	}
	return nil
}

func (r *Repo) takeModule(ctx context.Context, id kedge.SalvageID, a Attic, m checkout.Submodule, v kedge.SalvagedSubmodule) error {
	sub, state, err := m.Open(ctx, r.g)
	if err != nil || state != checkout.Own {
		return err // it was taken by an earlier try
	}
	s := Of(sub)
	in, ok, err := s.salvage(ctx, id)
	if err != nil || !ok || in.Commit != v.Commit {
		return err
	}
	if err := a.TakeIn(sub.Root(), in.Attic); err != nil {
		return err
	}
	if err := s.takeModules(ctx, id, a, m.Below(sub), in.Submodules); err != nil {
		return err
	}
	if more, err := s.holdsMore(ctx, m, in); err != nil || more {
		return err
	}
	return EmptyFolder(m.Dir, m.Path)
}

// holdsMore tells whether the repository of a submodule has anything that is not in a salvage
// of it.
func (r *Repo) holdsMore(ctx context.Context, m checkout.Submodule, v kedge.Salvage) (bool, error) {
	alone, err := m.Alone(ctx, r.g)
	if err != nil || len(alone) > 0 {
		return true, err
	}
	below, err := m.Below(r.g).Look(ctx)
	if err != nil || len(below) > 0 {
		return true, err
	}
	now, err := r.Tree(ctx)
	return now != v.Tree, err
}

// EmptyFolder removes what is in the folder of a submodule, and leaves the folder: to git a
// submodule without one is deleted.
func EmptyFolder(dir, path string) error {
	err := RemoveAll(dir)
	if err == nil {
		err = os.Mkdir(dir, 0o755)
	}
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot empty the folder of submodule %q: %w", path, err).WithHint("delete the contents of the folder, and keep the folder: find %s -mindepth 1 -delete", hardened.Quote(dir))
	}
	return nil
}

// homeAt is the git dir that a salvage names; empty for one that is no part of the
// repository: anybody could have written the salvage.
func homeAt(home, named string) string {
	dir := filepath.Join(home, filepath.FromSlash(named))
	if filepath.IsAbs(filepath.FromSlash(named)) || !strings.HasPrefix(dir, filepath.Dir(home)+string(filepath.Separator)) {
		return ""
	}
	return dir
}

// dropModules forgets what submodules keep of a salvage.
func (r *Repo) dropModules(ctx context.Context, home, ref string, list []kedge.SalvagedSubmodule) error {
	for _, v := range list {
		dir := homeAt(home, v.Home)
		if dir == "" {
			continue
		}
		if text, err := checkout.MessageIn(ctx, r.g, dir, v.Commit); err == nil { // else it is gone
			if err := r.dropModules(ctx, dir, ref, submodulesIn(text)); err != nil {
				return err
			}
		}
		if err := checkout.ForgetRef(ctx, r.g, dir, ref); err != nil {
			return err
		}
	}
	return nil
}

// modulePaths are the files that a salvage holds of submodules, from the top of the worktree.
// What is not there any more has none.
func (r *Repo) modulePaths(ctx context.Context, home, under string, list []kedge.SalvagedSubmodule) []string {
	var out []string
	for _, v := range list {
		dir := homeAt(home, v.Home)
		if dir == "" {
			continue
		}
		at := under + v.Path + "/"
		changed, err := checkout.ChangedIn(ctx, r.g, dir, v.Commit)
		text, gone := checkout.MessageIn(ctx, r.g, dir, v.Commit)
		if err != nil || gone != nil {
			continue
		}
		inside := parseMessage(text)
		for _, p := range append(changed, inside.Attic...) {
			out = append(out, at+p)
		}
		out = append(out, r.modulePaths(ctx, dir, at, inside.Submodules)...)
	}
	return out
}
