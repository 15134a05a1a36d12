package gitx

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strconv"
	"strings"

	"kedge"
)

// Change is one path that differs between two trees. Status is A, M, D or T
// (another type). Added and Removed count lines, and are 0 for a Binary file.
type Change struct {
	Path    string `json:"path"`
	Status  string `json:"status"`
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
	Binary  bool   `json:"binary"`
}

// Entry is one file of a tree. Type is blob, or commit for a submodule.
type Entry struct {
	Path string
	Mode string
	Type string
	SHA  string
}

// Diff lists what differs between two trees or commits, by path. A rename is
// two changes. Binary is a file with a NUL among its first 8000 bytes, or a very
// big one; neither attributes nor configuration have a say in it.
func (r *Repo) Diff(ctx context.Context, from, to string) ([]Change, error) {
	trees := []string{from, to}
	for i, rev := range trees {
		if checkSHA("tree", rev) == nil {
			continue // git itself says whether it is there
		}
		tree, err := r.TreeOf(ctx, rev)
		if kedge.NotFound.Is(err) {
			return nil, kedge.Errorf(kedge.NotFound, "%q is not in this repository (any more)", rev).WithHint("git log --oneline --all")
		}
		if err != nil {
			return nil, err
		}
		trees[i] = tree
	}
	if trees[0] == trees[1] {
		return []Change{}, nil
	}
	args := []string{
		"diff-tree", "-r", "-z", "--raw", "--numstat", "--no-renames", "--no-ext-diff", "--no-textconv",
		"--no-relative", "--ignore-submodules=none", "-O/dev/null", "--end-of-options", trees[0], trees[1],
	}
	out, err := r.remembered(r.objectKey(args), func() ([]byte, error) { return r.onObjects(ctx, args...) })
	if exitCode(err) == 128 {
		return nil, kedge.Errorf(kedge.NotFound, "%q or %q is not in this repository (any more): %w", from, to, err)
	}
	if err != nil {
		return nil, err
	}
	return parseDiff(fields(out)), nil
}

