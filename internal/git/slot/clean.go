package slot

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/process/atomicfile"
	"kedge/internal/text/strict"
)

// Course is what is written down of a run: where it comes from and goes to.
type Course struct {
	Version int         `json:"version"`
	Run     kedge.RunID `json:"run"`
	Lands   string      `json:"lands,omitempty"`  // the user's branch; empty: HEAD was detached
	Branch  string      `json:"branch,omitempty"` // the integration branch, once it was made
}

func (s *Slots) courseFile(id kedge.RunID) string {
	return filepath.Join(s.recordsDir(id), "run.json")
}

// Course reads what is written down of a run; the first time it is the branch
// that the user has checked out.
func (s *Slots) Course(ctx context.Context, id kedge.RunID) (Course, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.course(ctx, id)
}

// course is Course for who has the lock.
func (s *Slots) course(ctx context.Context, id kedge.RunID) (Course, error) {
	c, err := s.readCourse(id)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return c, err
	}
	h, err := s.cfg.Repo.Head(ctx)
	if err != nil {
		return c, err
	}
	c = Course{Version: 1, Run: id, Lands: h.Branch}
	return c, s.writeCourse(c)
}

func (s *Slots) readCourse(id kedge.RunID) (Course, error) {
	var c Course
	if !kedge.ValidID("run", string(id)) {
		return c, kedge.Errorf(kedge.Invalid, "%q is not the id of a run", string(id))
	}
	text, err := os.ReadFile(s.courseFile(id))
	if err != nil {
		return c, err
	}
	return c, strict.Decode(s.courseFile(id), text, &c)
}

func (s *Slots) writeCourse(c Course) error {
	return s.writeRecord(c.Run, s.courseFile(c.Run), c)
}

// writeRecord writes a record of a run, whole or not at all.
func (s *Slots) writeRecord(id kedge.RunID, file string, record any) error {
	if err := os.MkdirAll(s.recordsDir(id), 0o700); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot make the folder for the files of run %s: %w", id, err)
	}
	text, err := json.Marshal(record)
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot save the state of run %s: %w", id, err)
	}
	return atomicfile.Write(file, append(text, '\n'), 0o600)
}

// Clean gives the run's clean worktree on its integration branch at the tip.
// It is made where it is not there. Conflict when somebody moved or removed the
// branch: nothing is reset then.
func (s *Slots) Clean(ctx context.Context, q Request) (*git.Repo, error) {
	branch := Branch(q.Run)
	if err := s.branchOff(ctx, q.Run, q.Base); err != nil {
		return nil, err
	}
	w, err := s.makeClean(ctx, s.CleanDir(q.Run), branch, q)
	if err != nil {
		return nil, err
	}
	h, err := w.Head(ctx)
	if err == nil && (h.Branch != branch || h.Commit != q.Base) {
		err = kedge.Errorf(kedge.Conflict, "the worktree %q is no longer on branch %q at commit %s", w.Root(), branch, q.Base).WithHint("see where the worktree is now: git -C %s status", git.Quoted(w.Root()))
	}
	return w, err
}

// branchOff makes sure that the run's integration branch is there, at the tip, and
// that this is written down. Nobody takes the branch away meanwhile.
func (s *Slots) branchOff(ctx context.Context, id kedge.RunID, tip string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.course(ctx, id)
	if err != nil {
		return err
	}
	if err := s.atTip(ctx, c, Branch(id), tip); err != nil || c.Branch != "" {
		return err
	}
	c.Branch = Branch(id)
	return s.writeCourse(c)
}

// IsBeyond tells whether the integration branch of a run has left a commit behind.
func (s *Slots) IsBeyond(ctx context.Context, id kedge.RunID, commit string) (bool, error) {
	at, err := s.cfg.Repo.Resolve(ctx, "refs/heads/"+Branch(id))
	switch {
	case kedge.NotFound.Is(err):
		return false, nil
	case err != nil || at == commit:
		return false, err
	}
	return s.cfg.Repo.Descends(ctx, at, commit)
}

// TakeAlong puts the integration branch of a run, and its clean worktree where
// there is one, at a commit ahead of it; the branch is made where there is none.
// Conflict when it has moved elsewhere.
func (s *Slots) TakeAlong(ctx context.Context, id kedge.RunID, tip string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.course(ctx, id)
	if err != nil {
		return err
	}
	return s.atTip(ctx, c, Branch(id), tip)
}

