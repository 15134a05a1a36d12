package execute

import (
	"os"
	osexec "os/exec"
	"testing"

	"kedge/internal/core/run"
)

// TestWhatIsKnownOfAJobGoesWithIt, and of a gate it is known whose it is.
func TestWhatIsKnownOfAJobGoesWithIt(t *testing.T) {
	var l living
	c := run.Command{Run: "run-1", Job: 1, Epoch: 7}
	l.end(c)
	if l.forget(c); len(l.ends) > 0 {
		t.Errorf("kept: %v", l.ends)
	}
	dir := t.TempDir()
	if got := GateRun(dir); got != "" {
		t.Errorf("a folder without a gate is of %q", got)
	}
	if err := (begunGate{Version: 1, Run: "run-1"}).write(dir); err != nil {
		t.Fatal(err)
	}
	if got := GateRun(dir); got != "run-1" {
		t.Errorf("it is of %q", got)
	}
}

// TestWhatIsStartedMeanwhileIsEndedToo: looking alone would wait for ever.
func TestWhatIsStartedMeanwhileIsEndedToo(t *testing.T) {
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("no /proc: whose a process is cannot be seen")
	}
	const mark = "KEDGE_SESSION=ses-00000000000000000000strays1"
	cmd := osexec.Command("cat") // until its input ends
	cmd.Env = []string{mark}
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
	if left, err := gone(t.Context(), mark, 1); err != nil || len(left) != 1 || left[0] != cmd.Process.Pid {
		t.Fatalf("after one try %v is left: %v", left, err)
	}
	if left, err := gone(t.Context(), mark, 100_000); err != nil || len(left) != 0 {
		t.Fatalf("%v is left: %v", left, err)
	}
	<-over
}
