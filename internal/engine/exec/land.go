package exec

import (
	"context"

	"kedge"
	"kedge/internal/gitx"
	"kedge/internal/run"
	"kedge/internal/slot"
)

// land moves the user's branch to what was verified, if nothing of the user's is
// in the way; else it refuses and says what to do.
func (x *Executor) land(ctx context.Context, c run.Command, _ func(run.Event)) (run.Event, error) {
	course, err := x.cfg.Slots.Course(ctx, c.Run)
	if err != nil {
		return run.Event{}, err
	}
	if course.Lands == "" {
		return refused(c, kedge.Errorf(kedge.Blocked, "the run started on no branch").
			WithHint("git switch -c NAME && git merge --ff-only %s", slot.Branch(c.Run))), nil
	}
	err = x.cfg.Repo.Forward(ctx, gitx.ForwardRequest{
		Branch: course.Lands, To: c.Commit, Ours: func(path string) bool { return x.projected(ctx, path) },
	})
	if kedge.Conflict.Is(err) || kedge.Blocked.Is(err) || kedge.NotFound.Is(err) {
		return refused(c, err), nil
	}
	if err != nil {
		return run.Event{}, err
	}
	ev := answer(c, run.OK)
	ev.Commit = c.Commit
	return ev, nil
}

func refused(c run.Command, err error) run.Event {
	ev := answer(c, run.Refused)
	ev.Reason = why(err) + "; then: kedge land"
	return ev
}

// projected tells whether a file of the user's checkout is as Kedge wrote it.
func (x *Executor) projected(ctx context.Context, path string) bool {
	return x.cfg.Projected != nil && ours(path) && x.cfg.Projected(ctx, path)
}
