package transcript

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"

	"kedge"
)

// MaxLine bounds one line of a transcript; a longer one is skipped and counted.
const MaxLine = 32 << 20

const bufferSize = 256 << 10

// Lines gives the lines of r, one after the other, without their ends. Its
// memory is that of the longest line.
type Lines struct {
	r    *bufio.Reader
	long []byte
	N    int // number of the last line, from 1
	over bool
}

// NewLines gives the lines of r, unpacked where it is gzip.
func NewLines(r io.Reader) (*Lines, error) {
	b, err := unzipped(r)
	if err != nil {
		return nil, err
	}
	return &Lines{r: b}, nil
}

// unzipped gives what is in r where that is gzip, else r.
func unzipped(r io.Reader) (*bufio.Reader, error) {
	b := bufio.NewReaderSize(r, bufferSize)
	head, _ := b.Peek(2)
	if !bytes.Equal(head, []byte{0x1f, 0x8b}) {
		return b, nil
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, kedge.Errorf(kedge.Invalid, "cannot unpack the transcript: %w", err)
	}
	return bufio.NewReaderSize(z, bufferSize), nil
}

// Next gives a line, valid until the next call; over tells that it was too long
// and is not all there. io.EOF ends it. What gzip cannot unpack ends a last line
// where it was cut.
func (l *Lines) Next() ([]byte, error) {
	l.long, l.over = l.long[:0], false
	for {
		part, err := l.r.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			if l.over = l.over || len(l.long)+len(part) > MaxLine; !l.over {
				l.keep(part)
			}
			continue
		}
		cut := errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader)
		if err != nil && !errors.Is(err, io.EOF) && !cut {
			return nil, kedge.Errorf(kedge.Internal, "cannot read the transcript: %w", err)
		}
		if len(l.long)+len(part) > MaxLine {
			l.over = true
		} else if len(l.long) > 0 {
			l.keep(part)
			part = l.long
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
func (l *Lines) keep(part []byte) {
	const few = 4 << 20
	if need := len(l.long) + len(part); need > few && need > cap(l.long) {
		l.long = append(make([]byte, 0, MaxLine), l.long...)
	}
	l.long = append(l.long, part...)
}

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
