package slot

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/process"
	"kedge/internal/process/atomicfile"
)

// Kedges are the top-level paths that belong to Kedge: no work contains a change of
// them.
var Kedges = kedge.OwnPaths()

// Acquire gives a job its slot: the one it has, or the free one with the lowest
// number. A slot in which a process works that is not the job's is not free.
func (s *Slots) Acquire(id kedge.RunID, job int) (Job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	j, err := s.readJob(id, job)
	if err != nil || j.Slot != 0 {
		return j, err
	}
	others, err := s.jobs()
	if err != nil {
		return j, err
	}
	if j.Parked != nil && s.free(j.Parked.Slot, others) { // with what is ignored there, and the conversations of its agent
		j.Slot = j.Parked.Slot
		return j, s.writeJob(j)
	}
	for j.Slot = 1; !s.free(j.Slot, others); j.Slot++ {
		if j.Slot >= maxSlots {
			return Job{}, kedge.Errorf(kedge.Blocked, "all %d worktrees that Kedge may make for runs are in use", maxSlots).WithHint("remove the worktrees that no run needs: kedge worktree gc")
		}
	}
	return j, s.writeJob(j)
}

// maxSlots bounds the search: so many worktrees are somebody's mistake.
const maxSlots = 500

func (s *Slots) free(n int, jobs []Job) bool {
	taken := slices.ContainsFunc(jobs, func(j Job) bool { return j.Slot == n })
	return !taken && process.Occupant(s.Dir(n)) <= 0
}

// Request asks for a job's slot to be put at a commit.
type Request struct {
	Run    kedge.RunID
	Job    int
	Origin int64                                      // of the command, however often it is carried out
	Base   string                                     // a commit
	Carry  string                                     // the job's own work on an earlier base, as a tree without Kedges; empty: none
	Rules  Resolving                                  // of the merge of Carry
	Name   string                                     // of the salvage of what is there now
	Reason string                                     // of that
	At     time.Time                                  // of the command
	Saved  func(context.Context, kedge.Salvage) error // told of everything that is set aside; may be nil
}

// Ready is a slot at its base.
type Ready struct {
	Job     Job
	Tree    *git.Repo
	Whole   string        // the tree or commit that it holds; where carried work conflicts both sides stand in the files
	Carried git.Merged    // of carried work; its Tree is without Kedges
	Salvage kedge.Salvage // what was set aside; without a Ref: nothing was
}

// Put brings the job's slot to its base, with the carried work on top: what is
// there is set aside first, ignored files stay. Asked again it does what is left
// to do.
func (s *Slots) Put(ctx context.Context, q Request) (Ready, error) {
	before, err := s.Job(q.Run, q.Job)
	if err == nil {
		_, err = s.Acquire(q.Run, q.Job)
	}
	if err != nil {
		return Ready{}, err
	}
	j, err := s.Keep(q.Run, q.Job, func(j *Job) {
		if j.Prepare != q.Origin {
			j.setAside()
			j.Prepare, j.From, j.Base, j.Given, j.Mended, j.Salvage = q.Origin, j.Base, q.Base, "", "", ""
		}
	})
	if err != nil {
		return Ready{}, err
	}
	out := Ready{Job: j, Whole: q.Base}
	if out.Tree, err = s.make(ctx, s.Dir(j.Slot), q); err != nil {
		return out, err
	}
	if out.Salvage, err = s.reset(ctx, out.Tree, q); err != nil {
		return out, err
	}
	if out.Salvage.Ref != "" && j.From != "" && before.Slot != 0 { // else it is another job's
		if out.Job, err = s.Keep(q.Run, q.Job, func(j *Job) { j.Earlier = true }); err != nil {
			return out, err
		}
	}
	if q.Carry == "" {
		return out, nil
	}
	if out.Carried, err = s.merge(ctx, out.Tree, j, q); err != nil {
		return out, err
	}
	out.Whole, err = s.carry(ctx, out.Tree, q, out.Carried.Tree)
	return out, err
}

