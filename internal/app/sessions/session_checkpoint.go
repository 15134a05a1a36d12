package sessions

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/agents"
	"kedge/internal/agents/catalog"
	"kedge/internal/app/projects"

	"kedge/internal/app/status"
	"kedge/internal/core/brief"
	"kedge/internal/journal"
	"kedge/internal/process/atomicfile"
	"kedge/internal/process/hold"
	"kedge/internal/text/redact"
)

// resumeCheckpoint starts a fresh session of the project's agent, which is told
// where a checkpoint left the work: nothing is pasted by hand, and nothing of an
// earlier session is needed but the journal.
func (s *Manager) resumeCheckpoint(ctx context.Context, who projects.Caller, in SessionResume) (kedge.Session, error) {
	p, err := s.home.Open(ctx, who)
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
	fresh, err := s.briefedIn(p.Dir, l, in, ad, model, text)
	if own, apart := s.home.SessionWorktree(p); apart {
		fresh.own = &own // it works where a session did
	}
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

// typeBrief types the brief into a session without a screen; with one, the person
// at it sees the agent take it from its file.
func (s *Manager) typeBrief(l launch, ad agents.Adapter, text string) {
	first := ad.Reader(agents.Task{Session: l.id}).Open([]byte(text))
	hold.Type(s.life.Context(), l.dir, hold.Typing{Source: hold.SourceBrief, Text: first.Text, Close: first.Close})
}

// checkpointBrief is the brief of a checkpoint: the latest one where none is named.
func (s *Manager) checkpointBrief(ctx context.Context, p *projects.Project, who projects.Caller, id kedge.CheckpointID) (string, error) {
	input, err := s.status.BriefInput(ctx, p, who)
	if err != nil {
		return "", err
	}
	if id != latestCheckpoint {
		c, err := status.Saved[kedge.Checkpoint](ctx, p, journal.KindCheckpoint, string(id))
		if err != nil {
			return "", err
		}
		c.Files = brief.Compare(c.Files, func(path string) (string, bool) { return status.FileHash(p, path) })
		input.Checkpoint = &c
	}
	if input.Checkpoint == nil {
		return "", kedge.Errorf(kedge.NotFound, "no checkpoint was saved yet").WithHint("save a checkpoint: kedge checkpoint save")
	}
	return redact.Text(brief.Prime(input, brief.DefaultBudget).Text), nil
}

// latestCheckpoint names the newest one.
const latestCheckpoint kedge.CheckpointID = "latest"

// personsAgent is the agent of config.toml as it stands in the folder: a person
// asks, so it need not be committed.
func (s *Manager) personsAgent(ctx context.Context, p *projects.Project, in SessionResume) (agents.Adapter, string, error) {
	cfg, err := projects.Source{Project: p}.Config(ctx, projects.UserFile(in.Env))
	if err != nil {
		return nil, "", err
	}
	route := cmp.Or(in.Agent, cfg.Route.Implement, cfg.Run.Agent)
	if err := CheckAgent(cfg, p, route, in.Env, resumeStep(in)); err != nil {
		return nil, "", err
	}
	name, model, _ := strings.Cut(route, ":")
	a, err := cfg.Agent(name)
	if err != nil {
		return nil, "", err
	}
	ad, err := catalog.New(name, a)
	return ad, model, err
}

// briefedIn is how the agent starts in a folder with its brief, which lies in the session's
// own folder.
func (s *Manager) briefedIn(dir string, l launch, in SessionResume, ad agents.Adapter, model, text string) (SessionNew, error) {
	file := filepath.Join(l.dir, "brief.md")
	if err := atomicfile.Write(file, []byte(text), 0o600); err != nil {
		return SessionNew{}, kedge.Errorf(kedge.Internal, "cannot save the text that the session starts with (the brief): %w", err)
	}
	start, err := ad.Start(agents.Task{Session: l.id, Attempt: 1, Purpose: "implement", Model: model, Dir: dir, Brief: file, Attended: true})
	if err != nil {
		return SessionNew{}, err
	}
	name := in.Name
	if name == "" {
		name = "resumed"
	}
	fresh := SessionNew{Name: name, Dir: dir, Command: start.Command, Env: append(append(slices.Clone(in.Env), "KEDGE_BRIEF="+file), start.Env...), Cols: in.Cols, Rows: in.Rows}
	switch {
	case start.Pipes:
		fresh.Cols, fresh.Rows = 0, 0
	case fresh.Cols == 0: // it needs a screen, and who calls has none
		fresh.Cols, fresh.Rows = 120, 40
	}
	return fresh, nil
}

// resumeStep is the command line of a resume from a checkpoint.
func resumeStep(in SessionResume) kedge.NextStep {
	s := kedge.Step("kedge", "resume", "--checkpoint", in.Checkpoint)
	if in.Name != "" {
		s = kedge.Step("kedge", "resume", in.Name, "--checkpoint", in.Checkpoint)
	}
	if in.Agent != "" {
		s.Args = append(s.Args, "--agent", in.Agent)
	}
	return s
}
