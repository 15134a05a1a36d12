package output

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"kedge/internal/process/tape"

	"kedge/internal/text/plain"
)

// Text writes what the session printed without escape sequences and control
// characters, in lines. A carriage return that only goes back to the beginning
// of its line, as progress bars do, begins a new one. What is missing is told in
// square brackets on a line of its own.
func Text(ctx context.Context, w io.Writer, l tape.Log) error {
	b := bufio.NewWriterSize(w, readSize)
	t := &printer{w: &plain.Writer{W: b}}
	if err := play(ctx, l, t); err != nil {
		return err
	}
	return writing(b.Flush())
}

// printer writes the lines.
type printer struct {
	w     io.Writer
	strip plain.Stripper
	text  []byte
	lines []byte
	back  bool // after a carriage return
	fresh bool // at the beginning of a line; false at the start, where it does not matter
	some  bool // anything was written
}

func (p *printer) begin(removed int64) error {
	if removed == 0 {
		return nil
	}
	return p.say("Kedge removed the first %d bytes of the output", removed)
}

func (p *printer) output(b []byte, _ time.Time) error {
	p.text = p.strip.Strip(p.text[:0], b)
	p.lines = p.unwind(p.lines[:0], p.text)
	return p.write(p.lines)
}

// unwind appends b to dst with every way of ending a line as a newline.
func (p *printer) unwind(dst, b []byte) []byte {
	for len(b) > 0 {
		if p.back {
			b = bytes.TrimLeft(b, "\r")
			if len(b) == 0 {
				break
			}
			p.back = false
			dst = append(dst, '\n')
			b = bytes.TrimPrefix(b, []byte("\n"))
			continue
		}
		i := bytes.IndexByte(b, '\r')
		if i < 0 {
			return append(dst, b...)
		}
		dst = append(dst, b[:i]...)
		b, p.back = b[i+1:], true
	}
	return dst
}

func (p *printer) mark(m tape.Mark) error {
	if m.Kind != tape.Gap {
		return nil
	}
	return p.say("%d bytes are missing here: there was no room on the disk", m.B)
}

// say writes a line of our own.
func (p *printer) say(format string, args ...any) error {
	line := fmt.Appendf(nil, "[kedge: "+format+"]\n", args...)
	if p.some && !p.fresh {
		line = append([]byte("\n"), line...)
	}
	return p.write(line)
}

func (p *printer) write(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	p.some, p.fresh = true, b[len(b)-1] == '\n'
	_, err := p.w.Write(b)
	return writing(err)
}
