package runs

import (
	"context"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/app/landing"
	"kedge/internal/app/ledger"
	"kedge/internal/app/maintenance"
	"kedge/internal/app/projects"
	"kedge/internal/app/supply"
	"kedge/internal/core/plan"
	"kedge/internal/core/run"
	"kedge/internal/git"
	"kedge/internal/journal"
)

// RunContinueRequest asks a run to go on, with other rules where they are given.
type RunContinueRequest struct {
	Flags supply.Flags `json:"flags"`
	Env   []string     `json:"env,omitempty"`
}

// RunRequest asks something of the newest run.
type RunRequest struct{}

// theRun is the newest run of the caller's project, and its engine.
func (s *Runs) theRun(ctx context.Context, who projects.Caller, what string) (*projects.Project, RunEngine, run.State, error) {
	p, err := s.Project(ctx, who, what)
	if err != nil {
		return nil, nil, run.State{}, err
	}
	doc, err := ledger.FindRun(ctx, p, "")
	if err != nil {
		return nil, nil, run.State{}, err
	}
	eng, err := s.Engine(ctx, p)
	return p, eng, doc.State, err
}

// Say delivers what a person wants of a run, and shows the run after it.
func (s *Runs) Say(ctx context.Context, p *projects.Project, eng RunEngine, who projects.Caller, id kedge.RunID, ev run.Input) (RunReply, error) {
	before := stepsOf(ctx, p, id)
	ev.ID, ev.At, ev.Actor = ledger.RunEventID(who), s.home.Now(), who.Actor
	if err := eng.Deliver(ctx, id, ev); err != nil {
		return RunReply{}, err
	}
	reply, err := s.Show(ctx, p, eng, id, nil)
	reply.Steps = before
	return reply, err
}

// RunPause has the sessions of a run stand still at once, before their next tool call,
// and starts nothing new. Checks that run come to their end.
func (s *Runs) RunPause(ctx context.Context, who projects.Caller, _ RunRequest) (RunReply, error) {
	p, eng, st, err := s.theRun(ctx, who, "pause a run")
	if err != nil {
		return RunReply{}, err
	}
	if st.Ended() {
		return RunReply{}, over(st)
	}
	return s.Say(ctx, p, eng, who, st.Run, run.Input{Kind: run.PauseAsked})
}

func over(st run.State) error {
	return kedge.Errorf(kedge.Conflict, "the run has stopped already: %s", st.Reason).WithHint("see what is next: kedge status")
}

// overForGood is the error about a run that cannot go on; what there is to do is for
// the next one.
func (s *Runs) overForGood(ctx context.Context, p *projects.Project, st run.State) error {
	l, err := ledger.ReadSnapshot(ctx, p)
	if err != nil {
		return err
	}
	if n := len(plan.Ready(l.Features())); n > 0 {
		return kedge.Errorf(kedge.Conflict, "the run has ended and cannot continue; a new run can work on the features that are ready (%d)", n).
			WithStep(s.supply.BeginStep(ctx, p, st.Rules.Given, beginWhy))
	}
	return over(st)
}

// RunStop ends the sessions of a run, each with a checkpoint, and returns when
// nothing of it lives.
func (s *Runs) RunStop(ctx context.Context, who projects.Caller, _ RunRequest) (RunReply, error) {
	p, eng, st, err := s.theRun(ctx, who, "stop a run")
	if err != nil {
		return RunReply{}, err
	}
	if st.Ended() {
		return s.Show(ctx, p, eng, st.Run, nil)
	}
	ctx, done := s.life.UntilLeft(ctx)
	defer done()
	if err := eng.Cancel(ctx, st.Run, who.Actor); err != nil {
		return RunReply{}, err
	}
	return s.Show(ctx, p, eng, st.Run, nil)
}

// RunContinue lets a run go on that was paused, stopped or halted.
func (s *Runs) RunContinue(ctx context.Context, who projects.Caller, in RunContinueRequest) (RunReply, error) {
	p, _, st, err := s.theRun(ctx, who, "continue a run")
	if err != nil {
		return RunReply{}, err
	}
	if err := s.home.RefuseNotSetUp(ctx, p); err != nil {
		return RunReply{}, err
	}
	dropped, err := ledger.PlanDropped(ctx, p, st)
	switch {
	case err != nil:
		return RunReply{}, err
	case dropped:
		return RunReply{}, kedge.Errorf(kedge.Conflict, "the planning run cannot continue, because you dropped its plan").WithHint("see what is next: kedge status")
	case st.Ended() && st.Halt == "":
		return RunReply{}, s.overForGood(ctx, p, st)
	}
	if st, err = s.takeAdded(ctx, p, who, st); err != nil {
		return RunReply{}, err
	}
	return s.goOnTyped(ctx, p, who, st, RunStartRequest(in))
}

