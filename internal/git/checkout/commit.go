package checkout

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"kedge"
	"kedge/internal/git/hardened"
	"kedge/internal/git/history"
)

// CommitPathsRequest names files of the worktree, relative to the root.
type CommitPathsRequest struct {
	Paths   []string
	Message string
	Date    time.Time
	Author  hardened.Person // the user, as a rule: see Identity
}

// CommitPaths commits exactly these paths of the worktree on the branch that is
// checked out; a path that is gone is removed. Other staged work stays staged,
// everything else stays as it is. It gives the commit, or "" when the paths are
// already as in HEAD.
func (r *Repo) CommitPaths(ctx context.Context, q CommitPathsRequest) (string, error) {
	for _, p := range q.Paths {
		if err := hardened.CheckPath(p); err != nil {
			return "", err
		}
	}
	h, err := r.Head(ctx)
	if err != nil {
		return "", err
	}
	if h.Detached {
		return "", kedge.Errorf(kedge.Blocked, "HEAD is detached: there is no branch to commit on").WithHint("make a branch: git switch -c work")
	}
	var sha string
	err = r.g.Exclusively(ctx, func(ctx context.Context) error {
		return r.withScratch(ctx, func(s *Scratch) (err error) {
			sha, err = s.commitPaths(ctx, h, q)
			return err
		})
	})
	return sha, err
}

func (s *Scratch) commitPaths(ctx context.Context, h history.Head, q CommitPathsRequest) (string, error) {
	tree, err := s.headPlus(ctx, h, q.Paths)
	if err != nil {
		return "", err
	}
	c := history.CommitRequest{Tree: tree, Message: q.Message, Date: q.Date, Author: q.Author}
	if !h.Unborn {
		was, err := s.r.TreeOf(ctx, h.Commit)
		if err != nil {
			return "", err
		}
		if was == tree {
			return "", s.follow(ctx, h, q.Paths)
		}
		c.Parents = []string{h.Commit}
	}
	sha, err := s.r.Commit(ctx, c)
	if err != nil {
		return "", err
	}
	return sha, s.moveTo(ctx, h, sha, q.Paths)
}

// moveTo moves the branch from h to a commit of the paths, and the index with it.
func (s *Scratch) moveTo(ctx context.Context, h history.Head, sha string, paths []string) error {
	return s.Move(ctx, Begun{Version: 1, Branch: h.Branch, Commit: sha, Paths: paths}, h.Commit,
		func() error { return s.IndexPlus(ctx, sha, paths) })
}

// Move moves a branch and the index with it, so that a crash at any point leaves
// either of them as it was or the rest to be finished. Under the lock on the index
// prepare makes the scratch index what it shall be.
func (s *Scratch) Move(ctx context.Context, b Begun, from string, prepare func() error) error {
	if err := s.r.begin(b); err != nil {
		return err
	}
	err := s.install(ctx, prepare, func() error { return history.MoveRef(ctx, s.r.g, "refs/heads/"+b.Branch, b.Commit, from) })
	if now, _ := history.RefValue(ctx, s.r.g, "refs/heads/"+b.Branch); err != nil && now == b.Commit {
		return err // the index has still to follow
	}
	return errors.Join(err, os.Remove(s.r.begunFile()))
}

// headPlus gives HEAD's tree with the paths as they are in the worktree.
func (s *Scratch) headPlus(ctx context.Context, h history.Head, paths []string) (string, error) {
	if err := s.seedFrom(ctx, h); err != nil {
		return "", err
	}
	if err := s.refuseFiltered(ctx, paths); err != nil {
		return "", err
	}
	if err := s.Add(ctx, paths); err != nil {
		return "", err
	}
	return s.Tree(ctx)
}

// IndexPlus makes the scratch index the user's with the paths as in tree.
func (s *Scratch) IndexPlus(ctx context.Context, tree string, paths []string) error {
	if err := s.useIndex(); err != nil {
		return err
	}
	return s.Plus(ctx, tree, paths)
}

// Plus puts the paths as they are in tree into the scratch index; one that is not
// in it goes.
func (s *Scratch) Plus(ctx context.Context, tree string, paths []string) error {
	entry, err := history.Finder(ctx, s.r.g, tree, len(paths))
	if err != nil {
		return err
	}
	var lines []string
	for _, p := range paths {
		e, err := entry(p)
		if err != nil {
			return err
		}
		line := "0 " + strings.Repeat("0", s.r.g.SHALen()) + "\t" + p
		if e != nil {
			line = e.Mode + " " + e.SHA + "\t" + p
		}
		lines = append(lines, line)
	}
	_, err = s.List(ctx, lines, "update-index", "--add", "--replace", "-z", "--index-info")
	return err
}

// stagedTree is the user's index as a tree; paths in conflict are left out,
// since their versions are in commits.
func (r *Repo) stagedTree(ctx context.Context) (string, error) {
	var tree string
	err := r.withScratch(ctx, func(s *Scratch) (err error) {
		if err := s.UseTracked(ctx); err != nil {
			return err
		}
		out, err := s.Do(ctx, nil, "ls-files", "-u", "-z")
		if err != nil {
			return err
		}
		var unmerged []string
		for _, line := range hardened.Fields(out) {
			_, path, _ := strings.Cut(line, "\t")
			unmerged = append(unmerged, path)
		}
		if _, err := s.List(ctx, slices.Compact(unmerged), "update-index", "--force-remove", "-z", "--stdin"); err != nil {
			return err
		}
		tree, err = s.Tree(ctx)
		return err
	})
	return tree, err
}
