package execute_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"kedge"
	"kedge/internal/core/run"
	"kedge/internal/engine"
	"kedge/internal/engine/gate"
	"kedge/internal/process"
)

// slowly runs the lines of a yard. The project's check times out so often, whatever the
// speed of the machine.
type slowly struct {
	mu     sync.Mutex
	late   int
	begun  int // how often the project's check began
	begins func(n int)
	other  chan struct{} // closed when the check of "two" begins
}

type lineOf struct{ *process.Proc }

func (lineOf) Since() time.Time { return time.Time{} }

func (*slowly) Runs(context.Context, string) bool { return false }

func (s *slowly) Start(ctx context.Context, spec process.Spec) (gate.Line, error) {
	switch {
	case strings.Contains(spec.Line, "check.sh"):
		s.mu.Lock()
		s.begun++
		n := s.begun
		if s.late > 0 {
			s.late--
			spec.Line, spec.Timeout = "sleep 600", time.Millisecond
		}
		s.mu.Unlock()
		s.begins(n)
	case strings.Contains(spec.Line, "two-ended"):
		close(s.other)
	}
	p, err := process.Start(ctx, spec)
	return lineOf{p}, err
}

// busy is a yard in which the check of feature "two" runs until the file "go" is there, and
// the check of the project times out so often.
func busy(t *testing.T, late int) (*yard, *slowly) {
	t.Helper()
	y := newYard(t, nil)
	s := &slowly{late: late, begins: func(int) {}, other: make(chan struct{})}
	y.cfg.Runner = s
	y.open()
	y.feature("one", own("test -e one.txt"))
	y.feature("two", own("while ! test -e $HOME/go; do sleep 0.05; done; sleep 0.5; echo x > $HOME/two-ended; false"))
	y.prepared(1, "one", y.head())
	y.prepared(2, "two", y.head())
	return y, s
}

// baselineOf is the command that runs the project's checks on what the job's slot begins with.
func (y *yard) baselineOf(job int, id kedge.FeatureID) run.Command {
	base := y.head()
	return y.command(run.Gate, job, run.Command{Feature: id, Base: base, Tree: y.git("-C", y.root, "rev-parse", base+"^{tree}"), Scope: "full"})
}

// beside runs the checks of another job until the file "go" is there.
func (y *yard) beside(s *slowly) (wait func()) {
	c := y.command(run.Prove, 2, run.Command{Feature: "two", Base: y.head()})
	var wg sync.WaitGroup
	wg.Go(func() {
		if ev, err := y.x.Do(y.t.Context(), c, func(run.Input) {}); err != nil || ev.Outcome != run.Fails {
			y.t.Errorf("the other gate: %+v, %v", ev, err)
		}
	})
	<-s.other
	return wg.Wait
}

// says are the findings of the newest verdict.
func (y *yard) says() string {
	return findings(y.book.evidence[len(y.book.evidence)-1].Verdict.Findings)
}

// TestLateBesideOthers: a check that timed out while another gate ran is tried alone, and
// what came of it then counts. One that had the machine to itself is red.
func TestLateBesideOthers(t *testing.T) {
	for name, of := range map[string]struct {
		late   int
		alone  bool
		is     run.Outcome
		begins int
		says   string
	}{
		"green alone": {late: 1, is: run.Green, begins: 2, says: `warning: check "unit" timed out beside 1 other run of checks; when Kedge ran it again alone, it was green: unit`},
		"late alone":  {late: 2, is: run.Red, begins: 2, says: `warning: check "unit" timed out beside 1 other run of checks; when Kedge ran it again alone, it timed out again: unit`},
		"no other":    {late: 1, alone: true, is: run.Red, begins: 1},
	} {
		t.Run(name, func(t *testing.T) {
			y, s := busy(t, of.late)
			wait := func() {}
			if !of.alone {
				wait = y.beside(s)
			}
			s.begins = func(n int) {
				if n == 1 {
					y.put(y.home, "../go", "")
				}
				if n == 2 && y.read(y.home, "../two-ended") == "" {
					t.Error("it is not alone")
				}
			}
			y.want(of.is, y.baselineOf(1, "one"))
			wait()
			if y.says() != of.says || s.begun != of.begins {
				t.Errorf("it began %d times, and says %q", s.begun, y.says())
			}
		})
	}
}

// TestTriedAloneAfterARestart: the daemon goes while a check is tried alone, and the next
// one tries it again although nothing else runs any more.
func TestTriedAloneAfterARestart(t *testing.T) {
	y, s := busy(t, 1)
	wait := y.beside(s)
	ctx, leave := context.WithCancelCause(t.Context())
	s.begins = func(n int) {
		switch n {
		case 1:
			y.put(y.home, "../go", "")
		case 2:
			leave(engine.ErrLeave)
		}
	}
	c := y.baselineOf(1, "one")
	if _, err := y.x.Do(ctx, c, func(run.Input) {}); !errors.Is(err, engine.ErrLeave) {
		t.Fatalf("it ended with %v", err)
	}
	wait()
	y.open()
	s.late = 1 // as it is found when it is taken up
	y.want(run.Green, adopted(c))
	if !strings.Contains(y.says(), "when Kedge ran it again alone, it was green") {
		t.Errorf("it says %q", y.says())
	}
}

// TestGatesAreBounded: as many gates with checks of the project run at once as gate.parallel
// says; each of these waits for the other, for a while.
func TestGatesAreBounded(t *testing.T) {
	for parallel, want := range map[string]string{"1": "begin end begin end", "2": "begin begin end end"} {
		y := newYard(t, map[string]string{
			".kedge/config.toml": "version = 1\n[gate]\nparallel = " + parallel + "\n",
			"check.sh": "echo begin >> $HOME/log; i=0\n" +
				"while test $i -lt $TRIES && test $(grep -c begin $HOME/log) -lt 2; do sleep 0.05; i=$((i+1)); done\n" +
				"echo end >> $HOME/log\n",
		})
		y.env = append(y.env, "TRIES="+map[string]string{"1": "10", "2": "100000"}[parallel])
		var commands []run.Command
		for i, id := range []kedge.FeatureID{"one", "two"} {
			y.feature(id, own("test -e "+string(id)+".txt"))
			y.prepared(i+1, id, y.head())
			c := y.baselineOf(i+1, id)
			c.Flaky = true // nothing is reused
			commands = append(commands, c)
		}
		var wg sync.WaitGroup
		for _, c := range commands {
			wg.Go(func() {
				if ev, err := y.x.Do(t.Context(), c, func(run.Input) {}); err != nil || ev.Outcome != run.Green {
					t.Errorf("gated %+v, %v", ev, err)
				}
			})
		}
		wg.Wait()
		if got := strings.Join(strings.Fields(y.read(y.home, "../log")), " "); got != want {
			t.Errorf("parallel = %s: %q, want %q", parallel, got, want)
		}
	}
}
