package tape

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// MarkCursor reads the index record by record, also while it is written.
type MarkCursor struct {
	log  Log
	f    *os.File
	next int64 // the record that Next gives
	room [64 * markSize]byte
	buf  []byte // what was read and not given
}

// MarkCursor gives one that begins with a record, counted from 0.
func (l Log) MarkCursor(from int64) *MarkCursor { return &MarkCursor{log: l, next: from} }

// Position is how many records are before the one that Next gives.
func (c *MarkCursor) Position() int64 { return c.next }

// Next gives the next record; false where there is none yet.
func (c *MarkCursor) Next() (m Mark, ok bool, err error) {
	if len(c.buf) < markSize {
		if err := c.fill(); err != nil {
			return m, false, err
		}
	}
	if len(c.buf) < markSize {
		return m, false, nil
	}
	m, c.buf = decodeMark(c.buf), c.buf[markSize:]
	c.next++
	return m, true, nil
}

// fill reads what came since.
func (c *MarkCursor) fill() error {
	if c.f == nil {
		f, err := os.Open(indexPath(c.log.dir))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		c.f = f
	}
	n, err := c.f.ReadAt(c.room[:], c.next*markSize)
	c.buf = c.room[:n]
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// Close closes the index; the cursor can be used again.
func (c *MarkCursor) Close() error {
	if c.f == nil {
		return nil
	}
	f := c.f
	c.f, c.buf = nil, nil
	return f.Close()
}
