package frame

import (
	"bytes"
	"fmt"
	"strings"

	"kedge"
	"kedge/internal/process"
	"kedge/internal/process/hold"
	"kedge/internal/process/tape"
	"kedge/internal/screen/vt"
)

// Way is how a terminal shows a session.
type Way string

// The ways. A terminal of the session's size gets what the program prints as it is, and so
// has what scrolls away, too. Any other one gets a view of the screen.
const (
	Waiting Way = ""        // for the place in the log to begin at
	Whole   Way = "whole"   // on the terminal's own screen
	Viewed  Way = "viewed"  // on its second screen
	Covered Way = "covered" // by something of Kedge's, on the second screen
)

// Display shows a session on a terminal. Its methods are for one goroutine at a time.
type Display struct {
	Out   interface{ Write(b []byte) (int, error) }
	Reply func(b []byte) // types what the terminal would answer
	Cols  int
	Rows  int

	Feed  *tape.Feed
	view  *vt.View
	Way   Way
	Role  hold.Role
	roles []hold.Role // that begin later
	told  bool        // a first role holds

	Second bool        // the terminal is on its second screen, by our wish
	Clean  bool        // its own screen shows nothing of the session yet
	Cover  Cover       // nil: nothing covers the session
	note   string      // on the last row; empty for none
	behind string      // such a note, while the terminal is far behind
	Gap    []string    // lines to be told before the screen
	Past   tape.Missed // lines that left while the terminal did not get them
	find   vt.Queries  // in what is passed on while another terminal answers
	held   []byte      // that may be a query

	unsized  bool // the terminal does not tell its size
	coloured bool // the program gave the terminal other colours
}

// Cover is something that takes the whole terminal for a while.
type Cover interface {
	Lines(cols, rows int) []string
}

// behindMost is how far a terminal may be behind before it gets the screen instead of all
// that led to it.
const behindMost = 8 << 20

// Begins takes in a role, which holds from a place in the log on.
func (d *Display) Begins(r hold.Role) { d.roles = append(d.roles, r) }

// What UpTo does at once, and how far behind is told.
const (
	stepMost  = 4 << 20
	farBehind = 64 << 20
)

// UpTo shows what was printed up to a place in the log. It does so in steps: more tells that
// it did not come to the end, so that keys get their turn.
func (d *Display) UpTo(end int64) (more bool, err error) {
	if d.Way == Whole && end-d.Feed.At() > behindMost {
		d.Gap = append(d.Gap, fmt.Sprintf("%s of output not shown; Ctrl-] [ scrolls back", Bytes(end-d.Feed.At())))
		d.Way = Waiting
	}
	step := min(end, d.Feed.At()+stepMost)
	if err := d.upTo(step); err != nil {
		return false, err
	}
	switch left := end - d.Feed.At(); {
	case d.Feed.At() < step || left <= 0:
		d.behind = ""
		return false, d.settle()
	case d.Way != Whole && (left > farBehind || d.behind != ""):
		d.behind = fmt.Sprintf(" %s of output until now | Ctrl-] ? ", Bytes(left))
		return true, d.settle()
	}
	return true, nil
}

// upTo feeds what was printed.
func (d *Display) upTo(end int64) error {
	for {
		limit := d.turn(end)
		b, err := d.Feed.Next(limit)
		if err != nil {
			return err
		}
		if d.Way == Whole && d.wanted() != Whole {
			d.Way = Waiting // what follows is printed for another size
		}
		if len(b) == 0 && (limit == end || d.Feed.At() < limit) {
			return nil
		}
		if err := d.take(b); err != nil {
			return err
		}
	}
}

// turn makes the roles hold that begin here, and gives the place where the next one does.
func (d *Display) turn(end int64) (limit int64) {
	for len(d.roles) > 0 && d.roles[0].At <= d.Feed.At() {
		d.Role, d.roles, d.told = d.roles[0], d.roles[1:], true
		if d.Role.Unlogged {
			d.Feed.Resize(d.Role.Cols, d.Role.Rows)
		}
	}
	if len(d.roles) > 0 {
		return min(end, d.roles[0].At)
	}
	return end
}

