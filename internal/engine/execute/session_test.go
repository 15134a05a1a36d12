package execute_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"kedge"
	"kedge/internal/agents"
	"kedge/internal/agents/command"
	"kedge/internal/core/run"
	"kedge/internal/core/watch"
	"kedge/internal/engine"
	"kedge/internal/process"
	"kedge/internal/process/hold"
)

// A session has its brief on its input and in a file, its names in its
// environment, works in the slot, and is written down from start to end.
func TestSession(t *testing.T) {
	s := newStage(t)
	ev := s.do(s.command(`{"do":"run","line":"cp $KEDGE_BRIEF copy; env | sort > env.txt; pwd > pwd.txt"},
		{"do":"write","path":"done.txt","text":"{{feature}}"}`))
	if ev.Outcome != run.Finished || ev.Session != s.session() || ev.Usage == nil || ev.Usage.Tokens == 0 {
		t.Fatalf("ended as %+v", ev)
	}
	if s.file("copy") != "the brief of this session\n" || s.file("done.txt") != "user" {
		t.Errorf("it was told %q", s.file("copy"))
	}
	env := s.file("env.txt")
	for _, want := range []string{"KEDGE_FEATURE=user\n", "KEDGE_SESSION=" + string(ev.Session), "KEDGE_NUMBER=1\n", "KEDGE_ATTEMPT=1\n", "MARK=1\n", "KEDGE_HOME=" + s.home} {
		if !strings.Contains(env, want) {
			t.Errorf("%s is not in\n%s", want, env)
		}
	}
	if strings.Contains(env, "/elsewhere") {
		t.Error("the caller's project is the agent's")
	}
	fi, err := os.Stat(filepath.Join(s.sessionDir(), "brief.md"))
	if err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("the brief is kept as %v, %v", fi, err)
	}
	started := of[kedge.Session](t, s.ledger, kedge.SessionStarted)
	ended := of[kedge.SessionEndedData](t, s.ledger, kedge.SessionEnded)
	if len(started) != 1 || started[0].Name != "user" || started[0].Agent != "bot" || started[0].Run != runID || len(ended) != 1 || ended[0].State != kedge.SessionExited || *ended[0].ExitCode != 0 {
		t.Errorf("written down: %+v, %+v", started, ended)
	}
	if ended[0].Closing != "done" {
		t.Errorf("closing words %q", ended[0].Closing)
	}
	used := of[kedge.SessionUsedData](t, s.ledger, kedge.SessionUsed)
	if last := used[len(used)-1]; *last.Tokens != ev.Usage.Tokens || last.ContextTokens == nil || *last.ContextWindow != 200_000 || last.USD != nil {
		t.Errorf("usage written down: %+v, answered %+v", last, ev.Usage)
	}
	if kinds := s.heardKinds(); len(kinds) == 0 || kinds[0] != watch.Usage {
		t.Errorf("heard %v", kinds)
	}
}

// The brief reaches the agent's input too, of whatever size, and also an agent
// that reads none of it comes to its end.
func TestSessionTypesItsBrief(t *testing.T) {
	s := newStage(t)
	c := s.command(`{"do":"done"}`)
	long := strings.Repeat("0123456789abcde\n", 20_000)
	s.put(filepath.Join(s.home, "worktrees", "prj", string(runID)+".d", "brief-7.md"), long)
	s.useCommand("/bin/sh", "-c", "cat > typed; wc -c < typed")
	if ev := s.do(c); ev.Outcome != run.Finished || ev.Usage != nil {
		t.Fatalf("ended as %+v", ev)
	}
	if s.file("typed") != long {
		t.Errorf("%d bytes were typed, not %d", len(s.file("typed")), len(long))
	}
	c = s.command("")
	s.put(filepath.Join(s.home, "worktrees", "prj", string(runID)+".d", "brief-7.md"), long)
	s.useCommand("/bin/true")
	if ev := s.do(c); ev.Outcome != run.Finished {
		t.Errorf("an agent that reads nothing ended as %+v", ev)
	}
}

func (s *stage) useCommand(argv ...string) {
	s.t.Helper()
	a, err := command.New(argv)
	if err != nil {
		s.t.Fatal(err)
	}
	s.cfg.Agent = func(string) (agents.Adapter, string, error) { return a, "", nil }
	s.renew()
}

