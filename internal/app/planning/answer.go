package planning

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/app/runs"
	"kedge/internal/core/plan"
	"kedge/internal/core/run"
	"kedge/internal/text/redact"
)

// AnswerRequest answers a question: by its number one of the plan, by the id of
// a feature the one of the session that works on it.
type AnswerRequest struct {
	Name string   `json:"name"`
	Text string   `json:"text"`
	Env  []string `json:"env,omitempty"` // the caller's; used, never written down
}

// AnswerReply says what was answered, and what is still open. Started tells
// whether the run goes on now; one that was halted does not.
type AnswerReply struct {
	Question string           `json:"question"`
	Answer   string           `json:"answer"`
	Open     []kedge.Question `json:"open"`
	Started  bool             `json:"started"`
	Why      string           `json:"why,omitempty"` // the plan is not made anew with the answer
	Run      *runs.RunView    `json:"run"`           // nil: no run asked
}

// Answer records a person's answer. After the last one that planning waits for,
// the next planning session starts by itself; a session that asked at a feature
// goes on, or the next one has the answer in its brief.
func (s *Planner) Answer(ctx context.Context, who projects.Caller, in AnswerRequest) (AnswerReply, error) {
	in.Text = strings.TrimSpace(in.Text)
	switch {
	case in.Text == "":
		return AnswerReply{}, kedge.Errorf(kedge.Invalid, "your answer is empty, so Kedge did not store it").WithHint("answer with a text: kedge answer %s TEXT", in.Name)
	case len(in.Text) > runs.MaxText:
		return AnswerReply{}, kedge.Errorf(kedge.Invalid, "your answer has %d bytes, and the limit is %d", len(in.Text), runs.MaxText).WithHint("answer in fewer words: kedge answer %s TEXT", in.Name)
	case redact.Text(in.Text) != in.Text:
		return AnswerReply{}, kedge.Errorf(kedge.Invalid, "your answer contains what looks like a secret, so Kedge did not store it").
			WithHint("put the secret into an environment variable, and answer with the variable's name")
	}
	if err := projects.PersonOnly(who, "answer a question"); err != nil {
		return AnswerReply{}, err
	}
	p, err := s.home.OpenSetUp(ctx, who)
	if err != nil {
		return AnswerReply{}, err
	}
	last, found, err := ledger.LastRun(ctx, p)
	if err != nil {
		return AnswerReply{}, err
	}
	n, err := strconv.Atoi(in.Name)
	if isNumber := err == nil; isNumber && (!found || last.Planning() || last.JobOf(kedge.FeatureID(in.Name)) == nil) {
		return s.answerPlan(ctx, p, who, last, n, in)
	}
	if !found {
		return AnswerReply{}, kedge.Errorf(kedge.NotFound, "no question waits for an answer, because no run has started in this project").WithHint("see what is next: kedge status")
	}
	return s.answerFeature(ctx, p, who, last, in)
}

// answerPlan answers a question of the plan: of the one that sessions make, or
// of a draft that people write by hand. A plan that people changed is not planned
// anew: the answer is put into their text.
func (s *Planner) answerPlan(ctx context.Context, p *projects.Project, who projects.Caller, last run.State, n int, in AnswerRequest) (AnswerReply, error) {
	d, ok, err := ledger.PlanOf(ctx, p, last.Run)
	if err != nil {
		return AnswerReply{}, err
	}
	if !ok || !ledger.IsOpenPlan(d) {
		return s.answerDraft(ctx, p, who, n, in)
	}
	was := d.Status
	edited, err := s.isEdited(ctx, p, d)
	if err != nil {
		return AnswerReply{}, err
	}
	evs, err := s.home.Write(ctx, p, who, func() (evs []kedge.Event, err error) {
		d, _, err := ledger.PlanOf(ctx, p, last.Run)
		if err != nil {
			return nil, err
		}
		if edited, err = s.isEdited(ctx, p, d); err != nil {
			return nil, err
		}
		d, err = s.withAnswer(p, d, n, in.Text, edited)
		if err != nil {
			return nil, err
		}
		return projects.One(projects.Event(kedge.PlanSaved, who, d))
	})
	if err != nil {
		return AnswerReply{}, err
	}
	if d, err = projects.DataOf[kedge.PlanData](evs, kedge.PlanSaved); err != nil {
		return AnswerReply{}, err
	}
	if edited {
		return s.answeredEdited(ctx, p, last, d, n)
	}
	if err := s.showPlan(ctx, p, last.Run); err != nil {
		return AnswerReply{}, err
	}
	r, err := s.answered(ctx, p, who, last, d, n, in)
	if was == kedge.PlanDrafting && slices.ContainsFunc(last.Jobs, func(j run.Job) bool { return last.Live(j.ID) }) {
		r.Why = "the planning session at work does not receive this answer; once its plan is there: kedge plan --again"
	}
	return r, err
}

