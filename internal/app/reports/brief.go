package reports

import (
	"context"
	"strconv"

	"kedge"
	"kedge/internal/agents"
	"kedge/internal/agents/catalog"
	"kedge/internal/agents/record"
	"kedge/internal/app/projects"

	"kedge/internal/core/watch"
	"kedge/internal/insight/resume"
	"kedge/internal/insight/transcript"
)

// BriefRequest asks for what a fresh session needs to continue from the record of
// another. What is whatever AuditRequest takes, or a session of a run, whose record
// Kedge itself kept.
type BriefRequest struct {
	What   string            `json:"what"`
	At     int               `json:"at"`     // the lines before this one are seen; 0 is all
	Budget int               `json:"budget"` // tokens; 0 is the default
	Env    map[string]string `json:"env"`    // as in AuditRequest
}

// BriefReply is the brief and its source.
type BriefReply struct {
	resume.Summary
	Budget       int    `json:"budget"`
	Agent        string `json:"agent"`
	File         string `json:"file"`
	SkippedLines int64  `json:"skipped_lines"`
}

// Brief reads the record of a session, up to a line, and makes the brief with which
// another continues. It needs no project and no daemon, and writes nothing. The text
// keeps to the budget, and is the same for the same record.
func (s *Reports) Brief(ctx context.Context, who projects.Caller, in BriefRequest) (BriefReply, error) {
	if in.At < 0 {
		return BriefReply{}, kedge.Errorf(kedge.Invalid, "--at must be a line number of the transcript, at least 1, not %d", in.At)
	}
	if in.Budget == 0 {
		in.Budget = resume.DefaultBudget
	}
	r, err := s.record(ctx, who, in)
	if err != nil {
		return BriefReply{}, err
	}
	if in.At == 0 && r.from.Empty() {
		return BriefReply{}, kedge.Errorf(kedge.Invalid, "Kedge cannot read the transcript %q: it understands none of the lines", r.path).
			WithHint("see how many lines Kedge could not understand: %s", kedge.Step("kedge", "audit", in.What))
	}
	b := r.from.Brief(r.dir, in.Budget)
	if b.Tokens > in.Budget {
		return BriefReply{}, kedge.Errorf(kedge.Invalid, "the shortest possible brief has %d tokens, and --budget allows only %d", b.Tokens, in.Budget).
			WithHint("allow the shortest brief: %s", briefStep(in.What, "--budget", strconv.Itoa(b.Tokens)))
	}
	return BriefReply{Summary: b, Budget: in.Budget, Agent: r.agent, File: r.path, SkippedLines: r.skipped}, nil
}

// recorded is what a session left, as far as it was read.
type recorded struct {
	from        *resume.Picker
	agent, path string
	dir         string // where the session worked
	skipped     int64
}

// record reads what is meant: what Kedge kept of a session of a run, else a
// transcript.
func (s *Reports) record(ctx context.Context, who projects.Caller, in BriefRequest) (recorded, error) {
	if p, ses, ok := s.sessionOfRun(ctx, who, in.What); ok {
		return s.recordOfRun(ctx, p, ses, in)
	}
	f, err := s.oneTranscript(ctx, who, in)
	if err != nil {
		return recorded{}, err
	}
	from, m, err := record.Transcript(ctx, f, in.At)
	if err != nil {
		return recorded{}, err
	}
	if in.At > m.Lines+1 {
		return recorded{}, kedge.Errorf(kedge.Invalid, "--at %d is after the last line: the transcript %q has %d lines", in.At, f.Path, m.Lines).
			WithHint("use the whole transcript: %s", briefStep(in.What, "--at", strconv.FormatInt(int64(m.Lines+1), 10)))
	}
	return recorded{from: from, agent: f.Agent, path: f.Path, dir: m.Dir, skipped: m.Skipped}, nil
}

// sessionOfRun finds a session of a run by its name or its id.
func (s *Reports) sessionOfRun(ctx context.Context, who projects.Caller, name string) (*projects.Project, kedge.Session, bool) {
	if _, ok := fileOf(who, name); ok {
		return nil, kedge.Session{}, false
	}
	p, err := s.home.OfSessions(ctx, who)
	if err != nil {
		return nil, kedge.Session{}, false
	}
	ses, err := s.sessions.Find(ctx, p, name)
	return p, ses, err == nil && ses.Run != ""
}

// recordOfRun reads what a session of a run printed, by its adapter.
func (s *Reports) recordOfRun(ctx context.Context, p *projects.Project, ses kedge.Session, in BriefRequest) (recorded, error) {
	if in.At > 0 {
		return recorded{}, kedge.Errorf(kedge.Invalid, "--at needs a transcript, and session %q has none, because it belongs to a run", ses.Name).
			WithHint("print the brief without --at: %s", briefStep(in.What))
	}
	cfg, err := projects.Source{Project: p}.Config(ctx, projects.UserFile([]string{"HOME=" + in.Env["HOME"], "XDG_CONFIG_HOME=" + in.Env["XDG_CONFIG_HOME"]}))
	if err != nil {
		return recorded{}, err
	}
	a, err := cfg.Agent(ses.Agent)
	if err != nil {
		return recorded{}, err
	}
	ad, err := catalog.New(ses.Agent, a)
	if err != nil {
		return recorded{}, err
	}
	r := recorded{agent: ses.Agent, path: s.sessions.SessionDir(ses.ID), dir: ses.Dir}
	reader := ad.Reader(agents.Task{Session: ses.ID})
	r.from, err = record.Output(r.path, ses.Dir, reader, func(watch.Act) {})
	r.skipped = int64(reader.Broken())
	return r, err
}

// briefStep is the command for a brief, as it can be pasted.
func briefStep(what string, flags ...string) kedge.NextStep {
	return kedge.Step("kedge", append([]string{"brief", "--transcript", what}, flags...)...)
}

// oneTranscript gives the transcript that is meant.
func (s *Reports) oneTranscript(ctx context.Context, who projects.Caller, in BriefRequest) (transcript.File, error) {
	files, unread, err := s.transcripts(ctx, who, AuditRequest{What: []string{in.What}, Env: in.Env})
	if err == nil && len(unread) > 0 {
		err = unread[0].err
	}
	switch {
	case err != nil:
		return transcript.File{}, err
	case len(files) == 0:
		return transcript.File{}, kedge.Errorf(kedge.NotFound, "the file %q contains no session", in.What).WithHint("see the transcripts of this project: kedge audit --json")
	case len(files) > 1:
		return transcript.File{}, kedge.Errorf(kedge.Invalid, "the file %q contains %d sessions, and a brief needs one of them", in.What, len(files)).
			WithHint("print the brief of the newest session: %s", briefStep(files[len(files)-1].Session))
	default:
		return files[0], nil
	}
}
