package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"kedge"
	"kedge/internal/app/maintenance"
	"kedge/internal/app/sessions"
	"kedge/internal/server/daemon"
)

// TestF1KilledWhileAWorktreeIsMade kills the daemon, or a git of it, in the middle of
// kedge new --worktree, at calls that change files. The next daemon answers the same
// request with one session in one worktree, and when that is over nothing is left.
//
// N is a sample; KEDGE_TEST_EVERY_KILL=1 takes every one.
func TestF1KilledWhileAWorktreeIsMade(t *testing.T) {
	needStrace(t)
	bin := buildKedge(t)
	for _, calls := range []string{"write", "rename,renameat,renameat2", "mkdir,mkdirat", "unlink,unlinkat"} {
		t.Run(calls, func(t *testing.T) {
			t.Parallel()
			v := newVictim(t, bin)
			v.withSetup()
			most := v.countNew(calls)
			kills := 0
			for _, n := range sample(most) {
				if v.killedNew(calls, n) {
					kills++
				}
				if t.Failed() {
					t.Fatalf("after a kill at %s number %d", calls, n)
				}
			}
			if t.Logf("at most %d calls by one thread; %d kills", most, kills); kills == 0 {
				t.Errorf("nothing was ever killed at %s: this tests nothing", calls)
			}
		})
	}
}

// withSetup gives the project a set-up, for every kill anew.
func (v *victim) withSetup() {
	v.t.Helper()
	v.restore()
	config := "version = 1\n[worktree]\nsetup = \"mkdir -p deps && echo $KEDGE_SLOT > deps/slot\"\n"
	for name, text := range map[string]string{".kedge/config.toml": config, ".gitignore": "/deps/\n"} {
		if err := os.WriteFile(filepath.Join(v.dir, name), []byte(text), 0o600); err != nil {
			v.t.Fatal(err)
		}
	}
	v.must("git", "add", "-A")
	v.must("git", "commit", "-q", "-m", "a set-up")
	v.must("rm", "-r", filepath.Join(v.base, "before"))
	v.must("cp", "-a", filepath.Join(v.base, "now"), filepath.Join(v.base, "before"))
}

// startNew asks for a session with a worktree.
func (v *victim) startNew(key string) (kedge.Session, error) {
	var s kedge.Session
	err := v.ask("session.new", key, sessions.SessionNew{
		Name: "one", Dir: v.dir, Command: []string{"sh", "-c", "cat > /dev/null"}, Env: v.env, Cols: 80, Rows: 24,
		Worktree: &sessions.WorktreeWish{},
	}, &s)
	return s, err
}

func (v *victim) countNew(calls string) int {
	v.t.Helper()
	v.restore()
	log := filepath.Join(v.base, "log")
	l := v.live(strace(log, calls)...)
	if _, err := v.startNew(newKey()); err != nil {
		v.t.Fatalf("without a fault: %v\n%s", err, l.said.String())
	}
	v.endSession()
	v.end(l)
	return mostCalls(v.read(log))
}

func newKey() string { return kedge.NewID("req", time.Unix(0, 0)) }

func (v *victim) endSession() {
	v.t.Helper()
	if err := v.ask("session.kill", newKey(), sessions.SessionKill{Name: "one", GraceMS: 100}, nil); err != nil {
		v.t.Errorf("the session cannot be ended: %v", err)
	}
}

// killedNew lives through one kill. It tells whether there was one.
func (v *victim) killedNew(calls string, n int) bool {
	v.t.Helper()
	v.restore()
	log, key := filepath.Join(v.base, "log"), newKey()
	l := v.live(strace(log, calls, "-I", "1", "-e", "inject="+calls+":signal=KILL:when="+strconv.Itoa(n))...)
	_, unanswered := v.startNew(key)
	_, dead := daemon.Dial(v.t.Context(), v.home)
	killed := unanswered != nil || dead != nil
	v.leave(l)

	l = v.live()
	defer v.end(l)
	s, err := v.startNew(key)
	if kedge.Conflict.Is(err) && strings.Contains(err.Error(), "did not start") { // its holder was killed, or never came to be
		err = v.ask("session.resume", newKey(), sessions.SessionResume{Name: "one", Env: v.env, Cols: 80, Rows: 24}, &s)
	}
	if err != nil || s.Worktree == nil {
		v.t.Errorf("the next daemon: %v, %+v\n%s%s", err, s.Worktree, v.read(filepath.Join(v.home, "daemon", "log")), l.said.String())
		return killed
	}
	for what, n := range map[string]int{"worktrees": v.lines("git", "worktree", "list") - 1, "branches": v.lines("git", "branch", "--list", "kedge/*")} {
		if n != 1 {
			v.t.Errorf("there are %d %s", n, what)
		}
	}
	if b, err := os.ReadFile(filepath.Join(s.Worktree.Path, "deps", "slot")); err != nil || strings.TrimSpace(string(b)) != s.Worktree.Slot {
		v.t.Errorf("it is not set up for %s: %q, %v", s.Worktree.Slot, b, err)
	}
	v.nothingLeft()
	return killed
}

// leave stops a traced daemon that lives still, and lets go of what outlives it: strace
// would wait for the session.
func (v *victim) leave(l *life) {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_ = daemon.Stop(ctx, v.home) // it may be dead
	eventually(v.t, "the daemon is gone", func() bool {
		_, err := daemon.Dial(v.t.Context(), v.home)
		return err != nil
	})
	_ = l.cmd.Process.Signal(syscall.SIGTERM) // over already: what was wanted
	<-l.ended
}

// nothingLeft ends the session and collects its worktree.
func (v *victim) nothingLeft() {
	v.t.Helper()
	var s sessions.SessionFound
	if err := v.ask("session.find", "", sessions.SessionName{Name: "one"}, &s); err != nil {
		v.t.Fatal(err)
	}
	if s.Session.Live() {
		v.endSession()
	}
	// Of a holder that died while it started, the journal learns a second later.
	eventually(v.t, "the worktree is collected", func() bool {
		var gc maintenance.WorktreeGCReply
		err := v.ask("worktree.gc", newKey(), maintenance.WorktreeGCRequest{}, &gc)
		if err != nil {
			v.t.Fatalf("gc: %v, %+v", err, gc)
		}
		return len(gc.Removed) == 1
	})
	left, err := filepath.Glob(filepath.Join(v.home, "worktrees", "*", "*"))
	if n := v.lines("git", "branch", "--list", "kedge/*"); err != nil || len(left) > 0 || n > 0 {
		v.t.Errorf("left are %q and %d branches (%v)", left, n, err)
	}
}

// lines counts what a command prints.
func (v *victim) lines(args ...string) int {
	v.t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = v.dir, v.env
	out, err := cmd.Output()
	if err != nil {
		v.t.Fatal(err)
	}
	return strings.Count(string(out), "\n")
}
