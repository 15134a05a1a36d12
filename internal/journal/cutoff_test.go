package journal_test

import (
	"context"
	"errors"
	"testing"

	"kedge"
	"kedge/internal/journal"
)

// A read that is cut off says so. The journal is not called broken for it.
func TestReadThatIsCutOff(t *testing.T) {
	s := open(t, t.TempDir(), journal.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Events(ctx, 0)
	if !kedge.Interrupted.Is(err) || !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
