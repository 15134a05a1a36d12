package execute

import (
	"cmp"
	"context"
	"strings"

	"kedge/internal/agents"
	"kedge/internal/core/brief"
	"kedge/internal/core/run"
	"kedge/internal/engine"
	"kedge/internal/engine/follow"
	"kedge/internal/git/slot"
)

// explanation is why a feature is blocked, for the person who looks at it: the reason,
// the last that its agent said or did, and where its work is, if there is any. What
// cannot be read of what the agent printed is left out: it is no reason not to say the rest.
func (x *Executor) explanation(ctx context.Context, c run.Command) (string, error) {
	j, err := x.job(c)
	if err != nil {
		return "", err
	}
	last, err := x.lastWords(ctx, c, j)
	if err != nil {
		x.log().Error("cannot read the last message of a session", "session", string(j.Session), "error", err.Error())
		last = ""
	}
	cause := ""
	if strings.TrimSpace(c.Failure) != "" {
		cause = x.statedCause(ctx, c, j)
	}
	return engine.BlockedText(c, j, cause, last), nil
}

// statedCause is what the job's last session gave as the cause of the failure.
func (x *Executor) statedCause(ctx context.Context, c run.Command, j slot.Job) string {
	t, err := x.trail(ctx, c, j, "")
	if err != nil {
		x.log().Error("cannot read the cause of a failure that a session named", "session", string(j.Session), "error", err.Error())
		return "unknown"
	}
	return cmp.Or(brief.StatedCause(t.Said), "it stated none")
}

// lastWords is the last that the job's latest session printed.
func (x *Executor) lastWords(ctx context.Context, c run.Command, j slot.Job) (string, error) {
	if j.Session == "" || x.cfg.Agent == nil {
		return "", nil
	}
	return follow.LastWords(x.sessionDir(j.Session), func() (agents.Reader, error) {
		route, err := x.routeOf(ctx, c, j)
		if err != nil {
			return nil, err
		}
		adapter, _, err := x.cfg.Agent(route)
		if err != nil {
			return nil, nil //nolint:nilerr,nilnil // an agent that is gone from the configuration: what it said is unknown
		}
		return adapter.Reader(agents.Task{Session: j.Session, Resume: j.Resume}), nil
	})
}
