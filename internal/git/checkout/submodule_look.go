package checkout

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/git/history"
	"kedge/internal/git/stored"
)

// Tracked lists the submodules that the index of the worktree tracks, by path. Each is at the
// commit that a base commit has, best; one that the base does not have, at that of HEAD or of
// the index.
func (s Submodules) Tracked(ctx context.Context, base string) ([]Submodule, error) {
	links, err := s.links(ctx)
	if err != nil || len(links) == 0 {
		return nil, err
	}
	known := map[string]Submodule{}
	for _, rev := range []string{"HEAD", base} {
		if rev == "" {
			continue
		}
		all, err := s.At(ctx, rev)
		if err != nil && !kedge.NotFound.Is(err) { // nothing was committed yet
			return nil, err
		}
		for _, m := range all {
			known[m.Path] = m
		}
	}
	var out []Submodule
	for _, e := range links {
		m, is := known[e.Path]
		if !is {
			m = Submodule{Path: e.Path, Link: e.SHA, Dir: filepath.Join(s.g.Root(), filepath.FromSlash(e.Path))}
			m.Home = s.homeOf(ctx, m)
		}
		out = append(out, m)
	}
	return out, nil
}

// links are the entries of the index that are submodules.
func (s Submodules) links(ctx context.Context) ([]stored.Tracked, error) {
	b, err := os.ReadFile(filepath.Join(s.g.GitDir(), "index"))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if list, ok := stored.Index(b, s.g.SHALen()); ok && err == nil {
		list = slices.DeleteFunc(slices.Clone(list), func(e stored.Tracked) bool { return e.Mode != "160000" })
		return slices.CompactFunc(list, func(a, b stored.Tracked) bool { return a.Path == b.Path }), nil
	}
	tree, err := StagedTree(ctx, s.g)
	if err != nil {
		return nil, err
	}
	all, err := history.Of(s.g).List(ctx, tree, "")
	var out []stored.Tracked
	for _, e := range all {
		if e.Type == "commit" {
			out = append(out, stored.Tracked{Path: e.Path, Mode: e.Mode, SHA: e.SHA})
		}
	}
	return out, err
}

// SubmoduleWork is what a submodule holds that is in no commit which the repository has fetched.
type SubmoduleWork struct {
	Path      string   // of the submodule, from the top of the worktree
	Changed   []string // its files that differ from its commit, from the top of the worktree
	Untracked []string
	Commits   []string // that only its own repository has
	Strange   bool     // it has files, and no repository that can be used
}

// Empty tells whether there is nothing.
func (w SubmoduleWork) Empty() bool {
	return len(w.Changed)+len(w.Untracked)+len(w.Commits) == 0 && !w.Strange
}

// Touched tells whether there is more than new files, such as a build makes.
func (w SubmoduleWork) Touched() bool { return len(w.Changed)+len(w.Commits) > 0 || w.Strange }

// Look says what the submodules of a worktree hold besides their commits, those of
// submodules as well. It changes nothing.
func (s Submodules) Look(ctx context.Context) ([]SubmoduleWork, error) { return s.look(ctx, "") }

func (s Submodules) look(ctx context.Context, under string) ([]SubmoduleWork, error) {
	all, err := s.Tracked(ctx, "")
	var out []SubmoduleWork
	for _, m := range all {
		found, err := s.lookAt(ctx, m, path.Join(under, m.Path))
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, err
}

func (s Submodules) lookAt(ctx context.Context, m Submodule, at string) ([]SubmoduleWork, error) {
	sub, state, err := m.Open(ctx, s.g)
	switch {
	case err != nil || state == Absent:
		return nil, err
	case state == Strange:
		return []SubmoduleWork{{Path: at, Strange: true}}, nil
	}
	w := SubmoduleWork{Path: at}
	if w.Commits, err = m.Alone(ctx, sub); err != nil {
		return nil, err
	}
	below, err := m.Below(sub).look(ctx, at)
	if err != nil {
		return nil, err
	}
	changed, untracked, err := Uncommitted(ctx, sub)
	if err != nil {
		return nil, err
	}
	inner, err := m.Below(sub).Tracked(ctx, "")
	if err != nil {
		return nil, err
	}
	isInner := func(p string) bool {
		return slices.ContainsFunc(inner, func(n Submodule) bool { return n.Path == p })
	}
	for _, p := range changed {
		if !isInner(p) || !slices.ContainsFunc(below, func(b SubmoduleWork) bool { return strings.HasPrefix(b.Path+"/", path.Join(at, p)+"/") }) {
			w.Changed = append(w.Changed, path.Join(at, p))
		}
	}
	for _, p := range untracked {
		w.Untracked = append(w.Untracked, path.Join(at, p))
	}
	if w.Empty() {
		return below, nil
	}
	return append([]SubmoduleWork{w}, below...), nil
}
