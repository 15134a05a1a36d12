// Package peer says which user is at the other end of a unix socket, as the
// kernel noted it when the connection was made; it cannot be forged.
package peer

import (
	"net"

	"kedge"
)

// UID gives the user id of the process that connected, or that listens.
func UID(c net.Conn) (int, error) {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return -1, kedge.Errorf(kedge.Internal, "not a unix socket: %T", c)
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return -1, kedge.Errorf(kedge.Internal, "look at the socket: %w", err)
	}
	uid, inner := -1, error(nil)
	if err := raw.Control(func(fd uintptr) { uid, inner = credUID(int(fd)) }); err != nil {
		return -1, kedge.Errorf(kedge.Internal, "look at the socket: %w", err)
	}
	if inner != nil {
		return -1, kedge.Errorf(kedge.Internal, "ask who is at the other end: %w", inner)
	}
	return uid, nil
}
