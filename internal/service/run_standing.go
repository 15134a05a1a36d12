package service

import "context"

// runsForStanding are the runs as package standing needs them.
type runsForStanding struct{ s *Service }

// Status implements standing.Runs.
func (r runsForStanding) Status(ctx context.Context, p *project, reply *StatusReply) error {
	return r.s.runStatus(ctx, p, reply)
}

// LastTip implements standing.Runs.
func (r runsForStanding) LastTip(ctx context.Context, p *project) (string, error) {
	return r.s.lastTip(ctx, p)
}

// lastTip is the newest commit of the newest run; empty when there is none.
func (s *Service) lastTip(ctx context.Context, p *project) (string, error) {
	last, found, err := lastRun(ctx, p)
	if err != nil || !found {
		return "", err
	}
	return last.Tip, nil
}
