package execute

import (
	"os"
	osexec "os/exec"
	"testing"

	"kedge/internal/engine/gate"
)

// TestGateSaysWhoseItIs: of a gate it is known which run began it.
func TestGateSaysWhoseItIs(t *testing.T) {
	dir := t.TempDir()
	if got := gate.RunOf(dir); got != "" {
		t.Errorf("a folder without a gate is of %q", got)
	}
	if err := (gate.Begun{Version: 1, Run: "run-1"}).Write(dir); err != nil {
		t.Fatal(err)
	}
	if got := gate.RunOf(dir); got != "run-1" {
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
