package runs

import (
	"context"
	"strings"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/core/run"
	"kedge/internal/journal"
	"kedge/internal/text/redact"
)

// QuestionAskRequest is a question of the session that asks to people.
type QuestionAskRequest struct {
	Question string `json:"question"`
}

// QuestionAskReply says what was asked, and what the session does now.
type QuestionAskReply struct {
	Feature  kedge.FeatureID `json:"feature"`
	Question string          `json:"question"`
	Then     string          `json:"then"`
}

// thenEnd is what a session does that has asked.
const thenEnd = "end your turn now and leave the work as it is; the brief of the next session contains the user's answer"

// QuestionAsk lets the session that asks wait for people's answer: the work on its
// feature stands still until there is one.
func (s *Runs) QuestionAsk(ctx context.Context, who projects.Caller, in QuestionAskRequest) (QuestionAskReply, error) {
	in.Question = strings.TrimSpace(in.Question)
	switch {
	case in.Question == "" || len(in.Question) > MaxText:
		return QuestionAskReply{}, kedge.Errorf(kedge.Invalid, "a question must have 1 to %d bytes, and yours has %d", MaxText, len(in.Question)).WithHint("ask again within this limit")
	case redact.Text(in.Question) != in.Question:
		return QuestionAskReply{}, kedge.Errorf(kedge.Invalid, "the question contains what looks like a secret, so Kedge did not store it").WithHint("ask again without the secret")
	case s.home.ReadOnly:
		return QuestionAskReply{}, projects.ErrReadOnly()
	}
	p, err := s.home.Open(ctx, who)
	if err != nil {
		return QuestionAskReply{}, err
	}
	st, j, err := s.asking(ctx, p, who)
	if err != nil {
		return QuestionAskReply{}, err
	}
	reply := QuestionAskReply{Feature: st.Features[j.Feature].ID, Question: in.Question, Then: thenEnd}
	if seen, err := ledger.WasDelivered(ctx, p, who, st.Run); seen || err != nil {
		return reply, err
	}
	start, works := sessionOf(&st, j)
	if !works {
		return QuestionAskReply{}, kedge.Errorf(kedge.Conflict, "the run cannot take a question about feature %q now, because no session works on it", reply.Feature).WithHint("write the question in your last message, then end your turn")
	}
	eng, err := s.Engine(ctx, p)
	if err != nil {
		return QuestionAskReply{}, err
	}
	_, err = s.Say(ctx, p, eng, who, st.Run, run.Input{
		Kind: run.Signalled, Outcome: run.Asked, Epoch: start.Epoch, Session: j.Session, Text: in.Question,
	})
	return reply, err
}

// asking is the job whose session asks, in the run that it works for.
func (s *Runs) asking(ctx context.Context, p *projects.Project, who projects.Caller) (run.State, *run.Job, error) {
	none := kedge.Errorf(kedge.Conflict, "this session cannot ask with this command, because it does not work on a feature of a run").WithHint("ask your question in this conversation: the user reads it here")
	id, _ := who.Session() // a person has none
	ses, _, err := journal.Get[kedge.Session](ctx, p.Store, journal.KindSession, string(id))
	if err != nil {
		return run.State{}, nil, err
	}
	if id == "" || ses.Run == "" || ses.Feature == "" {
		return run.State{}, nil, none
	}
	st, found, err := ledger.LiveRun(ctx, p)
	if err != nil {
		return st, nil, err
	}
	j := st.JobOf(ses.Feature)
	if !found || st.Run != ses.Run || j == nil || j.Session != id && j.Session != "" {
		return st, nil, none
	}
	return st, j, nil
}

// sessionOf is the command that the job's session is, while it works.
func sessionOf(st *run.State, j *run.Job) (run.Command, bool) {
	if j.Phase != run.Working && j.Phase != run.Idle {
		return run.Command{}, false
	}
	for _, c := range st.Outbox {
		if c.Job == j.ID && c.Kind == run.StartSession {
			return c, true
		}
	}
	return run.Command{}, false
}

// MaxText bounds what people ask for, in bytes: it is in every planning brief.
const MaxText = 8000
