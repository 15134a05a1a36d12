package gitx

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/atomicfile"
	"kedge/internal/gitx/holder"
)

// ownerFile marks a worktree as made by Kedge, in its own git dir, and says for
// which process: "pid starttime".
const ownerFile = "kedge-owner"

// WorktreeRequest asks for a worktree at Path, whose last element must be a
// valid name, on Branch (made at Base when it does not exist; empty is a
// detached HEAD), for the process Owner (0 is none).
type WorktreeRequest struct {
	Path   string
	Branch string
	Base   string
	Owner  int
}

// AddWorktree makes a worktree with the files of its base. The same request
// made twice finds it made. Conflict when the path or the branch is in other
// use; Blocked when its files need a filter that nobody approved.
func (r *Repo) AddWorktree(ctx context.Context, q WorktreeRequest) error {
	if err := q.check(); err != nil {
		return err
	}
	base, err := r.commitOf(ctx, q.Base)
	if err != nil {
		return err
	}
	if err := r.refuseTree(ctx, base); err != nil {
		return err
	}
	if q.Path, err = realPath(q.Path); err != nil {
		return kedge.Errorf(kedge.Internal, "make the folder for worktrees: %w", err)
	}
	return r.exclusively(ctx, func(ctx context.Context) error {
		if err := r.ensureWorktree(ctx, q, base); err != nil {
			return err
		}
		w, err := r.at(ctx, q.Path)
		if err != nil {
			return err
		}
		return w.fillWorktree(ctx, base)
	})
}

// realPath makes the folder that path is in and resolves links in it, since git
// lists worktrees so.
func realPath(path string) (string, error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	dir, err := filepath.EvalSymlinks(dir)
	return filepath.Join(dir, filepath.Base(path)), err
}

func (q WorktreeRequest) check() error {
	if !filepath.IsAbs(q.Path) || filepath.Clean(q.Path) != q.Path {
		return kedge.Errorf(kedge.Invalid, "%q is not an absolute path", q.Path)
	}
	if name := filepath.Base(q.Path); !kedge.ValidName(name) {
		return kedge.Errorf(kedge.Invalid, "%q cannot name a worktree", name).
			WithHint("use 1 to 64 of a-z, 0-9, dot, dash and underscore")
	}
	if q.Branch == "" {
		return nil
	}
	return checkBranch(q.Branch)
}

func (r *Repo) commitOf(ctx context.Context, rev string) (string, error) {
	if err := checkRev(rev); err != nil {
		return "", err
	}
	return r.verified(ctx, rev)
}

// verified is the commit behind a rev that was found harmless.
func (r *Repo) verified(ctx context.Context, rev string) (string, error) {
	if sha, _, ok := r.plainCommit(rev); ok {
		return sha, nil
	}
	out, err := r.git(ctx, "rev-parse", "-q", "--verify", "--end-of-options", rev+"^{commit}")
	if c := exitCode(err); c == 1 || c == 128 {
		return "", kedge.Errorf(kedge.NotFound, "no commit %q in this repository", rev).WithHint("git log --oneline --all")
	}
	return strings.TrimSpace(string(out)), err
}

// ensureWorktree registers the worktree, without files.
func (r *Repo) ensureWorktree(ctx context.Context, q WorktreeRequest, base string) error {
	list, err := r.listWorktrees(ctx)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(list, func(w registered) bool { return w.path == q.Path })
	if i >= 0 {
		if err := list[i].matches(q, base); err != nil {
			return err
		}
		return r.markAgain(ctx, q)
	}
	args := []string{"worktree", "add", "--no-checkout", "--detach", "--end-of-options", q.Path, base}
	if q.Branch != "" {
		if err := r.ensureBranch(ctx, q.Branch, base); err != nil {
			return err
		}
		args = []string{"worktree", "add", "--no-checkout", "--end-of-options", q.Path, q.Branch}
	}
	if _, err := r.git(ctx, args...); stderrHas(err, "already") {
		return kedge.Errorf(kedge.Conflict, "the worktree %q cannot be made: %w", q.Path, err).WithHint("kedge worktree ls")
	} else if err != nil {
		return err
	}
	return r.markOwner(ctx, q)
}

func (w registered) matches(q WorktreeRequest, base string) error {
	if w.head != base || w.branch != q.Branch {
		return kedge.Errorf(kedge.Conflict, "the worktree %q exists already, on branch %q at %s", q.Path, w.branch, orNone(w.head)).
			WithHint("kedge worktree ls")
	}
	return nil
}

func (r *Repo) ensureBranch(ctx context.Context, name, base string) error {
	ref := "refs/heads/" + name
	at, err := r.refValue(ctx, ref)
	if err != nil || at == base {
		return err
	}
	if at != "" {
		return kedge.Errorf(kedge.Conflict, "the branch %q exists already, at %s", name, orNone(at)).WithHint("git log --oneline -5 %s", quote(name))
	}
	return r.moveRef(ctx, ref, base, "")
}

