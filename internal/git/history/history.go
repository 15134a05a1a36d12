// Package history reads and writes what a repository stores: objects and refs. It reads
// them (from files, where git's process is not needed), makes trees and deterministic
// commits, merges trees, and moves refs by compare-and-set.
//
// It promises that the same request gives the same object, and that a ref moves only if
// it is still where the caller saw it.
//
// It never looks at the files of a worktree, nor at an index. Nothing outside
// internal/git may import it.
package history

import (
	"context"
	"strings"

	"kedge"
	"kedge/internal/git/hardened"
)

// Repo is a repository as far as its history goes.
type Repo struct{ g *hardened.Git }

// Of is the history of a repository.
func Of(g *hardened.Git) *Repo { return &Repo{g: g} }

// at is another worktree of the same repository by its root.
func (r *Repo) at(ctx context.Context, dir string) (*Repo, error) {
	g, err := r.g.At(ctx, dir)
	if err != nil {
		return nil, err
	}
	return Of(g), nil
}

// Head is what HEAD stands for. Branch is empty when Detached, Commit when
// Unborn.
type Head struct {
	Branch   string `json:"branch"`
	Commit   string `json:"commit"`
	Detached bool   `json:"detached"`
	Unborn   bool   `json:"unborn"`
}

// Head reads HEAD.
func (r *Repo) Head(ctx context.Context) (Head, error) {
	if h, ok := r.plainHead(); ok {
		return h, nil
	}
	var h Head
	ref, err := r.g.Do(ctx, "symbolic-ref", "-q", "HEAD")
	switch {
	case hardened.ExitCode(err) == 1:
		h.Detached = true
	case err != nil:
		return h, err
	default:
		h.Branch = strings.TrimPrefix(strings.TrimSpace(string(ref)), "refs/heads/")
	}
	sha, err := r.g.Do(ctx, "rev-parse", "-q", "--verify", "--end-of-options", "HEAD^{commit}")
	switch {
	case hardened.ExitCode(err) == 1:
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
	if err := hardened.CheckRev(rev); err != nil {
		return "", err
	}
	if sha, ok := r.looseRef(rev); ok {
		return sha, nil
	}
	if r.has(rev) {
		return rev, nil
	}
	none := kedge.Errorf(kedge.NotFound, "this repository has no commit, branch or tag %q", rev).WithHint("see its commits: git log --oneline --all")
	if r.noRef(rev) {
		return "", none
	}
	out, err := r.g.Do(ctx, "rev-parse", "-q", "--verify", "--end-of-options", rev+"^{object}")
	if hardened.ExitCode(err) == 1 || hardened.ExitCode(err) == 128 {
		return "", none
	}
	return strings.TrimSpace(string(out)), err
}

// Has tells whether the repository has a commit now: what was read of it before
// says nothing, git may have thrown it away since.
func (r *Repo) Has(ctx context.Context, commit string) (bool, error) {
	_, err := r.Resolve(ctx, commit)
	if kedge.NotFound.Is(err) {
		return false, nil
	}
	return err == nil, err
}
