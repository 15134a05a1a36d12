package runs

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/app/verify"
	"kedge/internal/core/run"
	"kedge/internal/engine"
	"kedge/internal/journal"
)

// RunReview is work on a run's branch that a person has to accept or to refuse;
// each of its lines is a command that can be pasted.
type RunReview struct {
	Feature kedge.FeatureID `json:"feature"`
	Look    string          `json:"look"`
	Accept  string          `json:"accept"`
	Deny    string          `json:"deny"`
}

// reviewOf is how you look at the work on a feature, and say yes or no.
func reviewOf(f *run.Feature) RunReview {
	look, accept, deny := reviewWays(f)
	r := RunReview{Feature: f.ID, Accept: accept.String(), Deny: deny.String()}
	if f.Work != "" {
		r.Look = look.String()
	}
	return r
}

// reviewWays are the steps to look at work, to accept it and to refuse it.
func reviewWays(f *run.Feature) (look, accept, deny kedge.NextStep) {
	look = kedge.Step("git", append([]string{"show"}, strings.Split(f.Work, ",")...)...).For("see the work of " + string(f.ID))
	accept = kedge.Step("kedge", "approve", string(f.ID), "--reason", "WHY").For("approve the work of " + string(f.ID))
	return look, accept, denyStep(string(f.ID))
}

// reviewSteps are what you do about a feature that waits for review: of work that was
// set aside there is nothing to accept, and what has landed only you remove from your
// branch.
func reviewSteps(f *run.Feature) []kedge.NextStep {
	look, accept, deny := reviewWays(f)
	switch {
	case f.Aside && f.Status == kedge.NeedsReview:
		return []kedge.NextStep{kedge.Step("kedge", "salvage", "ls").For("see what was set aside of " + string(f.ID)), reopenStep(f.ID).For("try " + string(f.ID) + " again")}
	case f.Work == "":
		return []kedge.NextStep{accept, deny}
	case f.Let == run.LetLanded:
		return []kedge.NextStep{look, accept, revertStep(f)}
	default:
		return []kedge.NextStep{look, accept, deny}
	}
}

// reopenStep has a feature worked on again.
func reopenStep(id kedge.FeatureID) kedge.NextStep {
	return kedge.Step("kedge", "feature", "reopen", string(id), "--reason", "WHY")
}

// revertStep removes landed work from your branch.
func revertStep(f *run.Feature) kedge.NextStep {
	commits := strings.Split(f.Work, ",")
	slices.Reverse(commits)
	return kedge.Step("git", append([]string{"revert", "--no-edit"}, commits...)...).
		For("reject the work of " + string(f.ID) + ", and remove it from your branch").AndThen(reopenStep(f.ID))
}

// toReview is the work in what a run would land that nobody accepted, neither in a
// run nor in the ledger, and that people have not brought into their branch
// themselves.
func (s *Runs) toReview(ctx context.Context, p *projects.Project, st run.State) ([]RunReview, []run.Spec, error) {
	specs, err := s.landing.Waiting(ctx, p, st)
	out := make([]RunReview, len(specs))
	for i, spec := range specs {
		out[i] = reviewOf(&run.Feature{ID: spec.ID, Work: spec.Work})
	}
	return out, specs, err
}

// workLanded tells whether the branch that a run lands on has commits of it.
func (s *Runs) workLanded(ctx context.Context, p *projects.Project, id kedge.RunID, commits string) bool {
	_, at, _ := s.landing.Target(ctx, p, id)
	for sha := range strings.SplitSeq(commits, ",") {
		if !s.landing.Has(ctx, p, at, sha) {
			return false
		}
	}
	return true
}

// refuseUnreviewed leaves the branch where it is and says what to look at.
func (s *Runs) refuseUnreviewed(ctx context.Context, p *projects.Project, eng RunEngine, st run.State, waiting []RunReview) (RunLandReply, error) {
	reply, err := s.Show(ctx, p, eng, st.Run, nil)
	branch, _, here := s.landing.Target(ctx, p, st.Run)
	ids := make([]string, len(waiting))
	for i, w := range waiting {
		ids[i] = string(w.Feature)
	}
	return RunLandReply{
		RunReply: reply, Commit: st.Landed, Branch: branch, Elsewhere: !here, Review: waiting,
		Refused: "you have not accepted the work on " + verify.Listed(ids) + "; to land it anyway: kedge land --unreviewed",
	}, err
}