// goOn delivers what makes a halted run go on: its rules anew, what was added to
// the ledger meanwhile, and the base where people have committed on top of it.
func (s *Runs) goOn(ctx context.Context, p *projects.Project, who projects.Caller, st run.State, in RunStartRequest) (RunReply, error) {
	repo, head, err := s.Branch(ctx, p)
	if err != nil {
		return RunReply{}, err
	}
	more := in.Flags
	in.Flags = in.Flags.Over(st.Rules.Given)
	if had := s.callerEnv(st.Run); len(had) > 0 && strings.Contains(who.Actor.Name(), " via ") {
		in.Env = had // an operator's program has another one, which is no better
	}
	rules, versions, err := s.supply.Rules(ctx, p, repo, head.Commit, in.Flags, in.Env, st.Planning())
	if err != nil {
		return RunReply{}, err
	}
	rules = more.RaisePhases(rules, &st)
	if err := maintenance.RefuseUntrusted(ctx, p, repo, head.Commit); err != nil {
		return RunReply{}, err
	}
	if in.Flags.MaxSessions > 0 {
		rules.MaxSessions += st.Sessions // so many more
	}
	if st.Movable() {
		if err := s.mayStand(ctx, p, repo, head, st); err != nil { // before anything is written
			return RunReply{}, err
		}
		if head, err = s.settleToGoOn(ctx, p, who, repo, head, st); err != nil {
			return RunReply{}, err
		}
	}
	commit, notes, err := s.baseToGoOn(ctx, p, repo, head, st)
	if err != nil {
		return RunReply{}, err
	}
	eng, err := s.Engine(ctx, p)
	if err != nil {
		return RunReply{}, err
	}
	m, err := s.missed(ctx, p) // said when it was over, and a word about its work opened it again
	if err == nil {
		err = s.repeat(ctx, eng, m)
	}
	if err != nil {
		return RunReply{}, err
	}
	s.KeepEnv(st.Run, in.Env)
	reply, err := s.Say(ctx, p, eng, who, st.Run, run.Input{Kind: run.Continued, Rules: &rules, Commit: commit, Head: head.Commit})
	reply.Attached = true
	reply.Notes = append(append(reply.Notes, versions...), notes...)
	return reply, err
}

// settleToGoOn takes in what people wrote into Kedge's files. Only a run that
// still plans commits them: one that has begun moves nobody's branch away from its own.
func (s *Runs) settleToGoOn(ctx context.Context, p *projects.Project, who projects.Caller, repo *git.Repo, head git.Head, st run.State) (git.Head, error) {
	if st.Planning() {
		return s.landing.CommitLedger(ctx, p, who, repo, head)
	}
	if repo.Busy() != "" {
		return head, nil
	}
	if _, err := s.book.LockAndResolveEdits(ctx, p, who); err != nil {
		return head, err
	}
	_, err := s.book.SyncFiles(ctx, p)
	return head, err
}

// mayStand refuses what keeps a run from going on from where the checkout is.
func (s *Runs) mayStand(ctx context.Context, p *projects.Project, repo *git.Repo, head git.Head, st run.State) error {
	if err := landing.RefuseRemoved(ctx, repo, head, st); err != nil {
		return err
	}
	_, _, err := s.landing.Base(ctx, p, repo, head, st)
	return err
}

// baseToGoOn is the commit that a halted run goes on from, held by its branch;
// empty where a job is on its way onto the tip it has.
func (s *Runs) baseToGoOn(ctx context.Context, p *projects.Project, repo *git.Repo, head git.Head, st run.State) (string, []string, error) {
	if !st.Movable() {
		return "", nil, nil
	}
	commit, notes, err := s.landing.Base(ctx, p, repo, head, st)
	if err != nil {
		return "", nil, err
	}
	return commit, notes, s.landing.KeepBase(ctx, p, repo, head, st.Run, commit)
}

