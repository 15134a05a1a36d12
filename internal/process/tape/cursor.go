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
	log  Log
	n    int64 // which segment is open
	f    *os.File
	view view // of that one, if it was asked for
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
	return errors.Join(c.view.close(), f.Close())
}

// View gives up to n bytes from off on where they are, without copying them, as
// far as they lie in one segment. They are good until the cursor is used for
// another segment or closed, and must not be written to; to read them may be a
// fault when the disk fails or the file was cut short meanwhile
// (debug.SetPanicOnFault). It is false where that cannot be done: then ReadAt can,
// or says why not. A segment that still grows is only read.
func (c *Cursor) View(off int64, n int) (b []byte, ok bool) {
	if off < 0 || c.turnTo(off) != nil {
		return nil, false
	}
	if c.view.b == nil {
		v, err := c.look()
		if err != nil {
			return nil, false
		}
		c.view = v
	}
	from := int(off % SegmentSize)
	to := min(from+n, SegmentSize)
	if c.view.need(to) != nil {
		return nil, false
	}
	return c.view.b[from:to:to], true
}

// look makes the segment that is open visible, if it is complete.
func (c *Cursor) look() (view, error) {
	if !full(c.f) {
		return view{}, errors.ErrUnsupported
	}
	return openView(c.f)
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
	if err := c.turnTo(off); err != nil {
		return 0, err
	}
	return readPart(c.f, p, off%SegmentSize)
}

// turnTo opens the segment of a byte.
func (c *Cursor) turnTo(off int64) error {
	if c.f != nil && c.n == off/SegmentSize {
		return nil
	}
	if err := c.Close(); err != nil {
		return err
	}
	f, err := c.log.openSegment(off)
	if err != nil {
		return err
	}
	c.n, c.f = off/SegmentSize, f
	return nil
}

// readPart reads from one segment, up to its end.
func readPart(f *os.File, p []byte, at int64) (int, error) {
	n, err := f.ReadAt(p[:min(int64(len(p)), SegmentSize-at)], at)
	if n > 0 && errors.Is(err, io.EOF) && at+int64(n) == SegmentSize {
		return n, nil
	}
	return n, err
}
