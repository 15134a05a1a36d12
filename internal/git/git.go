// Package git is git as the rest of Kedge sees it: a repository with all operations.
// It has five parts, and each part knows only the parts before it:
//
//	hardened   how git is started, and with what: the only place that executes it
//	history    objects and refs
//	checkout   the files of a worktree and its index
//	salvage    work that was set aside
//	worktree   the worktrees and the branches in them
//
// It promises that no call runs code from the repository: hooks, fsmonitor, external
// diffs, textconv, merge drivers, filters, credential and ssh commands, lazy fetches. It
// reads and writes the files of a worktree through a scratch git dir with our own
// configuration, so git never reads what an agent writes into .git/config, even
// meanwhile. Filters run only if you approved exactly their commands; git-lfs never
// runs, because this program does its work.
//
// It never deletes work: before a reset, it salvages what the reset would lose, or
// refuses the reset. It changes the user's index only where a function says so, and
// never talks to a network.
//
// It also finds the project to which a folder belongs (place.go). For this it only reads
// small files. A pipe or a large file in place of a small file is an error.
package git

import (
	"context"
	"io"

	"kedge/internal/git/checkout"
	"kedge/internal/git/hardened"
	"kedge/internal/git/stored"
	"kedge/internal/git/worktree"
)

// parts keeps the field that is embedded out of what others see.
type parts = worktree.Repo

// Repo is one repository seen from one of its worktrees. What it remembers
// cannot go stale, and it may be used by many goroutines.
type Repo struct {
	*parts
	g *hardened.Git
}

// Open finds the repository that dir lies in. NotFound when it lies in none,
// Blocked when git does not trust its owner. A bare repository, or the inside of
// a git dir, opens with an empty Root: whatever needs a worktree then refuses.
//
// What a crash of Kedge left undone in the worktree is finished.
func Open(ctx context.Context, dir string, o Options) (*Repo, error) {
	g, err := hardened.Open(ctx, dir, o)
	if err != nil {
		return nil, err
	}
	return finished(ctx, g)
}

// In gives another worktree of the same repository by its root. What a crash of
// Kedge left undone in it is finished. Invalid when it is none of them.
func (r *Repo) In(ctx context.Context, dir string) (*Repo, error) {
	g, err := r.g.At(ctx, dir)
	if err != nil {
		return nil, err
	}
	return finished(ctx, g)
}

func finished(ctx context.Context, g *hardened.Git) (*Repo, error) {
	if err := checkout.Finish(ctx, g); err != nil {
		return nil, err
	}
	return &Repo{parts: worktree.Of(g), g: g}, nil
}

// Root is the top of the worktree, with symbolic links resolved; empty when
// there is none.
func (r *Repo) Root() string { return r.g.Root() }

// CommonDir is the git dir that all worktrees of the repository share.
func (r *Repo) CommonDir() string { return r.g.CommonDir() }

// GitDir is the git dir of this worktree alone.
func (r *Repo) GitDir() string { return r.g.GitDir() }

// Filters lists the filters that the configuration defines, by name.
func (r *Repo) Filters(ctx context.Context) ([]Filter, error) { return r.g.Filters(ctx) }

// Identity is the user that commits are made for. Blocked when git does not know
// a name, since Kedge invents none.
func (r *Repo) Identity(ctx context.Context) (Person, error) { return r.g.Identity(ctx) }

// ServeLFS answers git as the filter of Git LFS, until git ends: see stored.LFSFilter.
func ServeLFS(store, index, wrote string, in io.Reader, out io.Writer) error {
	f := stored.LFSFilter{Store: stored.LFSStore(store), Index: index, Wrote: wrote}
	return f.Serve(in, out)
}

// Quoted is a path as it can be pasted into a shell.
func Quoted(path string) string { return hardened.Quote(path) }

// Discard deletes a folder that DropWorktree moved, or what is left of it, until
// ctx ends.
func Discard(ctx context.Context, path string) error { return worktree.Discard(ctx, path) }

// CheckBranch refuses a name that cannot be a branch.
func CheckBranch(name string) error { return hardened.CheckBranch(name) }