// RunTellRequest says something to whoever works: Name is a feature or a
// session of the run.
type RunTellRequest struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// RunTellReply is the run after somebody was told something. Session is the one
// that works on the feature now: it has read its brief and reads nothing more.
type RunTellReply struct {
	RunReply
	Feature kedge.FeatureID `json:"feature"`
	Session kedge.SessionID `json:"session"`
}

// RunTell keeps a person's word for the next session of a feature.
func (s *Runs) RunTell(ctx context.Context, who projects.Caller, in RunTellRequest) (RunTellReply, error) {
	p, eng, st, err := s.theRun(ctx, who, "tell a run something")
	if err != nil {
		return RunTellReply{}, err
	}
	if strings.TrimSpace(in.Text) == "" {
		return RunTellReply{}, kedge.Errorf(kedge.Invalid, "the message is empty, so Kedge sent nothing").WithHint("write the message: kedge tell %s TEXT", in.Name)
	}
	if st.Ended() && st.Halt == "" {
		return RunTellReply{}, over(st)
	}
	id, err := s.toldFeature(ctx, p, &st, in.Name)
	if err != nil {
		return RunTellReply{}, err
	}
	r := RunTellReply{Feature: id}
	r.RunReply, err = s.Say(ctx, p, eng, who, st.Run, run.Input{Kind: run.Said, Feature: id, Text: in.Text})
	for _, j := range r.Run.Jobs {
		if j.Feature == id {
			r.Session = j.Session
		}
	}
	return r, err
}

// toldFeature is the feature that a name means: its own, or that of the session
// which works on it.
func (s *Runs) toldFeature(ctx context.Context, p *projects.Project, st *run.State, name string) (kedge.FeatureID, error) {
	for _, f := range st.Features {
		if string(f.ID) == name {
			return f.ID, nil
		}
	}
	ses, err := s.keeper.Find(ctx, p, name)
	if err == nil {
		for i := range st.Jobs {
			if j := &st.Jobs[i]; j.Session == ses.ID && j.Feature >= 0 {
				return st.Features[j.Feature].ID, nil
			}
		}
		return "", notAtWork(ses, st)
	}
	return "", kedge.Errorf(kedge.NotFound, "the run has no feature and no session called %q", name).WithHint("see the features: kedge features; or the sessions: kedge ls")
}

// notAtWork is the error of a message to a session that works on nothing of the run.
func notAtWork(ses kedge.Session, st *run.State) error {
	e := kedge.Errorf(kedge.Conflict, "session %q is not working on a feature of the run now, so it did not get your message", ses.Name)
	switch {
	case ses.Feature != "" && st.FeatureOf(ses.Feature) != nil:
		return e.WithHint("send the message to the next session of that feature: kedge tell %s TEXT", ses.Feature)
	case ses.Live():
		return e.WithHint("type the message into that session: kedge send %s TEXT", ses.Name)
	default:
		return e.WithHint("that session has ended; to see those that run: kedge ls")
	}
}

// RunDecideRequest is a person's word about the diff of a feature that waits
// for it.
type RunDecideRequest struct {
	ID     kedge.FeatureID `json:"id"`
	Reason string          `json:"reason,omitempty"`
}

// RunApprove lets the work on a feature be integrated although it changed paths
// outside its plan, or brings along what programs run or obey by themselves: these
// files are approved with it, exactly as they were looked at.
func (s *Runs) RunApprove(ctx context.Context, who projects.Caller, in RunDecideRequest) (RunReply, error) {
	return s.decideWork(ctx, who, in, run.Approved, "approve work")
}

func (s *Runs) decideWork(ctx context.Context, who projects.Caller, in RunDecideRequest, kind run.InputKind, what string) (RunReply, error) {
	p, eng, st, err := s.theRun(ctx, who, what)
	if err != nil {
		return RunReply{}, err
	}
	j := st.JobOf(in.ID)
	switch seen, err := ledger.WasDelivered(ctx, p, who, st.Run); {
	case err != nil:
		return RunReply{}, err
	case seen:
	case j == nil || j.Phase != run.Reviewing && !(kind == run.Denied && j.Approved()):
		return RunReply{}, s.notHeld(ctx, p, &st, in.ID)
	case kind == run.Approved:
		if err := s.supply.ApproveBrought(ctx, p, who, st.Run, in.ID); err != nil {
			return RunReply{}, err
		}
	}
	return s.Say(ctx, p, eng, who, st.Run, run.Input{Kind: kind, Feature: in.ID, Reason: in.Reason})
}

