package frame_test

import (
	"testing"
	"time"

	"kedge"
	"kedge/internal/cli/frame"
	"kedge/internal/core/run"
)

// TestHeldByYou: only a halt that you asked for is yours. One of Kedge's own keeps its
// reason.
func TestHeldByYou(t *testing.T) {
	at := time.Now().Add(-3*time.Minute - time.Second)
	for _, c := range []struct {
		state run.Status
		halt  run.Halt
		by    kedge.Actor
		want  string
	}{
		{run.StatusPaused, run.Paused, "human:ada", "paused by you, 3 minutes ago"},
		{run.StatusStopped, run.Stopped, "human:ada", "stopped by you, 3 minutes ago"},
		{run.StatusPaused, run.Paused, "", ""},
		{run.StatusPaused, run.Paused, kedge.Agent("ses-1"), ""},
		{run.StatusRunning, "", "human:ada", ""},
	} {
		got, held := frame.HeldByYou(c.state, c.halt, c.by, &at)
		if got != c.want || held != (c.want != "") {
			t.Errorf("%+v: %q, %v", c, got, held)
		}
	}
}