// withAnswer is a plan with one more answer: to be planned anew with it or, where
// people changed it, as it was.
func (s *Planner) withAnswer(p *projects.Project, d kedge.PlanData, n int, text string, edited bool) (kedge.PlanData, error) {
	asked, err := plan.Answered(s.askedNow(p, d), n, text)
	if err != nil || !edited {
		return asAnswered(d, asked), err
	}
	with, err := plan.WithAnswer(ledger.PlanFile, []byte(d.Text), n, text)
	d.Text, d.Hash = string(with), projects.Sum(with)
	return d, err
}

// answeredEdited tells that an answer stands in the text that people changed, and
// what they can do about it.
func (s *Planner) answeredEdited(ctx context.Context, p *projects.Project, last run.State, d kedge.PlanData, n int) (AnswerReply, error) {
	r := AnswerReply{Why: editedWhy}
	r.about(questionsOf(d), n)
	if err := s.putAnswer(p, d.ID, n, r.Answer); err != nil {
		return r, err
	}
	v, err := s.runs.View(ctx, p, last)
	r.Run = &v
	return r, err
}

// answerDraft answers a question of a draft that people write by hand, in its file.
func (s *Planner) answerDraft(ctx context.Context, p *projects.Project, who projects.Caller, n int, in AnswerRequest) (AnswerReply, error) {
	var r AnswerReply
	_, err := s.home.Write(ctx, p, who, func() ([]kedge.Event, error) {
		l, err := ledger.ReadSnapshot(ctx, p)
		if err != nil {
			return nil, err
		}
		b, ok, err := p.Read(ledger.PlanFile)
		if err != nil {
			return nil, err
		}
		if !ok || !otherText(l, b) {
			return nil, kedge.Errorf(kedge.NotFound, "the plan has no question with the number %d", n).WithHint("see the open questions: kedge status")
		}
		text, err := plan.WithAnswer(ledger.PlanFile, b, n, in.Text)
		if err != nil {
			return nil, err
		}
		doc, err := plan.ParsePlan(ledger.PlanFile, text)
		if err != nil {
			return nil, err
		}
		r.about(doc.Plan.Questions, n)
		return nil, p.Put(ledger.PlanFile, text)
	})
	return r, err
}

// about fills in what was answered, and what is still open.
func (r *AnswerReply) about(asked []kedge.Question, n int) {
	r.Open = []kedge.Question{}
	for _, q := range asked {
		switch {
		case q.N == n:
			r.Question, r.Answer = q.Text, q.Answer
		case q.Answer == "":
			r.Open = append(r.Open, q)
		}
	}
}

// answered tells what is still open; when nothing is that planning waits for, it
// goes on.
func (s *Planner) answered(ctx context.Context, p *projects.Project, who projects.Caller, last run.State, d kedge.PlanData, n int, in AnswerRequest) (AnswerReply, error) {
	var r AnswerReply
	r.about(questionsOf(d), n)
	r.Started = len(plan.OpenQuestions(kedge.Plan{Questions: r.Open})) == 0
	if r.Started {
		s.runs.KeepEnv(last.Run, in.Env)
		on, err := s.planOn(ctx, p, who, last.Run, "")
		if err != nil {
			return r, err
		}
		r.Run, r.Started = &on.Run, last.Halt == ""
	}
	return r, nil
}

// answerFeature answers the question of a session that works on a feature.
func (s *Planner) answerFeature(ctx context.Context, p *projects.Project, who projects.Caller, last run.State, in AnswerRequest) (AnswerReply, error) {
	id := kedge.FeatureID(in.Name)
	j := last.JobOf(id)
	seen, err := ledger.WasDelivered(ctx, p, who, last.Run)
	if err != nil {
		return AnswerReply{}, err
	}
	if !seen && (j == nil || j.Phase != run.Asking && j.Then != run.Asking) {
		return AnswerReply{}, kedge.Errorf(kedge.Conflict, "no session that works on feature %q waits for an answer now", in.Name).WithHint("see the open questions: kedge status")
	}
	r := AnswerReply{Answer: in.Text, Open: []kedge.Question{}}
	if j != nil {
		r.Question = j.Question
	}
	key := string(last.Run) + "-answer-" + who.Key
	word := who
	word.Key = key
	_, err = s.home.Write(ctx, p, word, func() ([]kedge.Event, error) {
		return projects.One(projects.Event(kedge.RunSaid, word, kedge.RunSaidData{
			ID: key, Run: last.Run, How: kedge.SaidAnswer, Feature: id, Question: r.Question, Text: in.Text, By: who.Actor, At: s.home.Now(),
		}))
	})
	if err != nil {
		return r, err
	}
	eng, err := s.runs.Engine(ctx, p)
	if err != nil {
		return r, err
	}
	s.runs.KeepEnv(last.Run, in.Env)
	out, err := s.runs.Say(ctx, p, eng, who, last.Run, run.Input{Kind: run.Answered, Feature: id, Text: in.Text})
	r.Run, r.Started = &out.Run, last.Halt == ""
	return r, err
}
