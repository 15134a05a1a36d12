package ledger

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kedge/internal/cli/frame"
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
	ours := true
	p := &execProgress{w: &w, out: f, started: started, ours: func() bool { return ours }, cols: func() int { return 60 }}
	p.draw(started.Add(time.Second)) // nothing was printed: the terminal may have a question on it
	write("one\n")
	ours = false
	p.draw(started.Add(74 * time.Second)) // somebody else has the terminal
	ours = true
	write("two\n")
	p.draw(started.Add(75 * time.Second))
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
		"", "kedge: 1m, 2 lines, 8 B: two", "kedge: 1m, 4 lines, 36 B: 20%",
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
	for name, env := range map[string]*frame.Env{
		"no terminal": {Environ: []string{"TERM=xterm"}},
		"dumb":        {Environ: []string{"TERM=dumb"}, ErrTTY: true},
		"json":        {Environ: []string{"TERM=xterm"}, ErrTTY: true, JSON: true},
	} {
		if env.Redraws() {
			t.Errorf("%s: it would be drawn", name)
		}
		showProgress(env, nil, time.Time{})()
	}
}

// TestExecSaysThatItKeeps: who waits for a large output to be kept is told, once it is
// late, and the line goes.
func TestExecSaysThatItKeeps(t *testing.T) {
	var w bytes.Buffer
	env := &frame.Env{RawErr: &w}
	late, never := make(chan time.Time, 1), make(chan time.Time)
	if err := sayLate(env, never, func() error { return os.ErrInvalid }); !errors.Is(err, os.ErrInvalid) || w.Len() > 0 {
		t.Errorf("in time: %v, said %q", err, w.String())
	}
	late <- time.Time{}
	wait := make(chan struct{})
	env.RawErr = writer(func(b []byte) {
		if w.Len() == 0 {
			close(wait)
		}
		w.Write(b)
	})
	err := sayLate(env, late, func() error { <-wait; return os.ErrInvalid })
	if !errors.Is(err, os.ErrInvalid) || w.String() != "kedge: saving the output\r\x1b[2K" {
		t.Errorf("late: %v, said %q", err, w.String())
	}
}

// writer is an io.Writer of a function.
type writer func([]byte)

func (w writer) Write(b []byte) (int, error) { w(b); return len(b), nil }