// atTip makes sure that the integration branch is where the run left it. A run
// that goes on from a later commit of the user's takes the branch along.
func (s *Slots) atTip(ctx context.Context, c Course, branch, tip string) error {
	at, err := s.cfg.Repo.Resolve(ctx, "refs/heads/"+branch)
	switch {
	case kedge.NotFound.Is(err) && c.Branch == "":
		return s.cfg.Repo.UpdateRef(ctx, "refs/heads/"+branch, tip, "")
	case kedge.NotFound.Is(err):
		return kedge.Errorf(kedge.Conflict, "the branch %q is gone", branch).WithHint("restore it: git branch %s %s", branch, tip)
	case err != nil || at == tip:
		return err
	}
	ahead, err := s.cfg.Repo.Descends(ctx, tip, at)
	if err != nil {
		return err
	}
	if !ahead {
		return kedge.Errorf(kedge.Conflict, "something moved the branch %q: it is at commit %s now, and Kedge expected commit %s", branch, at, tip).
			WithHint("see its newest commits: git log --oneline -5 %s", branch)
	}
	return s.takeAlong(ctx, c, branch, at, tip)
}

// takeAlong moves the branch, and its worktree where there is one, ahead.
func (s *Slots) takeAlong(ctx context.Context, c Course, branch, at, tip string) error {
	dir := s.CleanDir(c.Run)
	if _, err := os.Lstat(dir); err != nil {
		return s.cfg.Repo.UpdateRef(ctx, "refs/heads/"+branch, tip, at)
	}
	w, err := s.open(ctx, dir, nil)
	if err != nil {
		return err
	}
	return w.Forward(ctx, git.ForwardRequest{Branch: branch, To: tip})
}

func (s *Slots) makeClean(ctx context.Context, dir, branch string, q Request) (*git.Repo, error) {
	if err := s.cfg.Repo.AbortWorktree(ctx, dir); err != nil { // as in make
		return nil, err
	}
	if _, err := os.Lstat(dir); err != nil {
		if _, err := s.cfg.Repo.ForgetWorktree(ctx, dir, s.salvage(q, "gone")); err != nil {
			return nil, err
		}
		err := s.cfg.Repo.AddWorktree(ctx, git.WorktreeRequest{Path: dir, Branch: branch, Base: q.Base, Owner: os.Getpid()})
		if err != nil {
			return nil, err
		}
	}
	w, err := s.open(ctx, dir, nil)
	if err != nil {
		return nil, err
	}
	return w, w.Own(os.Getpid())
}

// PutClean brings the clean worktree to a tree. What it holds besides the last
// one, which checks made, is set aside.
func (s *Slots) PutClean(ctx context.Context, w *git.Repo, tree string, q Request) (kedge.Salvage, error) {
	if saved, err := s.saveInside(ctx, w, q); err != nil {
		return saved, err
	}
	was := readLine(putFile(w))
	if was == tree+isPut {
		if now, err := w.Tree(ctx); err != nil || now == tree {
			return kedge.Salvage{}, err
		}
	}
	known, err := s.knownTrees(ctx, w, tree)
	if err != nil {
		return kedge.Salvage{}, err
	}
	err = s.put(ctx, w, tree, known) // mostly nothing but what Kedge put there is there
	if !kedge.Conflict.Is(err) {
		return kedge.Salvage{}, err
	}
	if err := atomicfile.Write(putFile(w), []byte(was+"\n"), 0o600); err != nil {
		return kedge.Salvage{}, err
	}
	saved, now, err := s.save(ctx, w, q)
	if err != nil {
		return saved, err
	}
	return saved, s.put(ctx, w, tree, []string{now})
}

// saveInside sets aside what somebody changed or committed in the submodules of the clean
// worktree, so that no check sees it. New files that checks make there stay, like those that
// git ignores.
func (s *Slots) saveInside(ctx context.Context, w *git.Repo, q Request) (kedge.Salvage, error) {
	found, err := w.InSubmodules(ctx)
	if err != nil || !slices.ContainsFunc(found, git.SubmoduleWork.Touched) {
		return kedge.Salvage{}, err
	}
	now, err := w.Tree(ctx)
	if err != nil {
		return kedge.Salvage{}, err
	}
	q.Name += "-inside"
	saved, _, err := s.saveBeside(ctx, w, q, now)
	return saved, err
}

// put brings the clean worktree from one of the trees that it may hold to another.
func (s *Slots) put(ctx context.Context, w *git.Repo, tree string, from []string) error {
	if err := atomicfile.Write(putFile(w), []byte(tree+"\n"), 0o600); err != nil {
		return err
	}
	if err := s.cfg.Repo.PutTree(ctx, git.PutRequest{Dir: w.Root(), Tree: tree, Expect: from}); err != nil {
		return err
	}
	if err := w.EmptySubmodules(ctx, tree); err != nil {
		return err
	}
	return atomicfile.Write(putFile(w), []byte(tree+isPut+"\n"), 0o600)
}

// isPut follows the tree in the file of a clean worktree when its index, too, is
// that tree's.
const isPut = " done"