// take shows and feeds what comes next. What the program asks of a terminal that does not
// get it is answered by the model of it.
func (d *Display) take(b []byte) error {
	d.Feed.Screen.Reply = nil
	shown := b
	switch {
	case d.Way != Whole && d.Role.Answers:
		d.Feed.Screen.Reply = d.Reply
	case d.Way == Whole && !d.Role.Answers:
		shown = d.withoutQueries(b)
	}
	if d.Way == Whole && len(shown) > 0 {
		if _, err := d.Out.Write(shown); err != nil {
			return kedge.Errorf(kedge.Internal, "cannot print the session's output: %w", err)
		}
	}
	d.Feed.Take(b)
	d.coloured = d.coloured || d.Way == Whole && d.Feed.Screen.Recoloured()
	return nil
}

// withoutQueries takes out what a terminal would answer: another one does.
func (d *Display) withoutQueries(b []byte) []byte {
	from := d.find.Seen() - int64(len(d.held)) // of all
	d.held = append(d.held, b...)
	all, at := d.held, 0
	var out []byte
	d.find.Find(b, func(start, end int64) {
		out = append(out, all[at:start-from]...)
		at = int(end - from)
	})
	rest := all[at:]
	keep := min(int(d.find.Held()), len(rest))
	out = append(out, rest[:len(rest)-keep]...)
	if d.held = append(d.held[:0], rest[len(rest)-keep:]...); keep == 0 {
		d.held = nil // it may have been long
	}
	return out
}

// wanted is the way that fits now.
func (d *Display) wanted() Way {
	d.fits(d.Cols, d.Rows, d.unsized)
	cols, rows := d.Feed.Screen.Size()
	switch {
	case d.Cover != nil:
		return Covered
	case d.note != "" || d.behind != "" || cols != d.Cols || rows != d.Rows:
		return Viewed
	default:
		return Whole
	}
}

// settle shows the screen as it is now, in the way that fits.
func (d *Display) settle() error {
	if !d.told && d.behind == "" {
		return nil // where to begin
	}
	was := d.Way
	d.Way = d.wanted()
	var b []byte
	switch {
	case d.Way == Whole && was != Whole:
		b = d.paint()
	case d.Way == Viewed:
		b = d.draw(was != Viewed)
	case d.Way == Covered && was != Covered:
		b = d.DrawCover()
	}
	if len(b) == 0 {
		return nil
	}
	if _, err := d.Out.Write(b); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot print the session's output: %w", err)
	}
	return nil
}

// paint makes the terminal's own screen that of the session, with what left it meanwhile
// above, where one can scroll back to.
func (d *Display) paint() []byte {
	var b []byte
	if d.Second {
		b = append(b, "\x1b[?1049l"...)
		d.Second = false
	}
	b = append(b, process.Usual...)
	if d.Clean {
		b = append(b, "\x1b[22;0t"...)
		b = append(b, process.ScrollAway(d.Rows)...)
	} else {
		b = append(b, "\x1b[?1047l"...)
		for y := range d.Rows {
			b = fmt.Appendf(b, "\x1b[%d;1H\x1b[2K", y+1)
		}
		b = append(b, "\x1b[H"...)
	}
	b, n := d.Past.Print(b, d.Cols)
	for _, line := range d.Gap {
		b = append(b, "\x1b[2m"+CutTo(line, d.Cols-1)+"\x1b[m\r\n"...)
	}
	n += len(d.Gap)
	b = fmt.Appendf(b, "\x1b[%d;1H%s\x1b[H", d.Rows, strings.Repeat("\n", min(n, d.Rows-1)))
	if d.coloured {
		b = append(b, process.UsualColours...)
	}
	d.coloured = d.Feed.Screen.Recoloured()
	shot, from := d.Feed.Screen.Snapshot()
	d.Past, d.Gap, d.Clean = tape.Missed{}, nil, false
	d.find, d.held = vt.Queries{}, nil
	begun := d.Feed.Begun(from)
	if !d.Role.Answers {
		begun = d.withoutQueries(begun)
	}
	return append(append(b, shot...), begun...)
}

// draw draws the screen on the terminal's second one.
func (d *Display) draw(anew bool) []byte {
	var b []byte
	if !d.Second {
		b = append(b, d.toSecond()...)
	}
	if d.view == nil || anew {
		d.view = vt.NewView(d.Cols, d.Rows)
	}
	drawn := d.view.Render(d.Feed.Screen)
	if len(drawn) == 0 && !anew {
		return nil
	}
	return d.bottom(append(b, drawn...))
}

