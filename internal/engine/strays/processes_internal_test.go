package strays

import (
	"os"
	osexec "os/exec"
	"testing"
)

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
