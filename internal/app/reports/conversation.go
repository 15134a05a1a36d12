package reports

import (
	"context"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/app/projects"
	"kedge/internal/insight/history"
)

// ConversationRequest asks for a past conversation to read. What is whatever BriefRequest
// takes, but no session of a run.
type ConversationRequest struct {
	What string            `json:"what"`
	Head bool              `json:"head"` // without the messages
	Env  map[string]string `json:"env"`  // as in AuditRequest
}

// ConversationReply is the whole conversation, without secrets.
type ConversationReply struct {
	Talk
	Session  string            `json:"session,omitempty"` // which one of a database
	Skipped  int64             `json:"skipped_lines"`
	Messages []history.Message `json:"messages"`
}

// Conversation reads a past conversation. It needs no project and no daemon.
func (s *Reports) Conversation(ctx context.Context, who projects.Caller, in ConversationRequest) (ConversationReply, error) {
	f, err := s.oneTranscript(ctx, who, BriefRequest{What: in.What, Env: in.Env})
	if err != nil {
		return ConversationReply{}, err
	}
	if in.Head {
		c, err := history.About(ctx, catalog.Transcripts(), f)
		return ConversationReply{Talk: talkOf(c), Session: f.Session, Messages: []history.Message{}}, err
	}
	c, list, skipped, err := history.Read(ctx, catalog.Transcripts(), f)
	if err != nil {
		return ConversationReply{}, err
	}
	if len(list) == 0 {
		return ConversationReply{}, kedge.Errorf(kedge.NotFound, "Kedge found no messages in the conversation %q", f.Path).
			WithHint("see how many lines Kedge could not understand: %s", kedge.Step("kedge", "audit", f.Path))
	}
	return ConversationReply{Talk: talkOf(c), Session: f.Session, Skipped: skipped, Messages: list}, nil
}
