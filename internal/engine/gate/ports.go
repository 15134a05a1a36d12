package gate

import (
	"context"
	"net"
	"slices"

	"kedge"
)

// Ports are taken from below the range that systems give out by themselves, so
// that no ordinary connection takes one between our look and the service's. Sessions
// have a range of their own: their programs may start to listen at any time.
const (
	firstPort = 20000
	lastPort  = 32000 // not included, as below

	firstSessionPort = lastPort
	lastSessionPort  = 32768
)

// SessionPort gives a port for the programs of a session: none of those that other
// sessions have, and one that nothing listens on now.
func SessionPort(ctx context.Context, taken []int) (int, error) {
	for port := firstSessionPort; port < lastSessionPort; port++ {
		if !slices.Contains(taken, port) && isFree(ctx, port) {
			return port, nil
		}
	}
	return 0, noPort(firstSessionPort, lastSessionPort, "remove worktrees that are no longer needed and still have a port: kedge worktree gc")
}

// isFree tells whether nothing listens on a port.
func isFree(ctx context.Context, port int) bool {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", hostPort(port))
	return err == nil && l.Close() == nil
}

func noPort(first, last int, next string) error {
	return kedge.Errorf(kedge.Blocked, "Kedge found no free port between %d and %d", first, last).WithHint("%s", next)
}
