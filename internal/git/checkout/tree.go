package checkout

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/git/hardened"
)

// Tree gives the tree hash of the worktree as it stands: tracked and untracked
// files, ignored ones left out, nested repositories left out. The user's index
// is not touched. Blocked when a changed file needs a filter that nobody
// approved.
func (r *Repo) Tree(ctx context.Context) (string, error) {
	var tree string
	err := r.withScratch(ctx, func(s *Scratch) (err error) {
		tree, err = s.WorkTree(ctx)
		return err
	})
	return tree, err
}

// WorkTree brings the scratch index to what the worktree holds.
func (s *Scratch) WorkTree(ctx context.Context) (string, error) {
	c, err := s.Differences(ctx)
	if err != nil {
		return "", err
	}
	if err := s.refuseOdd(c); err != nil {
		return "", err
	}
	if err := s.refuseFiltered(ctx, c.Paths()); err != nil {
		return "", err
	}
	if err := s.Add(ctx, c.changed); err != nil {
		return "", err
	}
	if !attributed(c.untracked) { // what they decided is in no index
		s.hashed = append(s.hashed, c.changed...)
		s.keep(ctx)
	}
	if err := s.Add(ctx, c.untracked); err != nil {
		return "", err
	}
	return s.Tree(ctx)
}

// Differences seeds the scratch index and gives how the worktree differs from
// it. Where attributes changed, nothing counts that was hashed under the old ones.
func (s *Scratch) Differences(ctx context.Context) (Changes, error) {
	if err := s.seed(ctx); err != nil {
		return Changes{}, err
	}
	c, err := s.scan(ctx)
	if err != nil || s.afresh || !attributed(c.Paths()) {
		return c, err
	}
	s.afresh = true
	return s.Differences(ctx)
}

// Changes is how the worktree differs from the scratch index.
type Changes struct {
	changed   []string // modified, of another type, or gone
	untracked []string
	Nested    []string // folders that are repositories of their own
}

// Paths are those that differ, nested repositories aside.
func (c Changes) Paths() []string { return append(slices.Clone(c.changed), c.untracked...) }

// scan lists the differences without writing anything.
func (s *Scratch) scan(ctx context.Context) (Changes, error) {
	out, err := s.Do(ctx, nil, "ls-files", "-z", "-t", "-d", "-m", "-o", "--exclude-standard")
	if err != nil {
		return Changes{}, err
	}
	var c Changes
	for _, line := range hardened.Fields(out) {
		if len(line) < 3 {
			continue
		}
		path := line[2:]
		switch {
		case line[0] != '?':
			c.changed = append(c.changed, path)
		case strings.HasSuffix(path, "/"):
			c.Nested = append(c.Nested, strings.TrimSuffix(path, "/"))
		default:
			c.untracked = append(c.untracked, path)
		}
	}
	slices.Sort(c.changed)
	c.changed = slices.Compact(c.changed)
	return c, s.trust(ctx, &c)
}

// Foreign leaves out the nested folders that are worktrees of this repository:
// they are somebody's place of work, and no reset touches them.
func (s *Scratch) Foreign(nested []string) []string {
	var out []string
	for _, p := range nested {
		if !s.r.isWorktree(filepath.Join(s.r.g.Root(), p)) {
			out = append(out, p)
		}
	}
	return out
}

// isWorktree tells whether a folder is a worktree of this repository. Git writes
// where its git dir is as an absolute path or a relative one.
func (r *Repo) isWorktree(dir string) bool {
	b, err := os.ReadFile(filepath.Join(dir, ".git"))
	gitdir, ok := strings.CutPrefix(strings.TrimSpace(string(b)), "gitdir: ")
	if err != nil || !ok {
		return false
	}
	if !filepath.IsAbs(gitdir) {
		gitdir = filepath.Join(dir, gitdir)
	}
	if real, err := filepath.EvalSymlinks(gitdir); err == nil {
		gitdir = real
	}
	return filepath.Dir(gitdir) == filepath.Join(r.g.CommonDir(), "worktrees")
}

// Add takes the paths from the worktree into the scratch index, or out of it
// when they are gone.
func (s *Scratch) Add(ctx context.Context, paths []string) error {
	_, err := s.List(ctx, paths, "update-index", "--add", "--remove", "--replace", "-z", "--stdin")
	if hardened.ExitCode(err) == 0 {
		return err
	}
	if p := unreadable(s.r.g.Root(), paths, tryOpen); p != "" {
		return kedge.Errorf(kedge.Invalid, "%s cannot be read", p).
			WithHint("make the file readable: chmod u+r %[1]s; or have git ignore the file: echo %[2]s >> .gitignore", hardened.Quote(p), hardened.Quote("/"+p))
	}
	return kedge.Errorf(kedge.Invalid, "git cannot add the changed files: %w", err).WithHint("see which files changed: git status")
}

// unreadable is the first of the paths that is a file which cannot be opened; empty for
// none.
func unreadable(root string, paths []string, open func(string) error) string {
	for _, p := range paths {
		full := filepath.Join(root, p)
		if info, err := os.Lstat(full); err == nil && info.Mode().IsRegular() && open(full) != nil {
			return p
		}
	}
	return ""
}

func tryOpen(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	return f.Close()
}

// refuseOdd refuses files that git cannot hold in a tree.
func (s *Scratch) refuseOdd(c Changes) error {
	for _, p := range c.untracked {
		if !hardened.Storable(p) {
			return kedge.Errorf(kedge.Invalid, "git cannot store the file %q: no folder in a repository may be called .git", p).
				WithHint("rename the folder; or have git ignore the file: echo %s >> .gitignore", hardened.Quote("/"+p))
		}
	}
	return nil
}
