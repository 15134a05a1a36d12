package sessions

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"kedge"
	"kedge/internal/process/hold"
	"kedge/internal/process/tape"
	"kedge/internal/screen/vt"
	"kedge/internal/text/plain"
)

// listed gives a session as a list shows it; with last, with what it printed last, and when.
func (s *Manager) listed(ctx context.Context, ses kedge.Session, last bool) kedge.Session {
	ses, now := s.seen(ctx, ses)
	if !last {
		return ses
	}
	dir := s.SessionDir(ses.ID)
	if info, err := os.Stat(filepath.Join(dir, tape.IndexName)); err == nil {
		at := info.ModTime().UTC()
		ses.LastAt = &at
	}
	if now != nil && ses.Run == "" { // what an agent of a run prints is for Kedge, not for you
		ses.Last = lastLine(dir, *now)
	}
	return ses
}

// lastWithin is how much of the end of a tape is fed to a screen to find its last line: a
// program that draws a whole screen prints less for it.
const lastWithin = 32 << 10

// maxLast is how much of a line a list is told.
const maxLast = 200

// lastLine is the last line that the screen of a session shows and that says something.
func lastLine(dir string, now hold.State) string {
	from := max(now.End-lastWithin, 0)
	b := make([]byte, now.End-from)
	n, _ := tape.Open(dir).ReadAt(b, from) // what cannot be read shows nothing
	cols, rows := now.Cols, now.Rows
	if cols <= 0 || rows <= 0 { // it prints to pipes
		cols, rows = maxLast, 4
		b = []byte(strings.ReplaceAll(string(b[:n]), "\n", "\r\n"))
		n = len(b)
	}
	t := vt.New(cols, rows)
	_, _ = t.Write(b[:n]) // it never fails
	return plain.Head(plain.Line(lastShown(t)), maxLast)
}

// lastShown looks upwards from the cursor, where a program that prints and one that asks
// have their last line, then from the bottom. A prompt that waits for input is no line,
// and nor is the frame of a window.
func lastShown(t *vt.Terminal) string {
	_, rows := t.Size()
	x, y := t.Cursor()
	for i := range rows {
		line := t.Line((y - i + rows) % rows).Text()
		text := withoutFrame(line)
		if says(text) && !(i == 0 && isPrompt(line, x)) {
			return text
		}
	}
	return ""
}

// withoutFrame is a line without blanks, lines and blocks at its ends.
func withoutFrame(line string) string {
	return strings.TrimFunc(line, func(r rune) bool {
		return unicode.IsSpace(r) || r >= '─' && r <= '▟' // box drawing and block elements
	})
}

// says tells whether a line has at least two letters or digits.
func says(line string) bool {
	n := 0
	for _, r := range line {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n > 1
}

// prompts are the ends of lines on which a shell or an agent waits for input.
const prompts = "$#%>❯›"

// isPrompt tells whether the cursor stands behind a prompt and its blank: behind "100%" there is
// none.
func isPrompt(line string, x int) bool {
	before := strings.TrimRight(plain.Head(line, x), " ")
	last, _ := utf8.DecodeLastRuneInString(before)
	return strings.ContainsRune(prompts, last) && plain.Cells(before) < x
}
