package planning

import (
	"context"
	"slices"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/app/reports"
	"kedge/internal/core/plan"
	"kedge/internal/core/run"
	"kedge/internal/text/redact"
)

// What people type into plan.md while a plan is not approved is theirs: answers in
// it count like those of kedge answer, and a text that they changed beside these
// gives way to another one only when they say so, and is kept.

// editedWhy says why a plan that people changed is not planned anew.
const editedWhy = ledger.PlanFile + " has your changes, and planning again would overwrite them"

// isEdited tells whether plan.md holds another text than the plan that sessions
// made, answers aside.
func (s *Planner) isEdited(ctx context.Context, p *projects.Project, d kedge.PlanData) (bool, error) {
	l, err := ledger.ReadPlans(ctx, p)
	if err != nil {
		return false, err
	}
	if _, gone := s.book.UnwrittenPlan(p, l); gone {
		return false, nil
	}
	b, ok, err := p.Read(ledger.PlanFile)
	if err != nil || !ok {
		return false, nil //nolint:nilerr // what cannot be read is kept as it is when it is written over
	}
	return !plan.SameButAnswers(b, []byte(d.Text)), nil
}

// askedNow are the questions with the answers of the journal, and those that
// people wrote into plan.md themselves.
func (s *Planner) askedNow(p *projects.Project, d kedge.PlanData) []kedge.Question {
	asked := questionsOf(d)
	b, ok, err := p.Read(ledger.PlanFile)
	if err != nil || !ok {
		return asked
	}
	file, err := plan.ParsePlan(ledger.PlanFile, b)
	if err != nil || file.Plan.ID != d.ID {
		return asked
	}
	typed := !s.book.Projected(p)[projects.Sum(ledger.ToLF(b))] // else it may be older than the journal
	for i := range asked {
		for _, q := range file.Plan.Questions {
			if q.N == asked[i].N && q.Text == asked[i].Text && q.Answer != "" && (typed || asked[i].Answer == "") {
				asked[i].Answer = redact.Text(q.Answer)
			}
		}
	}
	return asked
}

// hasTyped tells whether people wrote answers into plan.md that the journal does
// not have.
func (s *Planner) hasTyped(p *projects.Project, d kedge.PlanData) bool {
	return !slices.EqualFunc(questionsOf(d), s.askedNow(p, d), func(a, b kedge.Question) bool { return a.Answer == b.Answer })
}

// TakeTyped reads the answers that people wrote into plan.md while a plan waits for
// them, as kedge answer does, and gives the run as it is then: where nothing is open
// that the plan cannot do without, it plans on.
func (s *Planner) TakeTyped(ctx context.Context, p *projects.Project, who projects.Caller, last run.State, env []string) (run.State, error) {
	if !last.Planning() || last.Ended() || last.Halt != "" || len(last.Jobs) > 0 {
		return last, nil
	}
	who.Key += "-typed"
	why := ""
	if d, ok, err := ledger.PlanOf(ctx, p, last.Run); err == nil && ok && !s.hasTyped(p, d) {
		why = reports.PlansOn
	}
	evs, err := s.home.Write(ctx, p, who, func() ([]kedge.Event, error) { return s.typedAnswers(ctx, p, who, last.Run) })
	if err != nil || len(evs) == 0 {
		return last, err
	}
	d, err := projects.DataOf[kedge.PlanData](evs, kedge.PlanSaved)
	if err != nil {
		return last, err
	}
	if err := s.showPlan(ctx, p, last.Run); err != nil {
		return last, err
	}
	if d.Status == kedge.PlanDrafting {
		s.runs.KeepEnv(last.Run, env)
		if _, err := s.planOn(ctx, p, who, last.Run, why); err != nil {
			return last, err
		}
	}
	last, _, err = ledger.LastRun(ctx, p)
	return last, err
}

// typedAnswers are the facts of answers in plan.md; none where the plan waits for
// others, and nobody wrote any. It runs under the project's lock.
func (s *Planner) typedAnswers(ctx context.Context, p *projects.Project, who projects.Caller, id kedge.RunID) ([]kedge.Event, error) {
	d, ok, err := ledger.PlanOf(ctx, p, id)
	if err != nil || !ok || d.Status != kedge.PlanWaiting {
		return nil, err
	}
	asked := s.askedNow(p, d)
	if !s.hasTyped(p, d) && len(plan.OpenQuestions(kedge.Plan{Questions: asked})) > 0 {
		return nil, nil
	}
	for _, q := range asked {
		if q.Answer == "" {
			continue
		}
		if _, err := plan.Answered(asked, q.N, q.Answer); err != nil {
			return nil, err
		}
	}
	b, _, err := p.Read(ledger.PlanFile)
	if err != nil {
		return nil, err
	}
	if redact.Text(string(b)) != string(b) {
		return nil, kedge.Errorf(kedge.Invalid, "%s contains what looks like a secret, so Kedge does not use the file", ledger.PlanFile).
			WithHint("write the name of an environment variable instead of the secret, then repeat your command")
	}
	if edited, err := s.isEdited(ctx, p, d); err != nil || edited {
		if err == nil {
			err = errEdited(d)
		}
		return nil, err
	}
	return projects.One(projects.Event(kedge.PlanSaved, who, asAnswered(d, asked)))
}

// asAnswered is a plan that is to be made with these answers: it waits for the
// others, or for the next session.
func asAnswered(d kedge.PlanData, asked []kedge.Question) kedge.PlanData {
	d.Status = kedge.PlanWaiting
	if len(plan.OpenQuestions(kedge.Plan{Questions: asked})) == 0 {
		d.Status, d.Faults = kedge.PlanDrafting, ""
	}
	d.Text = string(plan.Draft(d.ID, d.Title, d.Status, asked))
	d.Hash = projects.Sum([]byte(d.Text))
	return d
}

// errEdited refuses to plan over what people changed.
func errEdited(d kedge.PlanData) error {
	return kedge.Errorf(kedge.Conflict, "Kedge did not make the plan %q again: %s", d.Title, editedWhy).
		WithHint("approve the plan with your changes: kedge plan approve; or make the plan again, and Kedge keeps a copy of your text: kedge plan --again")
}

// keepEdited keeps a copy of what people changed in plan.md, which gives way to
// another text, and says in the plan where it is; empty when they changed nothing.
// It runs under the project's lock.
func (s *Planner) keepEdited(ctx context.Context, p *projects.Project, was kedge.PlanData, d *kedge.PlanData) (kept string, err error) {
	edited, err := s.isEdited(ctx, p, was)
	if err != nil || !edited {
		return "", err
	}
	kept, err = s.book.KeepCopy(p, ledger.PlanFile)
	if err == nil && kept != "" && !slices.Contains(d.Kept, kept) {
		d.Kept = append(slices.Clone(d.Kept), kept)
	}
	return kept, err
}

// putAnswer writes an answer into the text that people changed: nothing else of it
// is touched. A text that has no such question stays as it is.
func (s *Planner) putAnswer(p *projects.Project, id kedge.PlanID, n int, answer string) error {
	p.Writing.Lock()
	defer p.Writing.Unlock()
	b, ok, err := p.Read(ledger.PlanFile)
	if err != nil || !ok {
		return err
	}
	if doc, err := plan.ParsePlan(ledger.PlanFile, b); err != nil || doc.Plan.ID != id {
		return nil // another text of theirs: the journal has the answer
	}
	text, err := plan.WithAnswer(ledger.PlanFile, b, n, answer)
	if kedge.NotFound.Is(err) {
		return nil // likewise
	}
	if err != nil {
		return err
	}
	return p.Put(ledger.PlanFile, text)
}