// Every end of an agent is told for what it is.
func TestSessionEnds(t *testing.T) {
	now := time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)
	until := now.Add(time.Hour)
	for _, c := range []struct {
		name, actions string
		want          run.Input
	}{
		{"finished", `{"do":"done"}`, run.Input{Outcome: run.Finished}},
		{"failed", `{"do":"exit","code":3}`, run.Input{Outcome: run.Crashed, Reason: "it ended with exit code 3"}},
		{"asked", `{"do":"ask","text":"which?"}`, run.Input{Outcome: run.Asked, Text: "which?"}},
		{"limit", `{"do":"limit","until":"2027-01-02T04:04:05Z"}`, run.Input{Outcome: run.HitLimit, Until: until, Reason: "the provider's limit"}},
		{"limit that is over", `{"do":"limit","until":"2027-01-02T03:04:04Z"}`, run.Input{Outcome: run.HitLimit, Until: now.Add(5 * time.Second)}},
		{"limit of unknown length", `{"do":"limit"}`, run.Input{Outcome: run.HitLimit}},
		{"no login", `{"do":"no_login","text":"log in first"}`, run.Input{Outcome: run.NoLogin, Reason: "log in first"}},
		{"segfault", `{"do":"crash","signal":"ABRT"}`, run.Input{Outcome: run.Crashed}},
		{"killed", `{"do":"crash","signal":"KILL"}`, run.Input{Outcome: run.Killed, Reason: "it was ended by signal 9"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t)
			s.cfg.Now = func() time.Time { return now }
			s.renew()
			ev := s.do(s.command(c.actions))
			if ev.Outcome != c.want.Outcome || ev.Text != c.want.Text || !ev.Until.Equal(c.want.Until) || ev.Session == "" {
				t.Errorf("ended as %+v", ev)
			}
			if c.want.Reason != "" && ev.Reason != c.want.Reason {
				t.Errorf("because %q, want %q", ev.Reason, c.want.Reason)
			}
			if n := len(of[kedge.SessionEndedData](t, s.ledger, kedge.SessionEnded)); n != 1 {
				t.Errorf("its end is written down %d times", n)
			}
		})
	}
}

func TestSessionOfAnAbsentAgent(t *testing.T) {
	s := newStage(t)
	c := s.command("")
	s.useCommand("./there-is-no-such-program")
	if ev := s.do(c); ev.Outcome != run.NoLogin || !strings.Contains(ev.Reason, "no program") {
		t.Errorf("ended as %+v", ev)
	}
	ended := of[kedge.SessionEndedData](t, s.ledger, kedge.SessionEnded)
	if len(ended) != 1 || ended[0].Cause != "did not start" {
		t.Errorf("written down %+v", ended)
	}
	s.cfg.Agent = func(string) (agents.Adapter, string, error) {
		return nil, "", kedge.Errorf(kedge.NotFound, "no agent is called %q", "x")
	}
	s.renew()
	if ev := s.do(s.command("")); ev.Outcome != run.NoLogin || !strings.Contains(ev.Reason, `"x"`) {
		t.Errorf("ended as %+v", ev)
	}
}

// A session is ended with everything that it started, also what left its session
// and ignores signals; what it leaves on a port is gone.
func TestSessionIsEndedWhole(t *testing.T) {
	s := newStage(t)
	c := s.command(`{"do":"ignore_signals"},{"do":"background","line":"trap '' TERM INT; echo $$ > bg.new; mv bg.new bg.pid; while :; do sleep 1; done"},
		{"do":"wait","path":"bg.pid"},{"do":"serve","port":0,"path":"port"},{"do":"write","path":"ready","text":"x"},{"do":"hang"}`)
	out, _ := s.start(c)
	s.until("the agent is ready", func() bool { return s.exists("ready") })
	end := run.Command{Kind: run.EndSession, Run: runID, Job: 1, Epoch: c.Epoch + 1}
	if ev := s.do(end); ev.Outcome != run.OK || ev.Kind != run.Ended {
		t.Errorf("asked to end: %+v", ev)
	}
	if got := <-out; got.err != nil || got.ev.Outcome != run.Closed {
		t.Fatalf("ended as %+v", got)
	}
	s.gone(s.pid("bg.pid"))
}

func (s *stage) pid(name string) int {
	s.t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(s.file(name)))
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

// gone waits until a process does not exist any more.
func (s *stage) gone(pid int) {
	s.t.Helper()
	mark := "KEDGE_SESSION=" + filepath.Base(s.sessionDir())
	s.until("process "+strconv.Itoa(pid)+" is gone", func() bool {
		marked, _, err := process.Strays(mark, "") // its number may be another's by now
		return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || err == nil && !slices.Contains(marked, pid)
	})
}

