package process

import (
	"context"
	"net"
)

// pidKey carries the peer's pid in the context of its requests.
type pidKey struct{}

// WithPID gives ctx the pid of the process at the other end of c, where the
// system tells it. It fits http.Server.ConnContext.
func WithPID(ctx context.Context, c net.Conn) context.Context {
	pid, err := pidOf(c)
	if err != nil {
		return ctx // who asks is then known by their word only
	}
	return context.WithValue(ctx, pidKey{}, pid)
}

// PID is what WithPID found out.
func PID(ctx context.Context) (pid int, ok bool) {
	pid, ok = ctx.Value(pidKey{}).(int)
	return pid, ok && pid > 0
}

func pidOf(c net.Conn) (int, error) {
	pid := -1
	err := control(c, func(fd int) (err error) {
		pid, err = credPID(fd)
		return err
	})
	return pid, err
}
