package landing

import (
	"context"
	"slices"
	"time"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/core/run"
	"kedge/internal/git"
	"kedge/internal/git/slot"
	"kedge/internal/journal"
	"kedge/internal/text/words"
)

// Target is the branch that a run lands on, its commit and whether it is checked
// out; empty where that cannot be told.
func (s *Landing) Target(ctx context.Context, p *projects.Project, id kedge.RunID) (branch, at string, here bool) {
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return "", "", false
	}
	course, err := s.home.Slots(p, repo).Course(ctx, id)
	if err != nil || course.Lands == "" {
		return "", "", false
	}
	h, err := repo.Head(ctx)
	here = err == nil && h.Branch == course.Lands
	if at, err = repo.Resolve(ctx, "refs/heads/"+course.Lands); err != nil {
		at = ""
	}
	return course.Lands, at, here
}

// Has tells whether a commit has another in its past, or is it.
func (s *Landing) Has(ctx context.Context, p *projects.Project, at, commit string) bool {
	if at == "" || commit == "" {
		return false
	}
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return false
	}
	has, err := repo.Descends(ctx, at, commit)
	return err == nil && has
}

// UnlandedRun is a run with work that the branch it goes to does not have.
type UnlandedRun struct {
	Run   kedge.RunID
	Tip   string
	Lands string // the branch
}

// Note say what is there, and how to have it.
func (u UnlandedRun) Note() string {
	return "not landed yet: the work of " + string(u.Run) + " (" + words.Hash(u.Tip) + "), which goes to branch \"" + u.Lands +
		"\": kedge land, or: git merge " + slot.Branch(u.Run)
}

// Unlanded are the runs with work that has not landed, newest first, each unless a
// newer one has all of it. What people took off their branch again is not among
// them, nor is what they took the run's own branch from.
func (s *Landing) Unlanded(ctx context.Context, p *projects.Project) ([]UnlandedRun, error) {
	docs, err := p.Store.Runs(ctx)
	if err != nil {
		return nil, err
	}
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return nil, err
	}
	var out []UnlandedRun
	for _, d := range slices.Backward(docs) {
		u, is, err := s.isUnlanded(ctx, p, repo, d)
		if err != nil {
			return nil, err
		}
		if !is {
			continue
		}
		had, err := u.isIn(ctx, repo, out)
		if err != nil {
			return nil, err
		}
		if !had {
			out = append(out, u)
		}
	}
	return out, nil
}

// isIn tells whether one of the others has all of its work, on the same way.
func (u UnlandedRun) isIn(ctx context.Context, repo *git.Repo, others []UnlandedRun) (bool, error) {
	for _, o := range others {
		if has, err := repo.Descends(ctx, o.Tip, u.Tip); err != nil || has && o.Lands == u.Lands {
			return has, err
		}
	}
	return false, nil
}

// isUnlanded looks at one run.
func (s *Landing) isUnlanded(ctx context.Context, p *projects.Project, repo *git.Repo, d journal.RunDoc) (UnlandedRun, bool, error) {
	u := UnlandedRun{Run: d.State.Run}
	if d.State.Tip == "" || d.State.AllLanded() {
		return u, false, nil
	}
	var err error
	if u.Tip, err = repo.Resolve(ctx, "refs/heads/"+slot.Branch(u.Run)); err != nil {
		return u, false, unlessNone(err)
	}
	course, err := s.home.Slots(p, repo).Course(ctx, u.Run)
	if err != nil || course.Lands == "" {
		return u, false, err
	}
	u.Lands = course.Lands
	at, err := repo.Resolve(ctx, "refs/heads/"+u.Lands)
	if err != nil {
		return u, kedge.NotFound.Is(err), unlessNone(err)
	}
	has, err := repo.Descends(ctx, at, u.Tip)
	return u, err == nil && !has, err
}

// unlessNone is the error, unless it says that something is not there.
func unlessNone(err error) error {
	if kedge.NotFound.Is(err) {
		return nil
	}
	return err
}

