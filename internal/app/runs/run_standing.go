package runs

import (
	"context"

	"kedge/internal/app/projects"
	"kedge/internal/app/status"
)

// runsForStanding are the runs as package status needs them.
type runsForStanding struct{ s *Driver }

// Status implements status.Runs.
func (r runsForStanding) Status(ctx context.Context, p *projects.Project, reply *status.StatusReply) error {
	return r.s.runStatus(ctx, p, reply)
}

// LastTip implements status.Runs.
func (r runsForStanding) LastTip(ctx context.Context, p *projects.Project) (string, error) {
	return r.s.lastTip(ctx, p)
}

// lastTip is the newest commit of the newest run; empty when there is none.
func (s *Driver) lastTip(ctx context.Context, p *projects.Project) (string, error) {
	last, found, err := lastRun(ctx, p)
	if err != nil || !found {
		return "", err
	}
	return last.Tip, nil
}

// ForStanding are the runs as package status needs them.
func (s *Driver) ForStanding() status.Runs { return runsForStanding{s} }
