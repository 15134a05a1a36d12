package execute_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/core/run"
	"kedge/internal/engine"
)

// ticks gives the moments of one kind by hand, and of the other none.
func (s *stage) ticks(often bool) chan time.Time {
	moments := make(chan time.Time)
	s.cfg.Tick = func(every time.Duration) (<-chan time.Time, func()) {
		if (every <= time.Second) == often {
			return moments, func() {}
		}
		return nil, func() {}
	}
	s.renew()
	return moments
}

// signals are the kinds that were written down.
func (s *stage) signals() []string {
	var out []string
	for _, d := range of[kedge.SessionSignalledData](s.t, s.ledger, kedge.SessionSignalled) {
		out = append(out, d.Signal+" "+d.Advice)
	}
	return out
}

// What is noticed after an adoption is written down, also when the owner before
// noticed something that is not on the tape; what is read again is not.
func TestSignalsAfterAnAdoption(t *testing.T) {
	s := newStage(t)
	now := time.Unix(1_800_000_000, 0)
	s.cfg.Now = func() time.Time { s.mu.Lock(); defer s.mu.Unlock(); return now }
	moments := s.ticks(false)
	c := s.command("")
	s.useCommand("/bin/sh", "-c", `say() { echo "KEDGE {\"type\":\"usage\",\"context_tokens\":$1,\"context_window\":100}"; }
		say 61; touch ready; while ! [ -e go ]; do sleep 0.05; done; say 71`)
	out, leave := s.start(c)
	s.until("the agent is ready", func() bool { return s.exists("ready") && len(s.signals()) > 0 })
	for len(s.signalled(run.Stalled)) == 0 {
		moments <- now
		s.mu.Lock()
		now = now.Add(time.Hour)
		s.mu.Unlock()
	}
	leave(engine.ErrLeave)
	<-out
	before := s.signals()
	s.renew()
	s.put(filepath.Join(s.slot, "go"), "")
	if ev := s.do(adopted(c)); ev.Outcome != run.Finished {
		t.Fatalf("ended as %+v", ev)
	}
	count := map[string]int{}
	for _, sig := range s.signals() {
		count[sig]++
	}
	if count["pressure handoff"] != 1 || count["pressure save"] != 1 {
		t.Errorf("written down before: %q, in the end: %q", before, s.signals())
	}
}

// hears tells whether the session was heard to say something.
func (s *stage) hears(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ev := range s.heard {
		if ev.Text == text {
			return true
		}
	}
	return false
}

// saves carries a checkpoint of the job out.
func (s *stage) saves() {
	s.t.Helper()
	s.epoch++
	ev := s.do(run.Command{Kind: run.Checkpoint, Run: runID, Job: 1, Epoch: s.epoch, Feature: "user", At: time.Unix(1_800_000_000, 0)})
	if ev.Outcome != run.OK {
		s.t.Fatalf("the checkpoint ended as %+v", ev)
	}
}

// left starts a session that does one thing and says "one", has it saved where that
// is wanted, and leaves it as a daemon does that goes.
func (s *stage) left(c run.Command, moments chan time.Time, saved bool) {
	s.t.Helper()
	out, leave := s.start(c)
	s.until("it did something", func() bool { return s.hears("one") })
	moments <- time.Now()
	s.until("a checkpoint is asked for", func() bool { return len(s.signalled(run.WantCheckpoint)) == 1 })
	if saved {
		s.saves()
	}
	leave(engine.ErrLeave)
	if got := <-out; !errors.Is(got.err, engine.ErrLeave) {
		s.t.Fatalf("left with %+v", got)
	}
	s.mu.Lock()
	s.heard, s.told = nil, nil
	s.mu.Unlock()
	s.renew()
}

const twoDeeds = `{"do":"write","path":"one","text":"x"},{"do":"say","text":"one"},{"do":"wait","path":"go"},
	{"do":"write","path":"two","text":"x"},{"do":"say","text":"two"},{"do":"wait","path":"on"}`

// TestRow68NothingOldIsUnsaved: an adopted session is read again from its
// beginning, and nothing that a checkpoint has seen asks for one again.
func TestRow68NothingOldIsUnsaved(t *testing.T) {
	s := newStage(t)
	s.cfg.Briefs = &countingBriefs{}
	moments := s.ticks(true)
	c := s.command(twoDeeds)
	s.left(c, moments, true)
	out, _ := s.start(adopted(c))
	s.until("it is read again", func() bool { return s.hears("one") })
	for range 3 {
		moments <- time.Now() // the second is taken when the first was looked at
	}
	if n := len(s.signalled(run.WantCheckpoint)); n != 0 {
		t.Errorf("after the adoption %d checkpoints were asked for", n)
	}
	s.put(filepath.Join(s.slot, "go"), "")
	s.until("it did something else", func() bool { return s.exists("two") })
	for len(s.signalled(run.WantCheckpoint)) == 0 {
		moments <- time.Now()
	}
	s.put(filepath.Join(s.slot, "on"), "")
	if got := <-out; got.err != nil || got.ev.Outcome != run.Finished {
		t.Errorf("ended as %+v", got)
	}
}