func (r *Repo) markOwner(ctx context.Context, q WorktreeRequest) error {
	w, err := r.at(ctx, q.Path)
	if err != nil {
		return err
	}
	line := "0\n"
	if q.Owner > 0 {
		line = fmt.Sprintf("%d %s\n", q.Owner, holder.StartTime(q.Owner))
	}
	return atomicfile.Write(filepath.Join(w.gitDir, ownerFile), []byte(line), 0o644)
}

// markAgain marks a worktree that a crash left without its mark: one that has no
// index yet either. Anything else without a mark is somebody's own.
func (r *Repo) markAgain(ctx context.Context, q WorktreeRequest) error {
	w, err := r.at(ctx, q.Path)
	if err != nil {
		return err
	}
	if exists(filepath.Join(w.gitDir, ownerFile)) || exists(filepath.Join(w.gitDir, "index")) {
		return nil
	}
	return r.markOwner(ctx, q)
}

// fillWorktree writes the files of a worktree that has none yet. Its index is
// written last, so that what a crash interrupted is done again. A file that is
// there already stays as it is: it may be somebody's.
func (r *Repo) fillWorktree(ctx context.Context, commit string) error {
	if _, err := os.Lstat(filepath.Join(r.gitDir, "index")); err == nil {
		return nil
	}
	return r.withScratch(ctx, func(s *scratch) error {
		if _, err := s.git(ctx, nil, "read-tree", commit); err != nil {
			return err
		}
		if _, err := s.git(ctx, nil, "update-index", "-q", "--refresh"); exitCode(err) > 1 {
			return err
		}
		missing, err := s.git(ctx, nil, "ls-files", "-d", "-z")
		if err != nil {
			return err
		}
		_, err = s.list(ctx, fields(missing), "checkout-index", "-q", "-u", "-z", "--stdin")
		if exitCode(err) != 0 {
			return kedge.Errorf(kedge.Conflict, "the files of %q cannot be written: %w", r.root, err).WithHint("ls -la %s", quote(r.root))
		}
		if err != nil {
			return err
		}
		return s.install(ctx, nothing, nothing)
	})
}

// refuseTree is Blocked when the files of a commit need a filter that nobody
// approved.
func (r *Repo) refuseTree(ctx context.Context, commit string) error {
	return r.withScratch(ctx, func(s *scratch) error {
		if len(s.set.filters) == 0 {
			return nil
		}
		if _, err := s.git(ctx, nil, "read-tree", commit); err != nil {
			return err
		}
		out, err := s.git(ctx, nil, "ls-files", "-z")
		if err != nil {
			return err
		}
		return s.refuseWriting(ctx, fields(out))
	})
}

// refuseWriting is Blocked when a file to be written needs a filter that nobody
// approved, by the attributes in the scratch index.
func (s *scratch) refuseWriting(ctx context.Context, paths []string) error {
	found, err := s.filtered(ctx, paths, true)
	if err != nil {
		return err
	}
	return s.blocked(found)
}

// ResetRequest says what a worktree is expected to be, so that a reset can only
// throw away what the caller has seen and saved.
type ResetRequest struct {
	Dir    string // root of the worktree
	To     string // the commit it shall stand at
	Head   string // the commit it stands at
	Expect string // its tree as it stands: that of Head, or of a salvage
}

// ResetWorktree brings a worktree to a commit: tracked and untracked files as in
// it, ignored files kept, index and branch (or detached HEAD) moved to it.
// Conflict when the worktree is not as expected, when a file of the commit would
// replace an ignored one, or when commits would be on no ref any more.
func (r *Repo) ResetWorktree(ctx context.Context, q ResetRequest) error {
	to, err := r.commitOf(ctx, q.To)
	if err != nil {
		return err
	}
	w, err := r.at(ctx, q.Dir)
	if err != nil {
		return err
	}
	return r.exclusively(ctx, func(ctx context.Context) error {
		h, err := w.Head(ctx)
		if err != nil {
			return err
		}
		if h.Commit != q.Head && h.Commit != to {
			return kedge.Errorf(kedge.Conflict, "HEAD of %q has moved to %s, expected %s", w.root, orNone(h.Commit), orNone(q.Head)).
				WithHint("git -C %s log --oneline -5", quote(w.root))
		}
		if err := w.refuseLosing(ctx, h, to); err != nil {
			return err
		}
		return w.withScratch(ctx, func(s *scratch) error { return s.reset(ctx, q.Expect, to, h) })
	})
}

func (s *scratch) reset(ctx context.Context, expect, to string, h Head) error {
	target, err := s.r.TreeOf(ctx, to)
	if err != nil {
		return err
	}
	now, err := s.workTree(ctx)
	if err != nil {
		return err
	}
	if now != expect && now != target {
		return kedge.Errorf(kedge.Conflict, "%q has changes that are not saved", s.r.root).
			WithHint("git -C %s status", quote(s.r.root))
	}
	if err := s.switchTo(ctx, now, target); err != nil {
		return err
	}
	return s.install(ctx, nothing, func() error { return s.r.moveRef(ctx, "HEAD", to, h.Commit) })
}

