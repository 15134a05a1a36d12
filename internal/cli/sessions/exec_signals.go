package sessions

import (
	"os"
	"os/signal"
	"syscall"
)

// catchSignals gives the signals that a command of exec is told of. Until stop is
// called none of them ends this program.
func catchSignals() (signals chan os.Signal, stop func()) {
	signals = make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2)
	return signals, func() { signal.Stop(signals) }
}
