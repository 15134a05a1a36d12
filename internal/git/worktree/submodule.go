package worktree

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/git/hardened"
	"kedge/internal/git/history"
	"kedge/internal/git/salvage"
)

// FillSubmodules brings the submodules of a worktree to where a tree or commit
// has them, from what the repository has fetched of them already: nothing comes
// over a network, and nothing that a submodule brings along is run. Blocked when
// one was never fetched, or holds work that would be lost.
func (r *Repo) FillSubmodules(ctx context.Context, rev string) error {
	links, names, err := r.submodules(ctx, rev)
	if err != nil {
		return err
	}
	for _, e := range links {
		if err := r.fillSubmodule(ctx, e, names[e.Path]); err != nil {
			return err
		}
	}
	return nil
}

// EmptySubmodules removes the files of the submodules of HEAD, where they hold
// nothing that the repository has not; a submodule with work of its own stays.
func (r *Repo) EmptySubmodules(ctx context.Context) error {
	links, names, err := r.submodules(ctx, "HEAD")
	if err != nil {
		return err
	}
	for _, e := range links {
		dir := filepath.Join(r.g.Root(), filepath.FromSlash(e.Path))
		if !hardened.Exists(filepath.Join(dir, ".git")) {
			continue
		}
		if why, err := r.submoduleWork(ctx, dir, names[e.Path]); err != nil || why != "" {
			return err
		}
		if err := emptyFolder(dir); err != nil {
			return kedge.Errorf(kedge.Internal, "cannot empty the folder of submodule %q: %w", e.Path, err)
		}
	}
	return nil
}

// emptyFolder leaves the folder: to git a submodule without one is deleted.
func emptyFolder(dir string) error {
	if err := salvage.RemoveAll(dir); err != nil {
		return err
	}
	return os.Mkdir(dir, 0o755)
}

