package gitx

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/gitx/attic"
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
		dir := filepath.Join(r.root, filepath.FromSlash(e.Path))
		if !exists(filepath.Join(dir, ".git")) {
			continue
		}
		if why, err := r.submoduleWork(ctx, dir, names[e.Path]); err != nil || why != "" {
			return err
		}
		if err := emptyFolder(dir); err != nil {
			return kedge.Errorf(kedge.Internal, "empty the submodule %q: %w", e.Path, err)
		}
	}
	return nil
}

// emptyFolder leaves the folder: to git a submodule without one is deleted.
func emptyFolder(dir string) error {
	if err := attic.RemoveAll(dir); err != nil {
		return err
	}
	return os.Mkdir(dir, 0o755)
}

// submodules are the links of a revision, and the names of the submodules by
// path.
func (r *Repo) submodules(ctx context.Context, rev string) ([]Entry, map[string]string, error) {
	all, err := r.lsTree(ctx, rev, "-r")
	links := slices.DeleteFunc(all, func(e Entry) bool { return e.Type != "commit" })
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
	out, err := r.run(ctx, call{
		mode: inScratch, stdin: text, env: []string{"GIT_DIR=" + r.gitDir},
		args: []string{"config", "--file", "-", "--no-includes", "-z", "--get-regexp", `^submodule\..*\.path$`},
	})
	if exitCode(err) == 1 {
		return nil, nil
	}
	names := map[string]string{}
	for _, f := range fields(out) {
		key, path, _ := strings.Cut(f, "\n")
		names[path] = strings.TrimSuffix(strings.TrimPrefix(key, "submodule."), ".path")
	}
	return names, err
}

// submoduleWork says what the repository of a submodule holds that the one it was
// copied from does not; empty for nothing.
func (r *Repo) submoduleWork(ctx context.Context, dir, name string) (string, error) {
	sub, err := open(ctx, dir, r.opt)
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

// moduleDir is where the repository keeps what it fetched of a submodule; empty
// for a name that leads elsewhere.
func (r *Repo) moduleDir(name string) string {
	dir := filepath.Join(r.common, "modules", filepath.FromSlash(name))
	if name == "" || !filepath.IsLocal(filepath.FromSlash(name)) || !exists(filepath.Join(dir, "objects")) {
		return ""
	}
	return dir
}

// fetched tells whether a submodule's commit is in the repository.
func (r *Repo) fetched(ctx context.Context, from, sha string) bool {
	if from == "" || checkSHA("commit", sha) != nil {
		return false
	}
	out, err := r.run(ctx, call{
		mode: inScratch, dir: r.common, env: []string{"GIT_DIR=" + from},
		args: []string{"cat-file", "-t", "--end-of-options", sha},
	})
	return err == nil && bytes.HasPrefix(out, []byte("commit"))
}

// fillSubmodule brings one submodule to its commit.
func (r *Repo) fillSubmodule(ctx context.Context, e Entry, name string) error {
	dir := filepath.Join(r.root, filepath.FromSlash(e.Path))
	from := r.moduleDir(name)
	if !r.fetched(ctx, from, e.SHA) {
		return notFetched(e.Path)
	}
	if real, err := filepath.EvalSymlinks(filepath.Dir(dir)); err != nil || !strings.HasPrefix(real+"/", r.root+"/") {
		return kedge.Errorf(kedge.Blocked, "the folder of submodule %q leads out of the work tree", e.Path).WithHint("git -C %s status", quote(r.root))
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
func (r *Repo) clearSubmodule(ctx context.Context, dir string, e Entry, name string) (stays bool, err error) {
	why := "files, and is no repository"
	if exists(filepath.Join(dir, ".git")) {
		sub, err := open(ctx, dir, r.opt)
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
		return false, kedge.Errorf(kedge.Blocked, "the submodule %q has %s", e.Path, why).WithHint("mv %s %s", quote(dir), quote(dir+".old"))
	}
	if err := emptyFolder(dir); err != nil {
		return false, kedge.Errorf(kedge.Internal, "empty the submodule %q: %w", e.Path, err)
	}
	return false, nil
}

func notFetched(path string) error {
	return kedge.Errorf(kedge.Blocked, "the submodule %q was never fetched in this repository", path).
		WithHint("git submodule update --init -- %s", quote(path))
}

// cloneInto makes a repository of its own at dir with the files of a commit. It
// is not the submodule's in common: what an agent does in it stays in it.
func (r *Repo) cloneInto(ctx context.Context, from, dir string, e Entry) error {
	part := dir + ".kedge-part" // whole or not there: a crash leaves this one behind
	if err := os.RemoveAll(part); err != nil {
		return kedge.Errorf(kedge.Internal, "fill the submodule %q: %w", e.Path, err)
	}
	// Only this one copy is allowed, of a folder that is in the git dir.
	args := []string{"-c", "protocol.file.allow=always", "clone", "-q", "--no-checkout", "--no-hardlinks", "--template=", "--end-of-options", from, part}
	if _, err := r.run(ctx, call{mode: inScratch, dir: r.common, env: []string{"GIT_ALLOW_PROTOCOL=file"}, args: args}); err != nil {
		return err
	}
	_, err := r.run(ctx, call{
		mode: inScratch, dir: part, env: []string{"GIT_DIR=" + filepath.Join(part, ".git"), "GIT_WORK_TREE=" + part},
		args: []string{"checkout", "-q", "--detach", e.SHA}, // a full object name
	})
	if err != nil {
		return err
	}
	_ = os.Remove(dir) // empty, or not there; else the next line says so
	if err := os.Rename(part, dir); err != nil {
		return kedge.Errorf(kedge.Internal, "fill the submodule %q: %w", e.Path, err)
	}
	return nil
}
