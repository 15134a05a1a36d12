// Package hardened starts git, and is the only package that does. It owns the form of a
// call: its settings and environment, the locks for which it waits, the answers that it
// caches, and the names that callers may pass.
//
// It promises that no call runs code from the repository: hooks, fsmonitor, external
// diffs, textconv, merge drivers, filters, credential and ssh commands, lazy fetches. No
// name or path becomes an option. If another process holds a lock, it waits. If a killed
// git of Kedge left a lock, it removes the lock.
//
// It never touches a worktree, an index or a ref unless a caller asks for it. Nothing
// outside internal/git may import it.
package hardened

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"kedge"
)

// Options is what a Git needs from outside; the zero value is for production.
type Options struct {
	// Now is the clock that the age of lock files is measured by.
	Now func() time.Time
	// Approved tells whether a person approved the git filter of this name
	// with exactly these commands (see Filter.Hash). Nil approves none.
	Approved func(name, hash string) bool
	// Program is this program, which git starts as the filter of Git LFS; empty: a filter
	// "lfs" is like any other.
	Program string
	// Env is where PATH, HOME and the place of the user's git configuration
	// come from; nil is the environment of the process.
	Env []string
	// Cache is where unchanged files are remembered.
	Cache Cache
	// Wait waits between two tries at a live lock file.
	Wait func(ctx context.Context, d time.Duration) error

	memory *memory // shared by all worktrees that one Git led to
}

// Cache is where Kedge keeps what it knows of unchanged files: an index of its
// own for each worktree, which git never sees. The user's index says which files
// are tracked, and no more: what "git add" made of them depends on attributes and
// settings that are in no tree, so that a file could differ from its blob and
// still count as unchanged there.
type Cache struct {
	Dir  string // a private folder; empty: every file is read every time
	Keep bool   // write to it
}

// Git is one repository seen from one of its worktrees. What it remembers
// cannot go stale, and it may be used by many goroutines.
type Git struct {
	opt    Options
	root   string // of the worktree; empty for a bare repository
	gitDir string // of this worktree
	common string // shared by all worktrees
	format string // object format: sha1 or sha256
	safe   []string
}

// Open finds the repository that dir lies in. NotFound when it lies in none,
// Blocked when git does not trust its owner. A bare repository, or the inside of
// a git dir, opens with an empty Root.
func Open(ctx context.Context, dir string, o Options) (*Git, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot open %q: %w", dir, err)
	}
	if fi, err := os.Stat(dir); err != nil || !fi.IsDir() {
		return nil, kedge.Errorf(kedge.NotFound, "there is no folder %q", dir)
	}
	g := &Git{opt: o.withDefaults()}
	set, err := g.configured(ctx, dir)
	if err != nil {
		return nil, err
	}
	g.safe = set.safe
	if err := g.located(ctx, dir); err != nil {
		return nil, err
	}
	return g, nil
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Approved == nil {
		o.Approved = func(string, string) bool { return false }
	}
	if o.Env == nil {
		o.Env = os.Environ()
	}
	if o.Wait == nil {
		o.Wait = wait
	}
	if o.memory == nil {
		o.memory = newMemory()
	}
	return o
}

// discover asks git, once, where everything is; later calls name it, so that
// nothing an agent puts on the way can be found instead.
func (g *Git) discover(ctx context.Context, dir string) error {
	out, err := g.once(ctx, Call{Dir: dir, Args: []string{
		"rev-parse", "--path-format=absolute", "--is-inside-work-tree", "--is-inside-git-dir", "--is-bare-repository",
		"--show-object-format", "--absolute-git-dir", "--git-common-dir", "--show-toplevel", // fails where there is none: last
	}})
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	bare := StderrHas(err, "must be run in a work tree") && len(lines) == 6
	if err != nil && !bare {
		return explainOpen(dir, err)
	}
	if len(lines) != 7 && !bare {
		return kedge.Errorf(kedge.Invalid, "the path of the repository at %q has a line break in it, and Kedge cannot use such a path", dir).WithHint("rename the folder whose name has the line break")
	}
	root := ""
	switch {
	case !bare:
		root = lines[6]
	case lines[1] == "false" && lines[2] == "false":
		root = "somewhere else" // core.worktree points away from dir
	}
	g.root, g.format, g.gitDir, g.common = root, lines[3], lines[4], filepath.Clean(lines[5])
	return g.checkRoot(dir)
}

// checkRoot refuses a core.worktree that points somewhere else.
func (g *Git) checkRoot(dir string) error {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot open %q: %w", dir, err)
	}
	if g.root == "" || real == g.root || strings.HasPrefix(real, strings.TrimSuffix(g.root, "/")+"/") {
		return nil
	}
	return kedge.Errorf(kedge.Blocked, "the repository at %q keeps its files in another folder, because the git setting core.worktree says so", dir).
		WithHint("remove that setting: git -C %s config --unset core.worktree", Quote(dir))
}

func explainOpen(dir string, err error) error {
	fail, ok := errors.AsType[*failure](err)
	switch {
	case !ok:
		return err
	case strings.Contains(fail.stderr, "dubious ownership"):
		return kedge.Errorf(kedge.Blocked, "the repository at %q belongs to someone else", dir).
			WithHint("if you trust it: git config --global --add safe.directory %s", Quote(dir))
	case strings.Contains(fail.stderr, "not a git repository"):
		return kedge.Errorf(kedge.NotFound, "%q is not in a git repository", dir).WithHint("go to your repository; or make one here: git init")
	}
	return kedge.Errorf(kedge.Invalid, "the repository at %q cannot be read: %w", dir, err).WithHint("see what git says: git -C %s status", Quote(dir))
}

// Root is the top of the worktree, with symbolic links resolved; empty when
// there is none.
func (g *Git) Root() string { return g.root }

// CommonDir is the git dir that all worktrees of the repository share.
func (g *Git) CommonDir() string { return g.common }

// GitDir is the git dir of this worktree alone.
func (g *Git) GitDir() string { return g.gitDir }

// Options are those that it was opened with, defaults filled in: another repository
// that is opened with them shares what is remembered.
func (g *Git) Options() Options { return g.opt }

// Now is the present by the clock of the Options.
func (g *Git) Now() time.Time { return g.opt.Now() }

// Cache is where unchanged files are remembered.
func (g *Git) Cache() Cache { return g.opt.Cache }

// NeedRoot refuses where there is no worktree.
func (g *Git) NeedRoot() error {
	if g.root == "" {
		return kedge.Errorf(kedge.Invalid, "%q is a bare repository, or the .git folder of a repository: there are no files to work on", g.gitDir).
			WithHint("make a worktree, then run your command there: git worktree add ../work")
	}
	return nil
}

// Format is how the names of objects are computed: sha1 or sha256.
func (g *Git) Format() string { return g.format }

// SHALen is how many digits the full name of an object has.
func (g *Git) SHALen() int {
	if g.format == "sha256" {
		return 64
	}
	return 40
}

// At opens another worktree of the same repository by its root; empty is this one.
// Invalid when it is none of them.
func (g *Git) At(ctx context.Context, dir string) (*Git, error) {
	if dir == "" || dir == g.root {
		return g, g.NeedRoot()
	}
	w, err := Open(ctx, dir, g.opt)
	if err != nil {
		return nil, err
	}
	if w.common != g.common || w.root == "" {
		return nil, kedge.Errorf(kedge.Invalid, "%q is not a worktree of the repository at %q", dir, g.common).
			WithHint("see the worktrees: kedge worktree ls")
	}
	return w, nil
}
