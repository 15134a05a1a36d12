package runs

import (
	"context"
	"slices"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/maintenance"
	"kedge/internal/app/projects"
	"kedge/internal/core/config"
	"kedge/internal/core/plan"
	"kedge/internal/core/run"
)

// StepsRequest asks what a person does next; with a feature, only how it is decided about, if it
// waits for that.
type StepsRequest struct {
	Feature kedge.FeatureID `json:"feature,omitempty"`
}

// StepsReply is what a person does next, each a command that can be pasted. Going
// means that a run works by itself meanwhile.
type StepsReply struct {
	Steps     []string         `json:"steps"`
	NextSteps []kedge.NextStep `json:"next_steps"`
	Going     bool             `json:"going"`
}

// replyWith is an answer with steps.
func replyWith(list []kedge.NextStep, going bool) StepsReply {
	return StepsReply{Steps: kedge.StepLines(list), NextSteps: append([]kedge.NextStep{}, list...), Going: going}
}

// Steps tells what a person does next, as the state is now.
func (s *Runs) Steps(ctx context.Context, who projects.Caller, in StepsRequest) (StepsReply, error) {
	p, err := s.home.Open(ctx, who)
	if err != nil {
		return StepsReply{}, err
	}
	last, found, err := ledger.LastRun(ctx, p)
	if err != nil {
		return StepsReply{}, err
	}
	last = settled(last)
	if in.Feature != "" {
		list, err := s.decideSteps(ctx, p, last, in.Feature)
		return replyWith(list, false), err
	}
	if end, ends := setAside(last); ends {
		return replyWith(nextOf(&end), false), nil
	}
	list, err := s.nextSteps(ctx, p, last)
	return replyWith(list, found && last.Halt == "" && !last.Resting()), err
}

// decideSteps are how you look at the work on a feature that waits for you, and decide about it.
func (s *Runs) decideSteps(ctx context.Context, p *projects.Project, st run.State, id kedge.FeatureID) ([]kedge.NextStep, error) {
	if j := st.JobOf(id); j != nil {
		return askedBy(&st, j), nil
	}
	l, err := ledger.ReadSnapshot(ctx, p)
	if err != nil {
		return nil, err
	}
	list := withLedger(st.Features, l.Features())
	i := slices.IndexFunc(list, func(f run.Feature) bool { return f.ID == id && f.Status == kedge.NeedsReview })
	if i < 0 {
		return nil, nil
	}
	return reviewSteps(&list[i]), nil
}

// settled is a run without what it has still to write down and to tell, where it has
// ended: that is no work which goes on.
func settled(st run.State) run.State {
	if st.Ended() {
		st.Outbox = slices.DeleteFunc(slices.Clone(st.Outbox), func(c run.Command) bool { return c.Kind == run.Mark || c.Kind == run.Notify })
	}
	return st
}

// setAside is a run as it will rest, where all that it still does is to set work aside
// that was refused or given up, and to land the rest: nobody has to wait for that to know what comes next.
func setAside(st run.State) (run.State, bool) {
	if st.Planning() || st.Halt != "" || st.Resting() || len(plan.Ready(asInLedger(st.Features))) > 0 {
		return st, false
	}
	end := st
	end.Features, end.Jobs, end.Outbox, end.Status = slices.Clone(st.Features), nil, nil, run.StatusStopped
	for _, j := range st.Jobs {
		switch {
		case j.Phase == run.Asking || j.Phase == run.Reviewing:
			end.Jobs, end.Status = append(end.Jobs, j), run.StatusWaiting
		case j.End != kedge.BlockedWork || j.Kind == run.Undo || j.Feature < 0 || j.Feature >= len(end.Features):
			return st, false
		default:
			end.Features[j.Feature].Status = j.End
		}
	}
	if len(st.Jobs) == 0 { // it has ended, and lands what it has
		end.LandRefusal = ""
		return end, st.Ended() && len(featureSteps(&end)) > 0
	}
	return end, len(end.Jobs) < len(st.Jobs)
}

// nextSteps decides what a person does next: about the run as long as it can do
// something more, else about the features as the ledger has them. It is the one
// place that decides it: status, the end of a run and every command that changes
// something say the same. A zero state is that of no run.
func (s *Runs) nextSteps(ctx context.Context, p *projects.Project, st run.State) ([]kedge.NextStep, error) {
	if st.Resting() {
		st = s.landing.Now(ctx, p, st)
	}
	if st.Planning() {
		return s.planningSteps(ctx, p, st)
	}
	if !st.Resting() || st.Halt != "" || len(st.Jobs) > 0 {
		return s.withoutApproved(ctx, p, st, nextOf(&st)), nil
	}
	return s.ledgerSteps(ctx, p, st)
}

// ledgerSteps are the steps after a run that is over: of what people said of the
// features since, nobody told it.
func (s *Runs) ledgerSteps(ctx context.Context, p *projects.Project, st run.State) ([]kedge.NextStep, error) {
	l, err := ledger.ReadSnapshot(ctx, p)
	if err != nil {
		return nil, err
	}
	st.Features = withLedger(st.Features, plan.Order(l.Features()))
	if s.landing.MergedByUser(ctx, p, st) || s.landing.OnlyRecords(ctx, p, st) {
		st.Landed, st.LandRefusal, st.LandNext = st.Tip, "", nil
	}
	out := nextOf(&st)
	if !p.Git {
		return slices.DeleteFunc(out, begins), nil // a run needs a repository
	}
	for i, step := range out {
		if begins(step) {
			out[i] = s.supply.BeginStep(ctx, p, st.Rules.Given, step.Why, step.Args[1:]...)
		}
	}
	return out, nil
}

