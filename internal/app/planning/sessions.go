package planning

import (
	"context"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/app/status"
	"kedge/internal/app/supply"
	"kedge/internal/core/brief"
	docs "kedge/internal/core/memory"
	"kedge/internal/core/plan"
	"kedge/internal/core/run"
	"kedge/internal/core/watch"
	"kedge/internal/journal"
	"kedge/internal/text/redact"
)

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

// PlanningBrief is what a planning session starts with.
func (s *Planner) PlanningBrief(ctx context.Context, p *projects.Project, b supply.Writer, c run.Command) (string, error) {
	d, ok, err := ledger.PlanOf(ctx, p, c.Run)
	if err != nil {
		return "", err
	}
	if !ok {
		return "", kedge.Errorf(kedge.Internal, "Kedge cannot find the plan that the planning run %q makes", c.Run)
	}
	st, err := b.State(ctx)
	if err != nil {
		return "", err
	}
	in := brief.PlanInput{
		Project: p.Title(), Goal: d.Goal, Base: c.Base, Decisions: st.Decisions, Risks: st.Risks,
		Faults: c.Failure, Form: plan.Form(),
	}
	if in.Founds, err = s.founds(ctx, p, c.Base); err != nil {
		return "", err
	}
	if in.Founds != "" {
		in.Form = plan.FoundingForm()
	}
	if in.Rules, in.RulesFrom, err = b.RulesAt(ctx, c.Base); err != nil {
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
	if in.Notes, err = projects.All[kedge.Note](ctx, p, journal.KindNote); err != nil {
		return "", err
	}
	if in.Told, _, err = b.Sayings(ctx, c.Run, ""); err != nil {
		return "", err
	}
	return brief.ForPlanning(in, brief.DefaultBudget).Text, nil
}

// TellUnheard tells a run what a person said of a feature, which did not reach it yet.
func (s *Planner) TellUnheard(ctx context.Context, p *projects.Project, id kedge.RunID, word run.Input) error {
	return s.runs.TellUnheard(ctx, p, id, word)
}

// HearPlanning listens to planning sessions: to their questions, and to the plan.
func (s *Planner) HearPlanning(ctx context.Context, p *projects.Project, c run.Command, session kedge.SessionID, ev watch.Act) error {
	if c.Purpose != run.MakePlan {
		return nil
	}
	switch ev.Kind {
	case watch.Question, watch.Ask:
		return s.changePlan(ctx, p, c, session, ev, func(d *kedge.PlanData) { askInto(d, s.askedNow(p, *d), ev.Text) })
	case watch.PlanText:
		return s.changePlan(ctx, p, c, session, ev, func(d *kedge.PlanData) { s.takePlan(ctx, p, d, c, ev.Text) })
	default:
		return nil
	}
}

// changePlan changes the plan by what a planning session said, once.
func (s *Planner) changePlan(ctx context.Context, p *projects.Project, c run.Command, session kedge.SessionID, said watch.Act, change func(*kedge.PlanData)) error {
	key := "heard-" + string(session) + "-" + string(said.Kind) + "-" + projects.Sum([]byte(said.Text))[:24]
	return s.changePlanBy(ctx, p, c.Run, projects.Caller{Dir: p.Dir, Actor: kedge.Agent(session), Key: key}, change)
}

// changePlanBy journals a change of the plan that a run makes, and shows it in plan.md.
func (s *Planner) changePlanBy(ctx context.Context, p *projects.Project, id kedge.RunID, who projects.Caller, change func(*kedge.PlanData)) error {
	evs, err := s.home.Write(ctx, p, who, func() ([]kedge.Event, error) {
		d, ok, err := ledger.PlanOf(ctx, p, id)
		if err != nil || !ok || !ledger.IsOpenPlan(d) {
			return nil, err
		}
		was := d
		change(&d)
		if d.Text == was.Text && d.Status == was.Status && d.Faults == was.Faults {
			return nil, nil
		}
		if _, err := s.keepEdited(ctx, p, was, &d); err != nil {
			return nil, err
		}
		d.Hash = projects.Sum([]byte(d.Text))
		return projects.One(projects.Event(kedge.PlanSaved, who, d))
	})
	if err != nil || len(evs) == 0 {
		return err
	}
	return s.showPlan(ctx, p, id)
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
func (s *Planner) takePlan(ctx context.Context, p *projects.Project, d *kedge.PlanData, c run.Command, text string) {
	asked := s.askedNow(p, *d)
	if len(plan.OpenQuestions(kedge.Plan{Questions: asked})) > 0 {
		d.Faults = "Kedge ignored the plan: its questions are still open"
		return
	}
	doc, err := plan.FromSession(d.ID, d.Title, text, asked)
	switch {
	case err != nil:
		d.Status, d.Faults = kedge.PlanDrafting, err.Error()
		return
	case redact.Text(text) != text:
		d.Status, d.Faults = kedge.PlanDrafting, "the plan holds what looks like a secret: use an environment variable instead"
		return
	}
	d.Faults = doc.Faults(runnable(p, s.runs.PathOf(c.Run)))
	if founds, err := s.founds(ctx, p, c.Base); err == nil && founds == repositoryEmpty {
		d.Faults = strings.Trim(d.Faults+"\n"+doc.MissingFounding(), "\n")
	}
	if d.Faults != "" && doc.Plan.Status == kedge.PlanReady {
		doc.SetStatus(kedge.PlanDrafting)
	}
	d.Status, d.Text = doc.Plan.Status, string(doc.Bytes())
}

// PlanFaults says what is wrong with what the planning sessions of a run gave.
func (s *Planner) PlanFaults(ctx context.Context, p *projects.Project, c run.Command) (string, error) {
	d, ok, err := ledger.PlanOf(ctx, p, c.Run)
	switch {
	case err != nil || !ok:
		return "", err
	case d.Status != kedge.PlanDrafting:
		return "", nil
	case d.Faults != "" && c.Failure != "" && d.Faults == missingFounding(d):
		return "", s.takeUnfounded(ctx, p, c)
	case d.Faults != "":
		return d.Faults, nil
	case len(questionsOf(d)) > 0:
		return "you have answered its questions, but it has not given a plan", nil
	default:
		return "the session gave neither questions nor a plan", nil
	}
}

// showPlan writes the plan that a run makes to plan.md of the project's folder.
// What people typed there meanwhile is kept aside.
func (s *Planner) showPlan(ctx context.Context, p *projects.Project, id kedge.RunID) error {
	p.Writing.Lock()
	defer p.Writing.Unlock()
	d, ok, err := ledger.PlanOf(ctx, p, id)
	if err != nil || !ok || !ledger.IsOpenPlan(d) || d.Text == "" {
		return err
	}
	return s.book.ReplaceFile(p, ledger.PlanFile, []byte(d.Text))
}

// titleOfGoal is the title of the plan for a goal: its first line.
func titleOfGoal(goal string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(goal), "\n")
	line = docs.OneLine(line)
	for len(line) > maxPlanTitle {
		line = strings.ToValidUTF8(line[:maxPlanTitle], "")
	}
	return line
}
