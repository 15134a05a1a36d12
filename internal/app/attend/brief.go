package attend

import (
	"context"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/app/reports"
	"kedge/internal/core/brief"
	"kedge/internal/text/redact"
)

// HookBriefRequest asks for the text that a conversation gets at its start, or before it
// is compacted.
type HookBriefRequest struct {
	Event      kedge.HookEvent   `json:"event"`      // start or compact
	Source     string            `json:"source"`     // of a start
	Transcript string            `json:"transcript"` // the agent's file of it
	Env        map[string]string `json:"env,omitempty"`
}

// HookBriefReply is the text; empty when there is nothing to say.
type HookBriefReply struct {
	Text string `json:"text"`
}

// What a conversation is given: agents put aside what is longer than about ten
// thousand characters. After a compaction a part of it is about the conversation
// itself.
const (
	startTokens = 2200
	aboutTokens = 900
)

// attended is what is different where a person sits: a brief is written for those
// who work alone.
const attended = "\nThe user drives this session. Follow what the user says first; this text only shows where the work stands.\n"

// HookBrief gives the brief of the project. It only reads, and needs no daemon. Outside
// a project, and in a session of a run, it is empty.
func (s *Attendant) HookBrief(ctx context.Context, who projects.Caller, in HookBriefRequest) (HookBriefReply, error) {
	p, err := s.home.Open(ctx, who)
	if kedge.NotFound.Is(err) {
		return HookBriefReply{}, nil
	}
	if err != nil {
		return HookBriefReply{}, err
	}
	if of, err := inRun(ctx, p, who); of || err != nil {
		return HookBriefReply{}, err
	}
	input, err := s.status.BriefInput(ctx, p, asAgent(who))
	if err != nil {
		return HookBriefReply{}, err
	}
	if in.Event == kedge.HookCompact {
		return HookBriefReply{Text: redact.Text(brief.Focus(input))}, nil
	}
	about := s.about(ctx, who, in)
	budget := startTokens
	if about != "" {
		budget -= aboutTokens
	}
	return HookBriefReply{Text: redact.Text(brief.Prime(input, budget).Text + about + attended)}, nil
}

// about is what was going on in the conversation, of which its compaction left a
// summary only.
func (s *Attendant) about(ctx context.Context, who projects.Caller, in HookBriefRequest) string {
	if in.Source != "compact" || in.Transcript == "" {
		return ""
	}
	r, err := s.reports.Brief(ctx, who, reports.BriefRequest{What: in.Transcript, Budget: aboutTokens, Env: in.Env})
	if err != nil {
		return "" // the rest of the brief is worth having without it
	}
	return "\n" + r.Text
}
