// Package gitx is the only place that executes git. It owns the hardened way of
// calling it, the tree of a work tree as it stands, deterministic commits, refs
// moved by compare-and-set, worktrees, and salvage.
//
// It promises that no call runs code that a repository brings along: hooks,
// fsmonitor, external diffs, textconv, merge drivers, filters, credential and
// ssh commands, lazy fetches. Reading and writing of work-tree content goes
// through a scratch git dir with a configuration of our own, so that nothing an
// agent writes into .git/config, even meanwhile, is ever looked at. Filters run
// only when a person approved exactly their commands.
//
// It never deletes work: what a reset would lose is salvaged first, or the reset
// is refused. It never changes the user's index except where it says so, and
// never talks to a network.
package gitx

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"kedge"
)

// Options is what a Repo needs from outside; the zero value is for production.
type Options struct {
	// Now is the clock that the age of lock files is measured by.
	Now func() time.Time
	// Approved tells whether a person approved the git filter of this name
	// with exactly these commands (see Filter.Hash). Nil approves none.
	Approved func(name, hash string) bool
	// Env is where PATH, HOME and the place of the user's git configuration
	// come from; nil is the environment of the process.
	Env []string
	// Cache is where unchanged files are remembered.
	Cache Cache
	// Wait waits between two tries at a live lock file.
	Wait func(ctx context.Context, d time.Duration) error

	memory *memory // shared by all work trees that one Repo led to
}

// Repo is one repository seen from one of its work trees. What it remembers
// cannot go stale, and it may be used by many goroutines.
type Repo struct {
	opt    Options
	root   string // of the work tree; empty for a bare repository
	gitDir string // of this work tree
	common string // shared by all worktrees
	format string // object format: sha1 or sha256
	safe   []string
}

// Head is what HEAD stands for. Branch is empty when Detached, Commit when
// Unborn.
type Head struct {
	Branch   string `json:"branch"`
	Commit   string `json:"commit"`
	Detached bool   `json:"detached"`
	Unborn   bool   `json:"unborn"`
}

// Open finds the repository that dir lies in. NotFound when it lies in none,
// Blocked when git does not trust its owner. A bare repository, or the inside of
// a git dir, opens with an empty Root: whatever needs a work tree then refuses.
//
// What a crash of Kedge left undone in the work tree is finished: see finish.
func Open(ctx context.Context, dir string, o Options) (*Repo, error) {
	r, err := open(ctx, dir, o)
	if err != nil {
		return nil, err
	}
	if err := r.finish(ctx); err != nil {
		return nil, err
	}
	return r, nil
}

func open(ctx context.Context, dir string, o Options) (*Repo, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "open %q: %w", dir, err)
	}
	if fi, err := os.Stat(dir); err != nil || !fi.IsDir() {
		return nil, kedge.Errorf(kedge.NotFound, "no folder %q", dir)
	}
	r := &Repo{opt: o.withDefaults()}
	set, err := r.configured(ctx, dir)
	if err != nil {
		return nil, err
	}
	r.safe = set.safe
	if err := r.located(ctx, dir); err != nil {
		return nil, err
	}
	return r, nil
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
func (r *Repo) discover(ctx context.Context, dir string) error {
	out, err := r.once(ctx, call{dir: dir, args: []string{
		"rev-parse", "--path-format=absolute", "--is-inside-work-tree", "--is-inside-git-dir", "--is-bare-repository",
		"--show-object-format", "--absolute-git-dir", "--git-common-dir", "--show-toplevel", // fails where there is none: last
	}})
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	bare := stderrHas(err, "must be run in a work tree") && len(lines) == 6
	if err != nil && !bare {
		return explainOpen(dir, err)
	}
	if len(lines) != 7 && !bare {
		return kedge.Errorf(kedge.Invalid, "the path of the repository at %q has a line break in it", dir)
	}
	root := ""
	switch {
	case !bare:
		root = lines[6]
	case lines[1] == "false" && lines[2] == "false":
		root = "somewhere else" // core.worktree points away from dir
	}
	r.root, r.format, r.gitDir, r.common = root, lines[3], lines[4], filepath.Clean(lines[5])
	return r.checkRoot(dir)
}

