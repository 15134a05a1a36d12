package planning

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"kedge"
	"kedge/internal/app/landing"
	"kedge/internal/app/ledger"
	"kedge/internal/app/maintenance"
	"kedge/internal/app/projects"
	"kedge/internal/app/runs"
	"kedge/internal/app/sessions"
	"kedge/internal/app/supply"

	"kedge/internal/core/config"
	"kedge/internal/core/plan"
	"kedge/internal/core/run"
	"kedge/internal/git"
	"kedge/internal/text/redact"
)

// PlanGoalRequest asks for a plan to be made by sessions. Again has the one that
// waits made anew, whatever people did with it: without a goal, for its own.
type PlanGoalRequest struct {
	Goal  string       `json:"goal"`
	Again bool         `json:"again,omitempty"`
	Flags supply.Flags `json:"flags"`
	Env   []string     `json:"env,omitempty"` // the caller's; used, never written down
}

// PlanGoalReply is the run that plans.
type PlanGoalReply struct {
	runs.RunReply
	Plan  kedge.PlanID `json:"plan"`
	Title string       `json:"title"`
	Path  string       `json:"path"`
}

// PlanGoal begins a run whose first job is to plan: read-only sessions that ask
// first and then give the plan. A run that plans already, and waits, plans again
// for the goal; not over what people wait for or changed, unless they say so.
func (s *Planner) PlanGoal(ctx context.Context, who projects.Caller, in PlanGoalRequest) (PlanGoalReply, error) {
	in.Goal = strings.TrimSpace(in.Goal)
	if err := checkGoal(in.Goal); err != nil && !(in.Again && in.Goal == "") {
		return PlanGoalReply{}, err
	}
	p, err := s.runs.ProjectToStart(ctx, who, "start planning")
	if err != nil {
		return PlanGoalReply{}, err
	}
	release, err := s.life.Alone(ctx, "run of "+string(p.ID)) // two at once would begin two
	if err != nil {
		return PlanGoalReply{}, err
	}
	defer release()
	last, found, err := ledger.LastRun(ctx, p)
	if err != nil {
		return PlanGoalReply{}, err
	}
	seen, err := ledger.WasDelivered(ctx, p, who, last.Run)
	switch {
	case err != nil:
		return PlanGoalReply{}, err
	case seen || found && last.Run == s.runs.RunID(who):
		return s.goalReply(ctx, p, last.Run, nil)
	case found && !last.Ended() && !last.Planning():
		return PlanGoalReply{}, kedge.Errorf(kedge.Conflict, "Kedge cannot plan yet, because run %q has not ended", last.Run).
			WithHint("watch the run until its end: kedge run; or stop the run: kedge run --stop")
	case found && !last.Ended() && len(last.Jobs) > 0:
		return PlanGoalReply{}, kedge.Errorf(kedge.Conflict, "a planning session is already running").WithHint("watch this session (the command starts nothing new): kedge run")
	}
	d, err := s.roomForGoal(ctx, p, last, in)
	switch {
	case err != nil:
		return PlanGoalReply{}, err
	case found && !last.Ended() && !in.Again && in.Goal == d.Goal && d.Status == kedge.PlanReady:
		return s.goalReply(ctx, p, last.Run, []string{"the plan for this goal is ready; to make a new plan: kedge plan --again"})
	case found && !last.Ended() && !in.Again && in.Goal == d.Goal && d.Status == kedge.PlanWaiting:
		return s.goalReply(ctx, p, last.Run, []string{"the plan for this goal waits for your answers; to make a new plan: kedge plan --again"})
	case found && !last.Ended():
		in.Goal = cmp.Or(in.Goal, d.Goal)
		return s.planAgain(ctx, p, who, last, in)
	}
	return s.planNew(ctx, p, who, in, last)
}

