package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// attached attaches to a session, and gives the process that shows it.
func (p *pane) attached(name, until string) (pid int) {
	p.k.t.Helper()
	file := filepath.Join(p.k.t.TempDir(), "pid")
	p.line("sh -c 'echo $$ >" + file + "; exec " + p.k.bin + " attach " + name + "'")
	p.await("a pid", func() bool {
		b, _ := os.ReadFile(file) // it may not be there yet
		pid, _ = strconv.Atoi(strings.TrimSpace(string(b)))
		return pid > 0
	})
	p.await(until, func() bool { s := p.screen(); return strings.Contains(s, until) && !strings.Contains(s, "outer>") })
	return pid
}

// TestTheTerminalIsGivenBack: who attaches goes on when the daemon is killed, and gives the
// terminal back as it was, whatever ends it. What was seen is known also when the terminal
// closes.
func TestTheTerminalIsGivenBack(t *testing.T) {
	k := newKeeper(t)
	k.run("new", "full", "--", "sh", "-c", `printf '\033[?1049h\033[?1002h\033[?1006h\033[?1h\033[?25l\033[Hfull'; cat`)
	seen := filepath.Join(k.folder(k.session(k.dir, "full").ID), "seen")
	p := k.pane(80, 24)
	modes := func() string { // without the place of the cursor
		first, _, _ := strings.Cut(p.looks(), "\n")
		return strings.Join(strings.Fields(first)[2:], " ")
	}
	was := modes()
	for i, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		pid := p.attached("full", "full")
		k.killDaemon()
		p.line("still here " + strconv.Itoa(i))
		p.shows("still here " + strconv.Itoa(i))
		if modes() == was {
			t.Fatalf("the program's modes do not show: %s", was)
		}
		if err := os.Remove(seen); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if err := syscall.Kill(pid, s); err != nil {
			t.Fatal(err)
		}
		p.await("the shell after "+s.String(), func() bool { return strings.HasSuffix(strings.TrimSpace(p.screen()), "outer>") })
		p.line("echo as be''fore")
		p.shows("as before")
		if now := modes(); now != was {
			t.Errorf("%v leaves the terminal with %s, not %s", s, now, was)
		}
		if _, err := os.Stat(seen); err != nil {
			t.Errorf("%v: %v", s, err)
		}
		p.line("clear")
	}
	k.run("new", "other", "--", "cat")
	if err := os.Remove(seen); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(p.attached("", "Switch to"), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.await("the shell after the list", func() bool { return strings.HasSuffix(strings.TrimSpace(p.screen()), "outer>") })
	p.line("clear")
	p.attached("full", "full")
	_ = os.Remove(seen) // it may not be there
	p.tmux("kill-server")
	eventually(t, "it is known what was seen in a terminal that closed", func() bool { _, err := os.Stat(seen); return err == nil })
}
