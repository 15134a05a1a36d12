package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"kedge"
	"kedge/internal/app/runs"
	"kedge/internal/app/status"
	core "kedge/internal/core/run"
)

// runBox is a project whose agent waits for a file, and whose check waits for
// another once there is work.
type runBox struct{ *gateBox }

func newRunBox(t *testing.T) *runBox {
	t.Helper()
	b := &runBox{&gateBox{box: newBox(t), out: t.TempDir()}}
	t.Cleanup(func() { b.let("agent"); b.let("check") }) // before the box is cleared: nothing waits any more
	b.git("init", "-q")
	b.write("bot.sh", "cat >/dev/null; echo began >>"+b.out+"/agents\nwhile ! [ -e "+b.out+"/agent ]; do sleep 0.05; done\n"+
		"test \"$FLAVOUR\" = vanilla && echo work >work.txt\necho 'KEDGE {\"type\":\"usage\",\"input_tokens\":7}'\n")
	b.write("check.sh", "echo ran >>"+b.out+"/checks\ntest -e work.txt || exit 0\nwhile ! [ -e "+b.out+"/check ]; do sleep 0.05; done\ntest \"$FLAVOUR\" = vanilla\n")
	b.git("add", "-A")
	b.git("commit", "-q", "-m", "first")
	b.run("init", "--yes")
	b.write(".kedge/config.toml", "version = 1\n[agents.bot]\nkind = 'command'\ncommand = ['sh', 'bot.sh']\n[run]\nagent = 'bot'\n")
	b.write(".kedge/gate.toml", "version = 1\n[[check]]\nname = 'unit'\nkind = 'test'\nrun = 'sh check.sh'\n")
	b.git("add", "-A")
	b.git("commit", "-q", "-m", "settings")
	b.run("feature", "add", "work", "--name", "Work", "--check", "test -e work.txt")
	return b
}

func (b *runBox) write(name, text string) {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// let makes the file that somebody waits for.
func (b *runBox) let(name string) {
	if err := os.WriteFile(filepath.Join(b.out, name), nil, 0o600); err != nil {
		b.t.Errorf("let the %s go on: %v", name, err)
	}
}

// attached starts `kedge run --json`, in an environment that agent and check need.
func (b *runBox) attached() *waiter {
	b.t.Helper()
	w := &waiter{Cmd: b.command("run", "--json")}
	w.Env = append(w.Env[:len(w.Env):len(w.Env)], "FLAVOUR=vanilla")
	w.Stdout, w.Stderr = &w.out, &w.errs
	if err := w.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = w.Process.Kill(); _ = w.Wait() }) // over by then, as a rule
	return w
}

// TestF1RunOutlivesTheDaemon: the daemon is killed while an agent works, and
// again while the gate runs. Whoever watches the run sees every step once and its
// good end; the agent was started once, no check ran more often than the run
// asked for, and both had the environment of whoever began it.
func TestF1RunOutlivesTheDaemon(t *testing.T) {
	b := newRunBox(t)
	w := b.attached()
	b.until("the agent works", func() bool { return b.marks("agents") == 1 })
	b.killDaemon()
	b.until("there is another daemon", func() bool { return b.daemonPID() != 0 })
	b.let("agent")
	b.until("the gate judges the work", func() bool { return b.marks("checks") == 2 })
	b.killDaemon()
	b.until("there is another daemon", func() bool { return b.daemonPID() != 0 })
	b.let("check")
	if err := w.Wait(); err != nil {
		t.Fatalf("kedge run: %v\n%s%s", err, w.out.String(), w.errs.String())
	}
	end := b.everyStep(w.out.Bytes())
	if end.State != core.StatusDone || end.Sessions != 1 || end.Features.Completed != 1 {
		t.Errorf("it ended as %+v", end)
	}
	if n := b.marks("agents"); n != 1 {
		t.Errorf("%d agents were started", n)
	}
	if n := b.marks("checks"); n != 2 { // the baseline, the merge
		t.Errorf("the check ran %d times", n)
	}
	if n := b.journaled(kedge.SessionEnded); n != 1 {
		t.Errorf("%d ends of sessions", n)
	}
	if out := b.run("worktree", "ls", "--json"); bytes.Count([]byte(out), []byte(`"path"`)) != 1 {
		t.Errorf("worktrees are left over: %s", out)
	}
}

// everyStep checks that the steps were told from the first on, each once, and
// gives the end.
func (b *runBox) everyStep(out []byte) runs.RunView {
	b.t.Helper()
	var end runs.RunView
	last := int64(0)
	for line := range bytes.Lines(out) {
		var l struct {
			runs.RunLine
			Run *runs.RunView `json:"run"`
		}
		if err := json.Unmarshal(line, &l); err != nil {
			b.t.Fatalf("%v: %s", err, line)
		}
		switch {
		case l.Step != nil && l.Step.N != last+1:
			b.t.Errorf("step %d comes after step %d", l.Step.N, last)
			fallthrough
		case l.Step != nil:
			last = l.Step.N
		case l.Type == "end":
			end = *l.Run
		}
	}
	if last == 0 || end.ID == "" {
		b.t.Errorf("%d steps, and the end %+v", last, end)
	}
	return end
}

// TestRunDetachesAndGoesOn: Ctrl-C leaves the run alone; another run comes back
// to it and begins none.
func TestRunDetachesAndGoesOn(t *testing.T) {
	b := newRunBox(t)
	w := b.attached()
	b.until("the agent works", func() bool { return b.marks("agents") == 1 })
	if err := w.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = w.Wait()
	if code := w.ProcessState.ExitCode(); code != 130 || !bytes.Contains(w.out.Bytes(), []byte(`"type":"detached"`)) {
		t.Errorf("exit code %d\n%s", code, w.errs.String())
	}
	again := b.attached()
	b.let("agent")
	b.let("check")
	if err := again.Wait(); err != nil {
		t.Fatalf("kedge run: %v\n%s", err, again.errs.String())
	}
	if n := b.journaled(kedge.RunStepped); n == 0 || b.marks("agents") != 1 {
		t.Errorf("%d steps, %d agents", n, b.marks("agents"))
	}
	var st status.Reply
	if err := json.Unmarshal([]byte(b.run("status", "--json")), &st); err != nil {
		t.Fatal(err)
	}
	if st.Run == nil || st.Run.State != string(core.StatusDone) {
		t.Errorf("the run is %s", fmt.Sprint(st.Run))
	}
}
