package drive

import (
	"context"

	"kedge/internal/project"
	"kedge/internal/standing"
)

// runsForStanding are the runs as package standing needs them.
type runsForStanding struct{ s *Driver }

// Status implements standing.Runs.
func (r runsForStanding) Status(ctx context.Context, p *project.Project, reply *standing.StatusReply) error {
	return r.s.runStatus(ctx, p, reply)
}

// LastTip implements standing.Runs.
func (r runsForStanding) LastTip(ctx context.Context, p *project.Project) (string, error) {
	return r.s.lastTip(ctx, p)
}

// lastTip is the newest commit of the newest run; empty when there is none.
func (s *Driver) lastTip(ctx context.Context, p *project.Project) (string, error) {
	last, found, err := lastRun(ctx, p)
	if err != nil || !found {
		return "", err
	}
	return last.Tip, nil
}

// ForStanding are the runs as package standing needs them.
func (s *Driver) ForStanding() standing.Runs { return runsForStanding{s} }
