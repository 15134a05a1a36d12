package gitx

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kedge"
)

// FillSubmodules fills the submodules of a worktree from what the repository has
// fetched of them already: nothing comes over a network, and nothing that a
// submodule brings along is run. Blocked when one was never fetched. A folder
// that holds something stays as it is.
func (r *Repo) FillSubmodules(ctx context.Context) error {
	links, err := r.gitlinks(ctx)
	if err != nil || len(links) == 0 {
		return err
	}
	names, err := r.submoduleNames(ctx)
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

// gitlinks are the submodules of HEAD.
func (r *Repo) gitlinks(ctx context.Context) ([]Entry, error) {
	all, err := r.lsTree(ctx, "HEAD", "-r")
	return slices.DeleteFunc(all, func(e Entry) bool { return e.Type != "commit" }), err
}

// submoduleNames are the names of the submodules by path, as HEAD has them.
func (r *Repo) submoduleNames(ctx context.Context) (map[string]string, error) {
	text, err := r.ReadFile(ctx, "HEAD", ".gitmodules")
	if kedge.NotFound.Is(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
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

func (r *Repo) fillSubmodule(ctx context.Context, e Entry, name string) error {
	dir := filepath.Join(r.root, filepath.FromSlash(e.Path))
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return nil
	}
	from := filepath.Join(r.common, "modules", filepath.FromSlash(name))
	if name == "" || !filepath.IsLocal(filepath.FromSlash(name)) || !exists(filepath.Join(from, "objects")) {
		return notFetched(e.Path)
	}
	if real, err := filepath.EvalSymlinks(filepath.Dir(dir)); err != nil || !strings.HasPrefix(real+"/", r.root+"/") {
		return kedge.Errorf(kedge.Blocked, "the folder of submodule %q leads out of the work tree", e.Path).WithHint("git -C %s status", quote(r.root))
	}
	return r.cloneInto(ctx, from, dir, e)
}

func notFetched(path string) error {
	return kedge.Errorf(kedge.Blocked, "the submodule %q was never fetched in this repository", path).
		WithHint("git submodule update --init -- %s", quote(path))
}

// cloneInto makes a repository of its own at dir with the files of a commit. It
// is not the submodule's in common: what an agent does in it stays in it.
func (r *Repo) cloneInto(ctx context.Context, from, dir string, e Entry) error {
	out, err := r.run(ctx, call{
		mode: inScratch, dir: r.common, env: []string{"GIT_DIR=" + from},
		args: []string{"cat-file", "-t", "--end-of-options", e.SHA},
	})
	if err != nil || !bytes.HasPrefix(out, []byte("commit")) {
		return notFetched(e.Path)
	}
	part := dir + ".kedge-part" // whole or not there: a crash leaves this one behind
	if err := os.RemoveAll(part); err != nil {
		return kedge.Errorf(kedge.Internal, "fill the submodule %q: %w", e.Path, err)
	}
	// Only this one copy is allowed, of a folder that is in the git dir.
	args := []string{"-c", "protocol.file.allow=always", "clone", "-q", "--no-checkout", "--no-hardlinks", "--template=", "--end-of-options", from, part}
	if _, err := r.run(ctx, call{mode: inScratch, dir: r.common, env: []string{"GIT_ALLOW_PROTOCOL=file"}, args: args}); err != nil {
		return err
	}
	_, err = r.run(ctx, call{
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
