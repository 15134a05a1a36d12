package frame

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"kedge/internal/text/plain"
)

// Live is a text on a terminal that is drawn again in place. Only lines that changed are
// written, between the marks of synchronised output: the terminal shows no half of a
// drawing, and what stays the same does not flicker.
type Live struct {
	w      io.Writer
	size   func() (cols, rows int)
	render func(cols, rows int) []string // lines narrower than the terminal, fewer than its rows

	mu         sync.Mutex // of what follows, and of what render reads: the clock draws too
	drawn      []string
	cols, rows int
	over       bool
}

// Marks of a drawing that a terminal shows at once; one that does not know them ignores them.
const (
	beginDrawing = "\x1b[?2026h"
	endDrawing   = "\x1b[?2026l"
)

// NewLive is a text on the terminal that talk goes to. Its lines have passed the filter.
func NewLive(env *Env, render func(cols, rows int) []string) *Live {
	return LiveOn(env.RawErr, env.ScreenSize, render)
}

// LiveOn is a text on any terminal.
func LiveOn(w io.Writer, size func() (cols, rows int), render func(cols, rows int) []string) *Live {
	return &Live{w: w, size: size, render: render}
}

// LivePage is an empty page for one drawing of so many columns. One stays empty: some
// terminals answer a full line with a line of their own.
func (env *Env) LivePage(cols int) *Page {
	p := NewPage(max(cols-1, 1), env.Redraws() && env.Getenv("NO_COLOR") == "")
	p.ascii = !env.UTF8()
	return p
}

// Update changes what is shown, and draws it.
func (l *Live) Update(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
	l.draw()
}

// Over draws for the last time: later lines are printed below it.
func (l *Live) Over() { l.Update(func() { l.over = true }) }

// Follow draws every second, and when the terminal gets another size. stop returns when
// nothing draws any more.
func (l *Live) Follow(env *Env) (stop func()) {
	clock := time.NewTicker(time.Second)
	var resized <-chan os.Signal
	forget := func() {}
	if env.Screen != nil {
		resized, forget = env.Screen.Resized()
	}
	still := l.FollowOn(clock.C, resized)
	return sync.OnceFunc(func() {
		still()
		clock.Stop()
		forget()
	})
}

// FollowOn is Follow with its own clock and changes of size.
func (l *Live) FollowOn(ticks <-chan time.Time, resized <-chan os.Signal) (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-ticks:
			case <-resized:
			case <-quit:
				return
			}
			l.Update(func() {})
		}
	}()
	return func() { close(quit); <-done }
}

// draw draws what fits the terminal as it is now. Lines of the last drawing that the
// terminal has broken anew since, because it is narrower, are more than they were.
func (l *Live) draw() {
	cols, rows := l.size()
	lines := l.render(cols, rows)
	if rows <= 1 && !l.over { // there is no row below: the cursor stays, and nothing scrolls
		_, _ = io.WriteString(l.w, "\r"+strings.Join(lines[:min(1, len(lines))], "")+"\x1b[K")
		l.drawn = nil
		return
	}
	same := cols == l.cols && rows == l.rows && len(l.drawn) < rows
	var b strings.Builder
	up := min(broken(l.drawn, cols), rows-1)
	changed := len(lines) != len(l.drawn)
	for i, line := range lines {
		if same && i < len(l.drawn) && l.drawn[i] == line {
			b.WriteString("\n")
			continue
		}
		changed = true
		b.WriteString("\r" + line + "\x1b[K\n")
	}
	if !changed {
		return
	}
	above := ""
	if up > 0 {
		above = fmt.Sprintf("\x1b[%dA", up)
	}
	l.drawn, l.cols, l.rows = lines, cols, rows
	_, _ = io.WriteString(l.w, beginDrawing+above+b.String()+"\x1b[J"+endDrawing) // a terminal that is gone ends the command by itself
}

// broken is how many rows lines take in a terminal that breaks those anew which are
// wider than it.
func broken(lines []string, cols int) (rows int) {
	for _, l := range lines {
		rows += max((Cells(string(plain.Stripped([]byte(l))))+cols-1)/max(cols, 1), 1)
	}
	return rows
}