// parseDiff reads records ":modes shas status", path and "added\tremoved\tpath".
func parseDiff(in []string) []Change {
	at := map[string]int{}
	out := []Change{}
	for i := 0; i < len(in); i++ {
		if strings.HasPrefix(in[i], ":") && i+1 < len(in) {
			f := strings.Fields(in[i])
			at[in[i+1]] = len(out)
			out = append(out, Change{Path: in[i+1], Status: f[len(f)-1][:1]})
			i++
			continue
		}
		f := strings.SplitN(in[i], "\t", 3)
		if len(f) != 3 {
			continue
		}
		if n, ok := at[f[2]]; ok {
			out[n].Binary = f[0] == "-"
			out[n].Added, _ = strconv.Atoi(f[0])
			out[n].Removed, _ = strconv.Atoi(f[1])
		}
	}
	slices.SortFunc(out, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// List gives the files of a revision, by path; under limits it to one folder or
// file, and is empty for all.
func (r *Repo) List(ctx context.Context, rev, under string) ([]Entry, error) {
	if under == "" {
		return r.lsTree(ctx, rev, "-r")
	}
	if err := checkPath(under); err != nil {
		return nil, err
	}
	return r.lsTree(ctx, rev, "-r", under)
}

// lsTree runs ls-tree with flags first, then paths.
func (r *Repo) lsTree(ctx context.Context, rev string, more ...string) ([]Entry, error) {
	if err := checkRev(rev); err != nil {
		return nil, err
	}
	if list, ok := r.plainList(rev, more); ok {
		return list, nil
	}
	args := []string{"ls-tree", "-z", "--full-tree"}
	if len(more) > 0 && more[0] == "-r" {
		args, more = append(args, "-r"), more[1:]
	}
	args = append(append(args, "--end-of-options", rev), more...)
	out, err := r.about(ctx, rev, args...)
	if exitCode(err) == 128 {
		return nil, kedge.Errorf(kedge.NotFound, "no revision %q in this repository", rev).WithHint("git log --oneline --all")
	}
	if err != nil {
		return nil, err
	}
	return parseTree(fields(out)), nil
}

// parseTree reads records "mode type sha\tpath".
func parseTree(in []string) []Entry {
	out := []Entry{}
	for _, line := range in {
		meta, p, ok := strings.Cut(line, "\t")
		f := strings.Fields(meta)
		if ok && len(f) == 3 {
			out = append(out, Entry{Path: p, Mode: f[0], Type: f[1], SHA: f[2]})
		}
	}
	return out
}

// entry finds one path of a revision; nil when it is not there.
func (r *Repo) entry(ctx context.Context, rev, p string) (*Entry, error) {
	if err := checkPath(p); err != nil {
		return nil, err
	}
	found, err := r.lsTree(ctx, rev, p)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// Exists tells whether a revision holds the path, as a file or a folder.
func (r *Repo) Exists(ctx context.Context, rev, p string) (bool, error) {
	e, err := r.entry(ctx, rev, p)
	return e != nil, err
}

// Tracked tells whether the commit that is checked out in a work tree of the
// repository holds the path, as a file or a folder.
func (r *Repo) Tracked(ctx context.Context, dir, p string) (bool, error) {
	w, err := r.at(ctx, dir)
	if err != nil {
		return false, err
	}
	h, err := w.Head(ctx)
	if err != nil || h.Unborn {
		return false, err
	}
	return w.Exists(ctx, h.Commit, p)
}

// ReadFile gives a file's content at a revision, as it is stored: no filter and
// no line-end conversion. For a symbolic link it is the target.
func (r *Repo) ReadFile(ctx context.Context, rev, p string) ([]byte, error) {
	e, err := r.entry(ctx, rev, p)
	if err != nil {
		return nil, err
	}
	if e == nil {
		return nil, kedge.Errorf(kedge.NotFound, "no file %q at %q", p, rev)
	}
	if e.Type != "blob" {
		return nil, kedge.Errorf(kedge.Invalid, "%q at %q is not a file", p, rev)
	}
	if _, body, ok := r.object(e.SHA); ok {
		return body, nil
	}
	out, err := r.fixed(ctx, "cat-file", "blob", "--end-of-options", e.SHA)
	return slices.Clone(out), err
}

// TreeOf gives the tree of a commit.
func (r *Repo) TreeOf(ctx context.Context, rev string) (string, error) {
	if err := checkRev(rev); err != nil {
		return "", err
	}
	if tree, ok := r.plainTree(rev); ok {
		return tree, nil
	}
	out, err := r.about(ctx, rev, "rev-parse", "-q", "--verify", "--end-of-options", rev+"^{tree}")
	if c := exitCode(err); c == 1 || c == 128 {
		return "", kedge.Errorf(kedge.NotFound, "no revision %q in this repository", rev).WithHint("git log --oneline --all")
	}
	return strings.TrimSpace(string(out)), err
}

// TreeWithout gives the tree with the paths, files or folders, left out. A
// folder that becomes empty is gone too. It is how two trees are compared
// without what Kedge itself writes.
func (r *Repo) TreeWithout(ctx context.Context, tree string, paths ...string) (string, error) {
	for _, p := range paths {
		if err := checkPath(p); err != nil {
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
	out, err := r.written("mktree\x00"+in.String(), func() ([]byte, error) {
		return r.run(ctx, call{args: []string{"mktree", "-z"}, stdin: in.Bytes()})
	})
	return strings.TrimSpace(string(out)), err
}

// emptyTree is the tree with nothing in it.
func (r *Repo) emptyTree(ctx context.Context) (string, error) { return r.makeTree(ctx, nil) }

// Has tells whether the repository has a commit now: what was read of it before
// says nothing, git may have thrown it away since.
func (r *Repo) Has(ctx context.Context, commit string) (bool, error) {
	_, err := r.Resolve(ctx, commit)
	if kedge.NotFound.Is(err) {
		return false, nil
	}
	return err == nil, err
}

// HeadText is a file's text in the last commit, nil where it is not in it.
func (r *Repo) HeadText(ctx context.Context, path string) (*string, error) {
	b, err := r.ReadFile(ctx, "HEAD", path)
	if kedge.NotFound.Is(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s := string(b)
	return &s, nil
}
