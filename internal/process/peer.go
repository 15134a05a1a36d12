package process

import (
	"net"

	"kedge"
)

// UID gives the user id of the process that connected, or that listens.
func UID(c net.Conn) (int, error) {
	uid := -1
	err := control(c, func(fd int) (err error) {
		uid, err = credUID(fd)
		return err
	})
	return uid, err
}

// control looks at the descriptor of a unix socket.
func control(c net.Conn, look func(fd int) error) error {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return kedge.Errorf(kedge.Internal, "Kedge cannot find out which user runs the program at the other end of the connection: the connection is a %T, not a unix socket", c)
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return kedge.Errorf(kedge.Internal, "Kedge cannot find out which user runs the program at the other end of the socket: %w", err)
	}
	var inner error
	if err := raw.Control(func(fd uintptr) { inner = look(int(fd)) }); err != nil {
		return kedge.Errorf(kedge.Internal, "Kedge cannot find out which user runs the program at the other end of the socket: %w", err)
	}
	if inner != nil {
		return kedge.Errorf(kedge.Internal, "Kedge cannot find out which user runs the program at the other end of the socket: %w", inner)
	}
	return nil
}
