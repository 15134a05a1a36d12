package hold_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"kedge"
	"kedge/internal/process/hold"
)

// TestF4EndThatCannotBeWritten: a disk that takes no exit.json leaves no session
// that runs for ever: its holder says how it ended, and writes it down as soon as
// it can.
func TestF4EndThatCannotBeWritten(t *testing.T) {
	s := spec(t, false, "echo")
	c := start(t, s)
	inTheWay := filepath.Join(s.Dir, "exit.json")
	if err := os.Mkdir(inTheWay, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := c.Input(ctx(t), 1, 1, []byte("quit\n")); err != nil {
		t.Fatal(err)
	}
	toEnd(t, c)
	f := hold.Look(ctx(t), s.Dir)
	if f.State != kedge.SessionExited || f.Result == nil || f.Result.Code != 7 || f.Result.Cause != hold.CauseExited {
		t.Errorf("found as %+v, %+v", f, f.Result)
	}
	if f.Client != nil {
		_ = f.Client.Close()
	}
	if err := os.Remove(inTheWay); err != nil {
		t.Fatal(err)
	}
	eventually(t, "exit.json is written", func() bool { r, err := hold.ReadResult(s.Dir); return err == nil && r.Code == 7 })
}

// TestF32HolderToldToGo: when the machine goes down, a holder ends its program,
// says that it was interrupted, also where the program made a proper end of it,
// and goes without being collected.
func TestF32HolderToldToGo(t *testing.T) {
	for name, program := range map[string]string{"ends of the signal": "echo", "ends properly": "proper"} {
		t.Run(name, func(t *testing.T) {
			s := spec(t, false, program)
			c := start(t, s)
			says(t, s.Dir, "ready")
			if err := syscall.Kill(c.Greeting.Holder.PID, syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the holder is gone", func() bool { return !lives(c.Greeting.Holder.PID) })
			f := hold.Look(ctx(t), s.Dir)
			if f.State != kedge.SessionInterrupted || f.Cause != hold.CauseKilled || f.Result == nil || f.Result.Asked {
				t.Errorf("found as %+v, %+v", f, f.Result)
			}
		})
	}
}

// TestAskedToEnd: what somebody asked for has exited, whatever signal it took.
func TestAskedToEnd(t *testing.T) {
	s := spec(t, false, "echo")
	c := start(t, s)
	if err := c.End(ctx(t), 0); err != nil {
		t.Fatal(err)
	}
	if st := toEnd(t, c); !st.Asked {
		t.Errorf("%+v", st)
	}
	f := hold.Look(ctx(t), s.Dir)
	if f.State != kedge.SessionExited || f.Result == nil || !f.Result.Asked {
		t.Errorf("found as %+v, %+v", f, f.Result)
	}
	if f.Client != nil {
		_ = f.Client.Close()
	}
}

// TestSignalName: the end of a program names its signal, where there was one.
func TestSignalName(t *testing.T) {
	for sig, want := range map[syscall.Signal]string{0: "", syscall.SIGBUS: "SIGBUS", syscall.SIGHUP: "SIGHUP", syscall.SIGKILL: "SIGKILL"} {
		r := hold.Result{}
		r.Signal = int(sig)
		if got := r.SignalName(); got != want {
			t.Errorf("%d is %q, want %q", int(sig), got, want)
		}
	}
}
