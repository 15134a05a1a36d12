package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"kedge"
	"kedge/internal/process/hold"
)

// TestF14NothingOfOthersAtTheStart: a daemon that starts and finds records that
// name other people's processes, and sessions whose holders are gone, says what
// became of them and touches nobody.
func TestF14NothingOfOthersAtTheStart(t *testing.T) {
	b := newBox(t)
	stop := filepath.Join(b.dir, "stop")
	forged := b.start("forged", "counter", filepath.Join(b.dir, "a"), stop)
	orphan := b.start("orphan", "counter", filepath.Join(b.dir, "b"), stop)
	kept := b.start("kept", "counter", filepath.Join(b.dir, "c"), stop)
	b.killDaemon()
	decoy := exec.Command("counter", filepath.Join(b.dir, "d"), stop)
	decoy.Dir = b.dir
	if err := decoy.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = decoy.Process.Kill(); _ = decoy.Wait() })
	b.killHolder(orphan.ID)
	b.killHolder(forged.ID)
	r := b.record(forged.ID)
	r.Holder, r.Child = identity(t, decoy.Process.Pid), identity(t, decoy.Process.Pid)
	b.write(forged.ID, r)
	b.run("up")
	states := map[string]string{}
	for _, s := range b.sessions() {
		states[s.Name] = string(s.State)
		if s.State == kedge.SessionInterrupted {
			states[s.Name] += " " + s.Cause
		}
	}
	for name, want := range map[string]string{"forged": "interrupted lost", "orphan": "interrupted killed", "kept": "running"} {
		if states[name] != want {
			t.Errorf("session %s is %q, want %q", name, states[name], want)
		}
	}
	if !isRunning(decoy.Process.Pid) || !isRunning(kept.PID) {
		t.Error("somebody was killed")
	}
	b.fails(4, "kill", "forged")
	if !isRunning(decoy.Process.Pid) {
		t.Error("a kill by a forged record reached a stranger")
	}
}

func (b *box) record(id kedge.SessionID) hold.Record {
	b.t.Helper()
	r, err := hold.ReadRecord(b.folder(id))
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

func (b *box) write(id kedge.SessionID, r hold.Record) {
	b.t.Helper()
	if err := saveRecord(b.folder(id), r); err != nil {
		b.t.Fatal(err)
	}
}

func saveRecord(dir string, r hold.Record) error {
	j, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "holder.json"), j, 0o600)
}

func (b *box) killHolder(id kedge.SessionID) {
	b.t.Helper()
	r := b.record(id)
	if err := syscall.Kill(r.Holder.PID, syscall.SIGKILL); err != nil {
		b.t.Fatal(err)
	}
	b.until("holder and program are gone", func() bool { return !isRunning(r.Holder.PID) && !isRunning(r.Child.PID) })
}

// identity is a process as the system names it beyond doubt.
func identity(t *testing.T, pid int) hold.Process {
	t.Helper()
	p, err := identityOf(pid)
	if err != nil {
		t.Skip(err)
	}
	return p
}

func identityOf(pid int) (hold.Process, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return hold.Process{}, err
	}
	p := hold.Process{PID: pid}
	f := strings.Fields(string(b[strings.LastIndex(string(b), ")")+1:]))
	_, err = fmt.Sscan(f[19], &p.Start)
	return p, err
}

// TestF28StoppedDaemon: while the daemon is stopped its sessions go on; a call
// made meanwhile is answered when it goes on, once.
func TestF28StoppedDaemon(t *testing.T) {
	b := newBox(t)
	stop, copy := filepath.Join(b.dir, "stop"), filepath.Join(b.dir, "copy")
	s := b.start("s", "counter", copy, stop)
	pid := b.daemonPID()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGCONT) }) // whatever failed before
	b.until("the daemon is stopped", func() bool { return processState(pid) == "T" })
	waiting := b.command("rename", "s", "renamed")
	if err := waiting.Start(); err != nil {
		t.Fatal(err)
	}
	was := size(copy)
	b.until("the session went on without it", func() bool { return size(copy) > was })
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if err := waiting.Wait(); err != nil {
		t.Errorf("the call made meanwhile: %v", err)
	}
	if now := b.daemonPID(); now != pid {
		t.Errorf("daemon %d was replaced by %d", pid, now)
	}
	all := b.sessions()
	if len(all) != 1 || all[0].Name != "renamed" || all[0].PID != s.PID || all[0].State != kedge.SessionRunning {
		t.Errorf("the sessions are %+v", all)
	}
}

func size(path string) int64 {
	fi, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return fi.Size()
}

// processState is the letter that the system gives a process's state.
func processState(pid int) string {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	_, after, _ := strings.Cut(string(b), ") ")
	return after[:1]
}

