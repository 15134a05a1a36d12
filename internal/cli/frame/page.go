package frame

import (
	"bytes"
	"io"
	"strings"

	"kedge/internal/text/plain"
)

// Role is what a text means to the person who reads it. Colour is its only use: a word or
// a sign beside it says the same.
type Role byte

// The roles.
const (
	Plain    Role = iota
	Verified      // Kedge checked it
	Waits         // it waits for you
	Failed        // it failed, or something is lost
	Quiet         // nobody reads it first
	Name          // what a row is about
)

// colours are the codes of the roles (SGR).
var colours = map[Role]string{Verified: "32", Waits: "33", Failed: "31", Quiet: "2", Name: "1"}

// Page is an answer while it is made. Every text on it passes the filter, so the only
// escape sequences are the colours of roles that Page itself writes.
type Page struct {
	cols    int // of the terminal; 0 where lines may have any length
	colours bool
	ascii   bool // Kedge's signs are written in ASCII
	text    bytes.Buffer
	filter  plain.Writer
}

func newPage(env *Env) *Page {
	p := NewPage(env.Width(), env.Colours())
	p.ascii = !env.UTF8()
	return p
}

// NewPage is an empty page for a terminal of so many columns; 0 is any length.
func NewPage(cols int, colours bool) *Page {
	p := &Page{cols: cols, colours: colours}
	p.filter.W = &p.text
	return p
}

// Cols is how many columns the terminal has; 0 where lines may have any length.
func (p *Page) Cols() int { return p.cols }

// String is what stands on the page, with its colours.
func (p *Page) String() string { return p.text.String() }

// Write implements io.Writer.
func (p *Page) Write(b []byte) (int, error) {
	if !p.ascii {
		return p.filter.Write(b)
	}
	_, err := p.filter.Write([]byte(inASCII(string(b))))
	return len(b), err
}

// Lines are the lines of the page, with their colours.
func (p *Page) Lines() []string {
	return strings.Split(strings.TrimSuffix(p.text.String(), "\n"), "\n")
}

// PutLine writes texts as one line, cut to the terminal where w is a page for one.
func PutLine(w io.Writer, cells ...Cell) {
	room := 1 << 30
	if p, ok := w.(*Page); ok && p.cols > 0 {
		room = p.cols
	}
	for i, c := range cells {
		text := plain.Line(c.Text)
		if i == len(cells)-1 {
			text = strings.TrimRight(text, " ")
		}
		text = CutTo(text, room)
		room -= Cells(text)
		Put(w, c.Role, text)
		if room <= 0 {
			break
		}
	}
	Put(w, Plain, "\n")
}

// Put writes a text in the colour of its role where w is a page that has colours.
func Put(w io.Writer, role Role, text string) {
	code := colours[role]
	p, ok := w.(*Page)
	if !ok || !p.colours || code == "" || text == "" {
		_, _ = io.WriteString(w, text) // to memory, or to the filter, whose errors show at its end
		return
	}
	p.text.WriteString("\x1b[" + code + "m")
	_, _ = io.WriteString(p, text) // to memory
	p.text.WriteString("\x1b[0m")
}

// Colours tells whether the answer goes to a terminal that shows them to somebody who wants them.
func (env *Env) Colours() bool {
	name := env.Getenv("TERM")
	return env.Term != nil && !env.JSON && env.Getenv("NO_COLOR") == "" && name != "" && name != "dumb"
}
