package runs

import (
	"context"

	"kedge"
)

// approvals answers the executor's questions about what you approved.
type approvals struct{ runLedger }

// Unaccepted implements execute.Approvals, whatever the run itself remembers.
func (l approvals) Unaccepted(ctx context.Context, tip, at string) ([]kedge.FeatureID, error) {
	repo, err := l.s.home.Git(ctx, l.p)
	if err != nil {
		return nil, err
	}
	found, err := l.s.unaccepted(ctx, l.p, repo, tip, at)
	var out []kedge.FeatureID
	for _, w := range found {
		out = append(out, w.Feature)
	}
	return out, err
}