// lastPut is the tree that was put there last.
func lastPut(w *git.Repo) string { return strings.TrimSuffix(readLine(putFile(w)), isPut) }

// knownTrees are those that Kedge itself put there.
func (s *Slots) knownTrees(ctx context.Context, w *git.Repo, next string) ([]string, error) {
	head, err := w.TreeOf(ctx, "HEAD")
	return []string{head, next, lastPut(w)}, err
}

// Tidy takes the worktrees away that nobody needs when all work is done: the
// clean ones of runs that have no job left, and the slots that no job has. What
// is not in a commit is set aside first; a worktree in which a process works
// stays. Their folders are only moved: Sweep deletes them.
func (s *Slots) Tidy(ctx context.Context, q Request) ([]kedge.Salvage, error) {
	s.mu.Lock() // nobody acquires a slot meanwhile
	defer s.mu.Unlock()
	dirs, err := s.unused(q.Run)
	if err != nil {
		return nil, err
	}
	var out []kedge.Salvage
	var errs []error
	for _, dir := range dirs {
		ask := q
		ask.Name += "-" + filepath.Base(dir)
		saved, err := s.drop(ctx, dir, ask)
		if saved.Ref != "" {
			out = append(out, saved)
		}
		errs = append(errs, err)
	}
	return out, errors.Join(errs...)
}

// unused are the folders of worktrees that no job needs.
func (s *Slots) unused(id kedge.RunID) ([]string, error) {
	jobs, err := s.jobs()
	if err != nil {
		return nil, err
	}
	dirs := []string{s.CleanDir(id)}
	others, err := filepath.Glob(filepath.Join(s.root(), "run-*"))
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot list the worktrees in %q: %w", s.root(), err)
	}
	for _, dir := range others {
		if kedge.ValidID("run", filepath.Base(dir)) && dir != dirs[0] {
			dirs = append(dirs, dir)
		}
	}
	dirs = slices.DeleteFunc(dirs, func(dir string) bool {
		return slices.ContainsFunc(jobs, func(j Job) bool { return s.CleanDir(j.Run) == dir })
	})
	for n := 1; n < maxSlots; n++ {
		if _, err := os.Lstat(s.Dir(n)); err == nil && s.free(n, jobs) {
			dirs = append(dirs, s.Dir(n))
		}
	}
	for _, dir := range s.cfg.Repo.Unfinished() { // by one that was killed: its folder may be gone already
		if filepath.Dir(dir) == s.root() && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs, nil
}

// goneName begins the names of folders that are only left to be deleted.
const goneName = "gone-"

// Sweep deletes what Tidy moved away, also in an earlier process, until ctx ends.
// It keeps nobody from a slot.
func (s *Slots) Sweep(ctx context.Context) error {
	dirs, err := filepath.Glob(filepath.Join(s.root(), goneName+"*"))
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot list the old worktrees to delete in %q: %w", s.root(), err)
	}
	var errs []error
	for _, dir := range dirs {
		errs = append(errs, git.Discard(ctx, dir))
	}
	return errors.Join(errs...)
}

// drop sets aside what is in a worktree and removes it.
func (s *Slots) drop(ctx context.Context, dir string, q Request) (kedge.Salvage, error) {
	if _, err := os.Lstat(dir); err != nil && !s.cfg.Repo.Removing(dir) {
		return kedge.Salvage{}, nil // it is not there
	}
	var saved kedge.Salvage
	if !s.cfg.Repo.Removing(dir) {
		w, err := s.open(ctx, dir, nil)
		if err != nil {
			return saved, err
		}
		if saved, err = s.empty(ctx, w, q); err != nil {
			return saved, err
		}
		if err := w.EmptySubmodules(ctx, ""); err != nil {
			return saved, err
		}
	}
	return saved, s.cfg.Repo.DropWorktree(ctx, dir, filepath.Join(s.root(), goneName+kedge.NewID("dir", s.cfg.Now())))
}

// empty brings a worktree to its own HEAD, with what it holds set aside.
func (s *Slots) empty(ctx context.Context, w *git.Repo, q Request) (kedge.Salvage, error) {
	head, err := w.Head(ctx)
	if err != nil || head.Unborn {
		return kedge.Salvage{}, err
	}
	now, err := w.Tree(ctx)
	if err != nil {
		return kedge.Salvage{}, err
	}
	var saved kedge.Salvage
	if now != lastPut(w) {
		saved, now, err = s.save(ctx, w, q)
	} else {
		saved, now, err = s.saveBeside(ctx, w, q, now)
	}
	if err != nil {
		return saved, err
	}
	return saved, s.cfg.Repo.PutTree(ctx, git.PutRequest{Dir: w.Root(), Tree: head.Commit, Expect: []string{now}})
}