// notHeld is the error about work that the run does not hold back: it may wait for a
// review all the same, which is the ledger's matter.
func (s *Runs) notHeld(ctx context.Context, p *projects.Project, st *run.State, id kedge.FeatureID) error {
	d, ok, err := journal.Get[journal.FeatureDoc](ctx, p.Store, journal.KindFeature, string(id))
	if err != nil {
		return err
	}
	_, _, waits, err := s.landing.WaitingRun(ctx, p, id)
	switch {
	case err != nil:
		return err
	case st.JobOf(id) != nil:
		return kedge.Errorf(kedge.Conflict, "the run is still working on feature %q, so there is nothing to decide yet", id).
			WithHint("watch the run until the work is done: kedge run; or tell the session what to change: kedge tell %s TEXT", id)
	case !waits && st.FeatureOf(id) == nil:
		return kedge.Errorf(kedge.NotFound, "the run has no feature %q", id).WithHint("see the features and their ids: kedge features")
	case waits || ok && d.Status == kedge.NeedsReview:
		return kedge.Errorf(kedge.NotFound, "no check proves the work on feature %q, so your approval needs a reason", id).WithHint("kedge feature accept %s --reason WHY", id)
	default:
		return kedge.Errorf(kedge.Conflict, "the work on feature %q does not wait for your decision", id).WithHint("see what waits for you: kedge status")
	}
}

// tellRun lets a run that lives know what a person did to the ledger. A run that
// is over learns it from the ledger when the next one begins.
func (s *Runs) tellRun(ctx context.Context, p *projects.Project, who projects.Caller, ev run.Input) error {
	if who.IsAgent() || s.home.ReadOnly {
		return nil
	}
	if ev.Kind == run.Accepted {
		return s.tellAccepted(ctx, p, who, ev)
	}
	st, live, err := ledger.LiveRun(ctx, p)
	if err != nil || !live {
		return err
	}
	if ev.Kind == run.Planned && st.Planning() {
		return nil // it begins with what is there when its plan is approved
	}
	if ev.Kind == run.Planned || ev.Kind == run.Amended {
		if ev.Specs, err = ledger.Specs(ctx, p); err != nil {
			return err
		}
	}
	if ev.Kind == run.Amended {
		ev.Specs = slices.DeleteFunc(ev.Specs, func(spec run.Spec) bool { return spec.ID != ev.Feature })
		d, _, err := journal.Get[journal.FeatureDoc](ctx, p.Store, journal.KindFeature, string(ev.Feature))
		if err != nil {
			return err
		}
		f := st.FeatureOf(ev.Feature)
		ev.Alike = f != nil && d.Asks(f.Hash)
	}
	eng, err := s.Engine(ctx, p)
	if err != nil {
		return err
	}
	return s.deliverWord(ctx, p, eng, who, st.Run, ev)
}

// deliverWord delivers a word about a feature, once.
func (s *Runs) deliverWord(ctx context.Context, p *projects.Project, eng RunEngine, who projects.Caller, id kedge.RunID, ev run.Input) error {
	if told, err := ledger.WasTold(ctx, p, who, id, ev); err != nil || told {
		return err
	}
	ev.ID, ev.At, ev.Actor = ledger.WordID(who, ev), s.home.Now(), who.Actor
	return eng.Deliver(ctx, id, ev)
}

// goOnTyped lets a halted run go on; one that plans, with the answers in plan.md.
func (s *Runs) goOnTyped(ctx context.Context, p *projects.Project, who projects.Caller, st run.State, in RunStartRequest) (RunReply, error) {
	reply, err := s.goOn(ctx, p, who, st, in)
	if err != nil || !st.Planning() {
		return reply, err
	}
	if st, _, err = ledger.LastRun(ctx, p); err != nil {
		return reply, err
	}
	if st, err = s.planning.TakeTyped(ctx, p, who, st, in.Env); err != nil {
		return reply, err
	}
	reply.Run, err = s.View(ctx, p, st)
	return reply, err
}
