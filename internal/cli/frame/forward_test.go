package frame

import (
	"bufio"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// TestForwardsSignals: a signal for this program is one for the command.
func TestForwardsSignals(t *testing.T) {
	said, says, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	hears, tell, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _, _, _ = said.Close(), says.Close(), hears.Close(), tell.Close() })
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "echo up; exec cat")
	cmd.Stdin, cmd.Stdout = hears, says
	type end struct {
		code int
		err  error
	}
	ended := make(chan end, 1)
	go func() {
		code, err := RunForwarding(cmd, true)
		ended <- end{code, err}
	}()
	if line, err := bufio.NewReader(said).ReadString('\n'); err != nil || line != "up\n" {
		t.Fatalf("%q, %v", line, err)
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	if e := <-ended; e.err != nil || e.code != 128+int(syscall.SIGUSR1) {
		t.Errorf("it ended with %d, %v", e.code, e.err)
	}
}
