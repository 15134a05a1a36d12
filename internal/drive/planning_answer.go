package drive

import (
	"context"
	"strconv"
	"strings"

	"kedge"
	"kedge/internal/book"
	"kedge/internal/plan"
	"kedge/internal/project"
	"kedge/internal/redact"
	"kedge/internal/run"
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
	Run      *RunView         `json:"run"` // nil: no run asked
}

// Answer records a person's answer. After the last one that planning waits for,
// the next planning session starts by itself; a session that asked at a feature
// goes on, or the next one has the answer in its brief.
func (s *Driver) Answer(ctx context.Context, who project.Caller, in AnswerRequest) (AnswerReply, error) {
	in.Text = strings.TrimSpace(in.Text)
	switch {
	case in.Text == "" || len(in.Text) > maxGoal:
		return AnswerReply{}, kedge.Errorf(kedge.Invalid, "an answer is a text of at most %d bytes", maxGoal).WithHint("kedge answer %s TEXT", in.Name)
	case redact.Text(in.Text) != in.Text:
		return AnswerReply{}, kedge.Errorf(kedge.Invalid, "the answer holds what looks like a secret").
			WithHint("let the agent take it from the environment, and say which variable")
	}
	if err := project.PersonOnly(who, "answer a question"); err != nil {
		return AnswerReply{}, err
	}
	p, err := s.home.Open(ctx, who)
	if err != nil {
		return AnswerReply{}, err
	}
	last, found, err := lastRun(ctx, p)
	if err != nil {
		return AnswerReply{}, err
	}
	n, err := strconv.Atoi(in.Name)
	if isNumber := err == nil; isNumber && (!found || isPlanning(last) || jobOf(&last, kedge.FeatureID(in.Name)) == nil) {
		return s.answerPlan(ctx, p, who, last, n, in)
	}
	if !found {
		return AnswerReply{}, kedge.Errorf(kedge.NotFound, "nobody asked: there is no run").WithHint("kedge status")
	}
	return s.answerFeature(ctx, p, who, last, in)
}

// answerPlan answers a question of the plan: of the one that sessions make, or
// of a draft that people write by hand.
func (s *Driver) answerPlan(ctx context.Context, p *project.Project, who project.Caller, last run.State, n int, in AnswerRequest) (AnswerReply, error) {
	d, ok, err := planOf(ctx, p, last.Run)
	if err != nil {
		return AnswerReply{}, err
	}
	if !ok || !book.IsOpenPlan(d) {
		return AnswerReply{}, kedge.Errorf(kedge.NotFound, "no planning session asked question %d", n).
			WithHint("the answers of a plan that you write yourself stand below its questions in %s", book.PlanFile)
	}
	evs, err := s.home.Write(ctx, p, who, func() ([]kedge.Event, error) {
		d, _, err := planOf(ctx, p, last.Run)
		if err != nil {
			return nil, err
		}
		asked, err := plan.Answered(s.askedNow(p, d), n, in.Text)
		if err != nil {
			return nil, err
		}
		d.Status = kedge.PlanWaiting
		if len(plan.OpenQuestions(kedge.Plan{Questions: asked})) == 0 {
			d.Status, d.Faults = kedge.PlanDrafting, ""
		}
		d.Text = string(plan.Draft(d.ID, d.Title, d.Status, asked))
		d.Hash = project.Sum([]byte(d.Text))
		return project.One(project.Event(kedge.PlanSaved, who, d))
	})
	if err != nil {
		return AnswerReply{}, err
	}
	if d, err = project.DataOf[kedge.PlanData](evs, kedge.PlanSaved); err != nil {
		return AnswerReply{}, err
	}
	if err := s.showPlan(ctx, p, last.Run); err != nil {
		return AnswerReply{}, err
	}
	return s.answered(ctx, p, who, last, d, n, in)
}

// askedNow are the questions with the answers of the journal, and those that
// people wrote into plan.md themselves.
func (s *Driver) askedNow(p *project.Project, d kedge.PlanData) []kedge.Question {
	asked := questionsOf(d)
	b, ok, err := p.Read(book.PlanFile)
	if err != nil || !ok {
		return asked
	}
	file, err := plan.ParsePlan(book.PlanFile, b)
	if err != nil || file.Plan.ID != d.ID {
		return asked
	}
	for i := range asked {
		for _, q := range file.Plan.Questions {
			if asked[i].Answer == "" && q.N == asked[i].N && q.Text == asked[i].Text {
				asked[i].Answer = q.Answer
			}
		}
	}
	return asked
}

// answered tells what is still open; when nothing is that planning waits for, it
// goes on.
func (s *Driver) answered(ctx context.Context, p *project.Project, who project.Caller, last run.State, d kedge.PlanData, n int, in AnswerRequest) (AnswerReply, error) {
	r := AnswerReply{Open: []kedge.Question{}}
	for _, q := range questionsOf(d) {
		switch {
		case q.N == n:
			r.Question, r.Answer = q.Text, q.Answer
		case q.Answer == "":
			r.Open = append(r.Open, q)
		}
	}
	r.Started = len(plan.OpenQuestions(kedge.Plan{Questions: r.Open})) == 0
	if r.Started {
		s.keepEnv(last.Run, in.Env)
		on, err := s.planOn(ctx, p, who, last.Run)
		if err != nil {
			return r, err
		}
		r.Run, r.Started = &on.Run, last.Halt == ""
	}
	return r, nil
}

// answerFeature answers the question of a session that works on a feature.
func (s *Driver) answerFeature(ctx context.Context, p *project.Project, who project.Caller, last run.State, in AnswerRequest) (AnswerReply, error) {
	id := kedge.FeatureID(in.Name)
	j := jobOf(&last, id)
	seen, err := wasSaid(ctx, p, who, last.Run)
	if err != nil {
		return AnswerReply{}, err
	}
	if !seen && (j == nil || j.Phase != run.Asking && j.Then != run.Asking) {
		return AnswerReply{}, kedge.Errorf(kedge.Conflict, "the work on %q asks nothing now", in.Name).WithHint("kedge status")
	}
	r := AnswerReply{Answer: in.Text, Open: []kedge.Question{}}
	if j != nil {
		r.Question = j.Question
	}
	key := string(last.Run) + "-answer-" + who.Key
	word := who
	word.Key = key
	_, err = s.home.Write(ctx, p, word, func() ([]kedge.Event, error) {
		return project.One(project.Event(kedge.RunSaid, word, kedge.RunSaidData{
			ID: key, Run: last.Run, How: kedge.SaidAnswer, Feature: id, Question: r.Question, Text: in.Text, By: who.Actor, At: s.home.Now(),
		}))
	})
	if err != nil {
		return r, err
	}
	eng, err := s.engineOf(ctx, p)
	if err != nil {
		return r, err
	}
	s.keepEnv(last.Run, in.Env)
	out, err := s.say(ctx, p, eng, who, last.Run, run.Event{Kind: run.Answered, Feature: id, Text: in.Text})
	r.Run, r.Started = &out.Run, last.Halt == ""
	return r, err
}
