package follow

import (
	"testing"

	"kedge/internal/core/run"
)

func TestWhatIsKnownOfAJobGoesWithIt(t *testing.T) {
	var l living
	c := run.Command{Run: "run-1", Job: 1, Epoch: 7}
	l.end(c)
	if l.forget(c); len(l.ends) > 0 {
		t.Errorf("kept: %v", l.ends)
	}
}