// refuseRegressed leaves the branch where it is while features that were done are red
// again, as the run or the ledger has it, unless you want just that.
func (s *Runs) refuseRegressed(ctx context.Context, p *projects.Project, eng RunEngine, st run.State, in RunLandRequest) (RunLandReply, bool, error) {
	branch, at, here := s.landing.Target(ctx, p, st.Run)
	if in.Regressed || s.landing.Has(ctx, p, at, st.Tip) {
		return RunLandReply{}, false, nil
	}
	ids := st.Broken()
	l, err := ledger.ReadSnapshot(ctx, p)
	for _, f := range l.Features() {
		if f.Status == kedge.Regressed && !slices.Contains(ids, f.ID) {
			ids = append(ids, f.ID)
		}
	}
	if err != nil || len(ids) == 0 {
		return RunLandReply{}, false, err
	}
	reply, err := s.Show(ctx, p, eng, st.Run, nil)
	return RunLandReply{
		RunReply: reply, Commit: st.Landed, Branch: branch, Elsewhere: !here, Review: []RunReview{}, Regressed: ids,
		Refused: run.IsBroken(ids) + "; to land it anyway: kedge land --regressed",
	}, true, err
}

// RunDenyReply is a run after work was refused. Taken is the commit that took it
// back from the run's branch, where it was there; Kept says why it is still there.
type RunDenyReply struct {
	RunReply
	Feature kedge.FeatureID `json:"feature"`
	Status  kedge.Status    `json:"status"` // of the feature, where that is settled already
	Taken   string          `json:"taken"`
	Kept    string          `json:"kept"`
}

// Waits tells whether the work is still to be taken back, when the run goes on.
func (r RunDenyReply) Waits() bool {
	return slices.ContainsFunc(r.Run.Jobs, func(j RunJob) bool { return j.Kind == run.Undo && j.Feature == r.Feature })
}

// RunDeny refuses the work on a feature. What a run holds back is set aside and the
// feature is blocked with the reason. What is on the run's branch is taken back from
// it, and the feature is pending again: its next session is told the reason.
func (s *Runs) RunDeny(ctx context.Context, who projects.Caller, in RunDecideRequest) (RunDenyReply, error) {
	if strings.TrimSpace(in.Reason) == "" {
		return RunDenyReply{}, kedge.Errorf(kedge.Invalid, "to refuse the work on feature %q, you need a reason", in.ID).WithHint("give the reason: kedge deny %s --reason WHY", in.ID)
	}
	const what = "deny work"
	p, eng, st, err := s.theRun(ctx, who, what)
	if err != nil {
		return RunDenyReply{}, err
	}
	with, specs, found, err := s.landing.WaitingRun(ctx, p, in.ID)
	if err != nil {
		return RunDenyReply{}, err
	}
	if found {
		st = with
	}
	f := st.FeatureOf(in.ID)
	if found { // of what it has, this waits
		f = &run.Feature{ID: in.ID, Status: kedge.NeedsReview, Work: specs[0].Work}
	}
	waits, err := s.waitsForReview(ctx, p, &st, f, found)
	if err != nil {
		return RunDenyReply{}, err
	}
	if j := st.JobOf(in.ID); found && j != nil && j.Phase != run.Reviewing {
		return RunDenyReply{}, kedge.Errorf(kedge.Conflict, "the run is still working on feature %q, so you cannot refuse the work yet", in.ID).
			WithHint("watch the run until the work is done: kedge run; or tell the session what to change: kedge tell %s TEXT", in.ID)
	}
	if !waits {
		reply, err := s.decideWork(ctx, who, in, run.Denied, what)
		return RunDenyReply{RunReply: reply, Feature: in.ID}, err
	}
	if f.Work != "" && (f.Let == run.LetLanded || s.workLanded(ctx, p, st.Run, f.Work)) {
		return RunDenyReply{}, landedWork(f)
	}
	ctx, done := s.life.UntilLeft(ctx)
	defer done()
	if _, err := s.Say(ctx, p, eng, who, st.Run, run.Input{Kind: run.Denied, Feature: in.ID, Reason: in.Reason, Specs: specs}); err != nil {
		return RunDenyReply{}, err
	}
	return s.taken(ctx, p, eng, st.Run, *f)
}

