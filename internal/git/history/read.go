package history

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"kedge"
	"kedge/internal/git/hardened"
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
	out, err := r.diffTree(ctx, from, to)
	if err != nil {
		return nil, err
	}
	return parseDiff(out), nil
}

// diffTree gives the records of what differs between two trees or commits, with modes,
// names of blobs and counts of lines.
func (r *Repo) diffTree(ctx context.Context, from, to string) ([]string, error) {
	trees := []string{from, to}
	for i, rev := range trees {
		if hardened.CheckSHA("tree", rev) == nil {
			continue // git itself says whether it is there
		}
		tree, err := r.TreeOf(ctx, rev)
		if kedge.NotFound.Is(err) {
			return nil, kedge.Errorf(kedge.NotFound, "this repository has no commit %q, or no longer has it", rev).WithHint("see its commits: git log --oneline --all")
		}
		if err != nil {
			return nil, err
		}
		trees[i] = tree
	}
	if trees[0] == trees[1] {
		return nil, nil
	}
	args := []string{
		"diff-tree", "-r", "-z", "--raw", "--numstat", "--no-renames", "--no-ext-diff", "--no-textconv",
		"--no-relative", "--ignore-submodules=none", "-O/dev/null", "--end-of-options", trees[0], trees[1],
	}
	out, err := r.g.Remembered(r.g.ObjectKey(args), func() ([]byte, error) { return r.g.OnObjects(ctx, args...) })
	if hardened.ExitCode(err) == 128 {
		return nil, kedge.Errorf(kedge.NotFound, "this repository lacks commit %q or %q: %w", from, to, err)
	}
	if err != nil {
		return nil, err
	}
	return hardened.Fields(out), nil
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
	if err := hardened.CheckPath(under); err != nil {
		return nil, err
	}
	return r.lsTree(ctx, rev, "-r", under)
}

// lsTree runs ls-tree with flags first, then paths.
func (r *Repo) lsTree(ctx context.Context, rev string, more ...string) ([]Entry, error) {
	if err := hardened.CheckRev(rev); err != nil {
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
	out, err := r.g.About(ctx, rev, args...)
	if hardened.ExitCode(err) == 128 {
		return nil, kedge.Errorf(kedge.NotFound, "this repository has no commit, branch or tag %q", rev).WithHint("see its commits: git log --oneline --all")
	}
	if err != nil {
		return nil, err
	}
	return parseTree(hardened.Fields(out)), nil
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
	if err := hardened.CheckPath(p); err != nil {
		return nil, err
	}
	found, err := r.lsTree(ctx, rev, p)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// entries finds paths of a revision; nil is one that is not there. From a few on,
// reading all of it at once is the shorter way.
func (r *Repo) entries(ctx context.Context, rev string, n int) (func(path string) (*Entry, error), error) {
	const few = 8
	if n <= few {
		return func(path string) (*Entry, error) { return r.entry(ctx, rev, path) }, nil
	}
	list, err := r.lsTree(ctx, rev, "-r")
	all := make(map[string]*Entry, len(list))
	for i := range list {
		all[list[i].Path] = &list[i]
	}
	return func(path string) (*Entry, error) { return all[path], nil }, err
}

// Exists tells whether a revision holds the path, as a file or a folder.
func (r *Repo) Exists(ctx context.Context, rev, p string) (bool, error) {
	e, err := r.entry(ctx, rev, p)
	return e != nil, err
}

// Tracked tells whether the commit that is checked out in a worktree of the
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
		return nil, kedge.Errorf(kedge.NotFound, "there is no file %q in commit %q", p, rev)
	}
	if e.Type != "blob" {
		return nil, kedge.Errorf(kedge.Invalid, "in commit %[2]q, %[1]q is a folder or a submodule, not a file", p, rev)
	}
	if _, body, ok := r.object(e.SHA); ok {
		return body, nil
	}
	out, err := r.g.Fixed(ctx, "cat-file", "blob", "--end-of-options", e.SHA)
	return slices.Clone(out), err
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

// LastChange is the newest commit of a revision that changed a path; empty when none
// did.
func (r *Repo) LastChange(ctx context.Context, rev, p string) (string, error) {
	for _, err := range []error{hardened.CheckRev(rev), hardened.CheckPath(p)} {
		if err != nil {
			return "", err
		}
	}
	out, err := r.g.Do(ctx, "rev-list", "-1", "--end-of-options", rev, "--", p)
	return strings.TrimSpace(string(out)), err
}
