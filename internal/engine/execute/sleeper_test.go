package execute_test

import (
	"context"
	"errors"
	"net"
	osexec "os/exec"
	"testing"
	"time"

	"kedge"
	"kedge/internal/core/run"
	"kedge/internal/engine"
	"kedge/internal/engine/execute"
	"kedge/internal/git/slot"
)

// newSleeper starts a process that works in a folder until it is told to end.
func newSleeper(t *testing.T, dir string, env ...string) (end func()) {
	t.Helper()
	cmd := osexec.Command("cat") // until its input ends
	cmd.Dir, cmd.Env = dir, env
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	go func() { _ = cmd.Wait(); close(over) }()
	end = func() { _ = in.Close(); <-over }
	t.Cleanup(end)
	return end
}

func newExecutor(y *yard) *execute.Executor {
	x := execute.New(y.cfg)
	y.t.Cleanup(x.Leave)
	return x
}

// mute tells nobody.
type mute struct{ engine.Briefs }

func (mute) Notify(context.Context, run.Command) error { return nil }

// newListener is an address of this machine at which somebody answers.
func newListener(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_ = c.Close()
		}
	}()
	return l.Addr().String()
}

// newServer is a process that was left behind; it tells whether it lives.
func newServer(t *testing.T, env ...string) (lives func() bool) {
	t.Helper()
	cmd := osexec.Command("cat")
	cmd.Dir, cmd.Env = t.TempDir(), env
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	go func() { _ = cmd.Wait(); close(over) }()
	t.Cleanup(func() { _ = in.Close(); <-over })
	return func() bool {
		select {
		case <-over:
			return false
		case <-time.After(3 * time.Minute): // only guards against hanging
			return true
		}
	}
}

// leave carries a command out until a condition holds, then goes away.
func (y *yard) leave(c run.Command, when func() bool) error {
	y.t.Helper()
	return y.breakOff(c, when, engine.ErrLeave)
}

// withdraw carries a command out until a condition holds, then takes it back.
func (y *yard) withdraw(c run.Command, when func() bool) {
	y.t.Helper()
	if err := y.breakOff(c, when, context.Canceled); err == nil || errors.Is(err, engine.ErrLeave) {
		y.t.Fatalf("withdrawn: %v", err)
	}
}

func (y *yard) breakOff(c run.Command, when func() bool, cause error) error {
	y.t.Helper()
	ctx, cancel := context.WithCancelCause(y.t.Context())
	defer cancel(nil)
	out := make(chan error, 1)
	go func() {
		_, err := y.x.Do(ctx, c, func(run.Input) {})
		out <- err
	}()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for guard := time.After(3 * time.Minute); !when(); {
		select {
		case <-tick.C:
		case err := <-out:
			y.t.Fatalf("%s ended by itself: %v", c.Kind, err)
		case <-guard:
			y.t.Fatalf("%s never came so far", c.Kind)
		}
	}
	cancel(cause)
	return <-out
}

// sessionOf says which session worked for a job last.
func (y *yard) sessionOf(job int, id kedge.SessionID) {
	y.t.Helper()
	_, err := y.cfg.Slots.Keep(runID, job, func(j *slot.Job) { j.Session = id })
	y.must(err)
}
