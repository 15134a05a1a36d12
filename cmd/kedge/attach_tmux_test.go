package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"kedge/internal/process/hold"
)

// pane is a terminal of tmux, as a person has one: with a size, a screen and a scrollback.
type pane struct {
	k      *keeper
	socket string
	id     string
}

// needs fails where a program is not there: a test that is skipped looks like one that passed.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Fatalf("this test needs %s; make test installs it", p)
		}
	}
}

// pane opens one, with a shell that has the environment of the keeper.
func (k *keeper) pane(cols, rows int) *pane {
	k.t.Helper()
	needs(k.t, "tmux")
	p := &pane{k: k, socket: filepath.Join(k.t.TempDir(), "t")}
	if len(p.socket) > 90 {
		short, err := os.MkdirTemp("/tmp", "kp")
		if err != nil {
			k.t.Fatal(err)
		}
		k.t.Cleanup(func() { _ = os.RemoveAll(short) })
		p.socket = filepath.Join(short, "t")
	}
	conf := p.socket + ".conf"
	if err := os.WriteFile(conf, []byte("set -g history-limit 50000\nset -g status off\nset -g default-terminal screen-256color\n"), 0o600); err != nil {
		k.t.Fatal(err)
	}
	c := exec.Command("tmux", "-f", conf, "-S", p.socket, "new-session", "-d", "-x", strconv.Itoa(cols), "-y", strconv.Itoa(rows), "-P", "-F", "#{pane_id}",
		"exec env PS1='outer> ' sh")
	c.Dir, c.Env = k.dir, append(slices.DeleteFunc(slices.Clone(k.env), func(kv string) bool { return strings.HasPrefix(kv, "TMUX") || strings.HasPrefix(kv, "TERM=") }),
		"TERM=xterm-256color", "LC_ALL=C.UTF-8")
	out, err := c.CombinedOutput()
	if err != nil {
		k.t.Fatalf("tmux: %v: %s", err, out)
	}
	p.id = strings.TrimSpace(string(out))
	k.t.Cleanup(func() { _ = exec.Command("tmux", "-S", p.socket, "kill-server").Run() })
	p.await("a shell", func() bool { return strings.Contains(p.screen(), "outer>") })
	return p
}

func (p *pane) tmux(args ...string) string {
	p.k.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", p.socket}, args...)...).CombinedOutput()
	if err != nil {
		p.k.t.Fatalf("tmux %v: %v: %s", args, err, out)
	}
	return string(out)
}

func (p *pane) keys(keys ...string) { p.tmux(append([]string{"send-keys", "-t", p.id}, keys...)...) }

// line types a line and Enter.
func (p *pane) line(text string) {
	p.tmux("send-keys", "-t", p.id, "-l", text)
	p.keys("Enter")
}

func (p *pane) screen() string { return p.tmux("capture-pane", "-p", "-t", p.id) }

// all is the scrollback and the screen.
func (p *pane) all() string { return p.tmux("capture-pane", "-p", "-S", "-", "-t", p.id) }

func (p *pane) await(what string, ok func() bool) {
	p.k.t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(30 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			p.k.t.Fatalf("never: %s; the terminal shows:\n%s", what, p.screen())
		}
	}
}

func (p *pane) shows(text string) {
	p.k.t.Helper()
	p.await(fmt.Sprintf("%q on the terminal", text), func() bool { return strings.Contains(p.screen(), text) })
}

// attach attaches to a session, and detach leaves it again.
func (p *pane) attach(name, until string) {
	p.k.t.Helper()
	p.line(p.k.bin + " attach " + name)
	p.shows(until)
}

func (p *pane) detach(name string) {
	p.k.t.Helper()
	p.keys("C-]", "d")
	p.shows("[detached from session " + name)
	p.await("the shell", func() bool { return strings.HasSuffix(strings.TrimSpace(p.screen()), "outer>") })
}

// sizeIs waits until a session has a size.
func (p *pane) sizeIs(name string, cols, rows int) {
	p.k.t.Helper()
	id := p.k.live(p.k.dir, name).ID
	p.await(fmt.Sprintf("%s has %d columns and %d rows", name, cols, rows), func() bool {
		c, r := sessionSize(p.k.t, p.k.folder(id))
		return c == cols && r == rows
	})
}

// killDaemon ends the daemon as a crash does.
func (k *keeper) killDaemon() {
	k.t.Helper()
	kill9(k.t, k.daemonPID())
}

// sessionSize is a session's size, as its holder says it.
func sessionSize(t *testing.T, dir string) (cols, rows int) {
	t.Helper()
	f := hold.Look(t.Context(), dir)
	if f.Client == nil || f.Now == nil {
		t.Fatal("the holder does not answer")
	}
	defer f.Client.Close()
	return f.Now.Cols, f.Now.Rows
}

