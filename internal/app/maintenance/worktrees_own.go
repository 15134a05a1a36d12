package maintenance

import (
	"context"
	"errors"
	"slices"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/git"
	"kedge/internal/git/slot"
)

// usage says who needs the worktrees of a project.
type usage struct {
	runs slot.Usage
	own  map[string]owned // those of sessions, by path
}

// owned is the worktree of a session.
type owned struct {
	slot.Session
	abandoned bool // its session never began
	begun     bool // else it is being made
	gone      bool // its folder was deleted
}

func usageOf(ctx context.Context, p *projects.Project, slots *slot.Slots) (usage, error) {
	runs, err := slots.Usage(ctx)
	if err != nil {
		return usage{}, err
	}
	all, err := slots.Sessions()
	if err != nil {
		return usage{}, err
	}
	begun := p.Begun(ctx)
	left, err := slots.Abandoned(begun)
	out := usage{runs: runs, own: map[string]owned{}}
	for _, r := range all {
		abandoned := slices.ContainsFunc(left, func(o slot.Session) bool { return o.Path == r.Path })
		out.own[r.Path] = owned{Session: r, abandoned: abandoned, begun: begun(r.Session), gone: slots.Gone(r)}
	}
	return out, err
}

// whyKept says why the worktree of a session stays, besides the session itself; empty when
// it may go. Ignored files that were copied or that the set-up made do not keep it; others
// do.
func (o owned) whyKept(ctx context.Context, repo *git.Repo, w kedge.Worktree) (string, error) {
	switch {
	case o.abandoned:
		return "", nil
	case !o.begun:
		return "it is being made", nil
	case o.gone:
		return "", nil
	}
	if w.Dirty && w.Bytes >= 0 {
		work, err := projects.HasWork(ctx, repo, w.Path)
		if err != nil {
			return err.Error(), nil //nolint:nilerr // what cannot be looked at stays, and no other with it
		}
		w.Dirty = work
	}
	if why := whyStays(w); why != "" {
		return why, nil
	}
	at, err := repo.In(ctx, w.Path)
	if err != nil {
		return err.Error(), nil //nolint:nilerr // as above
	}
	return slot.HoldsIgnored(ctx, at)
}

// branchesGoing adds what would become of the branches of sessions whose worktrees go.
func (u usage) branchesGoing(ctx context.Context, slots *slot.Slots, going []string, out *slot.Branches) error {
	for _, path := range going {
		own, is := u.own[path]
		if !is || !own.Made { // one that was there before is no business of ours
			continue
		}
		stays, err := slots.SessionBranchStays(ctx, own.Session, going)
		if err != nil {
			return err
		}
		if stays == "" {
			out.Gone = append(out.Gone, own.Branch)
		} else {
			out.Kept[own.Branch] = stays
		}
	}
	return nil
}

// removeOwn removes the worktree of a session, and what was made with it.
func (s *Maintenance) removeOwn(ctx context.Context, p *projects.Project, slots *slot.Slots, own slot.Session, q slot.Request, branches *slot.Branches) error {
	if begun := p.Begun(ctx); !begun(own.Session) {
		p.Clearing.Lock()
		defer p.Clearing.Unlock()
		return clearAbandoned(ctx, s.home, p, slots, own)
	}
	q.Reason = "the worktree of session " + own.Name + " was not needed any more"
	found, err := slots.ClearSession(ctx, own.Path, q)
	*branches = branches.And(found)
	return errors.Join(err, slots.Sweep(ctx))
}

// forgetSessions clears what is left of worktrees of sessions that are gone, or were never
// finished.
func (s *Maintenance) forgetSessions(ctx context.Context, p *projects.Project, repo *git.Repo, branches *slot.Branches) error {
	slots := s.home.Slots(p, repo)
	err := ClearAbandoned(ctx, s.home, p, repo)
	if kedge.Conflict.Is(err) { // somebody works in it; it is listed among those that stay
		err = nil
	}
	if err != nil {
		return err
	}
	lost, err := slots.Lost(p.Begun(ctx))
	for _, r := range lost {
		found, gone := slots.ForgetLost(ctx, r)
		*branches = branches.And(found)
		err = errors.Join(err, gone)
	}
	return err
}
