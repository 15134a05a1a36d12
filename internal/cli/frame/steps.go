package frame

import (
	"context"
	"errors"

	"kedge/internal/app/runs"
	"kedge/internal/text/plain"
)

// AfterChange says what comes next, as the state is now: every command that changes
// it ends so. A session has its brief, and a program asks when it wants to know.
func (env *Env) AfterChange(ctx context.Context) {
	if env.JSON || env.Getenv("KEDGE_SESSION") != "" {
		return
	}
	out, err := Call[runs.StepsReply](ctx, env, "steps", runs.StepsRequest{})
	if err != nil {
		return // what was asked for is done, and kedge status says what is wrong
	}
	for _, line := range out.Steps {
		if !out.Going || !aboutGoing(line) {
			env.Talk("next: %s", plain.Line(line))
		}
	}
	if out.Going {
		env.Talk("next: the run goes on by itself: kedge run shows it")
	}
}

// aboutGoing tells whether a command is one for a run that works by itself.
func aboutGoing(line string) bool {
	return line == "kedge run" || line == "kedge run --pause" || line == "kedge run --stop"
}

// Changed is an answer after which comes what to do next.
func (env *Env) Changed(ctx context.Context, err error) error {
	if _, said := errors.AsType[Printed](err); err == nil || said {
		env.AfterChange(ctx)
	}
	return err
}
