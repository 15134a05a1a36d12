package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"kedge"
	"kedge/internal/process/hold"
	"kedge/internal/process/tape"
	"kedge/internal/text/plain"
)

// terminal runs kedge at a terminal, as a person does: under a holder that is no
// session of Kedge's. It gives the folder with what the terminal shows.
func (k *keeper) terminal(args ...string) string {
	k.t.Helper()
	sockets, err := os.MkdirTemp("/tmp", "kt") // a socket's path must be short
	if err != nil {
		k.t.Fatal(err)
	}
	dir := k.t.TempDir()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c, err := hold.NewLauncher(k.bin, "hold").Start(ctx, hold.Spec{
		Session: kedge.SessionID(kedge.NewID("ses", time.Now())), Dir: dir, Socket: filepath.Join(sockets, "s"),
		Command: append([]string{k.bin}, args...), Cwd: k.dir, Env: k.env, Cols: 80, Rows: 24,
	})
	if err != nil {
		k.t.Fatal(err)
	}
	_ = c.Close() // who needs it dials again
	k.t.Cleanup(func() { endTerminal(dir); _ = os.RemoveAll(sockets) })
	return dir
}

// endTerminal leaves no process of a terminal behind.
func endTerminal(dir string) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	f := hold.Look(ctx, dir)
	if f.Client == nil {
		return // killed by the test, or gone by itself
	}
	defer f.Client.Close()
	_ = f.Client.End(ctx, 0)
	if _, err := f.Client.Await(ctx); err != nil {
		return
	}
	if f = hold.Look(ctx, dir); f.Client != nil {
		_ = f.Client.Collect(ctx)
		_ = f.Client.Close()
	}
}

// typeAt types at a terminal.
func typeAt(t *testing.T, dir, keys string, seq uint64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c, err := hold.Dial(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Input(ctx, 1, seq, []byte(keys)); err != nil {
		t.Fatal(err)
	}
}

func printedIn(t *testing.T, dir string) string {
	t.Helper()
	l := tape.Open(dir)
	_, end, err := l.Range()
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, end)
	n, _ := l.ReadAt(b, 0) // it may be at its end
	return string(b[:n])
}

// TestDetachLeavesTheTerminalTidy: whoever detaches is on the first screen, with
// every mode reset, below the text, and is told how to come back; a program that
// has the second screen gets it when it is attached to.
func TestDetachLeavesTheTerminalTidy(t *testing.T) {
	k := newKeeper(t)
	k.run("new", "shell", "--", "sh", "-c", "printf 'prompt$ '; cat")
	k.run("new", "full", "--", "sh", "-c", `printf '\033[?1049h\033[2J\033[5;5Hpainted\033[?25l\033[?2004h'; cat`)
	const reset = "\x1b[?25h"
	const apart = "\x1b[?2027l" // of the mode that the painting of some characters turns on
	for _, c := range []struct{ name, text, leave string }{
		{"shell", "prompt$", "\x1b[r\x1b[999;1H\r\n"},
		{"full", "painted", "\x1b[r\x1b[?1049l\x1b[<9u\x1b[999;1H\r\n"},
	} {
		id := k.live(k.dir, c.name).ID
		eventually(t, c.name+" has printed", func() bool { return strings.Contains(k.printed(id), c.text) })
		dir := k.terminal("attach", c.name)
		eventually(t, "the terminal shows the session", func() bool { return strings.Contains(printedIn(t, dir), c.text) })
		typeAt(t, dir, "\x1dd", 1)
		told := "[detached from session " + c.name + "; to attach again: kedge attach " + c.name + "]\r\n"
		eventually(t, "it is told", func() bool { return strings.HasSuffix(printedIn(t, dir), told) })
		shown := printedIn(t, dir)
		if !strings.HasSuffix(shown, apart+"\x1b[23;0t"+c.leave+told) || !strings.Contains(shown[strings.LastIndex(shown, c.text):], reset) {
			t.Errorf("%s: the terminal was left with %q", c.name, shown)
		}
		if entered := strings.Contains(shown, "\x1b[?1047h"); entered != (c.name == "full") {
			t.Errorf("%s: the second screen was entered: %v: %q", c.name, entered, shown)
		}
	}
}