// switchTo takes the work tree and the scratch index, which both hold the tree
// from, to the tree to. Nothing is written when it cannot be done whole.
func (s *scratch) switchTo(ctx context.Context, from, to string) error {
	diff, err := s.r.Diff(ctx, from, to)
	if err != nil || len(diff) == 0 {
		return err
	}
	if err := s.refuseCovering(diff); err != nil {
		return err
	}
	if err := s.refuseSmudge(ctx, to, diff); err != nil {
		return err
	}
	// Files whose times changed but not their content would count as changed.
	if _, err := s.git(ctx, nil, "update-index", "-q", "--refresh"); exitCode(err) > 1 {
		return err
	}
	_, err = s.git(ctx, nil, "read-tree", "-m", "-u", from, to)
	if stderrHas(err, "not uptodate", "would be overwritten", "would be removed") {
		return kedge.Errorf(kedge.Conflict, "a file changed meanwhile: %w", err).WithHint("git -C %s status", quote(s.r.root))
	}
	return err
}

// refuseCovering refuses to write a new file where an ignored one is: git would
// replace it.
func (s *scratch) refuseCovering(diff []Change) error {
	gone := map[string]bool{}
	for _, c := range diff {
		if c.Status == "D" {
			gone[c.Path] = true
		}
	}
	for _, c := range diff {
		if c.Status != "A" || underOne(gone, c.Path) {
			continue
		}
		if fi, err := os.Lstat(filepath.Join(s.r.root, c.Path)); err == nil && !fi.IsDir() {
			return kedge.Errorf(kedge.Conflict, "the ignored file %q is in the way", c.Path).
				WithHint("mv %s %s", quote(filepath.Join(s.r.root, c.Path)), quote(filepath.Join(s.r.root, c.Path)+".old"))
		}
	}
	return nil
}

// underOne tells whether a folder of path, as a file, is among the paths.
func underOne(paths map[string]bool, path string) bool {
	for d := filepath.Dir(path); d != "."; d = filepath.Dir(d) {
		if paths[d] {
			return true
		}
	}
	return false
}

// refuseSmudge is refuseWriting by the attributes of the tree to.
func (s *scratch) refuseSmudge(ctx context.Context, to string, diff []Change) error {
	if len(s.set.filters) == 0 {
		return nil
	}
	var paths []string
	for _, c := range diff {
		if c.Status != "D" {
			paths = append(paths, c.Path)
		}
	}
	return s.r.withScratch(ctx, func(t *scratch) error {
		if _, err := t.git(ctx, nil, "read-tree", to); err != nil {
			return err
		}
		return t.refuseWriting(ctx, paths)
	})
}

// refuseLosing refuses to move a HEAD away from commits that no other ref holds.
func (r *Repo) refuseLosing(ctx context.Context, h Head, to string) error {
	if h.Unborn || h.Commit == to {
		return nil
	}
	// Mostly it goes ahead; to ask every ref takes a walk through all that was done.
	if ahead, err := r.Descends(ctx, to, h.Commit); err != nil || ahead {
		return err
	}
	kept, err := r.keptBy(ctx, h.Commit, h.Branch)
	if err != nil || len(kept) > 0 {
		return err
	}
	return kedge.Errorf(kedge.Conflict, "the commits of %q up to %s are on no other branch", r.root, orNone(h.Commit)).
		WithHint("git -C %s branch keep-%s %s", quote(r.root), h.Commit[:8], h.Commit)
}

// keptBy lists the refs, but for the given branch, that hold a commit.
func (r *Repo) keptBy(ctx context.Context, commit, but string) ([]string, error) {
	out, err := r.git(ctx, "for-each-ref", "--format=%(refname)", "--contains", commit)
	if err != nil {
		return nil, err
	}
	var kept []string
	for ref := range strings.FieldsSeq(string(out)) {
		if but == "" || ref != "refs/heads/"+but {
			kept = append(kept, ref)
		}
	}
	return kept, nil
}

// Dirty tells whether the work tree or its index differs from HEAD, nested
// repositories included. It writes no object.
func (r *Repo) Dirty(ctx context.Context) (bool, error) {
	h, err := r.Head(ctx)
	if err != nil {
		return false, err
	}
	dirty := false
	err = r.withScratch(ctx, func(s *scratch) error {
		c, err := s.differences(ctx)
		if err != nil {
			return err
		}
		dirty = len(c.paths())+len(s.foreign(c.nested)) > 0
		if dirty || h.Unborn {
			return nil
		}
		if dirty, err = s.differs(ctx, h.Commit); dirty || err != nil {
			return err
		}
		if err = s.useTracked(ctx); err == nil { // what is staged only
			dirty, err = s.differs(ctx, h.Commit)
		}
		return err
	})
	return dirty, err
}

// differs tells whether the scratch index is another tree than a commit's.
func (s *scratch) differs(ctx context.Context, commit string) (bool, error) {
	_, err := s.git(ctx, nil, "diff-index", "--cached", "--quiet", "--ignore-submodules=none", "--end-of-options", commit)
	if exitCode(err) == 1 {
		return true, nil
	}
	return false, err
}
