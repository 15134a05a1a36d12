package hold_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"kedge"
	"kedge/internal/process/hold"
)

// TestF3OlderHolder: a holder that speaks version 0 and knows fewer verbs is
// found and followed; what it does not know is refused before it is sent, with
// words that say what to do.
func TestF3OlderHolder(t *testing.T) {
	s := spec(t, false, "echo")
	c, err := hold.NewLauncher(self(t), "oldhold").Start(ctx(t), s)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	t.Cleanup(func() { endOld(t, c.Greeting.Holder.PID) })
	if c.Greeting.Protocol != 0 || c.Greeting.Verbs != "SFKQ" {
		t.Fatalf("the stand-in says %+v", c.Greeting)
	}
	f := hold.Look(ctx(t), s.Dir)
	if f.Client == nil || f.State != kedge.SessionRunning {
		t.Fatalf("not adopted: %+v", f)
	}
	defer f.Client.Close()
	if st, err := f.Client.State(ctx(t)); err != nil || !st.Running || st.End != 42 {
		t.Errorf("state %+v, %v", st, err)
	}
	for name, ask := range map[string]func() error{
		"input":  func() error { return f.Client.Input(ctx(t), 1, 1, []byte("x")) },
		"resize": func() error { return f.Client.Resize(ctx(t), 80, 24) },
		"redraw": func() error { return f.Client.Redraw(ctx(t)) },
		"end":    func() error { return f.Client.End(ctx(t), 0) },
	} {
		err := ask()
		if !kedge.Conflict.Is(err) || !strings.Contains(err.Error(), "older version of Kedge") || kedge.HintOf(err) == "" {
			t.Errorf("%s: %v (hint %q)", name, err, kedge.HintOf(err))
		}
	}
	if hint := kedge.HintOf(f.Client.End(ctx(t), 0)); !strings.Contains(hint, "kill "+itoa(c.Greeting.Child.PID)) || strings.Contains(hint, "kedge kill") {
		t.Errorf("what cannot be ended is to be ended with %q", hint)
	}
	if st, err := f.Client.State(ctx(t)); err != nil || !st.Running {
		t.Errorf("after the refusals: %+v, %v", st, err)
	}
}

// endOld ends the stand-in, which knows no way to be asked.
func endOld(t *testing.T, pid int) {
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Errorf("end the stand-in: %v", err)
	}
	eventually(t, "the stand-in is gone", func() bool { return !lives(pid) })
}

// TestF10HowItWasKilled: the signal that ended a program is told, and so is that
// the program itself chose an exit code that looks like one.
func TestF10HowItWasKilled(t *testing.T) {
	for name, tc := range map[string]struct {
		signal syscall.Signal
		code   int
		cause  string
		state  kedge.SessionState
	}{
		"SIGKILL": {syscall.SIGKILL, 137, hold.CauseKilled, kedge.SessionInterrupted},
		"SIGTERM": {syscall.SIGTERM, 143, hold.CauseKilled, kedge.SessionInterrupted},
		"quits":   {0, 7, hold.CauseExited, kedge.SessionExited},
	} {
		t.Run(name, func(t *testing.T) {
			s := spec(t, false, "echo")
			c := start(t, s)
			if tc.signal != 0 {
				if err := syscall.Kill(c.Greeting.Child.PID, tc.signal); err != nil {
					t.Fatal(err)
				}
			} else if err := c.Input(ctx(t), 1, 1, []byte("quit\n")); err != nil {
				t.Fatal(err)
			}
			st := toEnd(t, c)
			if st.Exit.Code != tc.code || st.Exit.Signal != int(tc.signal) || st.Exit.Cause != tc.cause {
				t.Errorf("ended as %+v", st.Exit)
			}
			if f := hold.Look(ctx(t), s.Dir); f.State != tc.state || f.Result == nil || f.Result.Cause != tc.cause {
				t.Errorf("found as %+v", f)
			} else if f.Client != nil {
				_ = f.Client.Close()
			}
		})
	}
}