// landedWork: what is on the user's own branch only the user takes off it.
func landedWork(f *run.Feature) error {
	return kedge.Errorf(kedge.Blocked, "the work on feature %q is on your branch already, so only you can take it back", f.ID).WithStep(revertStep(f))
}

// waitsForReview tells whether a feature of the run waits for a person's word, and no
// job has it: it has work there that nobody accepted, or run and ledger say so.
func (s *Runs) waitsForReview(ctx context.Context, p *projects.Project, st *run.State, f *run.Feature, work bool) (bool, error) {
	if work {
		return st.JobOf(f.ID) == nil, nil
	}
	if f == nil || f.Status != kedge.NeedsReview || st.JobOf(f.ID) != nil {
		return false, nil
	}
	d, ok, err := journal.Get[journal.FeatureDoc](ctx, p.Store, journal.KindFeature, string(f.ID))
	return ok && d.Status == kedge.NeedsReview, err
}

// taken waits until the work on a feature is taken back, or cannot be, and tells it.
func (s *Runs) taken(ctx context.Context, p *projects.Project, eng RunEngine, id kedge.RunID, was run.Feature) (RunDenyReply, error) {
	st, err := undone(ctx, eng, id, was.ID)
	if err != nil {
		return RunDenyReply{}, err
	}
	r := RunDenyReply{Feature: was.ID}
	if r.RunReply, err = s.Show(ctx, p, eng, id, nil); err != nil {
		return r, err
	}
	d, _, err := journal.Get[journal.FeatureDoc](ctx, p.Store, journal.KindFeature, string(was.ID))
	r.Status = d.Status
	switch f := st.FeatureOf(was.ID); {
	case f == nil || was.Work == "":
	case f.Work == "":
		r.Taken = s.tookBack(ctx, p, st.Tip)
	case st.JobOf(was.ID) != nil && st.Halt != "":
		r.Kept = "the run is halted: Kedge reverts the work when the run continues"
	case st.JobOf(was.ID) != nil:
		r.Kept = "the run is busy: Kedge reverts the work as soon as a worktree is free"
	default:
		r.Kept = cmp.Or(d.Reason, "Kedge could not revert the work")
	}
	return r, err
}

// tookBack is the commit that a ledger commit is about.
func (s *Runs) tookBack(ctx context.Context, p *projects.Project, ledger string) string {
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return ledger
	}
	c, err := repo.ReadCommit(ctx, ledger)
	if err != nil {
		return ledger
	}
	return cmp.Or(c.Trailer("Kedge-Ledger"), ledger)
}

// undone waits until no job takes work on a feature back, or none can go on now.
func undone(ctx context.Context, eng RunEngine, id kedge.RunID, feature kedge.FeatureID) (st run.State, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	over := false
	err = eng.Watch(ctx, id, func(step engine.Step) {
		if over || undoing(&step.State, feature) {
			return
		}
		if step.State.Ended() && !step.State.Resting() {
			return // people are still to be told
		}
		st, over = step.State, true
		stop()
	})
	if over {
		return st, nil
	}
	return st, err
}

// undoing tells whether a job takes work on a feature back, or does so in a moment:
// it is not behind a halt, nor behind work that may take hours.
func undoing(st *run.State, feature kedge.FeatureID) bool {
	j := st.JobOf(feature)
	if j == nil || j.Kind != run.Undo {
		return false
	}
	halted := st.Halt != "" && st.Halt != run.Returned
	behind := slices.ContainsFunc(st.Jobs, func(o run.Job) bool {
		return !o.Phase.Parked() && o.Kind != run.Undo && o.Kind != run.Verify
	})
	return !j.Phase.Parked() || !halted && !behind
}
