package maintenance

import (
	"context"
	"maps"
	"slices"
	"strings"

	"kedge/internal/app/projects"
)

// BranchListRequest asks for the branches of the project's repository.
type BranchListRequest struct{}

// Branch is one branch, and the worktree in which it is checked out; empty: in none.
type Branch struct {
	Name     string `json:"name"`
	Worktree string `json:"worktree,omitempty"`
}

// BranchListReply lists branches by name.
type BranchListReply struct {
	Branches []Branch `json:"branches"`
}

// BranchList lists the local branches.
func (s *Maintenance) BranchList(ctx context.Context, who projects.Caller, _ BranchListRequest) (BranchListReply, error) {
	out := BranchListReply{Branches: []Branch{}}
	_, repo, err := s.home.Repository(ctx, who)
	if err != nil {
		return out, err
	}
	refs, err := repo.Refs(ctx)
	if err != nil {
		return out, err
	}
	places, err := repo.CheckedOut(ctx)
	for _, ref := range slices.Sorted(maps.Keys(refs)) {
		if name, is := strings.CutPrefix(ref, "refs/heads/"); is {
			out.Branches = append(out.Branches, Branch{Name: name, Worktree: places[name]})
		}
	}
	return out, err
}
