package gitx

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kedge"
)

// Tree gives the tree hash of the work tree as it stands: tracked and untracked
// files, ignored ones left out, nested repositories left out. The user's index
// is not touched. Blocked when a changed file needs a filter that nobody
// approved.
func (r *Repo) Tree(ctx context.Context) (string, error) {
	var tree string
	err := r.withScratch(ctx, func(s *scratch) (err error) {
		tree, err = s.workTree(ctx)
		return err
	})
	return tree, err
}

// workTree brings the scratch index to what the work tree holds.
func (s *scratch) workTree(ctx context.Context) (string, error) {
	c, err := s.differences(ctx)
	if err != nil {
		return "", err
	}
	if err := s.refuseOdd(c); err != nil {
		return "", err
	}
	if err := s.refuseFiltered(ctx, c.paths()); err != nil {
		return "", err
	}
	if err := s.add(ctx, c.changed); err != nil {
		return "", err
	}
	if !attributed(c.untracked) { // what they decided is in no index
		s.hashed = append(s.hashed, c.changed...)
		s.keep(ctx)
	}
	if err := s.add(ctx, c.untracked); err != nil {
		return "", err
	}
	return s.tree(ctx)
}

// differences seeds the scratch index and gives how the work tree differs from
// it. Where attributes changed, nothing counts that was hashed under the old ones.
func (s *scratch) differences(ctx context.Context) (changes, error) {
	if err := s.seed(ctx); err != nil {
		return changes{}, err
	}
	c, err := s.scan(ctx)
	if err != nil || s.afresh || !attributed(c.paths()) {
		return c, err
	}
	s.afresh = true
	return s.differences(ctx)
}

// changes is how the work tree differs from the scratch index.
type changes struct {
	changed   []string // modified, of another type, or gone
	untracked []string
	nested    []string // folders that are repositories of their own
}

func (c changes) paths() []string { return append(slices.Clone(c.changed), c.untracked...) }

// scan lists the differences without writing anything.
func (s *scratch) scan(ctx context.Context) (changes, error) {
	out, err := s.git(ctx, nil, "ls-files", "-z", "-t", "-d", "-m", "-o", "--exclude-standard")
	if err != nil {
		return changes{}, err
	}
	var c changes
	for _, line := range fields(out) {
		if len(line) < 3 {
			continue
		}
		path := line[2:]
		switch {
		case line[0] != '?':
			c.changed = append(c.changed, path)
		case strings.HasSuffix(path, "/"):
			c.nested = append(c.nested, strings.TrimSuffix(path, "/"))
		default:
			c.untracked = append(c.untracked, path)
		}
	}
	slices.Sort(c.changed)
	c.changed = slices.Compact(c.changed)
	return c, s.trust(ctx, &c)
}

// add takes the paths from the work tree into the scratch index, or out of it
// when they are gone.
func (s *scratch) add(ctx context.Context, paths []string) error {
	_, err := s.list(ctx, paths, "update-index", "--add", "--remove", "--replace", "-z", "--stdin")
	if exitCode(err) != 0 {
		return kedge.Errorf(kedge.Invalid, "a file cannot be read into the tree: %w", err).WithHint("git status")
	}
	return err
}

// refuseOdd refuses files that git cannot hold in a tree.
func (s *scratch) refuseOdd(c changes) error {
	for _, p := range c.untracked {
		if !storable(p) {
			return kedge.Errorf(kedge.Invalid, "git cannot hold the file %q: no folder in a tree may be called .git", p).
				WithHint("rename it, or ignore it: echo %s >> .gitignore", quote("/"+p))
		}
	}
	return nil
}

// filtered gives the filter of each of the paths that the attributes give one
// that the configuration defines. One that nobody defines does nothing, in git
// as well. cached reads the attributes from the scratch index.
func (s *scratch) filtered(ctx context.Context, paths []string, cached bool) (map[string]Filter, error) {
	found := map[string]Filter{}
	if len(s.set.filters) == 0 {
		return found, nil
	}
	args := []string{"check-attr", "--stdin", "-z", "filter"}
	if cached {
		args = []string{"check-attr", "--cached", "--stdin", "-z", "filter"}
	}
	out, err := s.list(ctx, paths, args...)
	if err != nil {
		return nil, err
	}
	f := fields(out)
	for i := 0; i+2 < len(f); i += 3 {
		if filter, ok := s.set.filters[f[i+2]]; ok {
			found[f[i]] = filter
		}
	}
	return found, nil
}

// refuseFiltered is Blocked when one of the paths, as files, needs a filter that
// nobody approved. A path that is gone needs none.
func (s *scratch) refuseFiltered(ctx context.Context, paths []string) error {
	found, err := s.filtered(ctx, paths, false)
	if err != nil {
		return err
	}
	for path := range found {
		if _, err := os.Lstat(filepath.Join(s.r.root, path)); err != nil {
			delete(found, path)
		}
	}
	return s.blocked(found)
}

func (s *scratch) blocked(found map[string]Filter) error {
	var paths []string
	for path, f := range found {
		if !s.r.isApproved(f) {
			paths = append(paths, path)
		}
	}
	if len(paths) == 0 {
		return nil
	}
	slices.Sort(paths)
	f := found[paths[0]]
	more := ""
	if len(paths) > 1 {
		more = fmt.Sprintf(" and %d more", len(paths)-1)
	}
	return kedge.Errorf(kedge.Blocked, "%q%s needs the git filter %q, which nobody approved (%s)", paths[0], more, f.Name, f.commands()).
		WithHint("look at its commands, then approve them: kedge approve filter:%s@%s", f.Name, f.Hash[:FilterDigits])
}

// commands shows what would run.
func (f Filter) commands() string {
	var out []string
	for _, c := range []string{f.Clean, f.Smudge, f.Process} {
		if c != "" {
			out = append(out, fmt.Sprintf("%q", c))
		}
	}
	return strings.Join(out, ", ")
}
