package checkout

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/git/hardened"
	"kedge/internal/git/history"
)

// Submodule is one submodule of a worktree.
type Submodule struct {
	Path string // in its worktree, with slashes
	Link string // the commit that a revision has it at
	Name string // by .gitmodules; empty: that names none at the path
	Dir  string // its folder
	Home string // the git dir with what was fetched of it; empty: it was not
	Lent bool   // the home is of somebody who works in another worktree
}

// Submodules is the submodules of one worktree, that of a repository or that of a submodule.
type Submodules struct {
	g    *hardened.Git
	home string // the git dir that keeps what was fetched of them
}

// SubmodulesIn is the submodules of a worktree of a repository.
func SubmodulesIn(g *hardened.Git) Submodules { return Submodules{g, g.CommonDir()} }

// Home is the git dir that keeps what was fetched of them.
func (s Submodules) Home() string { return s.home }

// Below is the submodules of a submodule.
func (m Submodule) Below(g *hardened.Git) Submodules { return Submodules{g, m.Home} }

// At lists the submodules of a revision, by path.
func (s Submodules) At(ctx context.Context, rev string) ([]Submodule, error) {
	all, err := history.Of(s.g).List(ctx, rev, "")
	links := slices.DeleteFunc(slices.Clone(all), func(e history.Entry) bool { return e.Type != "commit" })
	if err != nil || len(links) == 0 {
		return nil, err
	}
	names := map[string]string{}
	text, err := history.Of(s.g).ReadFile(ctx, rev, ".gitmodules")
	switch {
	case err == nil:
		if names, err = s.names(ctx, text); err != nil {
			return nil, err
		}
	case !kedge.NotFound.Is(err):
		return nil, err
	}
	var out []Submodule
	for _, e := range links {
		m := Submodule{Path: e.Path, Link: e.SHA, Name: names[e.Path], Dir: filepath.Join(s.g.Root(), filepath.FromSlash(e.Path))}
		m.Home = s.homeOf(ctx, m)
		out = append(out, m)
	}
	return out, nil
}

// names reads .gitmodules: names by path.
func (s Submodules) names(ctx context.Context, text []byte) (map[string]string, error) {
	out, err := s.g.Run(ctx, hardened.Call{
		Mode: hardened.InScratch, Stdin: text, Env: []string{"GIT_DIR=" + s.g.GitDir()},
		Args: []string{"config", "--file", "-", "--no-includes", "-z", "--get-regexp", `^submodule\..*\.path$`},
	})
	names := map[string]string{}
	if hardened.ExitCode(err) != 0 { // it names none, or is no such file: git itself takes none from it either
		return names, nil
	}
	for _, f := range hardened.Fields(out) {
		key, path, _ := strings.Cut(f, "\n")
		names[path] = strings.TrimSuffix(strings.TrimPrefix(key, "submodule."), ".path")
	}
	return names, err
}

// homeOf finds the git dir with what was fetched of a submodule: best one that has its
// commit.
func (s Submodules) homeOf(ctx context.Context, m Submodule) string {
	first := ""
	for _, dir := range s.homes(m) {
		if !hardened.Exists(filepath.Join(dir, "objects")) {
			continue
		}
		if s.has(ctx, dir, m.Link) {
			return dir
		}
		if first == "" {
			first = dir
		}
	}
	return first
}

// homes are the git dirs in which git keeps a submodule: in that of the repository; in the
// checkout, where it was a repository before it became a submodule; in the git dir of another
// worktree. What is fetched in one of Kedge's is of whoever works there.
func (s Submodules) homes(m Submodule) []string {
	if s.home == "" {
		return nil
	}
	var out []string
	name := filepath.FromSlash(m.Name)
	if named := m.Name != "" && filepath.IsLocal(name); named {
		out = append(out, filepath.Join(s.home, "modules", name))
		trees := filepath.Join(s.home, "worktrees")
		entries, _ := os.ReadDir(trees) // not there: none
		for _, e := range entries {
			if !hardened.Exists(filepath.Join(trees, e.Name(), hardened.OwnerFile)) {
				out = append(out, filepath.Join(trees, e.Name(), "modules", name))
			}
		}
	}
	if filepath.Base(s.home) == ".git" && isFolder(filepath.Join(filepath.Dir(s.home), filepath.FromSlash(m.Path), ".git")) {
		out = append(out, filepath.Join(filepath.Dir(s.home), filepath.FromSlash(m.Path), ".git"))
	}
	return out
}

func isFolder(path string) bool {
	fi, err := os.Lstat(path)
	return err == nil && fi.IsDir()
}

// InCheckout tells whether the checkout of the repository has the submodule at the path, and
// whether its files are there. A bare repository has no checkout.
func (s Submodules) InCheckout(path string) (there, filled bool) {
	if filepath.Base(s.home) != ".git" {
		return false, false
	}
	dir := filepath.Join(filepath.Dir(s.home), filepath.FromSlash(path))
	entries, err := os.ReadDir(dir)
	return err == nil, len(entries) > 0
}

// SubmoduleState is what stands in the folder of a submodule.
type SubmoduleState int

// The states.
const (
	Absent  SubmoduleState = iota // no folder, an empty one, or something that is no submodule any more
	Own                           // its repository
	Strange                       // files without a repository of their own, or with one that cannot be used
)

// Open opens the repository in the folder of a submodule, where there is one.
func (m Submodule) Open(ctx context.Context, g *hardened.Git) (*hardened.Git, SubmoduleState, error) {
	entries, err := os.ReadDir(m.Dir)
	real, linked := filepath.EvalSymlinks(m.Dir)
	if err != nil || len(entries) == 0 || linked != nil || !isFolder(m.Dir) || real != m.Dir {
		return nil, Absent, nil //nolint:nilerr // something else is there, and git tells what
	}
	if !m.isOwn(g) {
		return nil, Strange, nil
	}
	sub, err := hardened.Open(ctx, m.Dir, g.Options())
	if ctx.Err() != nil {
		return nil, Strange, err
	}
	if err != nil || sub.Root() != m.Dir {
		return nil, Strange, nil //nolint:nilerr // broken: it is taken as a folder with files
	}
	if h, err := history.Of(sub).Head(ctx); err != nil || h.Unborn {
		return nil, Strange, ctx.Err()
	}
	return sub, Own, nil
}

// isOwn tells whether the git dir of a submodule is in its folder, or in that of the
// repository that it is a submodule of.
func (m Submodule) isOwn(g *hardened.Git) bool {
	link := filepath.Join(m.Dir, ".git")
	fi, err := os.Lstat(link)
	switch {
	case err != nil:
		return false
	case fi.IsDir():
		return true
	case !fi.Mode().IsRegular():
		return false
	}
	dir := gitDirOf(link)
	return dir != "" && strings.HasPrefix(dir, filepath.Join(g.CommonDir())+string(filepath.Separator))
}

// gitDirOf is the git dir that a file names; empty where it names none that is there.
func gitDirOf(link string) string {
	text, err := os.ReadFile(link)
	dir, is := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "gitdir: ")
	if err != nil || !is {
		return ""
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(filepath.Dir(link), dir)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return ""
	}
	return real
}
