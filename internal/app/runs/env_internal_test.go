package runs

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"kedge/internal/app/projects"
)

// TestARunKeepsItsEnvironment: whoever only joins does not change what it works
// in; nobody is asked twice for what nobody knows, until somebody brings it.
func TestARunKeepsItsEnvironment(t *testing.T) {
	s := New(&projects.Home{Dir: t.TempDir(), ReadOnly: true}, projects.NewLife(), Config{})
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
	s.KeepEnv("run-1", []string{"A=3"})
	if got := s.callerEnv("run-1"); !slices.Equal(got, []string{"A=3"}) {
		t.Errorf("after it was continued it works in %q", got)
	}
	s.forgetEnv("run-1")
	if got := s.callerEnv("run-1"); got != nil || s.envUnknown("run-1") {
		t.Errorf("%q is kept of a run that is over", got)
	}
}

// TestF1EnvironmentIsWaitedFor: a run that goes on with a new daemon works in the
// environment that its watcher brings along, if one does.
func TestF1EnvironmentIsWaitedFor(t *testing.T) {
	for name, c := range map[string]struct {
		then func(s *Runs)
		want string
	}{
		"a watcher":     {func(s *Runs) { s.keepFirstEnv("run-2", []string{"B=2"}); s.keepFirstEnv("run-1", []string{"A=1"}) }, "A=1"},
		"nobody":        {func(*Runs) {}, ""},
		"a daemon goes": {func(s *Runs) { s.life.Leave() }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := New(&projects.Home{Dir: t.TempDir()}, projects.NewLife(), Config{EnvPatience: time.Hour})
				got := make(chan []string, 1)
				go func() { got <- s.awaitEnv("run-1") }()
				synctest.Wait()
				c.then(s)
				if env := strings.Join(<-got, " "); env != c.want {
					t.Errorf("it works in %q, want %q", env, c.want)
				}
				s.life.Leave()
				s.life.End()
			})
		})
	}
}
