package gate_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"kedge"
	"kedge/internal/engine/gate"
	"kedge/internal/process/hold"
)

// patience only guards against hanging.
const patience = 3 * time.Minute

func holder() int {
	if err := hold.Main(context.Background(), os.Stdin, os.Stdout); err != nil {
		_, _ = os.Stderr.Write(hold.Complain(err))
		return 1
	}
	return 0
}

// held makes a request whose lines run under holders, and sees to it that none
// of them is left.
func held(t *testing.T, checks ...kedge.Check) gate.Request {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	sockets, err := os.MkdirTemp("/tmp", "kg") //nolint:usetesting // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	q := request(t, checks...)
	q.Runner = gate.Held{Holder: hold.NewLauncher(exe, "hold"), Sockets: sockets, Now: time.Now}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		pids := holders(t, q.LogDir)
		if err := gate.Forget(ctx, q.LogDir); err != nil {
			t.Errorf("forget: %v", err)
		}
		for _, pid := range pids {
			eventually(t, "the holders are gone", func() bool { return !lives(pid) })
		}
		_ = os.RemoveAll(sockets)
	})
	return q
}

// holders are the processes that hold the lines of a gate.
func holders(t *testing.T, logDir string) (pids []int) {
	t.Helper()
	entries, _ := os.ReadDir(logDir)
	for _, e := range entries {
		if r, err := hold.ReadRecord(filepath.Join(logDir, e.Name())); err == nil {
			pids = append(pids, r.Holder.PID)
		}
	}
	return pids
}

func lives(pid int) bool {
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return !errors.Is(err, os.ErrNotExist) && syscall.Kill(pid, 0) == nil
	}
	_, after, _ := strings.Cut(string(b), ") ")
	return !strings.HasPrefix(after, "Z")
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("never: %s", what)
		}
	}
}

// outcome is what a gate gave.
type outcome struct {
	verdict kedge.Verdict
	err     error
}

// begin runs a gate until it is left or done.
func begin(q gate.Request) (leave context.CancelCauseFunc, done <-chan outcome) {
	ctx, leave := context.WithCancelCause(context.Background())
	out := make(chan outcome, 1)
	go func() {
		v, err := gate.Run(ctx, q)
		out <- outcome{v, err}
	}()
	return leave, out
}

func wait(t *testing.T, done <-chan outcome) outcome {
	t.Helper()
	select {
	case o := <-done:
		return o
	case <-time.After(patience):
		t.Fatal("the gate does not end")
		return outcome{}
	}
}

// marks counts the lines that checks have put into a file.
func marks(q gate.Request, name string) int {
	b, _ := os.ReadFile(filepath.Join(q.Dir, name))
	return strings.Count(string(b), "\n")
}

// slow is a check that says that it began, and ends when the file go is there.
const slow = "echo began >>slow; while ! [ -e go ]; do sleep 0.05; done; echo ended >>slow"

func twoChecks(t *testing.T) gate.Request {
	t.Helper()
	return held(t,
		kedge.Check{Name: "first", Run: "echo ran >>first"},
		kedge.Check{Name: "second", Run: slow},
		kedge.Check{Name: "third", Run: "echo ran >>third"},
	)
}

