package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"kedge"
	"kedge/internal/app/sessions"
	"kedge/internal/engine/gate"
	"kedge/internal/journal"
	"kedge/internal/process"
	"kedge/internal/process/hold"
	"kedge/internal/process/tape"
	"kedge/internal/server/daemon"
)

// next is the daemon of another version: everything else is as in main.
func next() {
	if len(os.Args) == 2 && os.Args[1] == "hold" {
		os.Exit(holdMain())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	home, err := daemon.Home(os.Getenv)
	c := &caller{home: home, homeErr: err, dir: "/", environ: os.Environ(), version: nextVersion}
	if err := c.Foreground(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

const nextVersion = "99.0.0"

// counter prints numbered lines until the file stop is there, and writes the
// same to the file copy. Its terminal changes nothing of what it prints.
func counter() {
	file, err := os.Create(os.Args[1])
	if err != nil {
		os.Exit(1)
	}
	if t, ok := process.OpenTerminal(os.Stdin, os.Stdout); ok {
		if _, err := t.Raw(); err != nil {
			os.Exit(1)
		}
	}
	both := io.MultiWriter(file, os.Stdout)
	for i := 1; ; i++ {
		if _, err := fmt.Fprintf(both, "line %d\n", i); err != nil {
			os.Exit(1)
		}
		if _, err := os.Stat(os.Args[2]); err == nil {
			return
		}
		<-time.After(20 * time.Millisecond)
	}
}

// box is a KEDGE_HOME with its daemon, and commands run in it.
type box struct {
	t    *testing.T
	home string
	dir  string
	env  []string
}

func newBox(t *testing.T) *box {
	t.Helper()
	base := t.TempDir()
	b := &box{t: t, home: filepath.Join(base, "home"), dir: filepath.Join(base, "work")}
	if err := os.MkdirAll(b.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	b.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + base, "KEDGE_HOME=" + b.home, "NO_COLOR=1", "USER=ada",
		"GOCACHE=" + os.Getenv("GOCACHE"), "GIT_CONFIG_NOSYSTEM=1", "GOCOVERDIR=" + base,
	}
	config := "[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n"
	if err := os.WriteFile(filepath.Join(base, ".gitconfig"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.clear)
	b.run("up")
	return b
}

// clear ends every session of the box and its daemon.
func (b *box) clear() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	found, err := hold.Find(ctx, filepath.Join(b.home, "sessions"))
	if err != nil {
		b.t.Errorf("find what is left: %v", err)
	}
	var wg sync.WaitGroup
	for _, f := range found {
		if f.Client != nil {
			wg.Go(func() { b.endSession(ctx, f) })
		}
	}
	wg.Wait()
	if err := daemon.Stop(ctx, b.home); err != nil && !kedge.NotFound.Is(err) {
		b.t.Errorf("stop the daemon: %v", err)
	}
	gates, err := filepath.Glob(filepath.Join(b.home, "projects", "*", "gate", "*"))
	if err != nil {
		b.t.Errorf("find what is left of gates: %v", err)
	}
	for _, dir := range gates { // of a test that failed: a gate that was left waits for a daemon
		if err := gate.Forget(ctx, dir); err != nil {
			b.t.Errorf("end what is left of a gate: %v", err)
		}
	}
}

func (b *box) endSession(ctx context.Context, f hold.Found) {
	defer f.Client.Close()
	if f.Result == nil {
		_ = f.Client.End(ctx, 0) // it may end by itself meanwhile
		if _, err := f.Client.Follow(ctx, func(int64) error { return nil }); err != nil {
			b.t.Errorf("session %s is left: %v", f.ID, err)
		}
	}
	_ = f.Client.Collect(ctx) // the daemon does it too
	b.until("the holder is gone", func() bool { return !isRunning(f.Client.Greeting.Holder.PID) })
}

// isRunning tells whether a process exists and is no zombie.
func isRunning(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return !errors.Is(err, os.ErrNotExist) && syscall.Kill(pid, 0) == nil
	}
	_, after, _ := bytes.Cut(b, []byte(") "))
	return !bytes.HasPrefix(after, []byte("Z"))
}

func (b *box) until(what string, ok func() bool) {
	b.t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			b.t.Fatalf("never: %s", what)
		}
	}
}

