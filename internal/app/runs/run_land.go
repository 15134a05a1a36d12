package runs

import (
	"context"
	"slices"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/core/run"
	"kedge/internal/git"
	"kedge/internal/git/slot"
	"kedge/internal/journal"
	"kedge/internal/text/words"
)

// RunLandRequest asks for the work of runs on the user's branch.
type RunLandRequest struct {
	PR         bool `json:"pr,omitempty"`
	Unreviewed bool `json:"unreviewed,omitempty"` // also work that nobody accepted
}

// RunLandReply is what became of it. Refused says why the branch was not moved;
// Already, that it had the work before; Elsewhere, that it is not the one which is
// checked out. Review is the work that has to be accepted, or refused, before.
type RunLandReply struct {
	RunReply
	Commit    string      `json:"commit"`
	Branch    string      `json:"branch"`
	Refused   string      `json:"refused"`
	Already   bool        `json:"already"`
	Elsewhere bool        `json:"elsewhere"`
	Review    []RunReview `json:"review"`
}

// RunLand moves the user's branch to what the newest run integrated, where the
// checkout is clean and the branch has not moved. Where that has landed, it is an
// earlier run's turn whose work has not. What is still to land afterwards is said.
func (s *Driver) RunLand(ctx context.Context, who projects.Caller, in RunLandRequest) (RunLandReply, error) {
	if in.PR {
		return RunLandReply{}, kedge.Errorf(kedge.Invalid, "this build cannot open pull requests").
			WithHint("push the branch yourself: git push origin HEAD, or land it here: kedge land")
	}
	p, eng, newest, err := s.theRun(ctx, who, "land work")
	if err != nil {
		return RunLandReply{}, err
	}
	ctx, done := s.life.UntilLeft(ctx)
	defer done()
	st, err := s.toLand(ctx, p, who, newest)
	if err != nil {
		return RunLandReply{}, err
	}
	waiting, specs, err := s.toReview(ctx, p, st)
	if err != nil {
		return RunLandReply{}, err
	}
	if len(waiting) > 0 && !in.Unreviewed {
		return s.refuseUnreviewed(ctx, p, eng, st, waiting)
	}
	out, err := s.landRun(ctx, p, eng, who, st, specs)
	if err != nil {
		return out, err
	}
	if isPlanning(newest) { // a plan that waits is no part of what landed: it comes back
		if _, err := s.book.BringFilesUp(ctx, p); err != nil {
			return RunLandReply{}, err
		}
	}
	left, err := s.unlanded(ctx, p)
	for _, u := range left {
		if u.Run != st.Run {
			out.Notes = append(out.Notes, u.words())
		}
	}
	return out, err
}

// toLand is the run whose work is to land: the newest that has any which has not
// landed. A request that is made again means the run that it meant before.
func (s *Driver) toLand(ctx context.Context, p *projects.Project, who projects.Caller, newest run.State) (run.State, error) {
	docs, err := p.Store.Runs(ctx)
	if err != nil {
		return newest, err
	}
	for _, d := range docs {
		if said, err := wasSaid(ctx, p, who, d.State.Run); err != nil || said {
			return d.State, err
		}
	}
	left, err := s.unlanded(ctx, p)
	if err != nil || len(left) == 0 {
		return newest, err
	}
	doc, err := watched(ctx, p, left[0].Run)
	return doc.State, err
}

