package gate_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"kedge"
	"kedge/internal/engine/gate"
)

// stage runs gates in a bubble in which nothing takes time: each runs until it is let go.
type stage struct {
	t     *testing.T
	turns gate.Turns
	mu    sync.Mutex
	began []string
	let   map[string]chan struct{}
	ended map[string]chan int // with how many ran beside
}

func newStage(t *testing.T) *stage {
	return &stage{t: t, let: map[string]chan struct{}{}, ended: map[string]chan int{}}
}

// ask has a gate ask for its turn.
func (s *stage) ask(ctx context.Context, name string, ask gate.Ask) {
	let, ended := make(chan struct{}), make(chan int, 1)
	s.let[name], s.ended[name] = let, ended
	go func() {
		_, beside, err := s.turns.Take(ctx, ask, func() (kedge.Verdict, error) {
			s.mu.Lock()
			s.began = append(s.began, name)
			s.mu.Unlock()
			<-let
			return kedge.Verdict{}, nil
		})
		if err != nil {
			beside = -1
		}
		ended <- beside
	}()
	synctest.Wait()
}

// end lets a gate go to its end, and gives how many ran beside it; -1: it never ran.
func (s *stage) end(name string) int {
	close(s.let[name])
	synctest.Wait()
	return <-s.ended[name]
}

// want holds the gates that began since it was asked last to a list, in the order of the
// alphabet: who may begin at once begins in any order.
func (s *stage) want(names string) {
	s.t.Helper()
	slices.Sort(s.began)
	if got := strings.Join(s.began, " "); got != names {
		s.t.Errorf("now began %q, want %q", got, names)
	}
	s.began = nil
}

func TestTurnsAreBoundedAndFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, suite := newStage(t), gate.Ask{Suites: 2}
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			s.ask(t.Context(), name, suite)
		}
		s.want("a b")
		s.ask(t.Context(), "own", gate.Ask{})
		s.want("own") // a feature's checks need no place
		s.end("b")
		s.want("c")
		s.end("own")
		s.want("")
		s.ask(t.Context(), "wide", gate.Ask{Suites: 9}) // its project allows more: it waits for its turn all the same
		s.want("")
		s.end("a")
		s.want("d")
		s.end("c")
		s.want("e wide")
		if n := s.end("d"); n != 3 { // c, e, wide
			t.Errorf("%d gates ran beside d", n)
		}
		s.end("e")
		s.end("wide")
	})
}

func TestTurnAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		s.ask(t.Context(), "a", gate.Ask{Suites: 1})
		s.ask(t.Context(), "own", gate.Ask{})
		s.ask(t.Context(), "alone", gate.Ask{Alone: true})
		s.ask(t.Context(), "later", gate.Ask{})
		s.ask(t.Context(), "b", gate.Ask{Suites: 1})
		s.want("a own")
		s.end("a")
		s.want("")
		s.end("own")
		s.want("alone")
		if n := s.end("alone"); n != 0 {
			t.Errorf("%d gates ran beside the one that is alone", n)
		}
		s.want("b later")
		s.ask(t.Context(), "again", gate.Ask{Suites: 1, Begun: true}) // its checks run already
		s.want("again")
		s.ask(t.Context(), "c", gate.Ask{Suites: 1})
		s.end("b")
		s.want("")
		s.end("again")
		s.want("c")
		s.end("later")
		s.end("c")
	})
}

// TestTurnsAreGivenBack: by one that is withdrawn while it waits, and by one that panics.
func TestTurnsAreGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		gone := errors.New("withdrawn")
		ctx, cancel := context.WithCancelCause(t.Context())
		s.ask(t.Context(), "a", gate.Ask{Suites: 1})
		s.ask(ctx, "b", gate.Ask{Suites: 1, Alone: true})
		s.ask(t.Context(), "c", gate.Ask{})
		s.want("a")
		cancel(gone)
		synctest.Wait()
		s.want("c")
		if n := <-s.ended["b"]; n != -1 {
			t.Error("one that was withdrawn has run")
		}
		s.end("a")
		s.end("c")
		_, _, err := s.turns.Take(ctx, gate.Ask{Suites: 1}, func() (kedge.Verdict, error) { return kedge.Verdict{}, gone })
		if !errors.Is(err, gone) {
			t.Errorf("the error is %v", err)
		}
		func() {
			defer func() { _ = recover() }()
			_, _, _ = s.turns.Take(t.Context(), gate.Ask{Alone: true}, func() (kedge.Verdict, error) { panic("a gate") })
		}()
		s.ask(t.Context(), "d", gate.Ask{Suites: 1})
		s.want("d")
		s.end("d")
	})
}

func TestTriedAlone(t *testing.T) {
	late := func(name string) kedge.CheckResult {
		return kedge.CheckResult{Name: name, Exit: -1, FirstFailure: &kedge.Failure{Message: "timed out after 1s"}}
	}
	green := kedge.CheckResult{Name: "lint", MS: 7, Log: "lint.log"}
	reused := kedge.CheckResult{Name: "lint", Reused: "evd-1"}
	first := kedge.Verdict{Verdict: kedge.TestFailure, Checks: []kedge.CheckResult{green, late("unit")}}
	for what, alone := range map[string]kedge.CheckResult{
		"it was green":       {Name: "unit"},
		"it was red":         {Name: "unit", Exit: 1, FirstFailure: &kedge.Failure{Message: "no"}},
		"it timed out again": late("unit"),
		"it did not start":   {Name: "unit", Exit: -1, Skipped: "did not run, because lint is red"},
	} {
		v := gate.TriedAlone(first, kedge.Verdict{Verdict: kedge.ValidationOK, Checks: []kedge.CheckResult{reused, alone}}, 2)
		if len(v.Findings) != 1 || v.Findings[0].What != `check "unit" timed out beside 2 other runs of checks; when Kedge ran it again alone, `+what || v.Findings[0].Level == kedge.LevelError {
			t.Errorf("%s: it says %+v", what, v.Findings)
		}
		if !slices.EqualFunc(v.Checks, []kedge.CheckResult{green, alone}, func(a, b kedge.CheckResult) bool { return a.Log == b.Log && a.Exit == b.Exit && a.Reused == b.Reused }) {
			t.Errorf("%s: the checks are %+v", what, v.Checks)
		}
	}
}
