package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"kedge"
	"kedge/internal/app/verify"
	"kedge/internal/process/hold"
)

// gateBox is a project whose second check waits for a file.
type gateBox struct {
	*box
	out string // where the checks leave their marks, outside of the tree
}

func newGateBox(t *testing.T) *gateBox {
	t.Helper()
	g := &gateBox{box: newBox(t), out: t.TempDir()}
	t.Cleanup(func() { g.release() }) // before the box is cleared: nothing waits any more
	g.git("init", "-q")
	g.run("init", "--yes")
	checks := ""
	for _, c := range [][2]string{
		{"first", "echo ran >>" + g.out + "/first"},
		{"second", "echo began >>" + g.out + "/second; while ! [ -e " + g.out + "/go ]; do sleep 0.05; done; echo ended >>" + g.out + "/second"},
		{"third", "test \"$FLAVOUR\" = vanilla && echo ran >>" + g.out + "/third"},
	} {
		checks += fmt.Sprintf("[[check]]\nname = %q\nkind = \"test\"\nrun = %q\n", c[0], c[1])
	}
	if err := os.WriteFile(filepath.Join(g.dir, ".kedge", "gate.toml"), []byte("version = 1\n"+checks), 0o600); err != nil {
		t.Fatal(err)
	}
	g.git("add", "-A")
	g.git("commit", "-q", "-m", "start")
	return g
}

func (g *gateBox) git(args ...string) {
	g.t.Helper()
	c := exec.Command("git", args...)
	c.Dir, c.Env = g.dir, g.env
	if out, err := c.CombinedOutput(); err != nil {
		g.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// release lets the second check end.
func (g *gateBox) release() {
	if err := os.WriteFile(filepath.Join(g.out, "go"), nil, 0o600); err != nil {
		g.t.Errorf("let the check end: %v", err)
	}
}

func (g *gateBox) marks(name string) int {
	b, _ := os.ReadFile(filepath.Join(g.out, name))
	return strings.Count(string(b), "\n")
}

// waiting starts `kedge gate`, in an environment that its third check needs, and
// gives it when the second check runs.
func (g *gateBox) waiting() *waiter {
	g.t.Helper()
	w := &waiter{Cmd: g.command("gate", "--all", "--json")}
	w.Env = append(w.Env[:len(w.Env):len(w.Env)], "FLAVOUR=vanilla")
	w.Stdout, w.Stderr = &w.out, &w.errs
	if err := w.Start(); err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { _ = w.Process.Kill(); _ = w.Wait() }) // over by then, as a rule
	g.until("the second check runs", func() bool { return g.marks("second") == 1 })
	return w
}

type waiter struct {
	*exec.Cmd
	out, errs bytes.Buffer
}

// finished counts the verdicts in the journal, and checks that the one is green
// and that no check ran twice.
func (g *gateBox) once() {
	g.t.Helper()
	g.until("the verdict is in the journal", func() bool { return g.journaled(kedge.GateFinished) == 1 })
	for name, want := range map[string]int{"first": 1, "second": 2, "third": 1} {
		if got := g.marks(name); got != want {
			g.t.Errorf("check %s left %d marks, want %d", name, got, want)
		}
	}
	if n := g.journaled(kedge.GateStarted); n != 1 {
		g.t.Errorf("%d gates were started", n)
	}
	g.until("nothing of the gate is left", func() bool { return len(g.heldLines()) == 0 })
}

// heldLines are the folders of checks that have, or had, a holder.
func (g *gateBox) heldLines() []string {
	dirs, err := filepath.Glob(filepath.Join(g.home, "projects", "*", "gate", "*", "*.held"))
	if err != nil {
		g.t.Fatal(err)
	}
	return dirs
}

// TestF1GateOutlivesTheDaemon: whoever waits for a gate gets its verdict from the
// next daemon, whatever happened to the one that began it.
func TestF1GateOutlivesTheDaemon(t *testing.T) {
	for name, end := range map[string]func(g *gateBox){
		"killed":  func(g *gateBox) { g.killDaemon() },
		"stopped": func(g *gateBox) { g.run("down") },
		"killed twice": func(g *gateBox) {
			g.killDaemon()
			g.until("the waiting command has started another", func() bool { return g.daemonPID() != 0 })
			g.killDaemon()
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGateBox(t)
			w := g.waiting()
			end(g)
			g.release()
			if err := w.Wait(); err != nil {
				t.Fatalf("kedge gate: %v\n%s", err, w.errs.String())
			}
			var reply verify.GateReply
			if err := json.Unmarshal(w.out.Bytes(), &reply); err != nil {
				t.Fatalf("%v\n%s", err, w.out.String())
			}
			if !reply.Green() || reply.Partial || len(reply.Checks) != 3 {
				t.Errorf("the verdict is %+v", reply)
			}
			g.once()
		})
	}
}

// TestF1GateOutlivesEverybody: nobody waits for the gate any more, and it is
// finished all the same, in the environment that it began in.
func TestF1GateOutlivesEverybody(t *testing.T) {
	for name, meanwhile := range map[string]func(g *gateBox){
		"still running": func(*gateBox) {},
		"ended while away": func(g *gateBox) {
			g.release()
			g.until("the second check has ended", func() bool {
				for _, dir := range g.heldLines() {
					if _, err := hold.ReadResult(dir); err != nil {
						return false
					}
				}
				return true
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGateBox(t)
			w := g.waiting()
			if err := w.Process.Signal(syscall.SIGSTOP); err != nil { // else it starts the next daemon
				t.Fatal(err)
			}
			g.killDaemon()
			if err := w.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = w.Wait()
			meanwhile(g)
			g.run("up")
			g.release()
			g.once()
		})
	}
}

// TestF1GateInterrupted: who stops waiting by Ctrl-C ends the gate; nothing of
// it is left, and it is not taken up again.
func TestF1GateInterrupted(t *testing.T) {
	g := newGateBox(t)
	w := g.waiting()
	if err := w.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = w.Wait()
	if code := w.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit code %d\n%s", code, w.errs.String())
	}
	g.until("the gate is dropped", func() bool { return g.journaled(kedge.GateDropped) == 1 })
	g.until("nothing of it is left", func() bool { return len(g.heldLines()) == 0 })
	g.killDaemon()
	g.run("up")
	g.release()
	g.run("gate", "--all", "first")
	if g.marks("second") != 1 || g.journaled(kedge.GateFinished) != 1 {
		t.Errorf("the second check left %d marks, %d verdicts", g.marks("second"), g.journaled(kedge.GateFinished))
	}
}