// TestRow68DoneWhileNobodyLooked: what a session did between the last checkpoint of
// one owner and the first look of the next is saved like anything else, although it
// was on the tape when the session was taken up.
func TestRow68DoneWhileNobodyLooked(t *testing.T) {
	for name, saved := range map[string]bool{"before the owner left": false, "after the owner left": true} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.cfg.Briefs = &countingBriefs{}
			moments := s.ticks(true)
			c := s.command(twoDeeds)
			s.left(c, moments, saved)
			last := "one"
			if saved {
				s.put(filepath.Join(s.slot, "go"), "")
				last = "two"
				s.until("it did something else", func() bool { return s.printed(`"text":"two"`) })
			}
			out, _ := s.start(adopted(c))
			s.until("it is read again", func() bool { return s.hears(last) })
			for range 2 {
				moments <- time.Now() // the second is taken when the first was looked at
			}
			if n := len(s.signalled(run.WantCheckpoint)); n == 0 {
				t.Error("nobody asks for a checkpoint of what no checkpoint has seen")
			}
			s.put(filepath.Join(s.slot, "go"), "")
			s.put(filepath.Join(s.slot, "on"), "")
			if got := <-out; got.err != nil || got.ev.Outcome != run.Finished {
				t.Errorf("ended as %+v", got)
			}
		})
	}
}

// printed tells whether a text is on the tape of the job's session.
func (s *stage) printed(text string) bool {
	b, err := os.ReadFile(filepath.Join(s.sessionDir(), "log.0"))
	return err == nil && strings.Contains(string(b), text)
}

// countingBriefs saves checkpoints that are only counted.
type countingBriefs struct {
	engine.Briefs
	saved int
}

func (b *countingBriefs) Checkpoint(_ context.Context, c run.Command, _ engine.Position) (kedge.CheckpointID, error) {
	b.saved++
	return kedge.CheckpointID(kedge.DeriveID("ckp", c.At, time.Unix(c.Epoch, 0).String())), nil
}

func (b *countingBriefs) Compare(context.Context, kedge.CheckpointID, string) (kedge.Compared, error) {
	return kedge.Compared{}, nil
}

// TestRow68NoCheckpointOfNothing: where neither the worktree nor what the session
// did is another one, the last checkpoint stands, also for the next daemon.
func TestRow68NoCheckpointOfNothing(t *testing.T) {
	s := newStage(t)
	briefs := &countingBriefs{}
	s.cfg.Briefs = briefs
	s.renew()
	s.do(s.command(`{"do":"write","path":"one","text":"x"}`))
	save := func(want int, when string) {
		t.Helper()
		s.renew()
		s.epoch++
		ev := s.do(run.Command{Kind: run.Checkpoint, Run: runID, Job: 1, Epoch: s.epoch, Feature: "user", At: time.Unix(1_800_000_000, 0)})
		if ev.Outcome != run.OK || briefs.saved != want {
			t.Errorf("%s: %d checkpoints, want %d (%+v)", when, briefs.saved, want, ev)
		}
	}
	save(1, "first")
	save(1, "nothing changed")
	s.put(filepath.Join(s.slot, "two"), "x")
	save(2, "another tree")
	s.do(s.command(`{"do":"say","text":"hello"}`))
	save(3, "another session")
}

// deafLedger writes no signal down.
type deafLedger struct{ *memoryLedger }

func (l deafLedger) Session(ctx context.Context, key string, ev kedge.Event) error {
	if ev.Type == kedge.SessionSignalled {
		return errors.New("the disk is full")
	}
	return l.memoryLedger.Session(ctx, key, ev)
}

// An executor without a log has nobody to complain to, and goes on.
func TestSessionWithoutALog(t *testing.T) {
	s := newStage(t)
	s.cfg.Ledger, s.cfg.Log = deafLedger{s.ledger}, nil
	s.renew()
	if ev := s.do(s.command(`{"do":"usage","usage":{"context_tokens":61,"context_window":100}}`)); ev.Outcome != run.Finished {
		t.Errorf("ended as %+v", ev)
	}
}

// leakyBriefs writes a brief with a secret in it.
type leakyBriefs struct {
	engine.Briefs
	secret string
}

func (b leakyBriefs) Brief(context.Context, run.Command, engine.Position) (string, error) {
	return "push with " + b.secret + "\n", nil
}

// TestT15NoBriefHoldsASecret: whoever writes it, and for whatever session.
func TestT15NoBriefHoldsASecret(t *testing.T) {
	s := newStage(t)
	s.cfg.Briefs = leakyBriefs{secret: "gh" + "p_" + strings.Repeat("aB3dE5gH7j", 4)[:36]}
	s.renew()
	ev := s.do(run.Command{Kind: run.Brief, Run: runID, Job: 1, Epoch: 3, Purpose: run.MakePlan, At: time.Unix(1_800_000_000, 0)})
	b, err := os.ReadFile(filepath.Join(s.home, "worktrees", "prj", string(runID)+".d", ev.Text))
	if err != nil || string(b) != "push with [redacted:github]\n" {
		t.Errorf("the brief is %q, %v", b, err)
	}
}
