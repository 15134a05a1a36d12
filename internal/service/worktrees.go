package service

import (
	"context"

	"kedge"
	"kedge/internal/gitx"
)

// WorktreeListRequest asks for all worktrees of the project's repository.
type WorktreeListRequest struct{}

// WorktreeInfo is a worktree with its age in seconds since its last change; -1
// is unknown.
type WorktreeInfo struct {
	kedge.Worktree
	Age int64 `json:"age_seconds"`
}

// WorktreeListReply lists worktrees, the main one first.
type WorktreeListReply struct {
	Worktrees []WorktreeInfo `json:"worktrees"`
}

// WorktreeList gives every worktree with its size, age, owner and whether it
// holds anything that is nowhere else.
func (s *Service) WorktreeList(ctx context.Context, who Caller, _ WorktreeListRequest) (WorktreeListReply, error) {
	_, repo, err := s.repository(ctx, who)
	if err != nil {
		return WorktreeListReply{}, err
	}
	list, err := repo.Worktrees(ctx)
	r := WorktreeListReply{Worktrees: []WorktreeInfo{}}
	for _, w := range list {
		r.Worktrees = append(r.Worktrees, s.aged(w))
	}
	return r, err
}

func (s *Service) aged(w kedge.Worktree) WorktreeInfo {
	if w.At.IsZero() {
		return WorktreeInfo{Worktree: w, Age: -1}
	}
	return WorktreeInfo{Worktree: w, Age: max(0, int64(s.now().Sub(w.At).Seconds()))}
}

// WorktreeGCRequest asks for worktrees that nobody needs to be removed.
type WorktreeGCRequest struct{}

// WorktreeGCReply says which were removed (or would be) and why the others stay.
type WorktreeGCReply struct {
	Removed []kedge.Worktree `json:"removed"`
	Kept    []KeptWorktree   `json:"kept"`
	DryRun  bool             `json:"dry_run"`
}

// KeptWorktree is a worktree that stays, and why.
type KeptWorktree struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// WorktreeOld says what WorktreeGC would do.
func (s *Service) WorktreeOld(ctx context.Context, who Caller, _ WorktreeGCRequest) (WorktreeGCReply, error) {
	_, repo, err := s.repository(ctx, who)
	if err != nil {
		return WorktreeGCReply{}, err
	}
	r, err := sortWorktrees(ctx, repo)
	r.DryRun = true
	return r, err
}

// WorktreeGC removes the worktrees that Kedge made, that are clean, whose
// commits are on another branch, and that no process works in. Branches stay,
// so no commit is lost, pushed or not.
func (s *Service) WorktreeGC(ctx context.Context, who Caller, _ WorktreeGCRequest) (WorktreeGCReply, error) {
	p, repo, err := s.repository(ctx, who)
	if err != nil {
		return WorktreeGCReply{}, err
	}
	r := WorktreeGCReply{Kept: []KeptWorktree{}}
	evs, err := s.write(ctx, p, who, func() ([]kedge.Event, error) {
		if r, err = removeWorktrees(ctx, repo); err != nil {
			return nil, err
		}
		return eventsOf(kedge.WorktreeRemoved, who, r.Removed)
	})
	r.Removed = []kedge.Worktree{}
	for _, ev := range evs {
		w, err := data[kedge.Worktree](ev)
		if err != nil {
			return r, err
		}
		r.Removed = append(r.Removed, w)
	}
	return r, err
}

func removeWorktrees(ctx context.Context, repo *gitx.Repo) (WorktreeGCReply, error) {
	r, err := sortWorktrees(ctx, repo)
	if err != nil {
		return r, err
	}
	free := r.Removed
	r.Removed = []kedge.Worktree{}
	for _, w := range free {
		switch err := repo.RemoveWorktree(ctx, w.Path); {
		case kedge.Conflict.Is(err): // it came to hold something meanwhile
			r.Kept = append(r.Kept, KeptWorktree{Path: w.Path, Why: err.Error()})
		case err != nil:
			return r, err
		default:
			r.Removed = append(r.Removed, w)
		}
	}
	return r, nil
}

// sortWorktrees tells those that may go from those that stay.
func sortWorktrees(ctx context.Context, repo *gitx.Repo) (WorktreeGCReply, error) {
	r := WorktreeGCReply{Removed: []kedge.Worktree{}, Kept: []KeptWorktree{}}
	list, err := repo.Worktrees(ctx)
	if err != nil {
		return r, err
	}
	for _, w := range list {
		if why := whyStays(w); why != "" {
			r.Kept = append(r.Kept, KeptWorktree{Path: w.Path, Why: why})
		} else {
			r.Removed = append(r.Removed, w)
		}
	}
	return r, nil
}

func whyStays(w kedge.Worktree) string {
	switch {
	case w.Main:
		return "it is the main one"
	case w.Bytes < 0:
		return "its folder is gone: git worktree prune"
	case !w.Ours:
		return "Kedge did not make it"
	case w.Dirty:
		return "it has changes that are not committed"
	case w.OwnerPID > 0:
		return "a process works in it"
	case w.OwnerPID < 0:
		return "it is not known whether a process works in it"
	case !w.Merged:
		return "its commits are on no other branch"
	}
	return ""
}