// checkRoot refuses a core.worktree that points somewhere else.
func (r *Repo) checkRoot(dir string) error {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return kedge.Errorf(kedge.Internal, "open %q: %w", dir, err)
	}
	if r.root == "" || real == r.root || strings.HasPrefix(real, strings.TrimSuffix(r.root, "/")+"/") {
		return nil
	}
	return kedge.Errorf(kedge.Blocked, "the repository at %q has its work tree elsewhere", dir).
		WithHint("git -C %s config --unset core.worktree", quote(dir))
}

func explainOpen(dir string, err error) error {
	fail, ok := errors.AsType[*failure](err)
	switch {
	case !ok:
		return err
	case strings.Contains(fail.stderr, "dubious ownership"):
		return kedge.Errorf(kedge.Blocked, "the repository at %q belongs to someone else", dir).
			WithHint("git config --global --add safe.directory %s", quote(dir))
	case strings.Contains(fail.stderr, "not a git repository"):
		return kedge.Errorf(kedge.NotFound, "%q is not in a git repository", dir).WithHint("git init")
	}
	return kedge.Errorf(kedge.Invalid, "the repository at %q cannot be read: %w", dir, err).WithHint("git -C %s status", quote(dir))
}

// Root is the top of the work tree, with symbolic links resolved; empty when
// there is none.
func (r *Repo) Root() string { return r.root }

// CommonDir is the git dir that all worktrees of the repository share.
func (r *Repo) CommonDir() string { return r.common }

// GitDir is the git dir of this work tree alone.
func (r *Repo) GitDir() string { return r.gitDir }

// needRoot refuses where there is no work tree.
func (r *Repo) needRoot() error {
	if r.root == "" {
		return kedge.Errorf(kedge.Invalid, "%q is a bare repository or a git dir: there are no files to work on", r.gitDir).
			WithHint("run it in a clone, or make a work tree: git worktree add ../work")
	}
	return nil
}

// Head reads HEAD.
func (r *Repo) Head(ctx context.Context) (Head, error) {
	if h, ok := r.plainHead(); ok {
		return h, nil
	}
	var h Head
	ref, err := r.git(ctx, "symbolic-ref", "-q", "HEAD")
	switch {
	case exitCode(err) == 1:
		h.Detached = true
	case err != nil:
		return h, err
	default:
		h.Branch = strings.TrimPrefix(strings.TrimSpace(string(ref)), "refs/heads/")
	}
	sha, err := r.git(ctx, "rev-parse", "-q", "--verify", "--end-of-options", "HEAD^{commit}")
	switch {
	case exitCode(err) == 1:
		h.Unborn = true
	case err != nil:
		return h, err
	}
	h.Commit = strings.TrimSpace(string(sha))
	return h, nil
}

// Resolve gives the full object name of a revision: HEAD, a branch, a full ref,
// or an object name of at least four digits. NotFound when there is none.
func (r *Repo) Resolve(ctx context.Context, rev string) (string, error) {
	if err := checkRev(rev); err != nil {
		return "", err
	}
	if sha, ok := r.looseRef(rev); ok {
		return sha, nil
	}
	if r.has(rev) {
		return rev, nil
	}
	none := kedge.Errorf(kedge.NotFound, "no revision %q in this repository", rev).WithHint("git log --oneline --all")
	if r.noRef(rev) {
		return "", none
	}
	out, err := r.git(ctx, "rev-parse", "-q", "--verify", "--end-of-options", rev+"^{object}")
	if exitCode(err) == 1 || exitCode(err) == 128 {
		return "", none
	}
	return strings.TrimSpace(string(out)), err
}

// at opens another work tree of the same repository by its root.
func (r *Repo) at(ctx context.Context, dir string) (*Repo, error) {
	if dir == "" || dir == r.root {
		return r, r.needRoot()
	}
	w, err := open(ctx, dir, r.opt)
	if err != nil {
		return nil, err
	}
	if w.common != r.common || w.root == "" {
		return nil, kedge.Errorf(kedge.Invalid, "%q is not a worktree of the repository at %q", dir, r.common).
			WithHint("kedge worktree ls")
	}
	return w, nil
}
