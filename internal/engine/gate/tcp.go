package gate

import (
	"context"

	"kedge"
)

// runTCP connects and hangs up: that the connection was accepted is all that is asked.
func (g *gate) runTCP(ctx context.Context, s step, res *kedge.CheckResult) error {
	return g.probe(ctx, s, res, s.check.TCP, func(ctx context.Context, address string) (said string, log []byte) {
		if err := dial(ctx, address); err != nil {
			return reason(err), []byte(err.Error() + "\n")
		}
		return "", []byte("connected\n")
	})
}