// roomForGoal refuses to plan over a plan that waits for people, or that they
// changed, and gives the plan that the last run makes; zero where it makes none. What
// is asked for again, and what nobody has anything of yet, is no reason.
func (s *Planner) roomForGoal(ctx context.Context, p *projects.Project, last run.State, in PlanGoalRequest) (kedge.PlanData, error) {
	d, ok, err := ledger.PlanOf(ctx, p, last.Run)
	if err != nil {
		return d, err
	}
	if !ok || !ledger.IsOpenPlan(d) {
		if in.Again {
			return d, kedge.Errorf(kedge.NotFound, "there is no plan to make again, because no planning run has left an unapproved plan").WithHint("make a new plan: kedge plan GOAL")
		}
		return kedge.PlanData{}, nil
	}
	edited, err := s.isEdited(ctx, p, d)
	same := in.Goal == d.Goal || in.Goal == ""
	switch {
	case err != nil:
		return d, err
	case last.Ended() && (in.Again || edited || d.Status != kedge.PlanDrafting):
		return d, kedge.Errorf(kedge.Conflict, "you cannot plan now, because the planning run for %q was halted (the plan %s)", d.Title, standsAt(d, edited)).
			WithHint("continue the planning run: kedge run --continue; or drop the plan (Kedge keeps its text): kedge plan drop")
	case in.Again, !edited && (same || d.Status == kedge.PlanDrafting):
		return d, nil
	case same:
		return d, errEdited(d)
	}
	return d, kedge.Errorf(kedge.Conflict, "you cannot plan something else now: the plan %q %s", d.Title, standsAt(d, edited)).
		WithHint("continue with this plan: %s; or drop the plan (Kedge keeps its text): kedge plan drop", s.goOnWith(p, d))
}

// standsAt says what an open plan waits for.
func standsAt(d kedge.PlanData, edited bool) string {
	text := "is not finished yet"
	switch d.Status {
	case kedge.PlanWaiting:
		text = "waits for your answers"
	case kedge.PlanReady:
		text = "waits for your approval"
	default:
	}
	if edited {
		text += ", with your changes in " + ledger.PlanFile
	}
	return text
}

// goOnWith is the step that continues with an open plan.
func (s *Planner) goOnWith(p *projects.Project, d kedge.PlanData) kedge.NextStep {
	if open := plan.OpenQuestions(kedge.Plan{Questions: s.askedNow(p, d)}); len(open) > 0 {
		return answerStep(open[0])
	}
	if d.Status == kedge.PlanWaiting {
		return kedge.Step("kedge", "run")
	}
	return planStep("approve").For("approve the plan")
}

// answerStep answers a question of a plan.
func answerStep(q kedge.Question) kedge.NextStep {
	return kedge.Step("kedge", "answer", strconv.Itoa(q.N), "TEXT").For("answer it")
}

// planStep is kedge plan with arguments.
func planStep(args ...string) kedge.NextStep {
	return kedge.Step("kedge", append([]string{"plan"}, args...)...)
}

func checkGoal(goal string) error {
	switch {
	case goal == "" || len(goal) > runs.MaxText:
		return kedge.Errorf(kedge.Invalid, "a goal must be a text of 1 to %d bytes", runs.MaxText).WithHint(`say in a few words what you want: kedge plan "what you want"`)
	case redact.Text(goal) != goal:
		return kedge.Errorf(kedge.Invalid, "the goal contains what looks like a secret, so Kedge did not store it").WithHint("repeat your command without the secret")
	}
	return nil
}

// planNew begins the run. Its plan is in the journal and in plan.md before a
// session starts.
func (s *Planner) planNew(ctx context.Context, p *projects.Project, who projects.Caller, in PlanGoalRequest, last run.State) (PlanGoalReply, error) {
	repo, head, err := s.runs.Branch(ctx, p)
	if err != nil {
		return PlanGoalReply{}, err
	}
	rules, versions, err := s.planRules(ctx, p, head.Commit, in)
	if err != nil {
		return PlanGoalReply{}, err
	}
	if err := maintenance.RefuseUntrusted(ctx, p, repo, head.Commit); err != nil {
		return PlanGoalReply{}, err
	}
	base, notes, err := s.landing.Base(ctx, p, repo, head, last)
	if err != nil {
		return PlanGoalReply{}, err
	}
	waiting, err := s.carriedByPlan(ctx, p, repo, base, head.Commit)
	if err != nil {
		return PlanGoalReply{}, err
	}
	id := s.runs.RunID(who)
	if err := s.landing.KeepBase(ctx, p, repo, head, id, base); err != nil {
		return PlanGoalReply{}, err
	}
	if err := s.savePlan(ctx, p, who, in.Goal, id); err != nil {
		return PlanGoalReply{}, err
	}
	eng, err := s.runs.Engine(ctx, p)
	if err != nil {
		return PlanGoalReply{}, err
	}
	s.runs.KeepEnv(id, in.Env)
	err = eng.Start(ctx, run.Input{
		ID: ledger.RunEventID(who), Kind: run.Begun, At: s.home.Now(), Actor: who.Actor, Run: id, Commit: base, Head: head.Commit,
		Rules: &rules, Goal: in.Goal, Specs: waiting, Day: last.Day,
	})
	if err == nil {
		err = s.book.GiveBack(ctx, p, who)
	}
	if err != nil {
		return PlanGoalReply{}, err
	}
	return s.goalReply(ctx, p, id, slices.Concat(versions, notes, s.runs.NotesOnUncommitted(ctx, repo, head)))
}

