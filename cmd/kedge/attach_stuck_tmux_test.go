package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestProgramThatDoesNotRead: a program that asks its terminal much, and reads nothing, stops
// neither what is shown nor the keys for Kedge.
func TestProgramThatDoesNotRead(t *testing.T) {
	k := newKeeper(t)
	begin := filepath.Join(t.TempDir(), "begin")
	k.run("new", "deaf", "--", "sh", "-c", `stty raw -echo; printf here; until [ -e `+begin+` ]; do sleep 0.02; done
i=0; while [ $i -lt 3000 ]; do printf '\033[6n'; i=$((i+1)); done; printf '\r\nall asked'; exec sleep 1000`)
	id := k.live(k.dir, "deaf").ID
	p := k.pane(80, 24)
	p.attach("deaf", "here")
	p.keys("C-]", "?")
	p.shows("Keys after") // what is asked now is answered by Kedge
	if err := os.WriteFile(begin, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it asked", func() bool { return strings.Contains(k.printed(id), "all asked") })
	p.keys("q")
	p.shows("all asked")
	p.keys("a", "b", "C-]", "?")
	p.shows("Keys after")
	p.keys("q")
	p.detach("deaf")
}

// TestDaemonThatDoesNotAnswer: while the daemon does not answer, the session is shown, what
// asks the daemon says so, and what is typed reaches the program.
func TestDaemonThatDoesNotAnswer(t *testing.T) {
	k := newKeeper(t)
	k.run("new", "ticks", "--", "sh", "-c", "n=0; while sleep 0.05; do n=$((n+1)); echo tick $n; done & cat")
	p := k.pane(80, 24)
	p.attach("ticks", "tick 3")
	id, daemon := k.live(k.dir, "ticks").ID, k.daemonPID()
	if err := syscall.Kill(daemon, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(daemon, syscall.SIGCONT) })
	for _, key := range []string{"w", "n"} {
		p.keys("C-]", key)
		before := p.screen()
		p.await("more ticks", func() bool { return p.screen() != before })
		p.shows("the daemon does not answer")
		p.line("typed after " + key)
		eventually(t, "what the program reads", func() bool { return strings.Count(k.printed(id), "typed after "+key) == 2 })
	}
	p.detach("ticks")
}
