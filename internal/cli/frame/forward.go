package frame

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// The codes of a shell for a command that cannot be started.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
)

// RunForwarding runs cmd to its end and gives it the signals that this program
// gets; those of a terminal's keys it gets by itself. The error is why it could
// not be started; the code is the one that a shell gives then.
func RunForwarding(cmd *exec.Cmd, tty bool) (int, error) {
	signals, stop := catchSignals()
	defer stop()
	if err := cmd.Start(); err != nil {
		return startCode(err), startWords(err)
	}
	ended := make(chan struct{})
	told := make(chan struct{})
	go func() {
		defer close(told)
		for {
			select {
			case s := <-signals:
				if key := s == os.Interrupt || s == syscall.SIGQUIT; !key || !tty {
					_ = cmd.Process.Signal(s) // it may have ended
				}
			case <-ended:
				return
			}
		}
	}()
	err := cmd.Wait()
	close(ended)
	<-told
	if err == nil {
		return 0, nil
	}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal()), nil
	}
	return max(cmd.ProcessState.ExitCode(), 1), nil
}

func startCode(err error) int {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return exitNotFound
	}
	return exitNotExecutable
}

// startWords are the reason without the call that failed.
func startWords(err error) error {
	if errors.Is(err, exec.ErrNotFound) {
		return errors.New("command not found")
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// catchSignals gives the signals that a command of exec is told of. Until stop is
// called none of them ends this program.
func catchSignals() (signals chan os.Signal, stop func()) {
	signals = make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2)
	return signals, func() { signal.Stop(signals) }
}