// make finds the worktree, or makes it: a folder that somebody removed is made
// anew, and so is what a git left that was killed while it made it.
func (s *Slots) make(ctx context.Context, dir string, q Request) (*git.Repo, error) {
	if err := s.cfg.Repo.AbortWorktree(ctx, dir); err != nil {
		return nil, err
	}
	if _, err := os.Lstat(dir); err != nil {
		gone := s.salvage(q, "gone")
		gone.Reason = "the folder of a worktree was removed: " + dir
		if _, err := s.cfg.Repo.ForgetWorktree(ctx, dir, gone); err != nil {
			return nil, err
		}
		err := s.cfg.Repo.AddWorktree(ctx, git.WorktreeRequest{Path: dir, Base: q.Base, Owner: os.Getpid()})
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

// told tells of a salvage before what it holds is taken away: a reset that is
// broken off and done again makes another one, of what was left.
func (q Request) told(ctx context.Context, saved kedge.Salvage) error {
	if q.Saved == nil {
		return nil
	}
	return q.Saved(ctx, saved)
}

// salvage is the request for what is set aside under the command's name; what
// tells several of them apart.
func (s *Slots) salvage(q Request, what string) git.SalvageRequest {
	id := kedge.DeriveID("sal", q.At, q.Name+"/"+what)
	return git.SalvageRequest{ID: kedge.SalvageID(id), Reason: q.Reason, Attic: s.cfg.Attic, Date: q.At}
}

// reset sets aside what is in a worktree and brings it to the base.
func (s *Slots) reset(ctx context.Context, w *git.Repo, q Request) (kedge.Salvage, error) {
	saved, expect, err := s.save(ctx, w, q)
	if err != nil {
		return saved, err
	}
	if err := w.Detach(ctx); err != nil {
		return saved, err
	}
	h, err := w.Head(ctx)
	if err != nil {
		return saved, err
	}
	err = s.cfg.Repo.ResetWorktree(ctx, git.ResetRequest{Dir: w.Root(), To: q.Base, Head: h.Commit, Expect: expect})
	if err == nil {
		err = w.EmptySubmodules(ctx, q.Base) // what they are to be is put there when it is known from where
	}
	if err != nil {
		return saved, err
	}
	if err := os.Remove(givenFile(w)); err != nil && !errors.Is(err, fs.ErrNotExist) { // it told of what was there
		return saved, kedge.Errorf(kedge.Internal, "cannot clear the worktree %q: %w", w.Root(), err)
	}
	return saved, atomicfile.Write(baseFile(w), []byte(q.Base+"\n"), 0o600)
}

// maxSaves bounds how often one command sets aside: once as a rule, once more
// for each time it was interrupted after something was made.
const maxSaves = 50

// save sets aside what is in a worktree and in no commit of a ref; nothing where
// it is only work that was merged. It gives the tree that may be replaced now.
//
// What submodules hold is in none of those: it is set aside in any case.
func (s *Slots) save(ctx context.Context, w *git.Repo, q Request) (saved kedge.Salvage, tree string, err error) {
	merged, err := s.merged(ctx, w, q)
	if err != nil {
		return saved, "", err
	}
	return s.saveBeside(ctx, w, q, merged)
}

// saveBeside sets aside what is in a worktree beside a tree that it holds; empty: beside HEAD.
func (s *Slots) saveBeside(ctx context.Context, w *git.Repo, q Request, merged string) (saved kedge.Salvage, tree string, err error) {
	for n := range maxSaves {
		ask := s.salvage(q, strconv.Itoa(n))
		ask.Dir, ask.Since, ask.Inside = w.Root(), cmp.Or(readLine(baseFile(w)), q.Base), merged != ""
		last := saved
		if saved, err = s.cfg.Repo.Salvage(ctx, ask); err != nil {
			return saved, "", err
		}
		if saved.Ref == "" {
			if merged == "" {
				merged, err = w.TreeOf(ctx, "HEAD")
			}
			return last, merged, err
		}
		if err := q.told(ctx, saved); err != nil {
			return saved, "", err
		}
		now, done, err := s.isSaved(ctx, w, saved, merged)
		if err != nil || done && merged == "" {
			return saved, now, err
		}
		if done { // their folders are empty now
			merged = now
		}
	}
	return saved, "", kedge.Errorf(kedge.Conflict, "Kedge cannot set aside the files in %q, because they keep changing", w.Root()).WithHint("see what uses the worktree: kedge worktree ls")
}

// isSaved tells whether a worktree holds nothing beside what was set aside, or was merged. Now
// is its tree.
func (s *Slots) isSaved(ctx context.Context, w *git.Repo, saved kedge.Salvage, merged string) (now string, done bool, err error) {
	if now, err = w.Tree(ctx); err != nil {
		return "", false, err
	}
	left, err := w.InSubmodules(ctx)
	if err != nil || len(left) > 0 {
		return now, false, err
	}
	if merged == "" {
		return now, now == saved.Tree, nil
	}
	var inside []string
	for _, m := range saved.Submodules {
		inside = append(inside, m.Path)
	}
	inside = append(inside, saved.Attic...)
	was, err := w.TreeWithout(ctx, merged, inside...)
	if err != nil {
		return now, false, err
	}
	is, err := w.TreeWithout(ctx, now, inside...)
	return now, was == is, err
}

// What a slot remembers of itself, in its git dir.
func baseFile(w *git.Repo) string  { return filepath.Join(w.GitDir(), "kedge-base") }  // the commit it was put at
func givenFile(w *git.Repo) string { return filepath.Join(w.GitDir(), "kedge-given") } // work of it that was merged
func putFile(w *git.Repo) string   { return filepath.Join(w.GitDir(), "kedge-put") }   // of a clean one: the tree put last

// readLine is the one line of a file; empty where there is none.
func readLine(file string) string {
	b, _ := os.ReadFile(file) // what cannot be read is not known
	return strings.TrimSpace(string(b))
}

// merged is the tree of a worktree that holds nothing but the work that a job
// gave, on a commit that others have too; else empty.
func (s *Slots) merged(ctx context.Context, w *git.Repo, q Request) (string, error) {
	given := readLine(givenFile(w))
	if given == "" {
		return "", nil
	}
	h, err := w.Head(ctx)
	if err != nil || h.Unborn || !h.Detached {
		return "", err
	}
	given, err = w.TreeWith(ctx, given, h.Commit, Kedges...)
	if kedge.NotFound.Is(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	now, err := w.Tree(ctx)
	if err != nil || now != given {
		return "", err
	}
	lonely, err := w.Lonely(ctx, h.Commit, "refs/heads/"+Branch(q.Run))
	if err != nil || lonely {
		return "", err
	}
	return given, nil
}

// merge merges the job's own work onto the new base.
func (s *Slots) merge(ctx context.Context, w *git.Repo, j Job, q Request) (git.Merged, error) {
	base, err := w.TreeWithout(ctx, j.From, Kedges...)
	if err != nil {
		return git.Merged{}, err
	}
	ours, err := w.TreeWithout(ctx, q.Base, Kedges...)
	if err != nil {
		return git.Merged{}, err
	}
	return w.Merge(ctx, q.Rules.of(git.MergeRequest{Base: base, Ours: ours, Theirs: q.Carry, Date: q.At}))
}

// carry puts merged work on top of the new base.
func (s *Slots) carry(ctx context.Context, w *git.Repo, q Request, merged string) (whole string, err error) {
	if whole, err = w.TreeWith(ctx, merged, q.Base, Kedges...); err != nil {
		return "", err
	}
	now, err := w.Tree(ctx)
	if err != nil {
		return "", err
	}
	return whole, s.cfg.Repo.PutTree(ctx, git.PutRequest{Dir: w.Root(), Tree: whole, Expect: []string{now}})
}
