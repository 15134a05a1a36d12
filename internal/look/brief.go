package look

import (
	"context"

	"kedge"
	"kedge/internal/pickup"
	"kedge/internal/project"
	"kedge/internal/transcript"
)

// BriefRequest asks what a fresh session needs to go on from a transcript. What
// is a file, or what AuditRequest takes for one.
type BriefRequest struct {
	What   string            `json:"what"`
	At     int               `json:"at"`     // the lines before this one are seen; 0 is all
	Budget int               `json:"budget"` // tokens; 0 is the default
	Env    map[string]string `json:"env"`    // as in AuditRequest
}

// BriefReply is the brief, and what it was made from.
type BriefReply struct {
	pickup.Brief
	Budget       int    `json:"budget"`
	Agent        string `json:"agent"`
	File         string `json:"file"`
	SkippedLines int64  `json:"skipped_lines"`
}

// Brief reads a transcript, up to a line, and picks the work up from there. It
// needs no project and writes nothing.
func (s *Looker) Brief(ctx context.Context, who project.Caller, in BriefRequest) (BriefReply, error) {
	if in.At < 0 {
		return BriefReply{}, kedge.Errorf(kedge.Invalid, "line %d is none: lines are counted from 1", in.At)
	}
	budget := in.Budget
	if budget == 0 {
		budget = pickup.DefaultBudget
	}
	f, err := s.oneTranscript(ctx, who, in)
	if err != nil {
		return BriefReply{}, err
	}
	p := pickup.New()
	m, err := transcript.ReadFile(ctx, f, transcript.Options{Text: true, Before: in.At}, p.Add)
	if err != nil {
		return BriefReply{}, err
	}
	if in.At > m.Lines+1 {
		return BriefReply{}, kedge.Errorf(kedge.Invalid, "line %d is behind the end: %q has %d lines", in.At, f.Path, m.Lines).
			WithHint("kedge brief --transcript %s --at %d", in.What, m.Lines+1)
	}
	if in.At == 0 && p.Empty() {
		return BriefReply{}, kedge.Errorf(kedge.Invalid, "there is nothing in %q that can be understood", f.Path).
			WithHint("kedge audit %s tells how many lines were skipped", in.What)
	}
	b := p.Brief(m.Dir, budget)
	if b.Tokens > budget {
		return BriefReply{}, kedge.Errorf(kedge.Invalid, "the shortest brief takes %d tokens, more than the budget of %d", b.Tokens, budget).
			WithHint("kedge brief --transcript %s --budget %d", in.What, b.Tokens)
	}
	return BriefReply{Brief: b, Budget: budget, Agent: f.Agent, File: f.Path, SkippedLines: m.Skipped}, nil
}

// oneTranscript gives the transcript that is meant.
func (s *Looker) oneTranscript(ctx context.Context, who project.Caller, in BriefRequest) (transcript.File, error) {
	files, _, err := s.transcripts(ctx, who, AuditRequest{What: []string{in.What}, Env: in.Env})
	switch {
	case err != nil:
		return transcript.File{}, err
	case len(files) == 0:
		return transcript.File{}, kedge.Errorf(kedge.NotFound, "there is no session in %q", in.What)
	case len(files) > 1:
		return transcript.File{}, kedge.Errorf(kedge.Invalid, "%q has %d sessions: say which", in.What, len(files)).
			WithHint("kedge brief --transcript %s", files[len(files)-1].Session)
	default:
		return files[0], nil
	}
}