// carriedByPlan is the work that a run which plans stands on and nobody accepted, and
// the features that are red again with it; the others come with the plan.
func (s *Planner) carriedByPlan(ctx context.Context, p *projects.Project, repo *git.Repo, base, head string) ([]run.Spec, error) {
	if base == head {
		return nil, nil
	}
	specs, err := ledger.Specs(ctx, p)
	if kedge.Blocked.Is(err) { // there are no features
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if _, err = s.landing.AddUnaccepted(ctx, p, repo, base, head, specs); err == nil {
		err = landing.AddRemembered(ctx, p, true, specs)
	}
	return slices.DeleteFunc(specs, func(s run.Spec) bool { return s.Work == "" && s.Broken == 0 && s.Status != kedge.Regressed }), err
}

// planRules are the rules of a run that plans first: the agent that plans must
// be there too.
func (s *Planner) planRules(ctx context.Context, p *projects.Project, base string, in PlanGoalRequest) (config.Rules, []string, error) {
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return config.Rules{}, nil, err
	}
	cfg, err := projects.Source{Project: p, Repo: repo, Base: base}.Config(ctx, projects.UserFile(in.Env))
	if err != nil {
		return config.Rules{}, nil, err
	}
	r := supply.RulesOf(cfg, in.Flags)
	planner := cmp.Or(cfg.Route.Plan, r.Agent)
	again := in.Flags.CommandFor(in.Goal)
	if err := s.supply.CheckSandbox(ctx, cfg, p, in.Env); err != nil {
		return r, nil, err
	}
	if err := s.supply.CheckCommitted(ctx, p, repo, base, planner, again, sessions.CheckAgent(cfg, p, planner, in.Env, again)); err != nil {
		return r, nil, err
	}
	notes, err := s.supply.CheckVersions(ctx, cfg, []config.Use{{Key: "route.plan", Route: planner}}, in.Env)
	return r, notes, err
}

// savePlan writes down that a plan is being made, and shows it in plan.md. It
// takes nobody's draft away.
func (s *Planner) savePlan(ctx context.Context, p *projects.Project, who projects.Caller, goal string, id kedge.RunID) error {
	title := titleOfGoal(goal)
	data := kedge.PlanData{
		ID: kedge.PlanID(kedge.DeriveID("pln", s.home.Now(), string(id))), Title: title, Status: kedge.PlanDrafting, Goal: goal, Run: id,
	}
	data.Text = string(plan.Draft(data.ID, title, data.Status, nil))
	data.Hash = projects.Sum([]byte(data.Text))
	who.Key += "-plan"
	_, err := s.home.Write(ctx, p, who, func() ([]kedge.Event, error) {
		if err := s.roomForPlan(ctx, p); err != nil {
			return nil, err
		}
		return projects.One(projects.Event(kedge.PlanSaved, who, data))
	})
	if err != nil {
		return err
	}
	return s.showPlan(ctx, p, id)
}

// roomForPlan refuses to plan over a plan that is approved and not done, and
// over a draft that the journal does not have.
func (s *Planner) roomForPlan(ctx context.Context, p *projects.Project) error {
	l, err := ledger.ReadSnapshot(ctx, p)
	if err != nil {
		return err
	}
	b, ok, err := p.Read(ledger.PlanFile)
	if err != nil {
		return err
	}
	if err := refuseFollowed(l, b, ok); err != nil {
		return err
	}
	if ok && !s.book.Projected(p)[projects.Sum(b)] && (l.Plan == nil || !ledger.SameText(b, l.PlanText())) {
		return errPlanThere(p)
	}
	return nil
}

