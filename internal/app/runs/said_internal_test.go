package runs

import (
	"testing"

	"kedge"
	"kedge/internal/core/run"
)

// TestNotAtWork: the hint to a message that no session of the run can receive is a command
// that works for this session: one that has ended takes no text.
func TestNotAtWork(t *testing.T) {
	st := &run.State{Features: []run.Feature{{ID: "login"}}}
	for want, ses := range map[string]kedge.Session{
		"send the message to the next session of that feature: kedge tell login TEXT": {Name: "a", Feature: "login", State: kedge.SessionRunning},
		"type the message into that session: kedge send b TEXT":                       {Name: "b", State: kedge.SessionRunning},
		"that session has ended; to see those that run: kedge ls":                     {Name: "c", State: kedge.SessionExited, Feature: "of another run"},
	} {
		if got := kedge.HintOf(notAtWork(ses, st)); got != want {
			t.Errorf("%+v: hint %q, want %q", ses, got, want)
		}
	}
}