// An end that was asked for before the session started keeps it from starting;
// one of an earlier session does not.
func TestSessionEndBeforeItsStart(t *testing.T) {
	s := newStage(t)
	c := s.command(`{"do":"write","path":"started","text":"x"}`)
	s.do(run.Command{Kind: run.EndSession, Run: runID, Job: 1, Epoch: c.Epoch + 1})
	if ev := s.do(c); ev.Outcome != run.Closed || s.exists("started") {
		t.Errorf("ended as %+v", ev)
	}
	if ev := s.do(s.command(`{"do":"write","path":"started","text":"{{number}}"}`)); ev.Outcome != run.Finished || s.file("started") != "2" {
		t.Errorf("the next one ended as %+v", ev)
	}
}

// The engine goes away and another one comes: the session goes on, is read again
// from its beginning, and is not started twice.
func TestSessionIsAdopted(t *testing.T) {
	s := newStage(t)
	c := s.command(`{"do":"say","text":"one"},{"do":"run","line":"echo x >> starts"},{"do":"wait","path":"go"},{"do":"say","text":"two"}`)
	out, leave := s.start(c)
	s.until("it works", func() bool { return s.exists("starts") })
	leave(engine.ErrLeave)
	if got := <-out; !errors.Is(got.err, engine.ErrLeave) {
		t.Fatalf("left with %+v", got)
	}
	first := s.session()
	s.renew()
	s.mu.Lock()
	s.heard = nil
	s.mu.Unlock()
	again := adopted(c)
	out, leave = s.start(again)
	s.until("it is read again", func() bool { return len(s.heardKinds()) > 3 })
	leave(engine.ErrLeave)
	<-out
	s.renew()
	s.put(filepath.Join(s.slot, "go"), "")
	ev := s.do(adopted(again))
	if ev.Outcome != run.Finished || ev.Session != first || ev.Epoch != c.Epoch+2 || s.file("starts") != "x\n" {
		t.Errorf("ended as %+v after starts %q", ev, s.file("starts"))
	}
	if n := len(of[kedge.Session](t, s.ledger, kedge.SessionStarted)); n != 1 {
		t.Errorf("written down as started %d times", n)
	}
	// Done once more it gives the same end of the same session.
	s.renew()
	if ev := s.do(adopted(adopted(again))); ev.Outcome != run.Finished || ev.Session != first || s.file("starts") != "x\n" {
		t.Errorf("a third owner: %+v", ev)
	}
	if n := len(of[kedge.SessionEndedData](t, s.ledger, kedge.SessionEnded)); n != 1 {
		t.Errorf("its end is written down %d times", n)
	}
}