func (b *box) command(args ...string) *exec.Cmd {
	c := exec.Command("kedge", args...)
	c.Dir, c.Env = b.dir, b.env
	return c
}

// run runs a command that must succeed, and gives what it prints.
func (b *box) run(args ...string) string {
	b.t.Helper()
	c := b.command(args...)
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		b.t.Fatalf("kedge %s: %v\n%s", strings.Join(args, " "), err, errs.String())
	}
	return string(out)
}

// fails runs a command that must end with the code, and gives its complaint.
func (b *box) fails(code int, args ...string) string {
	b.t.Helper()
	c := b.command(args...)
	var errs bytes.Buffer
	c.Stderr = &errs
	err := c.Run()
	if c.ProcessState == nil || c.ProcessState.ExitCode() != code {
		b.t.Errorf("kedge %s: %v, want exit code %d\n%s", strings.Join(args, " "), err, code, errs.String())
	}
	return errs.String()
}

func (b *box) json(out any, args ...string) {
	b.t.Helper()
	text := b.run(append([]string{args[0], "--json"}, args[1:]...)...)
	if err := json.Unmarshal([]byte(text), out); err != nil {
		b.t.Fatalf("kedge %s: %v\n%s", strings.Join(args, " "), err, text)
	}
}

// call calls the service as the command line would, without a process for it. A
// writing call needs a daemon that runs.
func (b *box) call(name string, in, out any) {
	b.t.Helper()
	c := &caller{home: b.home, dir: b.dir, environ: b.env}
	if err := c.Call(b.t.Context(), name, in, out, nil); err != nil {
		b.t.Fatalf("%s: %v", name, err)
	}
}

func (b *box) sessions() []kedge.Session {
	b.t.Helper()
	var ls sessions.SessionListReply
	b.call("session.list", sessions.SessionList{}, &ls)
	return ls.Sessions
}

// start starts a session; a daemon must run.
func (b *box) start(name string, command ...string) (s kedge.Session) {
	b.t.Helper()
	b.call("session.new", sessions.SessionNew{Name: name, Dir: b.dir, Command: command, Env: b.env, Cols: 80, Rows: 24}, &s)
	return s
}

func (b *box) folder(id kedge.SessionID) string { return filepath.Join(b.home, "sessions", string(id)) }

// daemonPID is the daemon's own word; 0 when none lives.
func (b *box) daemonPID() int {
	b.t.Helper()
	hello, err := b.hello()
	if err != nil {
		return 0
	}
	return hello.PID
}

func (b *box) hello() (daemon.Hello, error) {
	c, err := daemon.Dial(b.t.Context(), b.home)
	if err != nil {
		return daemon.Hello{}, err
	}
	defer c.CloseIdleConnections()
	return daemon.Ask(b.t.Context(), c)
}

// killDaemon ends it as a power cut would.
func (b *box) killDaemon() {
	b.t.Helper()
	pid := b.daemonPID()
	if pid == 0 {
		b.t.Fatal("no daemon to kill")
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		b.t.Fatal(err)
	}
	b.until("the daemon is dead", func() bool {
		if isRunning(pid) {
			return false
		}
		held, err := daemon.Held(b.home) // by the kernel, until its last thread is gone
		if err == nil && !held {
			return true
		}
		now := b.daemonPID() // whoever waits for an answer may have started the next one
		return now != 0 && now != pid
	})
}

// upNext starts the daemon of another version; it is ours to reap.
func (b *box) upNext(program string, args ...string) {
	b.t.Helper()
	c := exec.Command(program, args...)
	c.Dir, c.Env = "/", b.env
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := c.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() }) // killed long before, as a rule
	b.until("the other daemon answers", func() bool {
		h, err := b.hello()
		return err == nil && h.Version == nextVersion
	})
}

// counted is one session of the test.
type counted struct {
	kedge.Session
	copy string       // what the program says it printed
	seen bytes.Buffer // what a follower saw
	end  error
}