// TestF10KilledAgent: what ended an agent is told with its exit code, by the
// daemon that watched and by one that was away.
func TestF10KilledAgent(t *testing.T) {
	b := newBox(t)
	stop := filepath.Join(b.dir, "stop")
	for name, sig := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "termed": syscall.SIGTERM} {
		for _, away := range []bool{false, true} {
			s := b.start(fmt.Sprintf("%s-%t", name, away), "counter", filepath.Join(b.dir, name), stop)
			if away {
				b.killDaemon()
			}
			if err := syscall.Kill(s.PID, sig); err != nil {
				t.Fatal(err)
			}
			b.until("the session is over", func() bool { return b.session(s.ID).State != kedge.SessionRunning })
			b.run("up")
			b.until("its end is in the journal", func() bool { _, err := hold.ReadRecord(b.folder(s.ID)); return kedge.NotFound.Is(err) })
			got := b.session(s.ID)
			if got.State != kedge.SessionInterrupted || got.Cause != hold.CauseKilled || got.ExitCode == nil || *got.ExitCode != 128+int(sig) {
				t.Errorf("%s, away %t: %+v", name, away, got)
			}
		}
	}
}

func (b *box) session(id kedge.SessionID) kedge.Session {
	b.t.Helper()
	for _, s := range b.sessions() {
		if s.ID == id {
			return s
		}
	}
	b.t.Fatalf("no session %s", id)
	return kedge.Session{}
}

// TestT18OwnSessionsOnly: an agent may act on its own session and on those it
// started; anything else is refused and written down.
func TestT18OwnSessionsOnly(t *testing.T) {
	b := newBox(t)
	b.start("other", "cat")
	a := b.start("agent", "cat")
	person := b.env
	b.env = append(person[:len(person):len(person)], "KEDGE_SESSION="+string(a.ID))
	var child kedge.Session
	b.json(&child, "new", "child", "--", "cat") // by a process, which has the session in its environment
	if child.Parent != a.ID {
		t.Errorf("the child's parent is %q", child.Parent)
	}
	for _, args := range [][]string{{"send", "other", "rm -rf"}, {"kill", "other"}, {"rename", "other", "mine"}} {
		if said := b.fails(5, args...); !strings.Contains(said, "this session may not ") || !strings.Contains(said, "next:") {
			t.Errorf("%v: %s", args, said)
		}
	}
	b.run("send", "agent", "to myself")
	b.run("send", "child", "to my child")
	b.run("rename", "child", "kid")
	b.run("kill", "kid", "--grace", "10ms")
	b.env = person
	for _, s := range b.sessions() {
		if s.Name == "other" && (s.State != kedge.SessionRunning || s.Bytes != 0) {
			t.Errorf("the other session was reached: %+v", s)
		}
	}
	b.run("send", "other", "a person may")
	b.run("down")
	if n := b.journaled(kedge.SessionRefused); n != 3 {
		t.Errorf("%d refusals are in the journal", n)
	}
}

// TestT18NestedEnvironment: a session started inside a session has its own name
// in its environment, once.
func TestT18NestedEnvironment(t *testing.T) {
	b := newBox(t)
	b.env = append(b.env, "KEDGE_SESSION=ses-00000000000000000000000001")
	var s kedge.Session
	b.json(&s, "new", "inner", "--", "sh", "-c", "env | grep KEDGE_SESSION; echo done; cat")
	got := ""
	b.until("it has printed", func() bool { got = b.run("logs", "inner"); return strings.Contains(got, "done") })
	if strings.Count(got, "KEDGE_SESSION=") != 1 || !strings.Contains(got, "KEDGE_SESSION="+string(s.ID)) {
		t.Errorf("its environment: %s", got)
	}
}

// TestT4NoSecretInArguments: no value of the caller's environment is in the
// arguments of any process, in the journal or in the daemon's log.
func TestT4NoSecretInArguments(t *testing.T) {
	b := newBox(t)
	secret := "hunter2-" + fmt.Sprint(os.Getpid())
	b.env = append(b.env, "API_TOKEN="+secret)
	b.run("new", "s", "--", "cat")
	procs, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(procs) == 0 {
		t.Skip("no /proc here")
	}
	for _, p := range procs {
		if line, err := os.ReadFile(p); err == nil && strings.Contains(string(line), secret) {
			t.Errorf("%s: %q", p, line)
		}
	}
	err = filepath.Walk(b.home, func(path string, fi os.FileInfo, err error) error {
		if err != nil || !fi.Mode().IsRegular() {
			return nil //nolint:nilerr // a file that went meanwhile holds nothing
		}
		if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), secret) {
			t.Errorf("%s holds a value of the environment", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestF11WaitingByItsOwnWord: a session waits when its agent says so, and not
// because of what stands on its screen.
func TestF11WaitingByItsOwnWord(t *testing.T) {
	b := newBox(t)
	b.start("says", "sh", "-c", `printf '\033]7501;state=blocked:app=codex\007'; cat`)
	b.start("shows", "sh", "-c", `printf 'Do you want to proceed? (y/n) '; cat`)
	states := map[string]kedge.SessionState{}
	b.until("both have printed, and were looked at", func() bool {
		for _, s := range b.sessions() {
			if states[s.Name] = s.State; s.Bytes < 20 {
				return false
			}
		}
		return true
	})
	if states["says"] != kedge.SessionWaiting || states["shows"] != kedge.SessionRunning {
		t.Errorf("the sessions are %v", states)
	}
}
