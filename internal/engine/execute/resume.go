package execute

import (
	"context"
	"strings"

	"kedge/internal/core/run"
	"kedge/internal/process"
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
		return "another agent continues", nil
	}
	if j.Moved {
		return "its worktree was needed while it waited, and it has another one now", nil
	}
	if x.cfg.Talking != nil {
		talks, err := x.cfg.Talking(ctx, c.Resume)
		if err != nil {
			return "", err
		}
		if talks {
			return "another session has its conversation open", nil
		}
	}
	left, _, err := process.Strays("KEDGE_SESSION="+string(j.Session), "")
	if err != nil {
		return "", err
	}
	if j.Session != "" && len(left) > 0 {
		return "a process of the previous session is still running", nil
	}
	return "", nil
}
