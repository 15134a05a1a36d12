package history

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/git/hardened"
)

// TreeOf gives the tree of a commit.
func (r *Repo) TreeOf(ctx context.Context, rev string) (string, error) {
	if err := hardened.CheckRev(rev); err != nil {
		return "", err
	}
	if tree, ok := r.plainTree(rev); ok {
		return tree, nil
	}
	out, err := r.g.About(ctx, rev, "rev-parse", "-q", "--verify", "--end-of-options", rev+"^{tree}")
	if c := hardened.ExitCode(err); c == 1 || c == 128 {
		return "", kedge.Errorf(kedge.NotFound, "this repository has no commit, branch or tag %q", rev).WithHint("see its commits: git log --oneline --all")
	}
	return strings.TrimSpace(string(out)), err
}

// baseTree is TreeOf; the empty tree for no commit.
func (r *Repo) baseTree(ctx context.Context, commit string) (string, error) {
	if commit == "" {
		return r.emptyTree(ctx)
	}
	return r.TreeOf(ctx, commit)
}

// TreeWithout gives the tree with the paths, files or folders, left out. A
// folder that becomes empty is gone too. It is how two trees are compared
// without what Kedge itself writes.
func (r *Repo) TreeWithout(ctx context.Context, tree string, paths ...string) (string, error) {
	for _, p := range paths {
		if err := hardened.CheckPath(p); err != nil {
			return "", err
		}
	}
	tree, err := r.dropTop(ctx, tree, paths)
	for _, p := range paths {
		if err != nil {
			return "", err
		}
		if strings.Contains(p, "/") {
			tree, err = r.drop(ctx, tree, p)
		}
	}
	return tree, err
}

// dropTop takes those of the paths that are names of its top level out of the
// tree of a revision.
func (r *Repo) dropTop(ctx context.Context, rev string, names []string) (string, error) {
	entries, err := r.lsTree(ctx, rev)
	if err != nil {
		return "", err
	}
	left := slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return slices.Contains(names, e.Path) })
	if len(left) == len(entries) {
		return r.TreeOf(ctx, rev)
	}
	return r.makeTree(ctx, left)
}

// drop takes one path out of a tree.
func (r *Repo) drop(ctx context.Context, tree, p string) (string, error) {
	entries, err := r.lsTree(ctx, tree)
	if err != nil {
		return "", err
	}
	first, rest, deep := strings.Cut(p, "/")
	i := slices.IndexFunc(entries, func(e Entry) bool { return e.Path == first })
	if i < 0 || deep && entries[i].Type != "tree" {
		return tree, nil
	}
	if deep {
		sub, err := r.drop(ctx, entries[i].SHA, rest)
		if err != nil {
			return "", err
		}
		entries[i].SHA = sub
		deep, err = r.isFull(ctx, sub)
		if err != nil {
			return "", err
		}
	}
	if !deep {
		entries = slices.Delete(entries, i, i+1)
	}
	return r.makeTree(ctx, entries)
}

func (r *Repo) isFull(ctx context.Context, tree string) (bool, error) {
	entries, err := r.lsTree(ctx, tree)
	return len(entries) > 0, err
}

func (r *Repo) makeTree(ctx context.Context, entries []Entry) (string, error) {
	if tree, ok := r.madeTree(entries); ok {
		return tree, nil
	}
	var in bytes.Buffer
	for _, e := range entries {
		in.WriteString(e.Mode + " " + e.Type + " " + e.SHA + "\t" + path.Base(e.Path) + "\x00")
	}
	out, err := r.g.Written("mktree\x00"+in.String(), func() ([]byte, error) {
		return r.g.Run(ctx, hardened.Call{Args: []string{"mktree", "-z"}, Stdin: in.Bytes()})
	})
	return strings.TrimSpace(string(out)), err
}

// emptyTree is the tree with nothing in it.
func (r *Repo) emptyTree(ctx context.Context) (string, error) { return r.makeTree(ctx, nil) }

// TreeWith gives a tree, by its full name, with names of its top level as they
// are in another tree or commit: one that the other does not have is left out.
func (r *Repo) TreeWith(ctx context.Context, tree, from string, names ...string) (string, error) {
	entries, err := r.lsTree(ctx, tree)
	if err != nil {
		return "", err
	}
	other, err := r.lsTree(ctx, from)
	if err != nil {
		return "", err
	}
	named := func(e Entry) bool { return slices.Contains(names, e.Path) }
	rest := func(e Entry) bool { return !named(e) }
	theirs := slices.DeleteFunc(other, rest)
	if slices.Equal(slices.DeleteFunc(slices.Clone(entries), rest), theirs) && hardened.CheckSHA("tree", tree) == nil {
		return tree, nil
	}
	return r.makeTree(ctx, append(slices.DeleteFunc(entries, named), theirs...))
}
