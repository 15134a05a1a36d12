package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge"
)

// bare runs the rest of a line with nothing of the session in its environment.
func (g *gateBox) bare() string {
	path, home := "", ""
	for _, kv := range g.env {
		if v, ok := strings.CutPrefix(kv, "PATH="); ok {
			path = v
		}
		if v, ok := strings.CutPrefix(kv, "HOME="); ok {
			home = v
		}
	}
	return "setsid env -i PATH='" + path + "' HOME='" + home + "' KEDGE_HOME='" + g.home + "' "
}

// said waits for a line in a file outside of the tree.
func (g *gateBox) said(name string) string {
	g.t.Helper()
	g.until("something is said in "+name, func() bool { return g.marks(name) > 0 })
	b, err := os.ReadFile(filepath.Join(g.out, name))
	if err != nil {
		g.t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}

// TestT18CheckOfAnEarlierDaemon: what a check runs is no person either for a
// daemon that did not start it.
func TestT18CheckOfAnEarlierDaemon(t *testing.T) {
	g := newGateBox(t)
	g.run("feature", "add", "look")
	line := "echo began >>" + g.out + "/second; while ! [ -e " + g.out + "/go ]; do sleep 0.05; done; " +
		g.bare() + "kedge feature skip look --reason cheat; echo $? >>" + g.out + "/code"
	text := "version = 1\n[[check]]\nname = \"second\"\nkind = \"test\"\nrun = \"\"\"" + line + "\"\"\"\n"
	if err := os.WriteFile(filepath.Join(g.dir, ".kedge", "gate.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	w := g.waiting()
	g.killDaemon()
	g.until("the waiting command has started another", func() bool { return g.daemonPID() != 0 })
	g.release()
	if got := g.said("code"); got != "5" {
		t.Errorf("the check's command ended with %s", got)
	}
	_ = w.Wait() // whatever the verdict is
}

// TestT18KilledHolder: an agent that ends its own holder does not get away with
// what it started before, and which is nobody's child: it falls to the daemon,
// which ends it.
func TestT18KilledHolder(t *testing.T) {
	g := newGateBox(t)
	orphan := g.bare() + "sh -c 'echo $$ >" + g.out + "/pid; until [ -e " + g.out + "/go ]; do sleep 0.05; done' &"
	s := g.start("agent", "sh", "-c", "("+orphan+"); until [ -s "+g.out+"/pid ] && [ -e "+g.out+"/started ]; do sleep 0.05; done; kill -9 $PPID; exit 0")
	if err := os.WriteFile(filepath.Join(g.out, "started"), nil, 0o600); err != nil { // not before its holder has said that it runs
		t.Fatal(err)
	}
	pid := g.said("pid")
	g.until("nothing is left of it, not even for its parent to see", func() bool {
		_, err := os.Stat("/proc/" + pid)
		return os.IsNotExist(err)
	})
	g.until("its end is told", func() bool { return g.session(s.ID).State == kedge.SessionInterrupted })
	if g.daemonPID() == 0 {
		t.Error("the daemon is gone")
	}
}
