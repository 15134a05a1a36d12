package process_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/process"
)

// spec gives a line a folder, a log and an ordinary environment.
func spec(t *testing.T, line string) process.Spec {
	t.Helper()
	dir := t.TempDir()
	return process.Spec{Line: line, Dir: dir, Env: []string{"PATH=" + os.Getenv("PATH"), "A=b"}, Log: filepath.Join(t.TempDir(), "log")}
}

func run(t *testing.T, s process.Spec) (process.Result, string) {
	t.Helper()
	res, err := process.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return res, read(t, s.Log)
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestRun(t *testing.T) {
	for _, tt := range []struct {
		name, line string
		want       process.Result
		output     string
	}{
		{"green", "echo out; echo err >&2", process.Result{End: process.Exited, Bytes: 8}, "out\nerr\n"},
		{"red", "echo no; exit 3", process.Result{End: process.Exited, Exit: 3, Bytes: 3}, "no\n"},
		{"missing command", "exec 2>/dev/null; nosuchcommand", process.Result{End: process.Exited, Exit: 127}, ""},
		{"signalled", "kill -9 $$", process.Result{End: process.Signalled, Exit: 137}, ""},
		{"environment is the given one", `echo "$A$HOME"`, process.Result{End: process.Exited, Bytes: 2}, "b\n"},
		{"no input", "cat", process.Result{End: process.Exited}, ""},
		{"no terminal", "test -t 0 || test -t 1 || echo none", process.Result{End: process.Exited, Bytes: 5}, "none\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res, out := run(t, spec(t, tt.line))
			res.Killed = 0
			if res != tt.want || out != tt.output {
				t.Errorf("%+v %q, want %+v %q", res, out, tt.want, tt.output)
			}
		})
	}
}

func TestLogIsPrivate(t *testing.T) {
	s := spec(t, "echo secret")
	if err := os.WriteFile(s.Log, []byte(strings.Repeat("old", 100)), 0o644); err != nil {
		t.Fatal(err)
	}
	_, out := run(t, s)
	info, err := os.Stat(s.Log)
	if err != nil || info.Mode().Perm() != 0o600 || out != "secret\n" {
		t.Errorf("mode %v, %v, content %q", info.Mode(), err, out)
	}
}

func TestLogIsNotWrittenThroughALink(t *testing.T) {
	s := spec(t, "echo x")
	target := filepath.Join(t.TempDir(), "target")
	if err := os.Symlink(target, s.Log); err != nil {
		t.Fatal(err)
	}
	if _, err := process.Run(t.Context(), s); err == nil {
		t.Error("a link was followed")
	}
	if _, err := os.Stat(target); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the link's target exists: %v", err)
	}
}

func TestBoundedLogKeepsBothEnds(t *testing.T) {
	s := spec(t, "echo first; head -c 500000 /dev/zero | tr '\\0' x; echo; echo last")
	s.Limit = 40_000
	res, out := run(t, s)
	if res.Bytes != 500_012 || res.Dropped != 460_012 {
		t.Errorf("%+v", res)
	}
	if !strings.HasPrefix(out, "first\n") || !strings.HasSuffix(out, "x\nlast\n") {
		t.Errorf("log of %d bytes has lost an end", len(out))
	}
	if !strings.Contains(out, "[kedge: 460012 bytes of output are not kept]") || len(out) > 41_000 {
		t.Errorf("log of %d bytes does not say what is missing", len(out))
	}
}

func TestStartRefusesAMissingFolder(t *testing.T) {
	s := spec(t, "true")
	s.Dir = filepath.Join(s.Dir, "gone")
	if _, err := process.Run(t.Context(), s); !kedge.Invalid.Is(err) || !strings.Contains(err.Error(), "gone") {
		t.Errorf("error %v", err)
	}
}

func TestTimeout(t *testing.T) {
	s := spec(t, "echo begun; trap '' TERM; while :; do sleep 1000; done")
	s.Timeout, s.Grace = 200*time.Millisecond, time.Millisecond
	res, _ := run(t, s)
	if res.End != process.TimedOut || res.Exit != -1 {
		t.Errorf("%+v", res)
	}
}

func TestStopAsksFirst(t *testing.T) {
	s := spec(t, "trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.05; done")
	s.Grace = 5 * time.Minute
	p, err := process.Start(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool { return strings.Contains(read(t, s.Log), "up") })
	res, err := p.Stop()
	if err != nil || res.End != process.Stopped {
		t.Errorf("%+v, %v", res, err)
	}
	if out := read(t, s.Log); !strings.HasSuffix(out, "bye\n") {
		t.Errorf("output %q: it had no time to say bye", out)
	}
	if again, err := p.Stop(); err != nil || again != res {
		t.Errorf("a second stop: %+v, %v", again, err)
	}
}

