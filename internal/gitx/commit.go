package gitx

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"kedge"
	"kedge/internal/atomicfile"
)

// CommitRequest says everything that a commit is made of, so that the same
// request gives the same commit however often it is made.
type CommitRequest struct {
	Tree    string
	Parents []string
	Message string
	Date    time.Time
	Author  Person // also the committer
}

// Commit makes a commit object. No ref moves.
func (r *Repo) Commit(ctx context.Context, q CommitRequest) (string, error) {
	if err := q.check(); err != nil {
		return "", err
	}
	args := []string{"commit-tree"}
	for _, p := range q.Parents {
		args = append(args, "-p", p)
	}
	date := fmt.Sprintf("@%d %s", q.Date.Unix(), q.Date.Format("-0700"))
	out, err := r.run(ctx, call{
		args:  append(args, "-F", "-", "--end-of-options", q.Tree),
		stdin: []byte(strings.TrimRight(q.Message, "\n") + "\n"),
		env: []string{
			"GIT_AUTHOR_NAME=" + q.Author.Name, "GIT_AUTHOR_EMAIL=" + q.Author.Email, "GIT_AUTHOR_DATE=" + date,
			"GIT_COMMITTER_NAME=" + q.Author.Name, "GIT_COMMITTER_EMAIL=" + q.Author.Email, "GIT_COMMITTER_DATE=" + date,
		},
	})
	return strings.TrimSpace(string(out)), err
}

func (q CommitRequest) check() error {
	if err := checkSHA("tree", q.Tree); err != nil {
		return err
	}
	for _, p := range q.Parents {
		if err := checkSHA("commit", p); err != nil {
			return err
		}
	}
	switch {
	case strings.TrimSpace(q.Message) == "":
		return kedge.Errorf(kedge.Invalid, "a commit needs a message")
	case strings.ContainsRune(q.Message+q.Author.Name+q.Author.Email, 0):
		return kedge.Errorf(kedge.Invalid, "a commit message cannot hold a NUL character")
	case q.Author.Name == "" || q.Author.Email == "":
		return kedge.Errorf(kedge.Invalid, "a commit needs an author")
	case q.Date.IsZero():
		return kedge.Errorf(kedge.Invalid, "a commit needs a date")
	}
	return nil
}

// UpdateRef moves a ref from old to new, or not at all: Conflict when it does
// not stand at old. An empty old means that it must not exist; an empty new
// removes it. Moving it to where it already is does nothing.
func (r *Repo) UpdateRef(ctx context.Context, ref, to, old string) error {
	if err := checkRef(ref); err != nil {
		return err
	}
	for _, sha := range []string{to, old} {
		if sha == "" {
			continue
		}
		if err := checkSHA("commit", sha); err != nil {
			return err
		}
	}
	return r.exclusively(ctx, func(ctx context.Context) error { return r.moveRef(ctx, ref, to, old) })
}

// moveRef is UpdateRef for a valid name, HEAD included, under the lock.
func (r *Repo) moveRef(ctx context.Context, ref, to, old string) error {
	now, err := r.refValue(ctx, ref)
	if err != nil || now == to {
		return err
	}
	zero := strings.Repeat("0", r.shaLen())
	args := []string{"update-ref", "--end-of-options", ref, to, old}
	if old == "" {
		args[4] = zero
	}
	if to == "" {
		args = []string{"update-ref", "-d", "--end-of-options", ref, args[4]}
	}
	_, err = r.git(ctx, args...)
	if stderrHas(err, "but expected", "already exists", "unable to resolve reference") {
		return kedge.Errorf(kedge.Conflict, "%q has moved meanwhile: it stands at %s, expected %s", ref, orNone(now), orNone(old)).
			WithHint("git log --oneline -5 %s", quote(ref))
	}
	return err
}

func orNone(sha string) string {
	if sha == "" {
		return "nothing"
	}
	return sha[:min(12, len(sha))]
}

func (r *Repo) shaLen() int {
	if r.format == "sha256" {
		return 64
	}
	return 40
}

// refValue is what a ref stands at; empty when it does not exist.
func (r *Repo) refValue(ctx context.Context, ref string) (string, error) {
	if sha, ok := r.looseRef(ref); ok {
		return sha, nil
	}
	if r.noRef(ref) {
		return "", nil
	}
	out, err := r.git(ctx, "rev-parse", "-q", "--verify", "--end-of-options", ref)
	if exitCode(err) == 1 || exitCode(err) == 128 {
		return "", nil
	}
	return strings.TrimSpace(string(out)), err
}

// CommitPathsRequest names files of the work tree, relative to the root.
type CommitPathsRequest struct {
	Paths   []string
	Message string
	Date    time.Time
	Author  Person // the user, as a rule: see Identity
}

