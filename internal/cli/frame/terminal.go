package frame

import (
	"fmt"
	"strings"
	"unicode"

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
	var b strings.Builder
	left := width - 1
	for _, r := range s {
		if left -= cells(r); left < 0 {
			break
		}
		b.WriteRune(r)
	}
	return b.String() + "…"
}

// Cells is how many cells of a terminal a text takes.
func Cells(s string) (n int) {
	for _, r := range s {
		n += cells(r)
	}
	return n
}

// wide are the characters that take two cells.
var wide = [...][2]rune{
	{0x1100, 0x115f},
	{0x2e80, 0x303e},
	{0x3041, 0xa4cf},
	{0xac00, 0xd7a3},
	{0xf900, 0xfaff},
	{0xfe30, 0xfe6f},
	{0xff00, 0xff60},
	{0xffe0, 0xffe6},
	{0x1f300, 0x1f64f},
	{0x1f680, 0x1f6ff},
	{0x1f900, 0x1f9ff},
	{0x20000, 0x3fffd},
}

func cells(r rune) int {
	if r < 0x300 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	for _, w := range wide {
		if r >= w[0] && r <= w[1] {
			return 2
		}
	}
	return 1
}
