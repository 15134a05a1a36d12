package runs

import (
	"context"

	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/app/status"
)

// statusRuns are the runs as package status needs them.
type statusRuns struct{ s *Runs }

// Status implements status.Runs.
func (r statusRuns) Status(ctx context.Context, p *projects.Project, reply *status.Reply) error {
	return r.s.runStatus(ctx, p, reply)
}

// LastTip implements status.Runs.
func (r statusRuns) LastTip(ctx context.Context, p *projects.Project) (string, error) {
	return r.s.lastTip(ctx, p)
}

// lastTip is the newest commit of the newest run; empty when there is none.
func (s *Runs) lastTip(ctx context.Context, p *projects.Project) (string, error) {
	last, found, err := ledger.LastRun(ctx, p)
	if err != nil || !found {
		return "", err
	}
	return last.Tip, nil
}

// StatusRuns are the runs as package status needs them.
func (s *Runs) StatusRuns() status.Runs { return statusRuns{s} }