// planningSteps are the steps of a run that has no approved plan yet; of one whose
// plan was dropped, which never goes on, those of no run.
func (s *Runs) planningSteps(ctx context.Context, p *projects.Project, st run.State) ([]kedge.NextStep, error) {
	dropped, err := ledger.PlanDropped(ctx, p, st)
	if err != nil {
		return nil, err
	}
	out := steps{}
	switch {
	case dropped:
		out, err = s.ledgerSteps(ctx, p, run.State{Features: st.Features, Rules: config.Rules{Given: st.Rules.Given}}) // what it stands on is still there
	case !st.Resting():
		return nextOf(&st), nil
	default:
		var plan []kedge.NextStep
		plan, err = s.planning.PlanSteps(ctx, p, st.Run)
		out.add(plan...)
		out.add(nextOf(&st)...)
	}
	if err != nil {
		return nil, err
	}
	return s.nextToLand(ctx, p, st, out)
}

// withoutApproved leaves out that something is to be approved where nothing is any
// more.
func (s *Runs) withoutApproved(ctx context.Context, p *projects.Project, st run.State, list []kedge.NextStep) []kedge.NextStep {
	if st.Halt != run.Untrusted {
		return list
	}
	repo, head, err := s.Branch(ctx, p)
	if err != nil || maintenance.RefuseUntrusted(ctx, p, repo, head.Commit) != nil {
		return list
	}
	return slices.DeleteFunc(list, func(s kedge.NextStep) bool { return s.Is("kedge", "approve") })
}

// withLedger are the features of the ledger as a run has them, with what the run
// knows of them beside.
func withLedger(known []run.Feature, features []kedge.Feature) []run.Feature {
	places, was := make(map[kedge.FeatureID]int, len(features)), make(map[kedge.FeatureID]run.Feature, len(known))
	for i, f := range features {
		places[f.ID] = i
	}
	for _, f := range known {
		was[f.ID] = f
	}
	out := make([]run.Feature, len(features))
	for i, f := range features {
		out[i] = was[f.ID]
		out[i].ID, out[i].Status, out[i].Needs = f.ID, f.Status, nil
		for _, id := range f.Dependencies {
			if at, ok := places[id]; ok {
				out[i].Needs = append(out[i].Needs, at)
			}
		}
	}
	return out
}

// asInLedger are the features of a run with what they depend on.
func asInLedger(features []run.Feature) []kedge.Feature {
	out := make([]kedge.Feature, len(features))
	for i, f := range features {
		out[i].ID, out[i].Status = f.ID, f.Status
		for _, at := range f.Needs {
			if at >= 0 && at < len(features) {
				out[i].Dependencies = append(out[i].Dependencies, features[at].ID)
			}
		}
	}
	return out
}

// returnedSteps let a run go on that was over until you said something of a feature. Where
// nothing of it can begin, they land its work, unless that waits for something else.
func returnedSteps(st *run.State) []kedge.NextStep {
	switch {
	case len(st.Jobs) > 0 || len(plan.Ready(asInLedger(st.Features))) > 0:
		return []kedge.NextStep{runStep().For("continue the run")}
	case st.Landed != st.Tip && !toLandBy(st) && len(st.Unaccepted()) == 0:
		return landSteps(st)
	default:
		return nil
	}
}

// blockedSteps are what you do about a feature that is blocked.
func blockedSteps(id kedge.FeatureID) []kedge.NextStep {
	return []kedge.NextStep{
		kedge.Step("kedge", "feature", "show", string(id)).For("see why " + string(id) + " is blocked"),
		kedge.Step("kedge", "feature", "reopen", string(id)).For("try " + string(id) + " again"),
	}
}

// leftSteps are what a person does, while a run works on others, about features that
// are blocked or wait for review and that no job has.
func leftSteps(st *run.State) []kedge.NextStep {
	var out []kedge.NextStep
	for i := range st.Features {
		switch f := &st.Features[i]; {
		case st.JobOf(f.ID) != nil || len(out) >= shownNext:
		case f.Status == kedge.BlockedWork:
			out = append(out, blockedSteps(f.ID)...)
		case f.Status == kedge.NeedsReview || f.Waits():
			out = append(out, reviewSteps(f)...)
		}
	}
	return out
}

// featureSteps are what a person does about features that nothing works on. More
// than fit are left out.
func featureSteps(st *run.State) []kedge.NextStep {
	var out []kedge.NextStep
	features := asInLedger(st.Features)
	if len(st.Jobs) == 0 && st.Halt == "" && !st.Planning() && len(plan.Ready(features)) > 0 {
		out = append(out, beginSteps(st)...)
		out = append(out, kedge.Step("kedge", "next").For("or work by hand: see which feature, and how"))
	}
	for _, f := range st.Features {
		if len(out) >= shownNext {
			return out
		}
		j := st.JobOf(f.ID)
		if f.Status == kedge.BlockedWork {
			out = append(out, blockedSteps(f.ID)...)
		}
		if f.Status == kedge.NeedsReview && (j == nil || j.Phase != run.Reviewing) || f.Waits() && j == nil {
			out = append(out, reviewSteps(&f)...)
		}
	}
	for _, stranded := range plan.StrandedIn(features) {
		if len(out) >= shownNext {
			return out
		}
		out = append(out, stranded.Ways()...)
	}
	return out
}
