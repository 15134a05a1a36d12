package service

import (
	"context"
	"path/filepath"
	"strings"

	"kedge"
	"kedge/internal/agent"
	"kedge/internal/atomicfile"
	"kedge/internal/brief"
	"kedge/internal/hold"
	"kedge/internal/redact"
	"kedge/internal/settings"
	"kedge/internal/standing"
	"kedge/internal/store"
)

// resumeCheckpoint starts a fresh session of the project's agent, which is told
// where a checkpoint left the work: nothing is pasted by hand, and nothing of an
// earlier session is needed but the journal.
func (s *Service) resumeCheckpoint(ctx context.Context, who Caller, in SessionResume) (kedge.Session, error) {
	p, err := s.project(ctx, who)
	if err != nil {
		return kedge.Session{}, err
	}
	text, err := s.checkpointBrief(ctx, p, who, kedge.CheckpointID(in.Checkpoint))
	if err != nil {
		return kedge.Session{}, err
	}
	ad, model, err := s.personsAgent(ctx, p, in)
	if err != nil {
		return kedge.Session{}, err
	}
	l, err := s.launch(ctx)
	if err != nil {
		return kedge.Session{}, err
	}
	fresh, err := s.briefed(l, p, in, ad, model, text)
	if err == nil {
		err = checkNew(fresh)
	}
	if err != nil {
		l.abandon()
		return kedge.Session{}, err
	}
	evs, err := s.write(ctx, p, who, func() ([]kedge.Event, error) { return s.decideSession(ctx, p, who, fresh, l.id, "") })
	ses, err := s.launched(ctx, p, l, evs, err, func(kedge.Session) SessionNew { return fresh })
	if err == nil && ses.ID == l.id && fresh.Cols == 0 {
		s.life.Go(func() { s.typeBrief(l, ad, text) })
	}
	return ses, err
}

// typeBrief types the brief into a session without a screen; with one, the person
// at it sees the agent take it from its file.
func (s *Service) typeBrief(l launch, ad agent.Adapter, text string) {
	first := ad.Reader(agent.Task{Session: l.id}).Open([]byte(text))
	hold.Type(s.life.Context(), l.dir, hold.Typing{Source: hold.SourceBrief, Text: first.Text, Close: first.Close})
}

// checkpointBrief is the brief of a checkpoint: the latest one where none is named.
func (s *Service) checkpointBrief(ctx context.Context, p *project, who Caller, id kedge.CheckpointID) (string, error) {
	input, err := s.Teller.BriefInput(ctx, p, who)
	if err != nil {
		return "", err
	}
	if id != latestCheckpoint {
		c, err := standing.Saved[kedge.Checkpoint](ctx, p, store.KindCheckpoint, string(id))
		if err != nil {
			return "", err
		}
		c.Files = brief.Compare(c.Files, func(path string) (string, bool) { return standing.FileHash(p, path) })
		input.Checkpoint = &c
	}
	if input.Checkpoint == nil {
		return "", kedge.Errorf(kedge.NotFound, "there is no checkpoint").WithHint("kedge checkpoint save")
	}
	return redact.Text(brief.Prime(input, brief.DefaultBudget).Text), nil
}

// latestCheckpoint names the newest one.
const latestCheckpoint kedge.CheckpointID = "latest"

// personsAgent is the agent of config.toml as it stands in the folder: a person
// asks, so it need not be committed.
func (s *Service) personsAgent(ctx context.Context, p *project, in SessionResume) (agent.Adapter, string, error) {
	cfg, err := settings.Source{Project: p}.Config(ctx, settings.UserFile(in.Env))
	if err != nil {
		return nil, "", err
	}
	route := firstSet(in.Agent, firstSet(cfg.Route.Implement, cfg.Run.Agent))
	if err := s.checkAgent(cfg, p, route, in.Env); err != nil {
		return nil, "", err
	}
	name, model, _ := strings.Cut(route, ":")
	a, err := cfg.Agent(name)
	if err != nil {
		return nil, "", err
	}
	ad, err := agent.New(name, a)
	return ad, model, err
}

// briefed is how the agent starts with its brief, which lies in the session's
// folder.
func (s *Service) briefed(l launch, p *project, in SessionResume, ad agent.Adapter, model, text string) (SessionNew, error) {
	file := filepath.Join(l.dir, "brief.md")
	if err := atomicfile.Write(file, []byte(text), 0o600); err != nil {
		return SessionNew{}, kedge.Errorf(kedge.Internal, "write the brief: %w", err)
	}
	start, err := ad.Start(agent.Task{Session: l.id, Attempt: 1, Purpose: "implement", Model: model, Dir: p.Dir, Brief: file, Attended: true})
	if err != nil {
		return SessionNew{}, err
	}
	name := in.Name
	if name == "" {
		name = "resumed"
	}
	fresh := SessionNew{Name: name, Dir: p.Dir, Command: start.Command, Env: append(append([]string{}, in.Env...), start.Env...), Cols: in.Cols, Rows: in.Rows}
	switch {
	case start.Pipes:
		fresh.Cols, fresh.Rows = 0, 0
	case fresh.Cols == 0: // it needs a screen, and who calls has none
		fresh.Cols, fresh.Rows = 120, 40
	}
	return fresh, nil
}