// TestRow51NothingMissing: what a shell printed while nobody was attached, and the daemon
// was dead, is in the scrollback of the terminal that comes back; the screen is there on
// terminals of other sizes, too.
func TestRow51NothingMissing(t *testing.T) {
	needs(t, "tmux")
	k := newKeeper(t)
	k.run("new", "shell", "--", "env", "PS1=in> ", "sh", "-i")
	p := k.pane(80, 24)
	p.attach("shell", "in>")
	p.line("seq 1 2500")
	p.shows("2499\n2500") // and not what was typed: what comes later would be missed, and of that the last lines are shown
	p.detach("shell")
	k.run("send", "shell", "seq 2501 3200; echo e''nd")
	id := k.live(k.dir, "shell").ID
	eventually(t, "it printed", func() bool { return strings.Contains(k.printed(id), "\nend") })
	k.killDaemon()
	p.attach("shell", "end")
	have := map[string]bool{}
	for line := range strings.Lines(p.all()) {
		have[strings.TrimSpace(line)] = true
	}
	for n := 1; n <= 3200; n++ {
		if !have[strconv.Itoa(n)] {
			t.Fatalf("line %d is missing from the scrollback", n)
		}
	}
	p.keys("C-]", "[")
	p.shows("line ")
	p.keys("g")
	p.shows("seq 1 2500")
	p.keys("/")
	p.line("3141")
	p.shows("not found") // it looks for older ones
	p.keys("G", "/")
	p.line("3141")
	p.await("the line", func() bool { return strings.HasPrefix(p.screen(), "3141\n") })
	p.keys("q")
	p.shows("in>")
	p.detach("shell")
	for _, size := range [][2]int{{120, 40}, {45, 17}} {
		q := k.pane(size[0], size[1])
		q.attach("shell", "end")
		q.sizeIs("shell", size[0], size[1])
		var want []string
		for n := 3200 - size[1] + 5; n <= 3200; n++ {
			want = append(want, strconv.Itoa(n))
		}
		q.shows(strings.Join(want, "\n") + "\nend\nin>")
		q.detach("shell")
	}
}

// TestRow50TheSizeOfWhoTyped: the session has the size of the terminal where somebody typed
// last. Others see it cropped or with an empty border. Text that is sent, and who only
// watches, changes no size.
func TestRow50TheSizeOfWhoTyped(t *testing.T) {
	needs(t, "tmux")
	k := newKeeper(t)
	k.run("new", "shell", "--", "env", "PS1=in> ", "sh", "-i")
	desk, phone := k.pane(120, 40), k.pane(45, 17)
	desk.attach("shell", "in>")
	desk.sizeIs("shell", 120, 40)
	phone.attach("shell --watch", "in>")
	k.run("send", "shell", "echo $((6*7))")
	phone.shows("42")
	desk.sizeIs("shell", 120, 40)
	phone.keys("x")
	phone.detach("shell")
	phone.attach("shell", "42")
	desk.sizeIs("shell", 120, 40)
	phone.line("echo $((7*7))")
	phone.shows("49")
	desk.sizeIs("shell", 45, 17)
	desk.shows("49")
	desk.keys("C-]", "f")
	desk.sizeIs("shell", 120, 40)
	phone.line("")
	desk.sizeIs("shell", 45, 17)
	phone.detach("shell")
	desk.sizeIs("shell", 120, 40)
	phone.attach("shell --watch", "49")
	phone.keys("C-]", "f")
	desk.sizeIs("shell", 45, 17)
	desk.line("echo $((8*8))") // typing takes it back
	desk.sizeIs("shell", 120, 40)
	phone.keys("C-]", "f")
	desk.sizeIs("shell", 45, 17)
	desk.keys("C-]", "f")
	desk.sizeIs("shell", 120, 40)
}

// TestQueriesAreAnsweredOnce: what a program asks is answered once, whether no terminal is
// attached, or one, or several.
func TestQueriesAreAnsweredOnce(t *testing.T) {
	needs(t, "tmux")
	k := newKeeper(t)
	k.run("new", "asks", "--", "sh", "-c", `stty raw -echo; while :; do i=0; while [ $i -lt 20 ]; do printf '\033[H\033[6n'; head -c 6 >/dev/null; i=$((i+1)); done
printf '\033[5n'; printf 'got <%s>\r\n' "$(head -c 4 | tr -d '\033')"; head -c 1 >/dev/null; done`)
	id := k.live(k.dir, "asks").ID
	answered := func(n int) {
		t.Helper()
		eventually(t, "all answers", func() bool { return strings.Count(k.printed(id), "got <") == n })
		if got := k.printed(id); strings.Count(got, "got <[0n>") != n {
			t.Fatalf("answered %d times: %q", n, got[max(0, len(got)-300):])
		}
	}
	answered(1)
	p := k.pane(80, 24)
	p.attach("asks", "got <[0n>")
	p.keys("x")
	answered(2)
	q := k.pane(80, 24)
	q.attach("asks", "got <[0n>")
	watcher := k.pane(80, 24)
	watcher.attach("asks --watch", "got <[0n>")
	q.keys("x")
	answered(3)
	q.detach("asks")
	k.run("send", "asks", "--raw", "x")
	answered(4)
}

// TestRow115WhatHappenedMeanwhile: who comes back gets a line about the time away, above
// the screen.
func TestRow115WhatHappenedMeanwhile(t *testing.T) {
	needs(t, "tmux")
	k := newKeeper(t)
	k.run("new", "agent", "--", "sh", "-c", `printf 'allow it?\033]7501;state=blocked\007'; cat`)
	p := k.pane(80, 24)
	p.attach("agent", "allow it?")
	p.detach("agent")
	file := filepath.Join(k.folder(k.session(k.dir, "agent").ID), "seen")
	var seen map[string]any
	b, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(b, &seen) != nil {
		t.Fatalf("%s: %q, %v", file, b, err)
	}
	seen["at"] = time.Now().Add(-42*time.Minute - time.Second).UTC().Format(time.RFC3339)
	if b, err = json.Marshal(seen); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	p.attach("agent", "away 42m: 1 open question")
	p.await("the line above the screen", func() bool {
		return strings.Contains(p.all(), "\naway 42m: 1 open question\n") && strings.Contains(p.screen(), "allow it?") && !strings.Contains(p.screen(), "away")
	})
	p.detach("agent")
	p.attach("", "allow it?") // the one that was left last
}
