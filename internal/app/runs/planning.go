package runs

import (
	"context"
	"math"
	"os"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/app/clerk"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/app/status"
	"kedge/internal/core/brief"
	"kedge/internal/core/config"
	docs "kedge/internal/core/memory"
	"kedge/internal/core/plan"
	"kedge/internal/core/route"
	"kedge/internal/core/run"
	"kedge/internal/core/watch"
	"kedge/internal/journal"
	"kedge/internal/text/environ"
	"kedge/internal/text/redact"
)

// maxGoal bounds what people ask for, in bytes: it is in every planning brief.
const maxGoal = 8000

// planOf is the plan that the sessions of a run make; false when it makes none.
func planOf(ctx context.Context, p *projects.Project, id kedge.RunID) (kedge.PlanData, bool, error) {
	list, err := journal.About[kedge.PlanData](ctx, p.Store, journal.KindPlan, string(id))
	if err != nil || len(list) == 0 {
		return kedge.PlanData{}, false, err
	}
	return list[len(list)-1], true, nil
}

// questionsOf reads the questions of a plan that is being made.
func questionsOf(d kedge.PlanData) []kedge.Question {
	doc, err := plan.ParsePlan(ledger.PlanFile, []byte(d.Text))
	if err != nil {
		return nil // nothing was asked yet
	}
	return doc.Plan.Questions
}

// unanswered is what a planning session is told of an optional question that people
// left open, so that it does not ask again.
const unanswered = "none was given: assume what fits best, and say so under Assumptions"

// planningBrief is what a planning session starts with.
func (b runBriefs) planningBrief(ctx context.Context, c run.Command) (string, error) {
	d, ok, err := planOf(ctx, b.p, c.Run)
	if err != nil {
		return "", err
	}
	if !ok {
		return "", kedge.Errorf(kedge.Internal, "run %q makes no plan", c.Run)
	}
	st, err := b.standing(ctx)
	if err != nil {
		return "", err
	}
	in := brief.PlanInput{
		Project: b.p.Title(), Goal: d.Goal, Base: c.Base, Decisions: st.Decisions, Risks: st.Risks,
		Faults: c.Failure, Form: plan.Form(),
	}
	if in.Rules, in.RulesFrom, err = b.rulesAt(ctx, c.Base); err != nil {
		return "", err
	}
	for _, q := range questionsOf(d) {
		switch {
		case q.Answer != "":
			in.Answers = append(in.Answers, brief.Saying{Question: q.Text, Text: q.Answer})
		case !q.Blocking:
			in.Answers = append(in.Answers, brief.Saying{Question: q.Text, Text: unanswered})
		}
	}
	for _, f := range st.Ledger.Features() {
		in.Features = append(in.Features, string(f.ID)+": "+f.Name+status.InWords(f))
	}
	if in.Notes, err = projects.All[kedge.Note](ctx, b.p, journal.KindNote); err != nil {
		return "", err
	}
	if in.Told, _, err = b.sayings(ctx, c.Run, ""); err != nil {
		return "", err
	}
	return brief.ForPlanning(in, brief.DefaultBudget).Text, nil
}

// heard listens to planning sessions: to their questions, and to the plan.
func (b runBriefs) heard(ctx context.Context, c run.Command, session kedge.SessionID, ev watch.Event) error {
	if c.Purpose != run.MakePlan {
		return nil
	}
	switch ev.Kind {
	case watch.Question, watch.Ask:
		return b.changePlan(ctx, c, session, ev, func(d *kedge.PlanData) { askInto(d, b.s.askedNow(b.p, *d), ev.Text) })
	case watch.PlanText:
		return b.changePlan(ctx, c, session, ev, func(d *kedge.PlanData) { b.takePlan(d, c, ev.Text) })
	default:
		return nil
	}
}

// changePlan journals what a planning session said, once, and shows it in
// plan.md.
func (b runBriefs) changePlan(ctx context.Context, c run.Command, session kedge.SessionID, said watch.Event, change func(*kedge.PlanData)) error {
	who := b.caller("heard-"+string(session)+"-"+string(said.Kind)+"-"+projects.Sum([]byte(said.Text))[:24], kedge.Agent(session))
	evs, err := b.s.home.Write(ctx, b.p, who, func() ([]kedge.Event, error) {
		d, ok, err := planOf(ctx, b.p, c.Run)
		if err != nil || !ok || !ledger.IsOpenPlan(d) {
			return nil, err
		}
		was := d
		change(&d)
		if d.Text == was.Text && d.Status == was.Status && d.Faults == was.Faults {
			return nil, nil
		}
		if _, err := b.s.keepEdited(ctx, b.p, was, &d); err != nil {
			return nil, err
		}
		d.Hash = projects.Sum([]byte(d.Text))
		return projects.One(projects.Event(kedge.PlanSaved, who, d))
	})
	if err != nil || len(evs) == 0 {
		return err
	}
	return b.s.showPlan(ctx, b.p, c.Run)
}

// askInto adds a question to a plan; the plan waits for its answer.
func askInto(d *kedge.PlanData, asked []kedge.Question, text string) {
	q, ok := plan.AskedBy(redact.Text(text))
	if !ok {
		return
	}
	asked, added := plan.Ask(asked, q)
	if !added && !isOpen(asked, q.Text) {
		return
	}
	d.Status, d.Faults = kedge.PlanWaiting, ""
	d.Text = string(plan.Draft(d.ID, d.Title, d.Status, asked))
}

// isOpen tells whether a plan cannot be made without the answer to a question.
func isOpen(asked []kedge.Question, text string) bool {
	open := plan.OpenQuestions(kedge.Plan{Questions: asked})
	return slices.ContainsFunc(open, func(q kedge.Question) bool { return q.Text == text })
}

