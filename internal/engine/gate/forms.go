package gate

import (
	"context"

	"kedge"
	"kedge/internal/core/check"
)

// runners has, for each form of check, what carries it out: it fills in how the check
// ended. An error means that there is no verdict.
var runners = map[string]func(g *gate, ctx context.Context, s step, res *kedge.CheckResult) error{
	check.Command: (*gate).runCommand,
	check.Request: (*gate).runHTTP,
	check.Connect: (*gate).runTCP,
}