func TestCancelEndsTheTree(t *testing.T) {
	s := spec(t, "echo up; sleep 1000")
	s.Grace = time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	p, err := process.Start(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool { return strings.Contains(read(t, s.Log), "up") })
	cancel()
	if res, err := p.Wait(); err != nil || res.End != process.Stopped {
		t.Errorf("%+v, %v", res, err)
	}
	if _, err := process.Run(ctx, s); !kedge.Interrupted.Is(err) {
		t.Errorf("run in a cancelled context: %v", err)
	}
}

// eventually polls; the limit only guards against hanging.
func eventually(t *testing.T, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(5 * time.Minute)
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("it never happened")
		}
	}
}

// escapes are ways to leave a process group, a session, the environment or the
// output behind. SLEEP stands for a command that no other process runs.
var escapes = map[string]string{
	"background":                       "SLEEP &",
	"nohup":                            "nohup SLEEP >/dev/null 2>&1 &",
	"setsid":                           "setsid SLEEP &",
	"double fork":                      "( ( SLEEP & ) & )",
	"double fork, setsid":              `( setsid sh -c 'SLEEP & ' & )`,
	"ignores TERM":                     `sh -c 'trap "" TERM HUP INT; SLEEP; SLEEP' &`,
	"setsid, ignores TERM":             `setsid sh -c 'trap "" TERM HUP; SLEEP; SLEEP' &`,
	"closed output, setsid":            "setsid SLEEP </dev/null >/dev/null 2>&1 &",
	"empty environment":                "setsid env -i SLEEP &",
	"empty environment, closed output": "( setsid env -i SLEEP </dev/null >/dev/null 2>&1 & )",
	"another folder":                   "( cd / && setsid SLEEP & )",
}

func TestF13NoDescendantIsLeft(t *testing.T) {
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("there is no /proc: escapes are ended as far as ps shows them")
	}
	for name, line := range escapes {
		t.Run(name, func(t *testing.T) {
			token := unique(t)
			a, b, _ := strings.Cut(token, ".") // the shell's own arguments must not hold the whole of it
			line := "A=" + a + "; B=" + b + "; export T=$A.$B\n" + strings.ReplaceAll(line, "SLEEP", "sleep $T")
			s := spec(t, line+"\nuntil grep -qz \"$A[.]$B\" /proc/[0-9]*/cmdline 2>/dev/null; do sleep 0.02; done; echo seen")
			res, out := run(t, s)
			if !strings.HasSuffix(out, "seen\n") || res.Killed == 0 {
				t.Errorf("%+v, output %q: the child never ran", res, out)
			}
			if left := running(t, token); len(left) > 0 {
				t.Errorf("still there: %v", left)
			}
		})
	}
}

func TestF13GroupThatKeepsForking(t *testing.T) {
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("there is no /proc")
	}
	token := unique(t)
	// Sixteen loops that start and forget children as fast as they can.
	s := spec(t, `i=0; while [ $i -lt 16 ]; do ( while :; do sh -c ': `+token+`' & wait; done ) & i=$((i+1)); done; echo up; wait`)
	s.Timeout, s.Grace = 300*time.Millisecond, time.Millisecond
	if res, _ := run(t, s); res.End != process.TimedOut {
		t.Errorf("%+v", res)
	}
	if left := running(t, token); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
}

func TestF13DecoysLive(t *testing.T) {
	token := unique(t)
	decoy := exec.Command("sleep", token)
	decoy.Env = []string{"KEDGE_TREE=another", "PATH=" + os.Getenv("PATH")}
	if err := decoy.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- decoy.Wait() }()
	s := spec(t, "sleep "+token+" & echo")
	if res, _ := run(t, s); res.End != process.Exited {
		t.Errorf("%+v", res)
	}
	select {
	case err := <-ended:
		t.Errorf("a process of the same name was ended: %v", err)
	default:
		_ = decoy.Process.Kill()
		<-ended
	}
}

func TestTreeInsideATree(t *testing.T) {
	t.Setenv("KEDGE_TREE", "ours")
	s := spec(t, `echo "$KEDGE_TREE"`)
	_, out := run(t, s)
	if inner, ok := strings.CutPrefix(out, "ours:"); !ok || len(inner) < 20 {
		t.Errorf("mark %q has lost the one around it", out)
	}
	s.Env = append(s.Env, "KEDGE_TREE=callers")
	_, out = run(t, s)
	if inner, ok := strings.CutPrefix(out, "callers:"); !ok || len(inner) < 20 {
		t.Errorf("mark %q has lost the caller's", out)
	}
}

// unique is an argument of sleep that no other process has: years and a
// fraction.
func unique(t *testing.T) string {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "*")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return fmt.Sprintf("90000000.%s%d", filepath.Base(f.Name()), os.Getpid())
}

// running gives the pids of living processes with the token among their
// arguments.
func running(t *testing.T, token string) []string {
	t.Helper()
	var left []string
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil && bytes.Contains(b, []byte(token)) {
			left = append(left, f)
		}
	}
	return left
}
