package supply

import (
	"context"

	"kedge"
)

// approvals answers the executor's questions about what you approved.
type approvals struct{ recorder }

// Unaccepted implements engine.Approvals, whatever the run itself remembers.
func (l approvals) Unaccepted(ctx context.Context, tip, at string) ([]kedge.FeatureID, error) {
	return l.s.landing.Unaccepted(ctx, l.p, tip, at)
}