func touch(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// left runs a gate until its second check runs, and leaves it then.
func left(t *testing.T, q gate.Request) {
	t.Helper()
	leave, done := begin(q)
	eventually(t, "the second check runs", func() bool { return marks(q, "slow") == 1 })
	leave(gate.ErrLeft)
	if o := wait(t, done); !errors.Is(o.err, gate.ErrLeft) {
		t.Fatalf("left: %+v, %v", o.verdict, o.err)
	}
}

// TestF1GateIsFinishedLater: a gate that is left goes on: what runs is taken up,
// what has ended is not run again, and what had not begun is run.
func TestF1GateIsFinishedLater(t *testing.T) {
	for name, meanwhile := range map[string]func(t *testing.T, q gate.Request){
		"still running": func(*testing.T, gate.Request) {},
		"ended while away": func(t *testing.T, q gate.Request) {
			touch(t, filepath.Join(q.Dir, "go"))
			eventually(t, "it has ended", func() bool {
				_, err := hold.ReadResult(filepath.Join(q.LogDir, heldName(t, q, "second")))
				return err == nil
			})
		},
		"left twice": func(t *testing.T, q gate.Request) { left(t, q) },
	} {
		t.Run(name, func(t *testing.T) {
			q := twoChecks(t)
			left(t, q)
			meanwhile(t, q)
			if env, ok, _ := gate.Environ(context.Background(), q.LogDir); !ok || !strings.Contains(strings.Join(env, "\n"), q.Env[0]) {
				t.Errorf("the environment is %q, %t", env, ok)
			}
			_, done := begin(q)
			touch(t, filepath.Join(q.Dir, "go"))
			o := wait(t, done)
			if o.err != nil || !o.verdict.Green() || len(o.verdict.Checks) != 3 {
				t.Fatalf("finished as %+v, %v", o.verdict, o.err)
			}
			if marks(q, "first") != 1 || marks(q, "slow") != 2 || marks(q, "third") != 1 {
				t.Errorf("the checks ran %d, %d/2 and %d times", marks(q, "first"), marks(q, "slow"), marks(q, "third"))
			}
		})
	}
}

func heldName(t *testing.T, q gate.Request, check string) string {
	t.Helper()
	entries, err := os.ReadDir(q.LogDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.Contains(e.Name(), check) && strings.HasSuffix(e.Name(), ".held") {
			return e.Name()
		}
	}
	t.Fatalf("no folder of %s", check)
	return ""
}

// TestF2HolderOfACheckKilled: a check whose holder died while the gate was left
// is run again: nobody knows how it would have ended.
func TestF2HolderOfACheckKilled(t *testing.T) {
	q := twoChecks(t)
	left(t, q)
	r, err := hold.ReadRecord(filepath.Join(q.LogDir, heldName(t, q, "second")))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(r.Holder.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is gone", func() bool { return !lives(r.Holder.PID) })
	if err := syscall.Kill(-r.Child.PID, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		t.Fatal(err)
	}
	_, done := begin(q)
	eventually(t, "it runs again", func() bool { return marks(q, "slow") == 2 })
	touch(t, filepath.Join(q.Dir, "go"))
	if o := wait(t, done); o.err != nil || !o.verdict.Green() {
		t.Errorf("finished as %+v, %v", o.verdict, o.err)
	}
}

// TestF1TimeoutGoesOn: the time that a check has is counted from its start, not
// from when it was taken up.
func TestF1TimeoutGoesOn(t *testing.T) {
	q := twoChecks(t)
	q.Checks[1].Timeout = "30m"
	left(t, q)
	later := q.Runner.(gate.Held)
	later.Now = func() time.Time { return time.Now().Add(time.Hour) }
	q.Runner = later
	_, done := begin(q)
	o := wait(t, done)
	if o.err != nil || o.verdict.Green() || o.verdict.Checks[1].Exit != -1 ||
		!strings.Contains(o.verdict.Checks[1].FirstFailure.Message, "timed out after 30m") {
		t.Errorf("finished as %+v, %v", o.verdict, o.err)
	}
}

// TestHeldEnds: how a line ends is told as without a holder.
func TestHeldEnds(t *testing.T) {
	tok := token(t)
	for name, tc := range map[string]struct {
		check kedge.Check
		exit  int
		red   string
	}{
		"green":       {kedge.Check{Name: "c", Run: "echo fine"}, 0, ""},
		"exit":        {kedge.Check{Name: "c", Run: "echo broken; exit 3"}, 3, "broken"},
		"signal":      {kedge.Check{Name: "c", Run: "kill -9 $$"}, 137, "exit 137"},
		"reads":       {kedge.Check{Name: "c", Run: "cat; echo over; exit 4"}, 4, "over"},
		"not there":   {kedge.Check{Name: "c", Run: "no-such-program-" + tok}, 127, "not found"},
		"too long":    {kedge.Check{Name: "c", Run: "trap '' INT TERM; sleep " + tok + "; sleep " + tok, Timeout: "100ms"}, -1, "timed out"},
		"leaves some": {kedge.Check{Name: "c", Run: "setsid sleep " + tok + " >/dev/null 2>&1 & echo gone; exit 5"}, 5, "gone"},
	} {
		t.Run(name, func(t *testing.T) {
			v := mustRun(t, held(t, tc.check))
			got := v.Checks[0]
			if got.Exit != tc.exit || (got.FirstFailure != nil) != (tc.red != "") {
				t.Fatalf("%+v, first failure %+v", got, got.FirstFailure)
			}
			if tc.red != "" && !strings.Contains(got.FirstFailure.Message, tc.red) {
				t.Errorf("first failure: %+v", got.FirstFailure)
			}
			if fi, err := os.Stat(got.Log); err != nil || fi.Mode().Perm() != 0o600 {
				t.Errorf("the log: %v, %v", fi, err)
			}
			if left := running(t, tok); len(left) > 0 {
				t.Errorf("processes are left: %v", left)
			}
		})
	}
}

// TestHeldCancelled: a gate that is cancelled, and not left, ends its checks.
func TestHeldCancelled(t *testing.T) {
	tok := token(t)
	q := held(t, kedge.Check{Name: "c", Run: "echo began >>slow; sleep " + tok})
	cancel, done := begin(q)
	eventually(t, "the check runs", func() bool { return marks(q, "slow") == 1 })
	cancel(context.Canceled)
	if o := wait(t, done); !errors.Is(o.err, context.Canceled) {
		t.Errorf("cancelled: %+v, %v", o.verdict, o.err)
	}
	if left := running(t, tok); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
}

// TestF1ServiceIsTakenUp: a service of a gate that was left is the same process
// on the same port when the gate goes on, and gone when it is over.
func TestF1ServiceIsTakenUp(t *testing.T) {
	tok := token(t)
	q := held(t)
	q.Own = []kedge.Check{
		{Name: "e2e", Run: slow},
		{Name: "api", HTTP: &kedge.HTTPCheck{URL: "http://127.0.0.1:{port}/"}},
	}
	q.Services = []kedge.Service{{Name: "web", Run: serve(t) + " " + tok}}
	left(t, q)
	before := running(t, tok)
	if len(before) == 0 {
		t.Fatal("the service did not run on")
	}
	_, done := begin(q)
	touch(t, filepath.Join(q.Dir, "go"))
	o := wait(t, done)
	if o.err != nil || !o.verdict.Green() || marks(q, "slow") != 2 {
		t.Errorf("finished as %+v, %v (%d)", o.verdict, o.err, marks(q, "slow"))
	}
	if after := running(t, tok); len(after) > 0 {
		t.Errorf("the service is left: %v", after)
	}
}

// TestF1TreeChangedWhileLeft: the verdict is about the tree that the gate began
// with; what changed while it was left makes it void.
func TestF1TreeChangedWhileLeft(t *testing.T) {
	q := twoChecks(t)
	repo := changed("a.go")
	q.Repo, q.Scope = repo, gate.Full
	var tree string
	q.Begin = func(at string) error { tree = at; return nil }
	left(t, q)
	q.Expect = tree
	repo.trees = []string{"other"}
	repo.changes["tree..other"] = repo.changes["base..tree"]
	_, done := begin(q)
	touch(t, filepath.Join(q.Dir, "go"))
	if o := wait(t, done); !kedge.Conflict.Is(o.err) || !strings.Contains(o.err.Error(), "changed while the checks ran") {
		t.Errorf("finished as %+v, %v", o.verdict, o.err)
	}
}
