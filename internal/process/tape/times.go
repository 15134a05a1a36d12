package tape

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"sort"
	"time"
)

// EachMark tells fn of every record of the index in order, without holding all
// of them; a record that is being written is left out. An error of fn ends it.
func (l Log) EachMark(fn func(Mark) error) error {
	f, err := os.Open(indexPath(l.dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read
	buf := make([]byte, markSize*2048)
	for {
		n, err := io.ReadFull(f, buf)
		for b := buf[:n]; len(b) >= markSize; b = b[markSize:] {
			if err := fn(decodeMark(b)); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// Clock tells when bytes of the log came. It holds the index open and reads of
// it only what it is asked for.
type Clock struct {
	f *os.File
	n int // records
}

// Clock opens the index as it is now; NotExist when there is none.
func (l Log) Clock() (*Clock, error) {
	f, err := os.Open(indexPath(l.dir))
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Clock{f: f, n: int(fi.Size() / markSize)}, nil
}

// Close closes the index.
func (c *Clock) Close() error { return c.f.Close() }

// At is when the byte at off came, exact to the distance of the marks. It is
// false when the index does not say.
func (c *Clock) At(off int64) (at time.Time, ok bool, err error) {
	mark := func(i int) Mark {
		b := make([]byte, markSize)
		if _, e := c.f.ReadAt(b, int64(i)*markSize); e != nil && err == nil {
			err = e
		}
		return decodeMark(b)
	}
	i := sort.Search(c.n, func(i int) bool { return mark(i).Offset > off })
	if c.n == 0 || err != nil {
		return time.Time{}, false, err
	}
	m := mark(min(i, c.n-1)) // behind the last mark: so fresh that it has none yet
	return m.At, err == nil, err
}
