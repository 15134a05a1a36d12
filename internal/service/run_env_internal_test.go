package service

import (
	"slices"
	"testing"
)

// TestARunKeepsItsEnvironment: whoever only joins does not change what it works
// in; nobody is asked twice for what nobody knows, until somebody brings it.
func TestARunKeepsItsEnvironment(t *testing.T) {
	s := New(Config{Home: t.TempDir(), ReadOnly: true})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if s.envUnknown("run-1") {
		t.Error("nobody was asked yet")
	}
	s.noteUnknownEnv("run-1")
	if !s.envUnknown("run-1") {
		t.Error("it would be asked for again")
	}
	s.keepFirstEnv("run-1", []string{"A=1"})
	s.keepFirstEnv("run-1", []string{"A=2"})
	s.noteUnknownEnv("run-1")
	if got := s.callerEnv("run-1"); !slices.Equal(got, []string{"A=1"}) || s.envUnknown("run-1") {
		t.Errorf("it works in %q", got)
	}
	s.keepEnv("run-1", []string{"A=3"})
	if got := s.callerEnv("run-1"); !slices.Equal(got, []string{"A=3"}) {
		t.Errorf("after it was continued it works in %q", got)
	}
	s.forgetEnv("run-1")
	if got := s.callerEnv("run-1"); got != nil || s.envUnknown("run-1") {
		t.Errorf("%q is kept of a run that is over", got)
	}
}
