package runs

import (
	"cmp"
	"context"
	"slices"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/core/run"
	"kedge/internal/git/slot"
)

// RunLandRequest asks for the work of runs on the user's branch.
type RunLandRequest struct {
	PR         bool `json:"pr,omitempty"`
	Unreviewed bool `json:"unreviewed,omitempty"` // also work that nobody accepted
	Regressed  bool `json:"regressed,omitempty"`  // although features that were done are red again
}

// RunLandReply is what became of it. Refused says why the branch was not moved;
// Already, that it had the work before; Merged, that it had new commits, with which the work
// was merged; Elsewhere, that it is not the one which is checked out. Review is the work that has to be accepted, or refused, before; Regressed
// are the features that were done and are red again, on which nothing lands unasked.
type RunLandReply struct {
	RunReply
	Commit    string      `json:"commit"`
	Branch    string      `json:"branch"`
	Refused   string      `json:"refused"`
	Already   bool        `json:"already"`
	Elsewhere bool        `json:"elsewhere"`
	Merged    bool        `json:"merged"`
	Review    []RunReview `json:"review"`

	Regressed []kedge.FeatureID `json:"regressed,omitempty"`
}

// RunLand moves the user's branch to what the newest run integrated, where the
// checkout is clean and the branch has not moved. Where that has landed, it is an
// earlier run's turn whose work has not. What is still to land afterwards is said.
func (s *Runs) RunLand(ctx context.Context, who projects.Caller, in RunLandRequest) (RunLandReply, error) {
	if in.PR {
		return RunLandReply{}, kedge.Errorf(kedge.Invalid, "Kedge cannot open pull requests yet").
			WithHint("move the work to your branch: kedge land; then push your branch: git push origin HEAD")
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
	if out, no, err := s.refuseRegressed(ctx, p, eng, st, in); err != nil || no {
		return out, err
	}
	out, err := s.landRun(ctx, p, eng, who, st, specs, in.Regressed)
	if err != nil {
		return out, err
	}
	if newest.Planning() { // a plan that waits is no part of what landed: it comes back
		if _, err := s.book.SyncFiles(ctx, p); err != nil {
			return RunLandReply{}, err
		}
	}
	left, err := s.landing.Unlanded(ctx, p)
	if err != nil {
		return out, err
	}
	for _, u := range left {
		if u.Run != st.Run {
			out.Notes = append(out.Notes, u.Note())
		}
	}
	red, err := ledger.NotGreen(ctx, p)
	for _, n := range red {
		out.Notes = append(out.Notes, n.Text())
	}
	return out, err
}

// toLand is the run whose work is to land: the newest that has any which has not
// landed. A request that is made again means the run that it meant before.
func (s *Runs) toLand(ctx context.Context, p *projects.Project, who projects.Caller, newest run.State) (run.State, error) {
	docs, err := p.Store.Runs(ctx)
	if err != nil {
		return newest, err
	}
	for _, d := range docs {
		if said, err := ledger.WasDelivered(ctx, p, who, d.State.Run); err != nil || said {
			return d.State, err
		}
	}
	left, err := s.landing.Unlanded(ctx, p)
	if err != nil || len(left) == 0 {
		return newest, err
	}
	doc, err := ledger.FindRun(ctx, p, left[0].Run)
	return doc.State, err
}

// landRun has the work of one run landed, with what nobody accepted, and tells what
// became of it.
func (s *Runs) landRun(ctx context.Context, p *projects.Project, eng RunEngine, who projects.Caller, st run.State, unseen []run.Spec, broken bool) (RunLandReply, error) {
	before, tip := st.Landed, st.Tip
	branch, at, here := s.landing.Target(ctx, p, st.Run)
	let := st.Unaccepted()
	for _, spec := range unseen {
		let = append(let, spec.ID)
	}
	ask := run.Input{Kind: run.LandAsked, Features: let, Specs: unseen}
	if broken {
		ask.Scope = run.Breaking
	}
	if _, err := s.Say(ctx, p, eng, who, st.Run, ask); err != nil {
		return RunLandReply{}, err
	}
	st, err := landed(ctx, eng, st.Run)
	if err != nil {
		return RunLandReply{}, err
	}
	reply, err := s.Show(ctx, p, eng, st.Run, nil)
	out := RunLandReply{RunReply: reply, Commit: st.Landed, Refused: st.LandRefusal, Branch: branch, Elsewhere: !here, Review: []RunReview{}}
	if st.Landed == before && st.Landed != st.Tip && out.Refused == "" {
		out.Refused = cmp.Or(st.Why, "Kedge could not check it")
	}
	if out.Refused != "" { // the look at it before may just have found them
		out.Regressed = st.Broken()
	}
	out.Already = out.Refused == "" && s.landing.Has(ctx, p, at, out.Commit)
	out.Merged = out.Refused == "" && !out.Already && out.Commit != tip
	if out.Already && !s.landing.Has(ctx, p, at, tip) {
		out.Notes = append(out.Notes, "branch \""+branch+"\" has the work already, in other commits; the run's commits are still on "+slot.Branch(st.Run)+
			"; to remove them: git branch -D "+slot.Branch(st.Run))
	}
	return out, err
}

// nextToLand adds to what a person can do about a run that plans, or planned in vain,
// that work of the runs before it is still to land.
func (s *Runs) nextToLand(ctx context.Context, p *projects.Project, st run.State, next []kedge.NextStep) ([]kedge.NextStep, error) {
	if !st.Planning() {
		return next, nil
	}
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return next, err
	}
	if awaited, err := s.landing.Awaited(ctx, repo, st); err != nil || !awaited || slices.ContainsFunc(next, isLand) {
		return next, err
	}
	if waiting, _, err := s.toReview(ctx, p, st); err != nil || len(waiting) > 0 {
		return next, err // it would refuse
	}
	left, err := s.landing.Unlanded(ctx, p)
	if err != nil || len(left) == 0 {
		return append(next, landStep()), err
	}
	doc, err := ledger.FindRun(ctx, p, left[0].Run)
	if err != nil {
		return next, err
	}
	was := s.landing.Now(ctx, p, doc.State)
	return append(next, landSteps(&was)...), nil
}