// TestF11StoppedHolder: a holder that does not answer holds its session all the
// same; it is not called interrupted, and goes on when it can.
func TestF11StoppedHolder(t *testing.T) {
	s := spec(t, false, "echo")
	c := start(t, s)
	pid := c.Greeting.Holder.PID
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the holder is stopped", func() bool { return state(pid) == "T" })
	f := hold.Look(ctx(t), s.Dir)
	if f.State != kedge.SessionRunning || f.Cause != hold.CauseSilent || f.Client != nil {
		t.Errorf("found as %+v", f)
	}
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if err := c.Input(ctx(t), 1, 1, []byte("hello\n")); err != nil {
		t.Fatal(err)
	}
	says(t, s.Dir, "got hello")
}

// state is the letter that the system gives a process's state.
func state(pid int) string {
	b, err := os.ReadFile(filepath.Join("/proc", itoa(pid), "stat"))
	if err != nil {
		return ""
	}
	_, after, _ := bytes.Cut(b, []byte(") "))
	return string(after[:1])
}

// TestF11Sample: what a session computes is seen.
func TestF11Sample(t *testing.T) {
	s := spec(t, false, "compute")
	c := start(t, s)
	base := time.Unix(1000, 0)
	before, err := c.Sample(ctx(t), base)
	if kedge.NotFound.Is(err) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Input(ctx(t), 1, 1, []byte("go\n")); err != nil {
		t.Fatal(err)
	}
	after := before
	eventually(t, "it has computed", func() bool {
		after, err = c.Sample(ctx(t), base.Add(time.Second))
		return err == nil && after.CPU-before.CPU >= 100*time.Millisecond
	})
	if got := hold.Judge([]hold.Sample{before, after}, time.Second); got != hold.Spinning {
		t.Errorf("it is %q", got)
	}
}