// startCounted starts n sessions, each with a follower from its first byte on.
func (b *box) startCounted(n int, stop string, wg *sync.WaitGroup) []*counted {
	b.t.Helper()
	all := make([]*counted, n)
	for i := range all {
		c := &counted{copy: filepath.Join(b.dir, "copy-"+strconv.Itoa(i))}
		c.Session = b.start("s"+strconv.Itoa(i), "counter", c.copy, stop)
		wg.Go(func() { c.follow(b.folder(c.ID)) })
		all[i] = c
	}
	return all
}

// follow reads the tape as the holder tells of it, each byte once.
func (c *counted) follow(dir string) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*patience) // as long as the test takes
	defer cancel()
	client, err := hold.Dial(ctx, dir)
	if err != nil {
		c.end = err
		return
	}
	defer client.Close()
	_, c.end = client.Follow(ctx, func(end int64) error {
		b := make([]byte, end-int64(c.seen.Len()))
		n, err := tape.Open(dir).ReadAt(b, int64(c.seen.Len()))
		c.seen.Write(b[:n])
		return err
	})
}

// TestF3HundredSessionsOutliveTheDaemon: numbered lines from many sessions,
// while the daemon is killed again and again and once replaced by one of another
// version: the same processes live, every tape is what the program wrote, and
// whoever follows sees every number once.
func TestF3HundredSessionsOutliveTheDaemon(t *testing.T) {
	n, kills := 24, 5
	if os.Getenv("KEDGE_TEST_FULL") != "" {
		n, kills = 100, 20
	}
	b := newBox(t)
	stop := filepath.Join(b.dir, "stop")
	var wg sync.WaitGroup
	all := b.startCounted(n, stop, &wg)
	for i := range kills {
		b.killDaemon()
		if i == kills/2 {
			b.upNext("kedge-next")
		} else {
			b.run("up")
		}
		b.same(all)
	}
	if err := os.WriteFile(stop, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	b.until("every session has ended", func() bool { return b.allEnded(all) })
	for _, c := range all {
		c.check(t, b.folder(c.ID))
	}
}

// same: the sessions run as the processes they were.
func (b *box) same(all []*counted) {
	b.t.Helper()
	now := map[kedge.SessionID]kedge.Session{}
	for _, s := range b.sessions() {
		now[s.ID] = s
	}
	for _, c := range all {
		if s := now[c.ID]; s.PID != c.PID || s.State != kedge.SessionRunning {
			b.t.Errorf("session %s was %d and is %s as %d", c.Name, c.PID, s.State, s.PID)
		}
	}
}

func (b *box) allEnded(all []*counted) bool {
	ended := 0
	for _, s := range b.sessions() {
		if s.State == kedge.SessionExited && s.ExitCode != nil && *s.ExitCode == 0 {
			ended++
		}
	}
	return ended == len(all)
}

// check compares what the program wrote, what the tape has and what was seen.
func (c *counted) check(t *testing.T, dir string) {
	t.Helper()
	want, err := os.ReadFile(c.copy)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(want), "\n"), "\n")
	for i, line := range lines {
		if line != fmt.Sprintf("line %d", i+1) {
			t.Fatalf("%s: line %d is %q", c.Name, i+1, line)
		}
	}
	_, end, err := tape.Open(dir).Range()
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, end)
	if _, err := tape.Open(dir).ReadAt(got, 0); err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s: the tape has %d bytes, the program wrote %d, or they differ", c.Name, len(got), len(want))
	}
	if c.end != nil || !bytes.Equal(c.seen.Bytes(), want) {
		t.Errorf("%s: the follower saw %d bytes of %d: %v", c.Name, c.seen.Len(), len(want), c.end)
	}
}

// journaled counts the events of a type in the journals of the box; the daemon
// must be down.
func (b *box) journaled(typ kedge.EventType) (n int) {
	b.t.Helper()
	dirs, err := filepath.Glob(filepath.Join(b.home, "projects", "prj-*"))
	if err != nil {
		b.t.Fatal(err)
	}
	for _, dir := range dirs {
		s, err := journal.Open(dir, journal.Options{ReadOnly: true})
		if err != nil {
			b.t.Fatal(err)
		}
		evs, err := s.Events(b.t.Context(), 0)
		if err != nil {
			b.t.Fatal(err)
		}
		for _, e := range evs {
			if e.Type == typ {
				n++
			}
		}
		_ = s.Close()
	}
	return n
}
