package execute_test

import (
	"context"
	"testing"

	"kedge"
	"kedge/internal/core/review"
	"kedge/internal/core/run"
	"kedge/internal/engine/execute"
)

// allowAll approves everything, for tests of something else, but for what brings and
// unaccepted say.
type allowAll struct {
	brings     string
	unaccepted func(tip, at string) []kedge.FeatureID
}

func (allowAll) Trusted(context.Context, run.Command, string, kedge.SessionID) error { return nil }

func (a allowAll) Brings(_ context.Context, _ run.Command, _ string, found []kedge.Finding) ([]kedge.Trusted, string, error) {
	return nil, a.brings + review.Reason(found), nil
}

func (a allowAll) Unaccepted(_ context.Context, tip, at string) ([]kedge.FeatureID, error) {
	if a.unaccepted == nil {
		return nil, nil
	}
	return a.unaccepted(tip, at), nil
}

// startOnly starts a holder and registers it nowhere.
func startOnly(_ kedge.SessionID, start func() (int, error)) (func(), error) {
	_, err := start()
	return func() {}, err
}

// TestApprovalsAreRequired: an executor that asks nobody is not made.
func TestApprovalsAreRequired(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("an executor without Approvals was made")
		}
	}()
	execute.New(execute.Config{})
}
