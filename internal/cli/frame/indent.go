package frame

import (
	"io"

	"kedge/internal/text/plain"
)

// chunk is how much of an answer is written at once. Answers can be long, and every step
// between here and the terminal copies what it is given.
const chunk = 64 << 10

// Printing writes an answer in JSON for a person and a terminal, one value on a line, as its
// parts come: as json.Indent does, and what plain.JSON makes of it. It takes the place of the
// answer in a call. It expects one valid value, and Close ends it.
type Printing struct {
	w       io.Writer
	out     []byte
	depth   int
	inside  bool // of a string
	escaped bool // the last byte there was a backslash
	opened  bool // the last byte began an object or a list
	err     error
}

// Printing prints the answer to a call while it is made.
func (env *Env) Printing() *Printing {
	return &Printing{w: env.Out, out: make([]byte, 0, chunk+chunk/4)}
}

// UnmarshalJSON implements json.Unmarshaler, for an answer that is there as a whole.
func (d *Printing) UnmarshalJSON(b []byte) error {
	_, err := d.Write(b)
	return err
}

// Write implements io.Writer.
func (d *Printing) Write(p []byte) (int, error) {
	for _, c := range p {
		switch {
		case d.inside:
			d.out = append(d.out, c)
			d.inside = d.escaped || c != '"'
			d.escaped = !d.escaped && c == '\\'
		case c != ' ' && c != '\t' && c != '\r' && c != '\n':
			d.sign(c)
		}
		if len(d.out) >= chunk {
			d.flush(plain.Unfinished(d.out))
		}
	}
	return len(p), d.err
}

// sign takes a byte outside of strings.
func (d *Printing) sign(c byte) {
	ends := c == '}' || c == ']'
	switch {
	case d.opened && !ends:
		d.depth++
		d.line()
	case !d.opened && ends:
		d.depth--
		d.line()
	}
	d.out = append(d.out, c)
	d.opened = c == '{' || c == '['
	d.inside = c == '"'
	switch c {
	case ',':
		d.line()
	case ':':
		d.out = append(d.out, ' ')
	}
}

func (d *Printing) line() {
	d.out = append(d.out, '\n')
	for range d.depth {
		d.out = append(d.out, "  "...)
	}
}

// Close ends the answer.
func (d *Printing) Close() error {
	d.out = append(d.out, '\n')
	d.flush(0)
	return d.err
}

// flush writes all but the last bytes, which begin a character.
func (d *Printing) flush(rest int) {
	cut := len(d.out) - rest
	if d.err == nil {
		_, d.err = d.w.Write(plain.JSON(d.out[:cut]))
	}
	d.out = append(d.out[:0], d.out[cut:]...)
}
