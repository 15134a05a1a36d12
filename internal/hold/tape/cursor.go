package tape

import (
	"errors"
	"io"
	"os"
)

// Cursor reads a log like Log.ReadAt, and keeps the segment it read last open:
// for whoever reads much of a log in small pieces. It is not for several
// goroutines.
type Cursor struct {
	log Log
	n   int64 // which segment is open
	f   *os.File
}

// Cursor gives one that has nothing open yet.
func (l Log) Cursor() *Cursor { return &Cursor{log: l} }

// Close closes what is open; the cursor can be used again.
func (c *Cursor) Close() error {
	if c.f == nil {
		return nil
	}
	f := c.f
	c.f = nil
	return f.Close()
}

// ReadAt implements io.ReaderAt with the errors of Log.ReadAt.
func (c *Cursor) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) {
		m, err := c.readSegment(p[n:], off+int64(n))
		n += m
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

func (c *Cursor) readSegment(p []byte, off int64) (int, error) {
	if c.f == nil || c.n != off/SegmentSize {
		if err := c.Close(); err != nil {
			return 0, err
		}
		f, err := c.log.openSegment(off)
		if err != nil {
			return 0, err
		}
		c.n, c.f = off/SegmentSize, f
	}
	return readPart(c.f, p, off%SegmentSize)
}

// readPart reads from one segment, up to its end.
func readPart(f *os.File, p []byte, at int64) (int, error) {
	n, err := f.ReadAt(p[:min(int64(len(p)), SegmentSize-at)], at)
	if n > 0 && errors.Is(err, io.EOF) && at+int64(n) == SegmentSize {
		return n, nil
	}
	return n, err
}