func TestF11Judge(t *testing.T) {
	at := func(sec int, cpu time.Duration, end int64) hold.Sample {
		return hold.Sample{At: time.Unix(int64(sec), 0), CPU: cpu, End: end}
	}
	const quiet = 10 * time.Second
	for name, tc := range map[string]struct {
		samples []hold.Sample
		want    hold.Activity
	}{
		"nothing seen":             {nil, hold.Unknown},
		"one look":                 {[]hold.Sample{at(0, 0, 5)}, hold.Unknown},
		"silent, not for long":     {[]hold.Sample{at(0, 0, 5), at(9, 0, 5)}, hold.Unknown},
		"prints":                   {[]hold.Sample{at(0, 0, 5), at(60, 0, 6)}, hold.Working},
		"printed a while ago":      {[]hold.Sample{at(0, 0, 5), at(2, 0, 6), at(11, 0, 6)}, hold.Working},
		"hung":                     {[]hold.Sample{at(0, 0, 5), at(10, 100*time.Millisecond, 5)}, hold.Hung},
		"hung after printing":      {[]hold.Sample{at(0, 0, 1), at(5, 9*time.Second, 5), at(20, 9*time.Second, 5)}, hold.Hung},
		"spinning":                 {[]hold.Sample{at(0, 0, 5), at(10, 10*time.Second, 5)}, hold.Spinning},
		"spinning, many looks":     {[]hold.Sample{at(0, 0, 5), at(5, 3*time.Second, 5), at(12, 6*time.Second, 5)}, hold.Spinning},
		"a child that ended":       {[]hold.Sample{at(0, 9*time.Second, 5), at(10, 0, 5)}, hold.Hung},
		"just enough to be asleep": {[]hold.Sample{at(0, 0, 5), at(20, 999*time.Millisecond, 5)}, hold.Hung},
	} {
		if got := hold.Judge(tc.samples, quiet); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

func TestF11LastSaid(t *testing.T) {
	for in, want := range map[string]hold.Said{
		"":                                        hold.SaidNothing,
		"Do you want to proceed? (y/n)":           hold.SaidNothing, // screen text is nobody's word
		"\x1b]7501;state=blocked:app=codex\x07":   hold.SaidWaiting,
		"\x1b]7501;state=idle:app=codex\x1b\\":    hold.SaidWaiting,
		"\x1b]7501;app=codex:state=done\x07":      hold.SaidWaiting,
		"\x1b]7501;state=working:app=codex\x07":   hold.SaidWorking,
		"\x1b]7501;state=clear:app=codex\x07":     hold.SaidNothing,
		"\x1b]7501;?\x07":                         hold.SaidNothing,
		"\x1b]7501;state=blocked":                 hold.SaidNothing, // cut off
		"\x1b]7501;state=blocked\x1b[0m":          hold.SaidNothing, // never ended
		"\x1b]0;✳ fix the parser\x07":             hold.SaidWaiting,
		"\x1b]2;⠂ fix the parser\x1b\\":           hold.SaidWorking,
		"\x1b]0;user@host: ~\x07":                 hold.SaidNothing,
		"\x1b]8;;http://x\x07link":                hold.SaidNothing,
		"\x1b]0;✳ a\x07\x1b]0;⠂ a\x07":            hold.SaidWorking,
		"\x1b]0;⠂ a\x07 text \x1b]0;✳ a\x07 more": hold.SaidWaiting,
		"\x1b]0;✳ a\x07\x1b]0;user@host: ~\x07":   hold.SaidWaiting, // a title of nobody's takes nothing back
		"\x1b]0;✳ a\x07\x1b]7501;state=clear\x07": hold.SaidNothing,
	} {
		if got := hold.LastSaid([]byte(in)); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// FuzzLastSaid: whatever is printed, nothing is made up: to wait or to work must
// have been said.
func FuzzLastSaid(f *testing.F) {
	f.Add([]byte("\x1b]0;✳ a\x07\x1b]7501;state=blocked:app=codex\x1b\\"))
	f.Add(bytes.Repeat([]byte("\x1b]"), 100))
	f.Fuzz(func(t *testing.T, in []byte) {
		switch got := hold.LastSaid(in); got {
		case hold.SaidNothing:
		case hold.SaidWaiting, hold.SaidWorking:
			if !bytes.Contains(in, []byte("\x1b]")) {
				t.Errorf("%q says %q", in, got)
			}
		default:
			t.Errorf("%q says %q", in, got)
		}
	})
}

// oldHold is a holder as an earlier Kedge may have had: version 0, fewer verbs,
// and no program at all behind it.
func oldHold() int {
	var s hold.Spec
	if json.NewDecoder(os.Stdin).Decode(&s) != nil {
		return 1
	}
	me := hold.Process{PID: os.Getpid(), Start: startTimeOf(os.Getpid())}
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	hello := hold.Greeting{Protocol: 0, Verbs: "SFKQ", Session: s.Session, Holder: me, Child: me, Boot: strings.TrimSpace(string(boot))}
	return serveOld(s, hello)
}

// TestF14HeldOnce: a session is never held twice, and one whose holder is on its
// way is not called lost.
func TestF14HeldOnce(t *testing.T) {
	s := spec(t, false, "echo")
	c := start(t, s)
	again := s
	again.Socket += "2"
	if _, err := hold.NewLauncher(self(t), "hold").Start(ctx(t), again); !kedge.Conflict.Is(err) {
		t.Errorf("held twice: %v", err)
	}
	if !lives(c.Greeting.Child.PID) {
		t.Error("the session is gone")
	}
	if err := os.Rename(filepath.Join(s.Dir, "holder.json"), filepath.Join(s.Dir, "moved")); err != nil {
		t.Fatal(err)
	}
	if f := hold.Look(ctx(t), s.Dir); f.State != kedge.SessionRunning || f.Cause != hold.CauseSilent {
		t.Errorf("without a record yet: %+v", f)
	}
	if err := os.Rename(filepath.Join(s.Dir, "moved"), filepath.Join(s.Dir, "holder.json")); err != nil {
		t.Fatal(err)
	}
	fds, err := os.ReadDir(filepath.Join("/proc", itoa(c.Greeting.Child.PID), "fd"))
	if err == nil && !hasNothingOf(c.Greeting.Child.PID, fds, s.Dir) {
		t.Error("the program has a file of its holder open")
	}
	if f := hold.Look(ctx(t), t.TempDir()); f.State != kedge.SessionInterrupted || f.Cause != hold.CauseLost {
		t.Errorf("an empty folder: %+v", f)
	}
}

// hasNothingOf tells whether a process has nothing open in dir.
func hasNothingOf(pid int, fds []os.DirEntry, dir string) bool {
	for _, fd := range fds {
		to, err := os.Readlink(filepath.Join("/proc", itoa(pid), "fd", fd.Name()))
		if err == nil && strings.HasPrefix(to, dir) {
			return false
		}
	}
	return true
}