func (s *Planner) goalReply(ctx context.Context, p *projects.Project, id kedge.RunID, notes []string) (PlanGoalReply, error) {
	d, _, err := ledger.PlanOf(ctx, p, id)
	if err != nil {
		return PlanGoalReply{}, err
	}
	eng, err := s.runs.Engine(ctx, p)
	if err != nil {
		return PlanGoalReply{}, err
	}
	r, err := s.runs.Show(ctx, p, eng, id, notes)
	return PlanGoalReply{RunReply: r, Plan: d.ID, Title: d.Title, Path: ledger.PlanFile}, err
}

// planMayGo refuses what keeps the run that planned from going on with the work, were
// its plan approved now.
func (s *Planner) planMayGo(ctx context.Context, p *projects.Project) error {
	last, found, err := ledger.LastRun(ctx, p)
	if err != nil || !found || !last.Planning() || s.home.ReadOnly {
		return err
	}
	if dropped, err := ledger.PlanDropped(ctx, p, last); err != nil || dropped {
		return err
	}
	repo, head, err := s.runs.Branch(ctx, p)
	if err != nil {
		return err
	}
	_, _, err = s.landing.Base(ctx, p, repo, head, last)
	return err
}

// planApproved lets the run that planned go on with the work: from the commit
// that holds the plan, with its phases' budgets, over its features.
func (s *Planner) planApproved(ctx context.Context, p *projects.Project, who projects.Caller) (started bool, err error) {
	last, found, err := ledger.LastRun(ctx, p)
	if err != nil || !found || !last.Planning() || s.home.ReadOnly {
		return false, err
	}
	if dropped, err := ledger.PlanDropped(ctx, p, last); err != nil || dropped {
		return false, err
	}
	l, err := ledger.ReadSnapshot(ctx, p)
	if err != nil {
		return false, err
	}
	repo, head, err := s.runs.Branch(ctx, p)
	if err != nil {
		return false, err
	}
	specs, err := ledger.Specs(ctx, p)
	if err != nil {
		return false, err
	}
	base, _, err := s.landing.Base(ctx, p, repo, head, last)
	if err != nil {
		return false, err
	}
	if _, err := s.landing.AddUnaccepted(ctx, p, repo, base, head.Commit, specs); err != nil {
		return false, err
	}
	if err := landing.AddRemembered(ctx, p, base != head.Commit, specs); err != nil {
		return false, err
	}
	if err := s.landing.KeepBase(ctx, p, repo, head, last.Run, base); err != nil {
		return false, err
	}
	eng, err := s.runs.Engine(ctx, p)
	if err != nil {
		return false, err
	}
	rules := last.Rules
	rules.Phases = ledger.PhaseLimits(l)
	at := s.home.Now()
	on := run.Input{ID: ledger.RunEventID(who) + "-on", Kind: run.Continued, At: at, Actor: who.Actor, Rules: &rules, Commit: base, Head: head.Commit}
	if err := eng.Deliver(ctx, last.Run, on); err != nil {
		return false, err
	}
	return true, eng.Deliver(ctx, last.Run, run.Input{ID: ledger.RunEventID(who), Kind: run.Planned, At: at, Actor: who.Actor, Specs: specs})
}

// PlanSteps is what a person does about a run that plans and rests.
func (s *Planner) PlanSteps(ctx context.Context, p *projects.Project, id kedge.RunID) ([]kedge.NextStep, error) {
	d, ok, err := ledger.PlanOf(ctx, p, id)
	if err != nil || !ok || !ledger.IsOpenPlan(d) {
		return nil, err
	}
	edited, err := s.isEdited(ctx, p, d)
	if err != nil {
		return nil, err
	}
	var out []kedge.NextStep
	show := planStep("show").For("read the plan")
	approve, drop := planStep("approve").For("approve the plan"), planStep("drop").For("drop it")
	for _, q := range plan.Unanswered(s.askedNow(p, d)) {
		out = append(out, answerStep(q))
	}
	if d.Status == kedge.PlanWaiting && s.goOnWith(p, d).Is("kedge", "run") && !edited {
		return append(out, kedge.Step("kedge", "run").For("continue the run"), show), nil // it reads the answers in plan.md
	}
	switch {
	case edited:
		out = append(out, planStep("check"), approve, planStep("--again"), drop)
	case d.Status == kedge.PlanReady:
		out = append(out, show, approve, drop)
	case d.Status == kedge.PlanWaiting:
		out = append(out, show)
	default:
		out = append(out, kedge.Step("kedge", "logs", "plan"), planStep("GOAL"), drop)
	}
	return out, nil
}
