package history

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"kedge"
	"kedge/internal/git/hardened"
)

// MergeRequest asks for the difference from Base to Theirs to be made to Ours;
// each is a tree or a commit. Date is that of the objects it needs on the way,
// so that the same request gives the same objects.
type MergeRequest struct {
	Base, Ours, Theirs string
	Date               time.Time

	// What is done about a conflict in a file, by its path. Union takes the lines of both
	// sides, Keep takes the file as Ours has it. Keep comes first. Nil: nothing.
	Union, Keep func(path string) bool
}

// Merged is the tree of a merge. In the files of Conflicts both sides stand
// between git's markers. United and Kept are the files whose conflicts the request
// resolved: none of them is among Conflicts.
type Merged struct {
	Tree         string
	Conflicts    []string
	United, Kept []string
}

// Merge merges trees, without a worktree, an index, attributes or drivers.
func (r *Repo) Merge(ctx context.Context, q MergeRequest) (Merged, error) {
	var trees [3]string
	for i, rev := range []string{q.Base, q.Ours, q.Theirs} {
		tree, err := r.TreeOf(ctx, rev)
		if err != nil {
			return Merged{}, err
		}
		trees[i] = tree
	}
	switch base, ours, theirs := trees[0], trees[1], trees[2]; {
	case base == ours, ours == theirs:
		return Merged{Tree: theirs}, nil
	case base == theirs:
		return Merged{Tree: ours}, nil
	}
	tree, found, err := r.mergeTrees(ctx, trees, q.Date)
	if err != nil {
		return Merged{}, err
	}
	return r.resolve(ctx, q, tree, found)
}

// mergeTrees merges three trees. The commits are only there because merge-tree
// wants commits.
func (r *Repo) mergeTrees(ctx context.Context, trees [3]string, at time.Time) (tree string, found []conflict, err error) {
	var sides [3]string
	for i, tree := range trees {
		q := CommitRequest{Tree: tree, Message: fmt.Sprintf("side %d", i), Date: at, Author: hardened.Kedge}
		if i > 0 {
			q.Parents = []string{sides[0]}
		}
		if sides[i], err = r.Commit(ctx, q); err != nil {
			return "", nil, err
		}
	}
	out, err := r.g.OnObjects(ctx, "merge-tree", "--write-tree", "--no-messages", "-z", "--end-of-options", sides[1], sides[2])
	f := hardened.Fields(out)
	if hardened.ExitCode(err) == 1 && len(f) > 0 {
		err = nil
	}
	if err != nil || len(f) == 0 {
		return "", nil, kedge.Errorf(kedge.Internal, "git cannot merge: %w", err).WithHint("see whether git is older than 2.38: git --version")
	}
	return f[0], parseConflicts(f[1:]), nil
}

// conflict is a file that could not be merged: as the base, Ours and Theirs have it,
// where they have it.
type conflict struct {
	path  string
	sides [3]*Entry
}

// parseConflicts reads records "mode sha stage\tpath".
func parseConflicts(in []string) []conflict {
	var out []conflict
	for _, record := range in {
		meta, path, ok := strings.Cut(record, "\t")
		f := strings.Fields(meta)
		if !ok || len(f) != 3 || len(f[2]) != 1 || f[2] < "1" || f[2] > "3" {
			continue
		}
		i := slices.IndexFunc(out, func(c conflict) bool { return c.path == path })
		if i < 0 {
			i, out = len(out), append(out, conflict{path: path})
		}
		out[i].sides[f[2][0]-'1'] = &Entry{Path: path, Mode: f[0], Type: "blob", SHA: f[1]}
	}
	slices.SortFunc(out, func(a, b conflict) int { return strings.Compare(a.path, b.path) })
	return out
}

// plain tells whether all there is of it are files, none a link or a submodule.
func (c conflict) plain() bool {
	return !slices.ContainsFunc(c.sides[:], func(e *Entry) bool { return e != nil && !strings.HasPrefix(e.Mode, "100") })
}

// resolve does what the request says about conflicts.
func (r *Repo) resolve(ctx context.Context, q MergeRequest, tree string, found []conflict) (Merged, error) {
	m, put := Merged{Tree: tree}, map[string]*Entry{}
	is := func(rule func(string) bool, c conflict) bool { return rule != nil && c.plain() && rule(c.path) }
	for _, c := range found {
		switch {
		case is(q.Keep, c):
			m.Kept = append(m.Kept, c.path)
			put[c.path] = c.sides[1]
		case is(q.Union, c) && c.sides[1] != nil && c.sides[2] != nil:
			united, err := r.unite(ctx, c)
			if err != nil {
				return m, err
			}
			if united == nil {
				m.Conflicts = append(m.Conflicts, c.path)
				continue
			}
			m.United = append(m.United, c.path)
			put[c.path] = united
		default:
			m.Conflicts = append(m.Conflicts, c.path)
		}
	}
	if len(put) == 0 {
		return m, nil
	}
	var err error
	m.Tree, err = r.compose(ctx, tree, put)
	return m, err
}

// unite makes a file of the lines of both sides; nil where it is not text.
func (r *Repo) unite(ctx context.Context, c conflict) (*Entry, error) {
	texts := map[string][]byte{"base": nil}
	for i, name := range []string{"base", "ours", "theirs"} {
		if c.sides[i] == nil {
			continue
		}
		var err error
		if texts[name], err = r.g.Fixed(ctx, "cat-file", "blob", "--end-of-options", c.sides[i].SHA); err != nil {
			return nil, err
		}
	}
	text, err := r.g.OnFiles(ctx, texts, "merge-file", "-q", "-p", "--union", "ours", "base", "theirs")
	if hardened.ExitCode(err) == 255 {
		return nil, nil //nolint:nilnil // there is none
	}
	if err != nil {
		return nil, err
	}
	sha, err := r.g.Run(ctx, hardened.Call{Args: []string{"hash-object", "-w", "-t", "blob", "--no-filters", "--stdin"}, Stdin: text})
	return &Entry{Path: c.path, Mode: c.mode(), Type: "blob", SHA: strings.TrimSpace(string(sha))}, err
}

// mode is the mode of a file that both sides have: that of the side which changed it.
func (c conflict) mode() string {
	if c.sides[0] != nil && c.sides[0].Mode == c.sides[1].Mode {
		return c.sides[2].Mode
	}
	return c.sides[1].Mode
}
