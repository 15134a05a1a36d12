package sessions

import "testing"

// TestAfterEnd: what to do about a session that has ended. One of a run is the run's to
// follow with another.
func TestAfterEnd(t *testing.T) {
	for want, got := range map[string]string{
		"start the session again: kedge resume work":                                afterEnd("send", "work", ""),
		"the session worked for run run-1; see what the run does now: kedge status": afterEnd("send", "work", "run-1"),
		"nothing to end; to see how the session ended: kedge show work":             afterEnd("kill", "work", "run-1"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
