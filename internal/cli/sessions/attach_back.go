package sessions

import (
	"fmt"
	"strings"

	"kedge/internal/cli/frame"
	"kedge/internal/process/tape"
	"kedge/internal/screen/vt"
)

// back scrolls back through everything that a session printed.
type back struct {
	history *tape.History
	rows    int
	top     int64 // the first line that is shown

	asks bool // for what to search
	text string
	find string
	note string
}

func openBack(dir string, end int64, rows int) (*back, error) {
	h, err := tape.OpenHistory(dir, end)
	if err != nil {
		return nil, err
	}
	b := &back{history: h, rows: rows}
	b.top = b.bottom()
	return b, nil
}

// page is how many lines are shown at once.
func (b *back) page() int64 { return int64(max(b.rows-1, 1)) }

// bottom is the first line that is shown when the last one is.
func (b *back) bottom() int64 { return max(b.history.Lines()-b.page(), 0) }

func (b *back) Lines(cols, rows int) []string {
	b.rows = rows
	var out []string
	for n := b.top; n < b.top+b.page(); n++ {
		line, err := b.history.Line(n)
		if err != nil {
			line.Styled = err.Error()
		}
		out = append(out, cutStyled(line.Styled, cols))
	}
	return append(out, "\x1b[7m"+padded(frame.CutTo(b.status(), cols-1), cols-1)+"\x1b[m")
}

func (b *back) status() string {
	switch {
	case b.asks:
		return "search: " + b.text + "_"
	case b.note != "":
		return b.note
	}
	return fmt.Sprintf(" line %d of %d | ↑ ↓ PgUp PgDn g G  / search  n older  N newer  q back", b.top+1, b.history.Lines())
}

// cutStyled cuts a line with colours to so many columns.
func cutStyled(line string, cols int) string {
	t := vt.New(cols, 1)
	_, _ = t.Write([]byte("\x1b[?7l" + line)) // it never fails
	return string(t.Line(0).Append(nil))
}

func (b *back) press(key string) (done bool) {
	b.note = ""
	if b.asks {
		text, over := edited(b.text, key)
		if b.text = text; over {
			b.asks = false
			if key == "enter" && text != "" {
				b.find, b.text = text, ""
				b.search(-1)
			}
		}
		return false
	}
	move := map[string]int64{
		"up": -1, "k": -1, "down": 1, "j": 1, "pgup": -b.page(), "ctrl-b": -b.page(), "b": -b.page(), "pgdn": b.page(), "ctrl-f": b.page(), " ": b.page(),
		"ctrl-u": -b.page() / 2, "ctrl-d": b.page() / 2, "g": -b.top, "home": -b.top, "G": b.bottom(), "end": b.bottom(),
	}
	switch key {
	case "q", "esc", "ctrl-c", "enter":
		return true
	case "/":
		b.asks, b.text = true, ""
	case "n":
		b.search(-1)
	case "N":
		b.search(1)
	default:
		b.top = max(min(b.top+move[key], b.bottom()), 0)
	}
	return false
}

// search goes to the next line that has what is searched: an older one, or a newer one.
// The case of letters counts if there is a capital one among them.
func (b *back) search(step int64) {
	if b.find == "" {
		b.note = " search for what? /"
		return
	}
	fold := strings.ToLower(b.find) == b.find
	for n := b.top + step; n >= 0 && n < b.history.Lines(); n += step {
		line, err := b.history.Line(n)
		if err != nil {
			b.note = " " + err.Error()
			return
		}
		text := line.Text
		if fold {
			text = strings.ToLower(text)
		}
		if strings.Contains(text, b.find) {
			b.top = n
			b.note = fmt.Sprintf(" line %d | n older  N newer  q back", n+1)
			return
		}
	}
	b.note = " not found: " + b.find
}