// submodules are the links of a revision, and the names of the submodules by
// path.
func (r *Repo) submodules(ctx context.Context, rev string) ([]history.Entry, map[string]string, error) {
	all, err := r.List(ctx, rev, "")
	links := slices.DeleteFunc(all, func(e history.Entry) bool { return e.Type != "commit" })
	if err != nil || len(links) == 0 {
		return nil, nil, err
	}
	text, err := r.ReadFile(ctx, rev, ".gitmodules")
	if kedge.NotFound.Is(err) {
		return links, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	names, err := r.submoduleNames(ctx, text)
	return links, names, err
}

// submoduleNames reads .gitmodules.
func (r *Repo) submoduleNames(ctx context.Context, text []byte) (map[string]string, error) {
	out, err := r.g.Run(ctx, hardened.Call{
		Mode: hardened.InScratch, Stdin: text, Env: []string{"GIT_DIR=" + r.g.GitDir()},
		Args: []string{"config", "--file", "-", "--no-includes", "-z", "--get-regexp", `^submodule\..*\.path$`},
	})
	if hardened.ExitCode(err) == 1 {
		return nil, nil
	}
	names := map[string]string{}
	for _, f := range hardened.Fields(out) {
		key, path, _ := strings.Cut(f, "\n")
		names[path] = strings.TrimSuffix(strings.TrimPrefix(key, "submodule."), ".path")
	}
	return names, err
}

// submoduleWork says what the repository of a submodule holds that the one it was
// copied from does not; empty for nothing.
func (r *Repo) submoduleWork(ctx context.Context, dir, name string) (string, error) {
	sub, err := r.inside(ctx, dir)
	if err != nil {
		return "", err
	}
	if dirty, err := sub.Dirty(ctx); err != nil || dirty {
		return "changes that are not committed", err
	}
	refs, err := sub.Refs(ctx)
	if err != nil {
		return "", err
	}
	h, err := sub.Head(ctx)
	if err != nil {
		return "", err
	}
	refs["HEAD"] = h.Commit
	for ref, sha := range refs {
		if !r.fetched(ctx, r.moduleDir(name), sha) {
			return "commits of its own on " + ref, nil
		}
	}
	return "", nil
}

// inside opens the repository of a submodule.
func (r *Repo) inside(ctx context.Context, dir string) (*Repo, error) {
	g, err := hardened.Open(ctx, dir, r.g.Options())
	if err != nil {
		return nil, err
	}
	return Of(g), nil
}

// moduleDir is where the repository keeps what it fetched of a submodule; empty
// for a name that leads elsewhere.
func (r *Repo) moduleDir(name string) string {
	dir := filepath.Join(r.g.CommonDir(), "modules", filepath.FromSlash(name))
	if name == "" || !filepath.IsLocal(filepath.FromSlash(name)) || !hardened.Exists(filepath.Join(dir, "objects")) {
		return ""
	}
	return dir
}

// fetched tells whether a submodule's commit is in the repository.
func (r *Repo) fetched(ctx context.Context, from, sha string) bool {
	if from == "" || hardened.CheckSHA("commit", sha) != nil {
		return false
	}
	out, err := r.g.Run(ctx, hardened.Call{
		Mode: hardened.InScratch, Dir: r.g.CommonDir(), Env: []string{"GIT_DIR=" + from},
		Args: []string{"cat-file", "-t", "--end-of-options", sha},
	})
	return err == nil && bytes.HasPrefix(out, []byte("commit"))
}

// fillSubmodule brings one submodule to its commit.
func (r *Repo) fillSubmodule(ctx context.Context, e history.Entry, name string) error {
	dir := filepath.Join(r.g.Root(), filepath.FromSlash(e.Path))
	from := r.moduleDir(name)
	if !r.fetched(ctx, from, e.SHA) {
		return notFetched(e.Path)
	}
	if real, err := filepath.EvalSymlinks(filepath.Dir(dir)); err != nil || !strings.HasPrefix(real+"/", r.g.Root()+"/") {
		return kedge.Errorf(kedge.Blocked, "the folder of submodule %q is outside the worktree", e.Path).WithHint("git -C %s status", hardened.Quote(r.g.Root()))
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		stays, err := r.clearSubmodule(ctx, dir, e, name)
		if err != nil || stays {
			return err
		}
	}
	return r.cloneInto(ctx, from, dir, e)
}

// clearSubmodule removes a submodule that is at another commit, unless work
// would be lost; true when it is where it shall be.
func (r *Repo) clearSubmodule(ctx context.Context, dir string, e history.Entry, name string) (stays bool, err error) {
	why := "files, but is not a git repository"
	if hardened.Exists(filepath.Join(dir, ".git")) {
		sub, err := r.inside(ctx, dir)
		if err != nil {
			return false, err
		}
		h, err := sub.Head(ctx)
		if err != nil || h.Commit == e.SHA {
			return true, err
		}
		if why, err = r.submoduleWork(ctx, dir, name); err != nil {
			return false, err
		}
	}
	if why != "" {
		return false, kedge.Errorf(kedge.Blocked, "the submodule %q has %s", e.Path, why).WithHint("mv %s %s", hardened.Quote(dir), hardened.Quote(dir+".old"))
	}
	if err := emptyFolder(dir); err != nil {
		return false, kedge.Errorf(kedge.Internal, "cannot empty the folder of submodule %q: %w", e.Path, err)
	}
	return false, nil
}

func notFetched(path string) error {
	return kedge.Errorf(kedge.Blocked, "the submodule %q was never fetched in this repository", path).
		WithHint("git submodule update --init -- %s", hardened.Quote(path))
}

// cloneInto makes a repository of its own at dir with the files of a commit. It
// is not the submodule's in common: what an agent does in it stays in it.
func (r *Repo) cloneInto(ctx context.Context, from, dir string, e history.Entry) error {
	part := dir + ".kedge-part" // whole or not there: a crash leaves this one behind
	if err := os.RemoveAll(part); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot write the files of submodule %q: %w", e.Path, err)
	}
	// Only this one copy is allowed, of a folder that is in the git dir.
	args := []string{"-c", "protocol.file.allow=always", "clone", "-q", "--no-checkout", "--no-hardlinks", "--template=", "--end-of-options", from, part}
	if _, err := r.g.Run(ctx, hardened.Call{Mode: hardened.InScratch, Dir: r.g.CommonDir(), Env: []string{"GIT_ALLOW_PROTOCOL=file"}, Args: args}); err != nil {
		return err
	}
	_, err := r.g.Run(ctx, hardened.Call{
		Mode: hardened.InScratch, Dir: part, Env: []string{"GIT_DIR=" + filepath.Join(part, ".git"), "GIT_WORK_TREE=" + part},
		Args: []string{"checkout", "-q", "--detach", e.SHA}, // a full object name
	})
	if err != nil {
		return err
	}
	_ = os.Remove(dir) // empty, or not there; else the next line says so
	if err := os.Rename(part, dir); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot write the files of submodule %q: %w", e.Path, err)
	}
	return nil
}