// landRun has the work of one run landed, with what nobody accepted, and tells what
// became of it.
func (s *Driver) landRun(ctx context.Context, p *projects.Project, eng RunEngine, who projects.Caller, st run.State, unseen []run.Spec) (RunLandReply, error) {
	before, tip := st.Landed, st.Tip
	branch, at, here := s.landsAt(ctx, p, st.Run)
	let := st.Unaccepted()
	for _, spec := range unseen {
		let = append(let, spec.ID)
	}
	if _, err := s.say(ctx, p, eng, who, st.Run, run.Event{Kind: run.LandAsked, Features: let, Specs: unseen}); err != nil {
		return RunLandReply{}, err
	}
	st, err := landed(ctx, eng, st.Run)
	if err != nil {
		return RunLandReply{}, err
	}
	reply, err := s.runReply(ctx, p, eng, st.Run, nil)
	out := RunLandReply{RunReply: reply, Commit: st.Landed, Refused: st.Lander, Branch: branch, Elsewhere: !here, Review: []RunReview{}}
	if st.Landed == before && st.Landed != st.Tip && out.Refused == "" {
		out.Refused = firstSet(st.Why, "it could not be checked")
	}
	out.Already = out.Refused == "" && s.holds(ctx, p, at, out.Commit)
	if out.Already && !s.holds(ctx, p, at, tip) {
		out.Notes = append(out.Notes, "branch \""+branch+"\" has the work in commits of its own; the run's own stay on "+slot.Branch(st.Run)+
			", to be removed with: git branch -D "+slot.Branch(st.Run))
	}
	return out, err
}

// landsAt is the branch that a run lands on, its commit and whether it is checked
// out; empty where that cannot be told.
func (s *Driver) landsAt(ctx context.Context, p *projects.Project, id kedge.RunID) (branch, at string, here bool) {
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

// holds tells whether a commit has another in its past, or is it.
func (s *Driver) holds(ctx context.Context, p *projects.Project, at, commit string) bool {
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

// unlandedRun is a run with work that the branch it goes to does not have.
type unlandedRun struct {
	Run   kedge.RunID
	Tip   string
	Lands string // the branch
}

// words say what is there, and how to have it.
func (u unlandedRun) words() string {
	return "not landed yet: the work of " + string(u.Run) + " (" + words.Hash(u.Tip) + "), which goes to branch \"" + u.Lands +
		"\": kedge land, or: git merge " + slot.Branch(u.Run)
}

// unlanded are the runs with work that has not landed, newest first, each unless a
// newer one has all of it. What people took off their branch again is not among
// them, nor is what they took the run's own branch from.
func (s *Driver) unlanded(ctx context.Context, p *projects.Project) ([]unlandedRun, error) {
	docs, err := p.Store.Runs(ctx)
	if err != nil {
		return nil, err
	}
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return nil, err
	}
	var out []unlandedRun
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
func (u unlandedRun) isIn(ctx context.Context, repo *git.Repo, others []unlandedRun) (bool, error) {
	for _, o := range others {
		if has, err := repo.Descends(ctx, o.Tip, u.Tip); err != nil || has && o.Lands == u.Lands {
			return has, err
		}
	}
	return false, nil
}

// isUnlanded looks at one run.
func (s *Driver) isUnlanded(ctx context.Context, p *projects.Project, repo *git.Repo, d journal.RunDoc) (unlandedRun, bool, error) {
	u := unlandedRun{Run: d.State.Run}
	if d.State.Tip == "" || d.State.Landed == d.State.Tip && d.State.Lander == "" {
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

// landCommand is what lands the work of runs.
const landCommand = "kedge land"

// broughtIn tells whether a run that is over has work that it could not land, and that
// people have brought into their branch themselves since.
func (s *Driver) broughtIn(ctx context.Context, p *projects.Project, st run.State) bool {
	if !p.Git || !st.Over() || st.Tip == "" || st.Landed == st.Tip && st.Lander == "" {
		return false
	}
	_, at, _ := s.landsAt(ctx, p, st.Run)
	return s.holds(ctx, p, at, st.Tip)
}

// nextToLand adds to what a person can do about a run that plans, or planned in vain,
// that work of the runs before it is still to land.
func (s *Driver) nextToLand(ctx context.Context, p *projects.Project, st run.State, next []string) ([]string, error) {
	if !isPlanning(st) {
		return next, nil
	}
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return next, err
	}
	if awaited, err := s.awaited(ctx, repo, st); err != nil || !awaited || slices.Contains(next, landCommand) {
		return next, err
	}
	if waiting, _, err := s.toReview(ctx, p, st); err != nil || len(waiting) > 0 {
		return next, err // it would refuse
	}
	return append(next, landCommand), nil
}