// A holder that was killed: the session is over, and nothing of it lives.
func TestSessionWhoseHolderIsKilled(t *testing.T) {
	s := newStage(t)
	c := s.command(`{"do":"background","line":"echo $$ > bg.new; mv bg.new bg.pid; while :; do sleep 1; done"},{"do":"wait","path":"bg.pid"},
		{"do":"run","line":"echo $PPID > agent.pid"},{"do":"write","path":"ready","text":"x"},{"do":"hang"}`)
	out, _ := s.start(c)
	s.until("the agent is ready", func() bool { return s.exists("ready") })
	r, err := hold.ReadRecord(s.sessionDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(r.Holder.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if got := <-out; got.err != nil || got.ev.Outcome != run.Killed {
		t.Fatalf("ended as %+v", got)
	}
	s.gone(s.pid("agent.pid"))
	s.gone(s.pid("bg.pid"))
	ended := of[kedge.SessionEndedData](t, s.ledger, kedge.SessionEnded)
	if len(ended) != 1 || ended[0].State != kedge.SessionInterrupted || ended[0].Bytes == 0 {
		t.Errorf("written down %+v", ended)
	}
	s.renew()
	if ev := s.do(adopted(c)); ev.Outcome != run.Killed {
		t.Errorf("a second owner: %+v", ev)
	}
}

// A withdrawn command ends what it started.
func TestSessionIsWithdrawn(t *testing.T) {
	s := newStage(t)
	out, leave := s.start(s.command(`{"do":"run","line":"echo $PPID > agent.pid"},{"do":"write","path":"ready","text":"x"},{"do":"hang"}`))
	s.until("the agent is ready", func() bool { return s.exists("ready") })
	leave(errors.New("withdrawn"))
	if got := <-out; got.err != nil || got.ev.Outcome != run.Closed {
		t.Errorf("ended as %+v", got)
	}
	s.gone(s.pid("agent.pid"))
}

// TestRow38PressureFromReports: a fake agent that reports usage; a checkpoint is
// asked for at 60 % of the window and a handover at 70 %.
func TestRow38PressureFromReports(t *testing.T) {
	s := newStage(t)
	ev := s.do(s.command(`{"do":"usage","usage":{"context_tokens":50,"context_window":100}},
		{"do":"usage","usage":{"context_tokens":61,"context_window":100}},{"do":"usage","usage":{"context_tokens":65,"context_window":100}},
		{"do":"usage","usage":{"context_tokens":71,"context_window":100,"usd":0.5}}`))
	save, over := s.signalled(run.WantCheckpoint), s.signalled(run.WantHandover)
	if len(save) != 1 || !strings.Contains(save[0].Reason, "61 of 100") || len(over) != 1 || !strings.Contains(over[0].Reason, "71 of 100") {
		t.Errorf("signalled %+v, %+v", save, over)
	}
	if ev.Usage == nil || ev.Usage.USD != 0.5 {
		t.Errorf("used %+v", ev.Usage)
	}
	if got := of[kedge.SessionSignalledData](t, s.ledger, kedge.SessionSignalled); len(got) != 2 || got[0].Signal != "pressure" {
		t.Errorf("written down %+v", got)
	}
}

// TestRow78LoopingAgent: an agent that loops is to be handed over within a few
// turns, because it circles.
func TestRow78LoopingAgent(t *testing.T) {
	s := newStage(t)
	s.put(filepath.Join(s.slot, "a.txt"), "text\n")
	out, leave := s.start(s.command(`{"do":"loop","actions":[{"do":"read","path":"a.txt"},{"do":"pause","for":"1ms"}]}`))
	s.until("it is seen", func() bool { return len(s.signalled(run.WantHandover)) > 0 })
	if got := s.signalled(run.WantHandover)[0]; !strings.HasPrefix(got.Reason, "circling: ") {
		t.Errorf("signalled %+v", got)
	}
	leave(errors.New("enough"))
	<-out
	signalled := of[kedge.SessionSignalledData](t, s.ledger, kedge.SessionSignalled)
	if len(signalled) == 0 || signalled[0].Signal != "circling" || signalled[0].Advice != "handoff" {
		t.Errorf("written down %+v", signalled)
	}
}

// TestRow42ExecutionThatReturnsAPlan: marked, whatever the session says of itself.
func TestRow42ExecutionThatReturnsAPlan(t *testing.T) {
	for _, c := range []struct {
		name, actions string
		purpose       run.Purpose
		marked        bool
	}{
		{"a plan and no diff", `{"do":"plan","text":"# first this, then that"}`, run.Implement, true},
		{"only talk", `{"do":"say","text":"I would change the parser"}`, run.Implement, true},
		{"work", `{"do":"write","path":"a.txt","text":"x"}`, run.Implement, false},
		{"a plan where one is wanted", `{"do":"plan","text":"# first this, then that"}`, run.MakePlan, false},
		{"an edit while planning", `{"do":"write","path":"a.txt","text":"x"}`, run.MakePlan, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t)
			command := s.command(c.actions)
			command.Purpose = c.purpose
			if ev := s.do(command); ev.Outcome != run.Finished {
				t.Fatalf("ended as %+v", ev)
			}
			marked := false
			for _, d := range of[kedge.SessionSignalledData](t, s.ledger, kedge.SessionSignalled) {
				marked = marked || d.Signal == "mode_confusion"
			}
			if marked != c.marked {
				t.Errorf("marked %v", marked)
			}
		})
	}
}

// A session that neither prints nor computes is stalled; one that asked waits
// for a person.
func TestSessionStalls(t *testing.T) {
	for _, c := range []struct {
		name, line string
		want       run.Outcome
		check      func(run.Input) bool
	}{
		{"hung", "touch ready; exec sleep 100000", run.Stalled, func(ev run.Input) bool { return strings.HasPrefix(ev.Reason, "stalled: hung: no output for ") }},
		{
			"waiting", `echo 'KEDGE {"type":"ask","question":"which?"}'; touch ready; exec sleep 100000`, run.Asked,
			func(ev run.Input) bool { return ev.Text == "which?" },
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t)
			command := s.command("")
			moments := make(chan time.Time)
			now := time.Unix(1_800_000_000, 0)
			s.cfg.Tick = func(time.Duration) (<-chan time.Time, func()) { return moments, func() {} }
			s.cfg.Now = func() time.Time { s.mu.Lock(); defer s.mu.Unlock(); return now }
			s.useCommand("/bin/sh", "-c", c.line)
			out, leave := s.start(command)
			s.until("the agent is ready", func() bool { return s.exists("ready") })
			for len(s.signalled(c.want)) == 0 {
				moments <- now
				s.mu.Lock()
				now = now.Add(time.Hour)
				s.mu.Unlock()
			}
			if got := s.signalled(c.want)[0]; !c.check(got) {
				t.Errorf("signalled %+v", got)
			}
			leave(errors.New("enough"))
			<-out
		})
	}
}