// CommitPaths commits exactly these paths of the work tree on the branch that is
// checked out; a path that is gone is removed. Other staged work stays staged,
// everything else stays as it is. It gives the commit, or "" when the paths are
// already as in HEAD.
func (r *Repo) CommitPaths(ctx context.Context, q CommitPathsRequest) (string, error) {
	for _, p := range q.Paths {
		if err := checkPath(p); err != nil {
			return "", err
		}
	}
	h, err := r.Head(ctx)
	if err != nil {
		return "", err
	}
	if h.Detached {
		return "", kedge.Errorf(kedge.Blocked, "HEAD is detached: there is no branch to commit on").WithHint("git switch -c work")
	}
	var sha string
	err = r.exclusively(ctx, func(ctx context.Context) error {
		return r.withScratch(ctx, func(s *scratch) (err error) {
			sha, err = s.commitPaths(ctx, h, q)
			return err
		})
	})
	return sha, err
}

func (s *scratch) commitPaths(ctx context.Context, h Head, q CommitPathsRequest) (string, error) {
	tree, err := s.headPlus(ctx, h, q.Paths)
	if err != nil {
		return "", err
	}
	c := CommitRequest{Tree: tree, Message: q.Message, Date: q.Date, Author: q.Author}
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
func (s *scratch) moveTo(ctx context.Context, h Head, sha string, paths []string) error {
	return s.move(ctx, begun{Version: 1, Branch: h.Branch, Commit: sha, Paths: paths}, h.Commit,
		func() error { return s.indexPlus(ctx, sha, paths) })
}

// move moves a branch and the index with it, so that a crash at any point leaves
// either of them as it was or the rest to be finished. Under the lock on the index
// prepare makes the scratch index what it shall be.
func (s *scratch) move(ctx context.Context, b begun, from string, prepare func() error) error {
	if err := s.r.begin(b); err != nil {
		return err
	}
	err := s.install(ctx, prepare, func() error { return s.r.moveRef(ctx, "refs/heads/"+b.Branch, b.Commit, from) })
	if now, _ := s.r.refValue(ctx, "refs/heads/"+b.Branch); err != nil && now == b.Commit {
		return err // the index has still to follow
	}
	return errors.Join(err, os.Remove(s.r.begunFile()))
}

// headPlus gives HEAD's tree with the paths as they are in the work tree.
func (s *scratch) headPlus(ctx context.Context, h Head, paths []string) (string, error) {
	if err := s.seedFrom(ctx, h); err != nil {
		return "", err
	}
	if err := s.refuseFiltered(ctx, paths); err != nil {
		return "", err
	}
	if err := s.add(ctx, paths); err != nil {
		return "", err
	}
	return s.tree(ctx)
}

// indexPlus makes the scratch index the user's with the paths as in tree.
func (s *scratch) indexPlus(ctx context.Context, tree string, paths []string) error {
	if err := s.useIndex(); err != nil {
		return err
	}
	return s.plus(ctx, tree, paths)
}

// plus puts the paths as they are in tree into the scratch index; one that is not
// in it goes.
func (s *scratch) plus(ctx context.Context, tree string, paths []string) error {
	entry, err := s.r.entries(ctx, tree, len(paths))
	if err != nil {
		return err
	}
	var lines []string
	for _, p := range paths {
		e, err := entry(p)
		if err != nil {
			return err
		}
		line := "0 " + strings.Repeat("0", s.r.shaLen()) + "\t" + p
		if e != nil {
			line = e.Mode + " " + e.SHA + "\t" + p
		}
		lines = append(lines, line)
	}
	_, err = s.list(ctx, lines, "update-index", "--add", "--replace", "-z", "--index-info")
	return err
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

// ProjectID reads the id that Kedge gave the repository; empty when it has none.
// It stands in the common git dir, so that every worktree finds it.
func (r *Repo) ProjectID() (kedge.ProjectID, error) {
	b, err := os.ReadFile(r.idFile())
	if os.IsNotExist(err) {
		return "", nil
	}
	if err != nil {
		return "", kedge.Errorf(kedge.Internal, "read the project's id: %w", err)
	}
	id := strings.TrimSpace(string(b))
	if !kedge.ValidID("prj", id) {
		return "", kedge.Errorf(kedge.Invalid, "%s:1: %q is not a project id", r.idFile(), id).
			WithHint("restore the file from a backup, or remove it and run: kedge init")
	}
	return kedge.ProjectID(id), nil
}

// SetProjectID gives the repository its id; Conflict when it has another one.
func (r *Repo) SetProjectID(ctx context.Context, id kedge.ProjectID) error {
	if !kedge.ValidID("prj", string(id)) {
		return kedge.Errorf(kedge.Invalid, "%q is not a project id", id)
	}
	return r.exclusively(ctx, func(ctx context.Context) error {
		has, err := r.ProjectID()
		if err != nil || has == id {
			return err
		}
		if has != "" {
			return kedge.Errorf(kedge.Conflict, "the repository already is project %q", has).WithHint("kedge status")
		}
		return atomicfile.Write(r.idFile(), []byte(string(id)+"\n"), 0o644)
	})
}

func (r *Repo) idFile() string { return filepath.Join(r.common, "kedge-id") }
