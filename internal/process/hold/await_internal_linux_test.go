package hold

import (
	"os/exec"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestF10AwaitExitOfWhatIsGone: a process that ended before anybody waits for it
// is not waited for for ever, whatever the runtime heard of it in between.
func TestF10AwaitExitOfWhatIsGone(t *testing.T) {
	for range 200 {
		pidfd := -1
		cmd := exec.CommandContext(t.Context(), "true")
		cmd.SysProcAttr = &syscall.SysProcAttr{PidFD: &pidfd}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if pidfd < 0 {
			t.Skip("this system has no descriptors of processes")
		}
		if err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
			t.Fatal(err)
		}
		if !hasExited(pidfd) {
			t.Fatal("it has ended, and is taken for alive")
		}
		done := make(chan struct{})
		go func() { awaitExit(pidfd); close(done) }()
		select {
		case <-done:
		case <-time.After(2 * time.Minute): // only against hanging
			t.Fatal("it has ended, and is waited for")
		}
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAwaitExitOfTheLiving: one that lives is waited for until it ends.
func TestAwaitExitOfTheLiving(t *testing.T) {
	pidfd := -1
	cmd := exec.CommandContext(t.Context(), "cat")
	cmd.SysProcAttr = &syscall.SysProcAttr{PidFD: &pidfd}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if pidfd >= 0 && hasExited(pidfd) {
		t.Error("it lives, and is taken for dead")
	}
	done := make(chan struct{})
	go func() { awaitExit(pidfd); close(done) }()
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	<-done // first: while it waits, the descriptor that Wait has too is one that does not block
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}
