package main

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"kedge"
	"kedge/internal/cli/frame"
	"kedge/internal/server/daemon"
)

// silence is how long a daemon may leave a caller without a sign of life who
// cannot press Ctrl-C.
const silence = 20 * time.Second

// errSilent is why a call was given up: the daemon took the connection and says
// nothing, not even who it is.
var errSilent = errors.New("Kedge's background process, the daemon, does not answer")

// Scoped gives calls in the name of a session, by its token. They
// end with an error when the daemon hangs.
func (c *caller) Scoped(session kedge.SessionID, token string) frame.Caller {
	own := *c
	own.session, own.token, own.patience = session, token, silence
	return scoped{&own}
}

// scoped is a caller whose every call is watched over.
type scoped struct{ *caller }

// Call implements frame.Caller.
func (s scoped) Call(ctx context.Context, name string, in, out any, progress func(json.RawMessage)) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go s.listen(ctx, stop)
	err := s.caller.Call(ctx, name, in, out, progress)
	if err != nil && errors.Is(context.Cause(ctx), errSilent) {
		return kedge.Errorf(kedge.Interrupted, "%w", errSilent).WithHint("ask the user to restart the daemon: kedge down && kedge up")
	}
	return err
}

// listen gives a call up when the daemon is silent. One that is not there is not
// silent: the call itself says so.
func (s scoped) listen(ctx context.Context, giveUp context.CancelCauseFunc) {
	h := daemon.Client(s.home, s.patience)
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-pause.C:
		}
		if _, err := daemon.Ask(ctx, h); isTimeout(err) && ctx.Err() == nil {
			giveUp(errSilent)
			return
		}
		pause.Reset(s.patience)
	}
}
