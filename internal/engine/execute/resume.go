package execute

import (
	"context"
	"strings"

	"kedge/internal/core/run"
	"kedge/internal/process"
	"kedge/internal/text/lazyre"
)

// cannotResume says why the conversation that the command names cannot be gone on
// with; empty when it can. One that is alive elsewhere never is: two programs in one
// conversation destroy it, and each other's work.
func (x *Executor) cannotResume(ctx context.Context, c run.Command) (string, error) {
	j, err := x.job(c)
	if err != nil {
		return "", err
	}
	r, err := x.route(ctx, c)
	if err != nil {
		return "", err
	}
	if was, _, _ := strings.Cut(j.Route, ":"); was != r.Agent {
		return "another agent goes on", nil
	}
	if x.cfg.Talking != nil {
		talks, err := x.cfg.Talking(ctx, c.Resume)
		if err != nil {
			return "", err
		}
		if talks {
			return "its conversation is alive in another session", nil
		}
	}
	left, _, err := process.Strays("KEDGE_SESSION="+string(j.Session), "")
	if err != nil {
		return "", err
	}
	if j.Session != "" && len(left) > 0 {
		return "something of the session before is still alive", nil
	}
	return "", nil
}

// conversation is what the program calls its conversation, if that can be said to it
// again: it becomes an argument, and a session must not choose its successor's flags.
func (s *session) conversation() string {
	id := s.reader.Exit(0, "").Conversation
	if !conversationID.MatchString(id) {
		return ""
	}
	return id
}

var conversationID = lazyre.New(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,199}$`)
