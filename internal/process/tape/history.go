package tape

import (
	"bytes"
	"slices"
	"strings"

	"kedge/internal/screen/vt"
	"kedge/internal/text/plain"
)

// History is everything that a session showed on its main screen: the lines that left it,
// and the screen below them. It makes the lines of the log when they are asked for, a part
// at a time.
type History struct {
	dir  string
	end  int64         // of the log, when it was opened
	gone int64         // lines that left the screen
	last []HistoryLine // the screen below them
	from int64         // the first line of the part that was made last
	made []HistoryLine
}

// HistoryLine is one line, as it is printed at the beginning of a line of another terminal,
// and its text.
type HistoryLine struct{ Styled, Text string }

// historyPart is how many lines are made at once, about.
const historyPart = 4000

// OpenHistory gives the history up to a place of the log. A program that has the
// alternate screen hides the main one: it has no screen below its lines then.
func OpenHistory(dir string, end int64) (*History, error) {
	f, err := OpenFeed(dir, end, Anywhere)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	if err := f.Advance(end); err != nil {
		return nil, err
	}
	h := &History{dir: dir, end: end, gone: f.Lines()}
	_, rows := f.Screen.Size()
	for y := 0; y < rows && !f.Screen.Alternate(); y++ {
		h.last = append(h.last, historyLine(f.Screen.Line(y)))
	}
	return h, nil
}

func historyLine(l vt.Line) HistoryLine { return HistoryLine{string(l.Append(nil)), l.Text()} }

// Lines is how many there are.
func (h *History) Lines() int64 { return h.gone + int64(len(h.last)) }

// Line gives one, counted from 0; an empty one where the log is not kept any more.
func (h *History) Line(n int64) (HistoryLine, error) {
	if n >= h.gone {
		if n < h.Lines() {
			return h.last[n-h.gone], nil
		}
		return HistoryLine{}, nil
	}
	if n < h.from || n >= h.from+int64(len(h.made)) {
		if err := h.make(n); err != nil {
			return HistoryLine{}, err
		}
	}
	if i := n - h.from; i >= 0 && i < int64(len(h.made)) {
		return h.made[i], nil
	}
	return HistoryLine{}, nil
}

// make makes the part of the lines around one.
func (h *History) make(n int64) error {
	start := max(n-historyPart/2, 0)
	f, err := OpenFeed(h.dir, h.end, start)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read
	h.from, h.made = max(start, f.Lines()), nil
	f.Left = func(l vt.Line) {
		if at := f.Lines() - 1; at >= h.from && at < h.from+2*historyPart {
			h.made = append(h.made, historyLine(l))
		}
	}
	f.Returned = func(int) {
		if f.Lines() < h.from+int64(len(h.made)) {
			h.made = h.made[:max(f.Lines()-h.from, 0)]
		}
	}
	for f.At() < h.end && h.from+int64(len(h.made)) < n+historyPart {
		if err := f.Advance(min(f.At()+feedPiece, h.end)); err != nil {
			return err
		}
	}
	return nil
}

// LastLine is the last line that a session printed and that says something.
func LastLine(dir string) string {
	const most = 4 << 10
	l := Open(dir)
	_, end, err := l.Range()
	if err != nil {
		return ""
	}
	b := make([]byte, min(end, most))
	n, _ := l.ReadAt(b, end-int64(len(b))) // what cannot be read is not shown
	lines := bytes.Split(plain.Stripped(b[:n]), []byte("\n"))
	for _, line := range slices.Backward(lines) {
		if text := strings.TrimSpace(plain.Line(string(line))); text != "" {
			return text
		}
	}
	return ""
}
