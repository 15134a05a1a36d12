package cli

import (
	"context"
	"errors"

	"kedge/internal/app/runs"
	"kedge/internal/text/plain"
)

// afterChange says what comes next, as the state is now: every command that changes
// it ends so. A session has its brief, and a program asks when it wants to know.
func (env *Env) afterChange(ctx context.Context) {
	if env.json || env.getenv("KEDGE_SESSION") != "" {
		return
	}
	out, err := call[runs.StepsReply](ctx, env, "steps", runs.StepsRequest{})
	if err != nil {
		return // what was asked for is done, and kedge status says what is wrong
	}
	for _, line := range out.Steps {
		if !out.Going || !aboutGoing(line) {
			env.talk("next: %s", plain.Line(line))
		}
	}
	if out.Going {
		env.talk("next: the run goes on by itself: kedge run shows it")
	}
}

// aboutGoing tells whether a command is one for a run that works by itself.
func aboutGoing(line string) bool {
	return line == "kedge run" || line == "kedge run --pause" || line == "kedge run --stop"
}

// changed is an answer after which comes what to do next.
func (env *Env) changed(ctx context.Context, err error) error {
	if _, said := errors.AsType[errSaid](err); err == nil || said {
		env.afterChange(ctx)
	}
	return err
}
