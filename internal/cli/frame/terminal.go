package frame

import (
	"fmt"

	"kedge/internal/text/plain"
)

// The size of a terminal that nobody has looked at yet.
const (
	DefaultCols = 120
	DefaultRows = 40
)

// Size is this terminal's size, or that of one nobody looks at.
func (env *Env) Size() (cols, rows int) {
	if env.Term != nil {
		if cols, rows, err := env.Term.Size(); err == nil && cols > 0 && rows > 0 {
			return cols, rows
		}
	}
	return DefaultCols, DefaultRows
}

// Redraws tells whether talk goes to a terminal on which a line can be drawn again.
func (env *Env) Redraws() bool {
	name := env.Getenv("TERM")
	return env.ErrTTY && !env.JSON && name != "" && name != "dumb"
}

// ScreenSize is the size of the terminal that talk goes to.
func (env *Env) ScreenSize() (cols, rows int) {
	if env.Screen != nil {
		if cols, rows, err := env.Screen.Size(); err == nil && cols > 0 && rows > 0 {
			return cols, rows
		}
	}
	return env.Size()
}

// Running shows at a terminal what goes on now, in place of what it showed last;
// nothing takes that away.
func (env *Env) Running(line string) {
	if !env.Redraws() {
		return
	}
	cols, _ := env.ScreenSize()
	fmt.Fprint(env.RawErr, "\r\x1b[2K"+CutTo(plain.Line(line), max(cols-1, 1)))
}

// Width is how many characters a line has at the person's terminal; 0 without
// one: a file or a pipe takes lines of any length.
func (env *Env) Width() int {
	if env.Term == nil {
		return 0
	}
	cols, _ := env.Size()
	return cols
}

// CutTo cuts a line to so many cells of a terminal.
func CutTo(s string, width int) string {
	if Cells(s) <= width {
		return s
	}
	return plain.Head(s, width-1) + "…"
}

// CutFrom cuts the beginning of a line, so that the rest takes so many cells.
func CutFrom(s string, width int) string {
	if Cells(s) <= width {
		return s
	}
	for i := range s {
		if Cells(s[i:]) < width {
			return "…" + s[i:]
		}
	}
	return "…"
}

// Cells is how many cells of a terminal a text takes.
func Cells(s string) int { return plain.Cells(s) }
