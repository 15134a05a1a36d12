package slot

import (
	"context"
	"strconv"
	"time"

	"kedge"
	"kedge/internal/git"
)

// Parked is a worktree that a job gave up: what it held, for when the job needs one again.
type Parked struct {
	Slot int    `json:"slot"` // that it was
	Tree string `json:"tree"` // everything in it that is not ignored
}

// Park frees the slot of a job that waits. What is in it is kept as a tree, under the name of a
// salvage; the folder stays for the next job. What no tree can hold is set aside when that begins.
// A job that was killed before it had all back keeps what it had parked. One whose preparation failed
// has nothing of its own yet, and gives up no more than the slot.
func (s *Slots) Park(ctx context.Context, id kedge.RunID, job int, at time.Time, reason string) error {
	j, err := s.Job(id, job)
	if err != nil || j.Slot == 0 {
		return err
	}
	if j.Parked == nil && !s.Begun(j) {
		_, err := s.Keep(id, job, func(j *Job) { j.Slot = 0 })
		return err
	}
	w, err := s.Open(ctx, j)
	if err != nil {
		return err
	}
	held := j.Parked
	if held == nil {
		if held, err = s.hold(ctx, w, j, git.CopyRequest{ID: parkedID(j), Reason: reason, Date: at}); err != nil {
			return err
		}
	}
	given, err := w.TreeWithout(ctx, held.Tree, Kedges...)
	if err != nil {
		return err
	}
	left := Job{Slot: j.Slot, Given: given} // the next job need not set it aside once more
	s.mu.Lock()
	defer s.mu.Unlock()
	j.Parked, j.Slot = held, 0
	if err := s.writeJob(j); err != nil { // first: as long as the job has the slot, nothing else keeps what is in it
		return err
	}
	return s.leaveGiven(ctx, left)
}

// Begun tells whether a job has a worktree in which something of its own can be.
func (s *Slots) Begun(j Job) bool {
	return j.Slot != 0 && j.Base != "" && s.cfg.Repo.Registered(s.Dir(j.Slot))
}

// hold keeps what is in a job's worktree.
func (s *Slots) hold(ctx context.Context, w *git.Repo, j Job, q git.CopyRequest) (*Parked, error) {
	tree, err := w.Tree(ctx)
	if err != nil {
		return nil, err
	}
	_, err = s.cfg.Repo.KeepTree(ctx, q, j.Base, tree)
	return &Parked{Slot: j.Slot, Tree: tree}, err
}

// parkedID names what a job's worktree held.
func parkedID(j Job) kedge.SalvageID {
	return kedge.SalvageID(kedge.DeriveID("sal", time.UnixMilli(0), string(j.Run)+"-parked-"+strconv.Itoa(j.Job)))
}

// Unpark gives a job that gave its worktree up one that holds the same: the one it had, if that is
// free. Without a Tree in the answer the job has its worktree.
func (s *Slots) Unpark(ctx context.Context, q Request) (Ready, error) {
	j, err := s.Job(q.Run, q.Job)
	if err != nil || j.Parked == nil {
		return Ready{Job: j}, err
	}
	held := *j.Parked
	if j, err = s.Acquire(q.Run, q.Job); err != nil {
		return Ready{}, err
	}
	q.Base = j.Base
	out := Ready{Job: j, Whole: held.Tree}
	if out.Tree, err = s.make(ctx, s.Dir(j.Slot), q); err != nil {
		return out, err
	}
	if out.Salvage, err = s.reset(ctx, out.Tree, q); err != nil {
		return out, err
	}
	now, err := out.Tree.Tree(ctx)
	if err != nil {
		return out, err
	}
	return out, s.cfg.Repo.PutTree(ctx, git.PutRequest{Dir: out.Tree.Root(), Tree: held.Tree, Expect: []string{now}})
}

// HasWorktree writes down that a job has all back that its worktree held.
func (s *Slots) HasWorktree(ctx context.Context, j Job) error {
	if j.Parked == nil {
		return nil
	}
	_, err := s.Keep(j.Run, j.Job, func(j *Job) {
		j.Moved = j.Moved || j.Parked.Slot != j.Slot
		j.Parked = nil
	})
	if err != nil {
		return err
	}
	return s.cfg.Repo.DropCopy(ctx, parkedID(j))
}

// SetParkedAside sets aside what the worktree of a job held which gave it up, and forgets it; the
// answer has no Ref where there is nothing.
func (s *Slots) SetParkedAside(ctx context.Context, q Request) (kedge.Salvage, error) {
	j, err := s.Job(q.Run, q.Job)
	if err != nil || j.Parked == nil {
		return kedge.Salvage{}, err
	}
	ask := s.salvage(q, "parked")
	saved, err := s.cfg.Repo.KeepTree(ctx, git.CopyRequest{ID: ask.ID, Reason: ask.Reason, Date: ask.Date}, j.Base, j.Parked.Tree)
	if err == nil && saved.Ref != "" {
		err = q.told(ctx, saved)
	}
	if err != nil {
		return saved, err
	}
	return saved, s.HasWorktree(ctx, j)
}
