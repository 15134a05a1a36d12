package transcript

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"io"

	"kedge"
	"kedge/internal/insight/audit"
)

// MaxLine bounds one line of a transcript; a longer one is skipped and counted.
const MaxLine = 32 << 20

const bufferSize = 256 << 10

// Lines gives the lines of r, one after the other, without their ends. Its
// memory is that of the longest line.
type Lines struct {
	r    *bufio.Reader
	room *Room // whose long is used; its own where nobody gave one
	N    int   // number of the last line, from 1
	over bool
}

// Room is the memory that reading takes. Whoever reads many files gives each of them the
// same, one after the other: it is an io.Reader of the file that it was given last.
type Room struct {
	size         int // of a buffer; 0 is the usual one
	in, unpacked *bufio.Reader
	long         []byte // the beginning of a line that is longer than a buffer
	names        audit.Names
}

// shared are the names that what is counted in the room has in common.
func (o *Room) shared() audit.Names {
	if o == nil {
		return audit.Names{}
	}
	if o.names == nil {
		o.names = audit.Names{}
	}
	return o.names
}

// From makes the room that of a file, from its beginning.
func (o *Room) From(r io.Reader) *Room {
	o.in = o.buffer(o.in, r)
	if cap(o.long) > few {
		o.long = nil // one file with such a line does not make all the others take as much
	}
	return o
}

// Read implements io.Reader.
func (o *Room) Read(p []byte) (int, error) { return o.in.Read(p) }

// buffer gives a buffer for r: the one that was used before, where there is one.
func (o *Room) buffer(b *bufio.Reader, r io.Reader) *bufio.Reader {
	if b == nil {
		return bufio.NewReaderSize(r, cmp.Or(o.size, bufferSize))
	}
	b.Reset(r)
	return b
}

// NewLines gives the lines of r, unpacked where it is gzip.
func NewLines(r io.Reader) (*Lines, error) {
	room, ok := r.(*Room)
	if !ok {
		room = (&Room{}).From(r)
	}
	b, err := unzipped(room)
	if err != nil {
		return nil, err
	}
	return &Lines{r: b, room: room}, nil
}

// FirstLines gives the lines of r as NewLines does, for whoever reads only a few of them: many
// files are looked into for one that is wanted.
func FirstLines(r io.Reader) (*Lines, error) {
	const size = 16 << 10
	return NewLines((&Room{size: size}).From(r))
}

// unzipped gives what is in a file where that is gzip, else the file.
func unzipped(room *Room) (*bufio.Reader, error) {
	b := room.in
	head, _ := b.Peek(2)
	if !bytes.Equal(head, []byte{0x1f, 0x8b}) {
		return b, nil
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, kedge.Errorf(kedge.Invalid, "cannot unpack the transcript: %w", err)
	}
	room.unpacked = room.buffer(room.unpacked, z)
	return room.unpacked, nil
}

// Next gives a line, valid until the next call; over tells that it was too long
// and is not all there. io.EOF ends it. What gzip cannot unpack ends a last line
// where it was cut.
func (l *Lines) Next() ([]byte, error) {
	o := l.room
	o.long, l.over = o.long[:0], false
	for {
		part, err := l.r.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			if l.over = l.over || len(o.long)+len(part) > MaxLine; !l.over {
				o.keep(part)
			}
			continue
		}
		cut := errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader)
		if err != nil && !errors.Is(err, io.EOF) && !cut {
			return nil, kedge.Errorf(kedge.Internal, "cannot read the transcript: %w", err)
		}
		if len(o.long)+len(part) > MaxLine {
			l.over = true
		} else if len(o.long) > 0 {
			o.keep(part)
			part = o.long
		}
		if err != nil && len(part) == 0 {
			return nil, io.EOF
		}
		l.N++
		return bytes.TrimSuffix(part, []byte("\n")), nil
	}
}

// keep puts a part behind those of the same line. Beyond a few MB it takes all
// the room that a line may have at once: growing by and by would leave the parts
// behind as garbage, twice as much as the line, and room that is not written to
// is no memory.
func (o *Room) keep(part []byte) {
	if need := len(o.long) + len(part); need > few && need > cap(o.long) {
		o.long = append(make([]byte, 0, MaxLine), o.long...)
	}
	o.long = append(o.long, part...)
}

const few = 4 << 20

// every is how many lines are read between two looks at the context.
const every = 256

// ReadLines reads a transcript of lines that has neither rules nor tool schemas, as most
// have it: take fills in meta with every line.
func ReadLines(ctx context.Context, r io.Reader, meta *Meta, take func(n int, line []byte) bool) (Meta, error) {
	skipped, err := EachLine(ctx, r, take)
	meta.Skipped, meta.Unseen = skipped, []string{"rules", "tool_schemas"}
	return *meta, err
}

// EachLine calls take with every line that is not blank. A line that take
// refuses, or that is too long, is counted.
func EachLine(ctx context.Context, r io.Reader, take func(n int, line []byte) bool) (skipped int64, err error) {
	l, err := NewLines(r)
	if err != nil {
		return 0, err
	}
	for {
		line, err := l.Next()
		if errors.Is(err, io.EOF) {
			return skipped, nil
		}
		if err != nil {
			return skipped, err
		}
		if l.N%every == 0 && ctx.Err() != nil {
			return skipped, kedge.Errorf(kedge.Interrupted, "reading the transcript was interrupted: %w", context.Cause(ctx))
		}
		if l.over {
			skipped++
			continue
		}
		if line = bytes.TrimSpace(line); len(line) > 0 && !take(l.N, line) {
			skipped++
		}
	}
}