// bottom draws the note on the last row.
func (d *Display) bottom(b []byte) []byte {
	note := d.note
	if note == "" {
		note = d.behind
	}
	if note == "" {
		return b
	}
	x, y := d.Feed.Screen.Cursor()
	ox, oy := d.view.Origin()
	b = fmt.Appendf(b, "\x1b[?25l\x1b[%d;1H\x1b[0;7m%s\x1b[K\x1b[m", d.Rows, CutTo(note, d.Cols-1))
	b = fmt.Appendf(b, "\x1b[%d;%dH", min(y-oy, d.Rows-1)+1, min(x-ox, d.Cols-1)+1)
	if d.Feed.Screen.Mode(25) {
		b = append(b, "\x1b[?25h"...)
	}
	return b
}

// toSecond goes to the terminal's second screen, and makes keys come as usual there.
func (d *Display) toSecond() []byte {
	d.Second = true
	return []byte("\x18\x1b[?1047l" + process.Usual + process.SecondScreen + process.Usual)
}

// DrawCover draws what covers the session.
func (d *Display) DrawCover() []byte {
	var b bytes.Buffer
	if !d.Second {
		b.Write(d.toSecond())
	} else {
		b.WriteString(process.Usual)
	}
	b.WriteString("\x1b[?25l\x1b[H")
	lines := d.Cover.Lines(d.Cols, d.Rows)
	for i, line := range lines[:min(len(lines), d.Rows)] {
		if i > 0 {
			b.WriteString("\r\n")
		}
		b.WriteString(line + "\x1b[m\x1b[K")
	}
	b.WriteString("\x1b[J")
	return b.Bytes()
}

// Covers shows something else, or another state of it; nil brings the session back.
func (d *Display) Covers(c Cover) error {
	d.Cover = c
	if c != nil && d.Way == Covered {
		_, err := d.Out.Write(d.DrawCover())
		return err
	}
	return d.settle()
}

// Says puts a note on the last row; an empty one takes it away.
func (d *Display) Says(note string) error {
	if d.note == note {
		return nil
	}
	d.note = note
	if d.Way == Viewed {
		d.Way = Waiting // all of it again
	}
	return d.settle()
}

// Resized tells that the terminal has another size.
func (d *Display) Resized(cols, rows int) error {
	d.Fits(cols, rows)
	d.Way = Waiting
	return d.settle()
}

// Fits takes in the size of the terminal. One that tells none is as large as the session.
func (d *Display) Fits(cols, rows int) { d.fits(cols, rows, cols < 1 || rows < 1) }

func (d *Display) fits(cols, rows int, unsized bool) {
	if d.unsized = unsized; unsized {
		cols, rows = d.Feed.Screen.Size()
	}
	d.Cols, d.Rows = cols, rows
}

// Fitted tells whether the session has the terminal's size because somebody typed there. One
// that only watches may have given it another one since.
func (d *Display) Fitted() bool {
	return d.unsized || d.Role.Owns && d.Role.Cols == d.Cols && d.Role.Rows == d.Rows
}

// Viewer is what the holder is told of the terminal. One without a size has no say.
func (d *Display) Viewer(watch, typed bool) hold.Viewer {
	return hold.Viewer{Cols: d.Cols, Rows: d.Rows, Watch: watch || d.unsized, Typed: typed}
}

// Leaving is how the terminal is to be left.
func (d *Display) Leaving(ended bool) process.Leaving {
	if d.coloured {
		return process.UsualColours + d.leaving(ended)
	}
	return d.leaving(ended)
}

func (d *Display) leaving(ended bool) process.Leaving {
	const titles = "\x1b[23;0t"
	x, _ := d.Feed.Screen.Cursor()
	switch {
	case d.Second && d.Clean:
		return process.LeaveCover + "\r\n"
	case d.Clean:
		return ""
	case d.Second:
		return titles + process.LeaveCover + process.LeaveBelowAll
	case d.Feed.Screen.Alternate():
		return titles + process.LeaveSecond
	case !ended:
		return titles + process.LeaveBelowAll
	case x > 0:
		return titles + process.LeaveOnNextLine
	default:
		return titles + process.LeaveInPlace
	}
}
