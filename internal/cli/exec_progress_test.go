package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestExecShowsLife: a line says how long and how much, and the last that was printed;
// nothing of that can steer the terminal, and it goes when the command has ended.
func TestExecShowsLife(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "printed"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	write := func(text string) {
		t.Helper()
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	started := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var w bytes.Buffer
	p := &execProgress{w: &w, out: f, started: started, cols: func() int { return 60 }}
	p.draw(started.Add(time.Second))
	write("one\ntwo\n")
	p.draw(started.Add(75 * time.Second))
	write("10%\r\x1b[1m20%\x1b]0;title\x07 \x1b[0m\n\n")
	p.draw(started.Add(76 * time.Second))
	write(strings.Repeat("long ", 2000))
	ticks := make(chan time.Time)
	stop := p.follow(ticks)
	ticks <- started.Add(77 * time.Second) // stop waits until it is drawn
	stop()
	const clear = "\r\x1b[2K"
	got := strings.Split(w.String(), clear)
	want := []string{
		"", "kedge: 1s, 0 lines, 0 B", "kedge: 1m, 2 lines, 8 B: two", "kedge: 1m, 4 lines, 36 B: 20%",
		"kedge: 1m, 4 lines, 9.8 KB: long long long long long long …", "",
	}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("drawn:\n%q\nwant:\n%q", got, want)
	}
	if strings.Contains(strings.Join(got, ""), "\x1b") {
		t.Error("an escape of the command got to the terminal")
	}
}

// TestExecIsQuietWithoutATerminal: no one who is not at a terminal is shown the line.
func TestExecIsQuietWithoutATerminal(t *testing.T) {
	for name, env := range map[string]*Env{
		"no terminal": {Environ: []string{"TERM=xterm"}},
		"dumb":        {Environ: []string{"TERM=dumb"}, ErrTTY: true},
		"json":        {Environ: []string{"TERM=xterm"}, ErrTTY: true, json: true},
	} {
		if env.redraws() {
			t.Errorf("%s: it would be drawn", name)
		}
		env.showProgress(nil, time.Time{})()
	}
}
