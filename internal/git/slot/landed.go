package slot

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"kedge"
)

// Branches are the integration branches of runs, sorted by what becomes of them.
type Branches struct {
	Gone []string          // sorted by name
	Kept map[string]string // why, by branch
}

// And adds others.
func (b Branches) And(more Branches) Branches {
	out := Branches{Gone: append(append([]string{}, b.Gone...), more.Gone...), Kept: maps.Clone(b.Kept)}
	slices.Sort(out.Gone)
	maps.Copy(out.Kept, more.Kept)
	return out
}

// Landed takes the integration branches of runs away that are over and whose commits
// are all on the branch that they go to. What is not known of a run, or cannot be
// read, keeps its own branch and no other. Over are runs that the caller ends with
// this, before the journal has it.
func (s *Slots) Landed(ctx context.Context, over ...kedge.RunID) (Branches, error) {
	return s.sortBranches(ctx, over, s.dropLanded)
}

// Landable tells what Landed would do once the worktrees at these paths are gone. It
// changes nothing.
func (s *Slots) Landable(ctx context.Context, going []string) (Branches, error) {
	return s.sortBranches(ctx, nil, func(ctx context.Context, id kedge.RunID) (bool, string, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		_, stays, err := s.whyStays(ctx, id, going)
		return stays == "", stays, err
	})
}

// sortBranches asks for every integration branch what becomes of it.
func (s *Slots) sortBranches(ctx context.Context, ending []kedge.RunID, ask func(context.Context, kedge.RunID) (gone bool, stays string, err error)) (Branches, error) {
	out := Branches{Gone: []string{}, Kept: map[string]string{}}
	over, err := s.over(ctx)
	if err != nil {
		return out, err
	}
	refs, err := s.cfg.Repo.Refs(ctx)
	if err != nil {
		return out, err
	}
	for _, ref := range slices.Sorted(maps.Keys(refs)) {
		branch, is := strings.CutPrefix(ref, "refs/heads/")
		id, ours := strings.CutPrefix(branch, "kedge/")
		if !is || !ours || !kedge.ValidID("run", id) {
			continue
		}
		if !slices.Contains(ending, kedge.RunID(id)) && !over(kedge.RunID(id)) {
			out.Kept[branch] = "its run is not over, or Kedge has no record of it"
			continue
		}
		gone, stays, err := ask(ctx, kedge.RunID(id))
		switch {
		case err != nil:
			return out, err
		case gone:
			out.Gone = append(out.Gone, branch)
		case stays != "":
			out.Kept[branch] = stays
		}
	}
	return out, nil
}

// over tells which runs are over; all of them where nobody can say.
func (s *Slots) over(ctx context.Context) (func(kedge.RunID) bool, error) {
	if s.cfg.Over == nil {
		return func(kedge.RunID) bool { return true }, nil
	}
	return s.cfg.Over(ctx)
}

// dropLanded is Landed for one run. That its branch may be made again is written
// down before it goes.
func (s *Slots) dropLanded(ctx context.Context, id kedge.RunID) (gone bool, stays string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, stays, err := s.whyStays(ctx, id, nil)
	if err != nil || stays != "" {
		return false, stays, err
	}
	was := c.Branch
	c.Branch = ""
	if err := s.writeCourse(c); err != nil {
		return false, "", err
	}
	gone, stays, err = s.cfg.Repo.DropBranch(ctx, Branch(id), c.Lands)
	if err == nil && stays == "" {
		return gone, "", nil
	}
	c.Branch = was
	return false, stays, errors.Join(err, s.writeCourse(c))
}

// whyStays says why the branch of a run stays; empty when it may go.
func (s *Slots) whyStays(ctx context.Context, id kedge.RunID, going []string) (Course, string, error) {
	c, err := s.readCourse(id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c, "Kedge no longer has a record of its run", nil
	case err != nil:
		return c, "the records of its run cannot be read: " + err.Error(), nil //nolint:nilerr // it is said, and keeps no other branch
	case c.Lands == "":
		return c, "its run did not start on a branch", nil
	}
	stays, err := s.cfg.Repo.BranchStays(ctx, Branch(id), c.Lands, going)
	return c, stays, err
}