// Now is the state of a run whose landing was refused, with what you do about that as things
// are now: nothing but kedge land where it would no longer be refused.
func (s *Landing) Now(ctx context.Context, p *projects.Project, st run.State) run.State {
	if st.LandRefusal == "" || !p.Git || len(st.Unaccepted())+len(st.Broken()) > 0 {
		return st
	}
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return st
	}
	branch, at, _ := s.Target(ctx, p, st.Run)
	m := slot.Meeting{Run: st.Run, Work: st.Tip, Branch: branch, At: at}
	if branch == "" || at == "" {
		return st
	}
	if m, err = slot.Meet(ctx, repo, m, time.Unix(0, 0)); err != nil { // nothing can be told: what was said counts
		return st
	}
	reason, next := m.Refusal()
	switch {
	case st.LandAt != "" && (st.LandAt == at || st.LandAt == st.Tip):
		next = m.MendSteps()
	case reason == "" || m.Has:
		if next, err = s.inTheWay(ctx, p, repo, m); err != nil {
			return st
		}
	}
	st.LandNext = next
	return st
}

// inTheWay is what you do where your files keep a branch from being moved; nothing where they
// do not.
func (s *Landing) inTheWay(ctx context.Context, p *projects.Project, repo *git.Repo, m slot.Meeting) ([]kedge.NextStep, error) {
	if m.Has {
		return nil, nil
	}
	by, is, err := s.MovedBySessions(p)(ctx, "refs/heads/"+m.Branch, m.At)
	if err != nil {
		return nil, err
	}
	again := slot.LandAgain()
	if is && m.Way != slot.Behind {
		return append([]kedge.NextStep{by.Undo().AndThen(again)}, m.ByHand()...), nil
	}
	to := m.Work
	if m.Way == slot.Diverged {
		q := git.CommitRequest{Tree: m.Tree, Parents: []string{m.At, m.Work}, Message: "a try", Date: time.Unix(0, 0), Author: git.Person{Name: "Kedge", Email: "kedge@localhost"}}
		if to, err = repo.Commit(ctx, q); err != nil {
			return nil, err
		}
	}
	err = repo.Forward(ctx, git.ForwardRequest{
		Branch: m.Branch, To: to, Try: true, Again: &again,
		Ours: func(path string) bool { return kedge.IsOwnPath(path) && s.Replaceable(ctx, p, path) },
	})
	if step, ok := kedge.StepOf(err); ok {
		return []kedge.NextStep{step}, nil
	}
	return nil, err
}

// MergedByUser tells whether a run that is over has work that it could not land, and that
// people have brought into their branch themselves since.
func (s *Landing) MergedByUser(ctx context.Context, p *projects.Project, st run.State) bool {
	if !p.Git || !st.Over() || st.Tip == "" || st.AllLanded() {
		return false
	}
	_, at, _ := s.Target(ctx, p, st.Run)
	return s.Has(ctx, p, at, st.Tip)
}

// OnlyRecords tells whether a run that is over verified nothing, and its branch differs
// from yours only in files that Kedge writes: there is no work to land.
func (s *Landing) OnlyRecords(ctx context.Context, p *projects.Project, st run.State) bool {
	verified := func(f run.Feature) bool { return f.Status == kedge.Completed && !f.Before || f.Work != "" }
	if !p.Git || !st.Over() || st.Tip == "" || st.AllLanded() || slices.ContainsFunc(st.Features, verified) {
		return false
	}
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return false
	}
	_, at, _ := s.Target(ctx, p, st.Run)
	if at == "" {
		return false
	}
	common, err := repo.MergeBase(ctx, at, st.Tip)
	if err != nil {
		return false
	}
	changes, err := repo.Diff(ctx, common, st.Tip)
	return err == nil && !slices.ContainsFunc(changes, func(c git.Change) bool { return !kedge.IsGenerated(c.Path) })
}
