package sessions

import (
	"cmp"
	"context"
	"os"
	"strings"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/agents/record"
	"kedge/internal/app/projects"
	"kedge/internal/core/brief"
	"kedge/internal/core/config"
	"kedge/internal/insight/resume"
	"kedge/internal/insight/transcript"
	"kedge/internal/text/redact"
)

// PastTalk is a past conversation that no session of Kedge had.
type PastTalk struct {
	ID      string `json:"id"`
	Agent   string `json:"agent"`
	File    string `json:"file"`
	Session string `json:"session,omitempty"` // which one of a database
	Folder  string `json:"folder"`            // where it worked
}

// resumePast starts a fresh session of the agent of a past conversation, in the folder of
// that, with a brief of where it stood.
func (s *Manager) resumePast(ctx context.Context, who projects.Caller, in SessionResume) (kedge.Session, error) {
	if err := projects.PersonOnly(who, "continue a past conversation"); err != nil {
		return kedge.Session{}, err
	}
	t := *in.Past
	if fi, err := os.Stat(t.Folder); t.Folder == "" || err != nil || !fi.IsDir() {
		return kedge.Session{}, kedge.Errorf(kedge.NotFound, "Kedge cannot resume the conversation, because its folder %q does not exist any more", t.Folder).
			WithHint("print a summary, and give it to an agent in another folder: kedge brief %s", t.ID)
	}
	who.Dir = t.Folder
	text, err := s.past(ctx, who, t)
	if err != nil {
		return kedge.Session{}, err
	}
	name, model, _ := strings.Cut(cmp.Or(in.Agent, t.Agent), ":")
	ad, err := catalog.New(name, config.Agent{Kind: name})
	if err != nil {
		return kedge.Session{}, err
	}
	p, err := s.home.OfSessions(ctx, who)
	if err != nil {
		return kedge.Session{}, err
	}
	l, err := s.launch(ctx)
	if err != nil {
		return kedge.Session{}, err
	}
	in.Name = "resumed"
	fresh, err := s.briefedIn(t.Folder, l, in, ad, model, text)
	if err == nil {
		err = checkNew(fresh)
	}
	if err != nil {
		l.abandon()
		return kedge.Session{}, err
	}
	evs, err := s.home.Write(ctx, p, who, func() ([]kedge.Event, error) { return s.decideSession(ctx, p, who, fresh, l.id, "") })
	ses, err := s.launched(ctx, p, l, evs, err, func(kedge.Session) SessionNew { return fresh })
	if err == nil && ses.ID == l.id && fresh.Cols == 0 {
		s.life.Go(func() { s.typeBrief(l, ad, text) })
	}
	return ses, err
}

// past is what a session is told that continues a conversation: where that stood, below the
// brief of the project, if it is one.
func (s *Manager) past(ctx context.Context, who projects.Caller, t PastTalk) (string, error) {
	f := transcript.File{Agent: t.Agent, Path: t.File, Session: t.Session}
	from, m, err := record.Transcript(ctx, f, 0)
	if err != nil {
		return "", err
	}
	if from.Empty() {
		return "", kedge.Errorf(kedge.Invalid, "Kedge found no messages in the conversation %q", t.File).WithHint("find another conversation: kedge history WORDS")
	}
	stood := from.Brief(m.Dir, resume.DefaultBudget).Text
	mine, err := s.home.Open(ctx, who)
	if err != nil {
		return stood, nil //nolint:nilerr // the folder is no project
	}
	input, err := s.status.BriefInput(ctx, mine, who)
	if err != nil {
		return stood, nil //nolint:nilerr // the conversation matters more than the project
	}
	input.Stood = stood
	return redact.Text(brief.Prime(input, brief.DefaultBudget).Text), nil
}
