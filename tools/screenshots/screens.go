package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"kedge/internal/screen/vt"
	"kedge/internal/text/plain"
)

// texts is where the screens stand as plain text.
const texts = "docs/screens"

// size is the size of a terminal.
type size struct{ cols, rows int }

// sizes are the terminals on which screens are shown.
var sizes = []size{{80, 24}, {140, 40}}

func (s size) String() string { return fmt.Sprintf("%dx%d", s.cols, s.rows) }

// shots are the commands whose screens are shown, each in the project of the demo. The run
// is over then; the run while it works, and its end, are watched while it works.
var shots = []struct {
	name string
	args []string
}{
	{"help", []string{"help"}},
	{"ls", []string{"ls"}},
	{"status", []string{"status"}},
	{"explain", []string{"explain", "coupon"}},
	{"audit", []string{"audit"}},
}

// screens makes the screens of all commands at all sizes: in colour as pictures, without as
// texts.
func (s stage) screens(watched map[size]string) error {
	if err := s.someSessions(); err != nil {
		return err
	}
	for _, at := range sizes {
		if err := watchedScreens(at, watched[at]); err != nil {
			return err
		}
		for _, shot := range shots {
			if err := s.screensOf(shot.name, at, shot.args); err != nil {
				return fmt.Errorf("%s at %s: %w", shot.name, at, err)
			}
		}
	}
	return nil
}

// someSessions are what kedge ls shows: one that waits, one that prints, one that is over.
func (s stage) someSessions() error {
	if err := os.Mkdir(s.path("q"), 0o755); err != nil {
		return err
	}
	for _, c := range [][2]string{
		{"shell", `echo "make: 'all' is up to date."; exec cat`},
		{"refactor", `echo "edits internal/api/server.go"; exec cat`},
		{"schema", `printf 'drop the old column? (y/n) \033]7501;state=blocked\007'; exec cat`},
		{"tests", "exit 3"},
	} {
		if out, err := s.command("ls-home", "q", "new", c[0], "--", "sh", "-c", c[1]).CombinedOutput(); err != nil {
			return fmt.Errorf("kedge new %s: %w: %s", c[0], err, out)
		}
	}
	return s.until(func() bool {
		b, err := s.command("ls-home", "q", "ls", "--json").Output()
		list := string(b)
		return err == nil && strings.Contains(list, `"exited"`) && strings.Contains(list, `"waiting"`) && strings.Contains(list, "server.go") && strings.Contains(list, "make: ")
	})
}

// endSessions leaves no session behind.
func (s stage) endSessions() {
	for _, name := range []string{"shell", "refactor", "schema"} {
		_ = s.command("ls-home", "q", "kill", name).Run() // the pictures are made
	}
	_ = s.command("ls-home", "q", "down").Run()
	_ = s.command("d/state", "d/shop", "down").Run()
	_ = s.command("home", "p", "down").Run()
}

// screensOf makes the two screens of one command.
func (s stage) screensOf(name string, at size, args []string) error {
	home, dir := "d/state", "d/shop"
	switch name {
	case "audit":
		home, dir = "home", "p"
	case "ls":
		home, dir = "ls-home", "q"
	}
	coloured, err := s.atTerminal(name+"-"+at.String(), at, home, dir, args, "TERM=xterm-256color")
	if err != nil {
		return err
	}
	if err := drawScreen(name, at, strings.Join(args, " "), coloured); err != nil {
		return err
	}
	bare, err := s.atTerminal(name+"-"+at.String()+"-plain", at, home, dir, args, "NO_COLOR=1 TERM=dumb")
	if err != nil {
		return err
	}
	return writeText(name, at, bare)
}

// drawScreen saves a screen with its colours as a picture.
func drawScreen(name string, at size, command, out string) error {
	t := newScreen(at.cols)
	t.write(settled(out))
	return save(name+"-"+at.String(), picture{cols: at.cols, title: "kedge " + command + " at " + at.String(), windows: []window{
		{title: at.String(), prompt: "kedge " + command, rows: t.rows()},
	}})
}

// writeText saves what a screen shows, and refuses escape sequences where nobody wants colour.
func writeText(name string, at size, out string) error {
	if strings.Contains(out, "\x1b") {
		return fmt.Errorf("%s at %s has an escape sequence, without colours: %q", name, at, out)
	}
	for line := range strings.Lines(out) {
		if n := plain.Cells(strings.TrimRight(line, "\r\n")); n > at.cols {
			return fmt.Errorf("%s at %s has a line of %d cells: %q", name, at, n, line)
		}
	}
	if err := os.MkdirAll(texts, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(texts, name+"-"+at.String()+".txt"), []byte(settled(strings.ReplaceAll(out, "\r\n", "\n"))), 0o644)
}

// What differs each time, and what stands for it: as many characters.
var changing = []struct {
	find *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`\d\d:\d\d:\d\d\b`), "15:04:05"},
	{regexp.MustCompile(`[a-z]{3}-[0-9a-hjkmnp-tv-z]{26}\b`), ""},
	{regexp.MustCompile(`[0-9a-f]{40}\b`), strings.Repeat("4f1c2d9b", 5)},
	{regexp.MustCompile(`\b[0-9a-f]{12}\b`), "4f1c2d9b0a7e"},
	{regexp.MustCompile(`pid \d+`), "pid 4711"},
	{regexp.MustCompile(`/\S*/shots\d+/d\b`), "/home/me"},
}

// settled is an output without what differs each time.
func settled(out string) string {
	for _, c := range changing {
		out = c.find.ReplaceAllStringFunc(out, func(found string) string {
			if c.with == "" { // an id keeps its kind
				return found[:4] + "01m7j3bvhjy22sa06441ydg9zb"
			}
			return c.with
		})
	}
	return out
}

// atTerminal calls Kedge at a terminal of a size and gives what it wrote there.
func (s stage) atTerminal(name string, at size, home, dir string, args []string, setting string) (string, error) {
	if err := s.begin(name, at, home, dir, setting, args...); err != nil {
		return "", err
	}
	return s.kedge("logs", name, "--raw", "--follow")
}

// watchedScreens are a run while it works, when something was just caught, and its end.
func watchedScreens(at size, out string) error {
	best, ok := caught(frames(settled(out), at.cols))
	if !ok {
		return fmt.Errorf("no drawing of the run at %s shows a claim that was false", at)
	}
	if err := save("run-"+at.String(), picture{cols: at.cols, title: "a run while it works, at " + at.String(), windows: []window{
		{title: at.String(), prompt: "kedge run", rows: best},
	}}); err != nil {
		return err
	}
	if err := writeText("run", at, text(best)); err != nil {
		return err
	}
	end := out[strings.LastIndex(out, "\x1b[?2026l")+len("\x1b[?2026l"):]
	if err := drawScreen("run-end", at, "run", end); err != nil {
		return err
	}
	t := vt.New(at.cols, 200)
	_, _ = t.Write([]byte(end)) // it never fails
	return writeText("run-end", at, strings.TrimRight(t.Text(), "\n")+"\n")
}
