package exec_test

import (
	"context"
	osexec "os/exec"
	"testing"

	"kedge/internal/engine/exec"
	"kedge/internal/run"
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

func newExecutor(y *yard) *exec.Executor { return exec.New(y.cfg) }

// mute tells nobody.
type mute struct{ exec.Briefs }

func (mute) Notify(context.Context, run.Command) error { return nil }
