package output

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"kedge"
	"kedge/internal/process/tape"
	"kedge/internal/text/plain"
)

// The size that is written for a session that had no terminal: the format asks
// for one.
const (
	anyCols = 80
	anyRows = 24
)

// header is the first line of a recording.
type header struct {
	Version   int      `json:"version"`
	Term      termSize `json:"term"`
	Timestamp int64    `json:"timestamp,omitempty"`
	Command   string   `json:"command,omitempty"`
	Title     string   `json:"title,omitempty"`
}

type termSize struct {
	Cols uint32 `json:"cols"`
	Rows uint64 `json:"rows"`
}

// Asciicast writes the session as an asciicast of version 3: intervals, output,
// sizes and the end; what is missing is told in comments. Bytes that are no
// UTF-8 become U+FFFD, and a comment counts them.
func Asciicast(ctx context.Context, w io.Writer, l tape.Log, s kedge.Session) error {
	r := &recorder{w: bufio.NewWriterSize(w, readSize), session: s, at: s.StartedAt}
	if err := play(ctx, l, r); err != nil {
		return err
	}
	return r.finish()
}

// recorder writes the lines. The header waits for the first size or output.
type recorder struct {
	w       *bufio.Writer
	session kedge.Session
	removed int64
	size    termSize
	started bool
	ended   bool
	at      time.Time // of the last event
	part    []byte    // the beginning of a character whose end is still to come
	invalid int64     // bytes that were no UTF-8
}

func (r *recorder) begin(removed int64) error {
	r.removed = removed
	return nil
}

func (r *recorder) mark(m tape.Mark) error {
	if m.Kind == tape.Resize && !r.started {
		r.size = termSize{m.A, m.B}
		return nil
	}
	if err := r.start(); err != nil {
		return err
	}
	switch m.Kind {
	case tape.Resize:
		return r.event(m.At, "r", fmt.Sprintf("%dx%d", m.A, m.B))
	case tape.Gap:
		return r.comment("%d bytes are missing here: there was no room on the disk", m.B)
	case tape.Exit:
		r.ended = true
		return r.last(m.At, "x", strconv.Itoa(int(int32(m.A))))
	default:
		return nil // of a later version
	}
}

// start writes the header, once.
func (r *recorder) start() error {
	if r.started {
		return nil
	}
	r.started = true
	h := header{Version: 3, Term: r.size, Command: strings.Join(r.session.Command, " "), Title: r.session.Name}
	if h.Term.Cols == 0 {
		h.Term = termSize{anyCols, anyRows}
	}
	if !r.session.StartedAt.IsZero() {
		h.Timestamp = r.session.StartedAt.Unix()
	}
	b, err := encode(h)
	if err != nil {
		return err
	}
	if err := r.line(b); err != nil {
		return err
	}
	if r.size.Cols == 0 {
		if err := r.comment("this session had no terminal, so the size is a default"); err != nil {
			return err
		}
	}
	if r.removed > 0 {
		return r.comment("Kedge removed the first %d bytes of the output", r.removed)
	}
	return nil
}

func (r *recorder) output(b []byte, at time.Time) error {
	if len(b) == 0 {
		return nil
	}
	if err := r.start(); err != nil {
		return err
	}
	r.part = append(r.part, b...)
	n := len(r.part) - plain.Unfinished(r.part)
	err := r.text(at, r.part[:n])
	r.part = append(r.part[:0], r.part[n:]...)
	return err
}

// text writes output; what is no UTF-8 is counted, and replaced by the encoder.
func (r *recorder) text(at time.Time, b []byte) error {
	if len(b) == 0 {
		return nil
	}
	if !utf8.Valid(b) {
		for rest := b; len(rest) > 0; {
			c, n := utf8.DecodeRune(rest)
			if c == utf8.RuneError && n == 1 {
				r.invalid++
			}
			rest = rest[n:]
		}
	}
	return r.event(at, "o", string(b))
}

// event writes one event; a clock that was set back gives an interval of 0.
func (r *recorder) event(at time.Time, code, data string) error {
	ms := int64(0)
	if !at.IsZero() && !r.at.IsZero() {
		ms = max(0, at.Sub(r.at).Milliseconds())
	}
	r.at = at
	b, err := encode(data)
	if err != nil {
		return err
	}
	return r.line(fmt.Appendf(nil, "[%d.%03d, %q, %s]", ms/1000, ms%1000, code, b))
}

// last is event for one after which no output can come: half a character is
// written as what it is.
func (r *recorder) last(at time.Time, code, data string) error {
	if err := r.text(r.at, r.part); err != nil {
		return err
	}
	r.part = nil
	return r.event(at, code, data)
}

// finish tells how it ended, as far as that is known.
func (r *recorder) finish() error {
	if err := r.start(); err != nil {
		return err
	}
	if err := r.text(r.at, r.part); err != nil {
		return err
	}
	if err := r.tellEnd(); err != nil {
		return err
	}
	if r.invalid > 0 {
		if err := r.comment("%d bytes were not UTF-8; the export shows them as U+FFFD", r.invalid); err != nil {
			return err
		}
	}
	return writing(r.w.Flush())
}

func (r *recorder) tellEnd() error {
	s := r.session
	switch {
	case r.ended:
		return nil
	case s.Live():
		return r.comment("the session was still running")
	case s.ExitCode != nil:
		return r.event(r.at, "x", strconv.Itoa(*s.ExitCode))
	default:
		return r.comment("%s", strings.TrimSuffix(string(s.State)+": "+s.Cause, ": "))
	}
}

func (r *recorder) comment(format string, args ...any) error {
	return r.line([]byte("# " + plain.Line(fmt.Sprintf(format, args...))))
}

func (r *recorder) line(b []byte) error {
	_, err := r.w.Write(append(b, '\n'))
	return writing(err)
}

func writing(err error) error {
	if err == nil {
		return nil
	}
	return kedge.Errorf(kedge.Internal, "cannot write the exported output: %w", err)
}

// encode gives JSON that is safe to show: whoever prints a recording instead of
// playing it gets no control character from it.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot export the output as JSON: %w", err)
	}
	return plain.JSON(bytes.TrimRight(b.Bytes(), "\n")), nil
}