// TestSignalsLeaveTheTerminalTidy: whatever ends attach gets the terminal restored first.
func TestSignalsLeaveTheTerminalTidy(t *testing.T) {
	k := newKeeper(t)
	k.run("new", "shell", "--", "sh", "-c", "printf 'prompt$ '; cat")
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		dir := k.terminal("attach", "shell")
		eventually(t, "the terminal shows the session", func() bool { return strings.Contains(printedIn(t, dir), "prompt$") })
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		c, err := hold.Dial(ctx, dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Signal(ctx, byte(sig)); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Await(ctx); err != nil {
			t.Fatal(err)
		}
		_ = c.Close()
		shown := printedIn(t, dir)
		if _, after, _ := strings.Cut(shown, "prompt$"); !strings.Contains(after, "\x1b[23;0t\x1b[r\x1b[999;1H\r\n") {
			t.Errorf("%v: the terminal was left with %q", sig, shown)
		}
	}
}

// TestEndLeavesTheLastLinesVisible: what a session that ends under one's eyes has
// printed stays where it is, and its end is told right below; what stood on the
// terminal before can be scrolled back to.
func TestEndLeavesTheLastLinesVisible(t *testing.T) {
	k := newKeeper(t)
	for name, c := range map[string]struct{ last, leave string }{
		"whole":  {`echo two`, "two\r\n"},
		"within": {`printf two`, "two"},
	} {
		k.run("new", name, "--", "sh", "-c", "echo one; read x; "+c.last)
		id := k.live(k.dir, name).ID
		eventually(t, name+" has printed", func() bool { return strings.Contains(k.printed(id), "one") })
		dir := k.terminal("attach", name)
		eventually(t, "the terminal shows the session", func() bool { return strings.Contains(printedIn(t, dir), "one") })
		typeAt(t, dir, "\r", 1)
		told := "[session " + name + " has ended: exit code 0]\r\n"
		eventually(t, "it is told", func() bool { return strings.HasSuffix(printedIn(t, dir), told) })
		shown := printedIn(t, dir)
		_, after, _ := strings.Cut(shown, "one")
		if strings.Contains(after, "\x1b[999") || strings.Contains(shown, "\x1b[2J") || !strings.Contains(after, c.leave+"\x18\x1b[?25h") {
			t.Errorf("%s: the terminal was left with %q", name, shown)
		}
		if below := strings.HasSuffix(shown, "\x1b8\r\n"+told); below != (name == "within") {
			t.Errorf("%s: told on the next line: %v: %q", name, below, shown)
		}
	}
}

// TestEightyColumns: at a terminal of 80 columns no line of a list wraps, and ids are left out.
func TestEightyColumns(t *testing.T) {
	k := newKeeper(t)
	k.run("new", "shell-of-mine", "--", "cat")
	dir := k.terminal("ls")
	eventually(t, "it is listed", func() bool {
		return strings.Contains(printedIn(t, dir), "\x1b[1mshell-of-mine\x1b[0m ") || strings.Contains(printedIn(t, dir), " shell-of-mine ")
	})
	for line := range strings.SplitSeq(printedIn(t, dir), "\r\n") {
		if n := plain.Cells(string(plain.Stripped([]byte(line)))); n > 80 || strings.Contains(line, "ses-") {
			t.Errorf("a line of %d cells: %q", n, line)
		}
	}
}

// TestListIsRedrawnInPlace: kedge ls --watch shows a session that begins meanwhile, each
// drawing as a whole, and clears no screen.
func TestListIsRedrawnInPlace(t *testing.T) {
	k := newKeeper(t)
	k.env = append(k.env, "TERM=xterm-256color")
	k.run("new", "first", "--", "cat")
	dir := k.terminal("ls", "--watch")
	eventually(t, "it is listed", func() bool { return strings.Contains(printedIn(t, dir), "first") })
	k.run("new", "second", "--", "sh", "-c", "echo over and out; cat")
	eventually(t, "the second is listed", func() bool { return strings.Contains(printedIn(t, dir), "over and out") })
	typeAt(t, dir, "\x03", 1)
	shown := printedIn(t, dir)
	if n := strings.Count(shown, "\x1b[?2026h"); n < 2 || strings.Contains(shown, "\x1b[2J") || strings.Contains(shown, "\x1b[H") {
		t.Errorf("%d drawings: %q", n, shown)
	}
}