// takePlan takes what a session gave for the plan, where nothing is wrong with
// it. While a question is open there is none: first the questions.
func (b runBriefs) takePlan(d *kedge.PlanData, c run.Command, text string) {
	asked := b.s.askedNow(b.p, *d)
	if len(plan.OpenQuestions(kedge.Plan{Questions: asked})) > 0 {
		d.Faults = "a plan was given while its questions are open: it was not taken"
		return
	}
	doc, err := plan.FromSession(d.ID, d.Title, text, asked)
	switch {
	case err != nil:
		d.Status, d.Faults = kedge.PlanDrafting, err.Error()
		return
	case redact.Text(text) != text:
		d.Status, d.Faults = kedge.PlanDrafting, "it holds what looks like a secret: take it from the environment instead"
		return
	}
	d.Faults = doc.Faults(clerk.Runnable(b.p, b.s.pathOf(c.Run)))
	if d.Faults != "" && doc.Plan.Status == kedge.PlanReady {
		doc.SetStatus(kedge.PlanDrafting)
	}
	d.Status, d.Text = doc.Plan.Status, string(doc.Bytes())
}

// planned says what is wrong with what the planning sessions of a run gave.
func (b runBriefs) planned(ctx context.Context, c run.Command) (string, error) {
	d, ok, err := planOf(ctx, b.p, c.Run)
	switch {
	case err != nil || !ok:
		return "", err
	case d.Status != kedge.PlanDrafting:
		return "", nil
	case d.Faults != "":
		return d.Faults, nil
	case len(questionsOf(d)) > 0:
		return "its questions are answered now, and there is no plan yet", nil
	default:
		return "the session gave neither questions nor a plan", nil
	}
}

// route is the agent of a session by the kind of its work, as config.toml has it at
// the base of the work, with the model that the plan names for the phase.
func (b runBriefs) route(ctx context.Context, c run.Command) (kedge.Routed, error) {
	w := route.Work{Purpose: string(c.Purpose), Priority: math.MaxInt, Fallback: c.Route}
	var cfg config.Config
	var err error
	if c.Base != "" {
		if cfg, _, err = b.settings.At(ctx, c.Base); err != nil {
			return kedge.Routed{}, err
		}
	}
	if c.Feature != "" {
		l, err := ledger.ReadPlans(ctx, b.p)
		if err != nil {
			return kedge.Routed{}, err
		}
		if f, err := b.Feature(ctx, c.Feature, ""); err == nil {
			w.Category, w.Phase, w.Priority = f.Category, f.Phase, f.Priority
		}
		w.Model = modelOf(l, c.Feature)
	}
	doc, _, err := b.p.Store.Run(ctx, c.Run)
	w.Given, w.Usual = doc.State.Rules.Given.Agent, doc.State.Rules.Agent
	return route.Choose(cfg.Route, w), err
}

// modelOf is the model that the plan names for the phase of a feature.
func modelOf(l ledger.Ledger, id kedge.FeatureID) string {
	for _, ph := range phasesOf(l) {
		if slices.Contains(ph.made, id) {
			return ph.Model
		}
	}
	return ""
}

// madePhase is a phase of the approved plan with the features that were made of
// its items.
type madePhase struct {
	kedge.Phase
	made []kedge.FeatureID
}

// phasesOf are those of the approved plan; none where there is no plan.
func phasesOf(l ledger.Ledger) []madePhase {
	if l.Plan == nil {
		return nil
	}
	d, err := plan.ParsePlan(ledger.PlanFile, []byte(l.Plan.Text))
	if err != nil {
		return nil // frozen by another version: its features still tell
	}
	var out []madePhase
	n := 0
	for _, ph := range d.Plan.Phases {
		end := n + len(ph.Items)
		out = append(out, madePhase{ph, l.Plan.Features[min(n, len(l.Plan.Features)):min(end, len(l.Plan.Features))]})
		n = end
	}
	return out
}

// phaseLimits are the budgets that the plan gives its phases.
func phaseLimits(l ledger.Ledger) []run.PhaseLimit {
	var out []run.PhaseLimit
	for _, ph := range phasesOf(l) {
		if b := plan.PhaseBudget(ph.Phase); b.Tokens > 0 || b.USD > 0 {
			out = append(out, run.PhaseLimit{ID: ph.ID, Tokens: b.Tokens, USD: b.USD})
		}
	}
	return out
}

// showPlan writes the plan that a run makes to plan.md of the project's folder.
// What people typed there meanwhile is kept aside.
func (s *Driver) showPlan(ctx context.Context, p *projects.Project, id kedge.RunID) error {
	p.Writing.Lock()
	defer p.Writing.Unlock()
	d, ok, err := planOf(ctx, p, id)
	if err != nil || !ok || !ledger.IsOpenPlan(d) || d.Text == "" {
		return err
	}
	return s.book.ReplaceProjected(p, ledger.PlanFile, []byte(d.Text))
}

// titleOfGoal is the title of the plan for a goal: its first line.
func titleOfGoal(goal string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(goal), "\n")
	line = docs.OneLine(line)
	for len(line) > clerk.MaxPlanTitle {
		line = strings.ToValidUTF8(line[:clerk.MaxPlanTitle], "")
	}
	return line
}

// pathOf is the PATH on which the programs of a run are looked up: its caller's,
// else the daemon's own.
func (s *Driver) pathOf(id kedge.RunID) string {
	if env := s.callerEnv(id); len(env) > 0 {
		return environ.Get(env, "PATH")
	}
	return os.Getenv("PATH")
}
