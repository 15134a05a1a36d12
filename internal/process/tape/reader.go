package tape

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// ErrRemoved is given for a byte that retention has taken away.
var ErrRemoved = errors.New("Kedge removed this part of the output, because it was old")

// Log reads the log of one session, also while it is written.
type Log struct{ dir string }

// Open gives the log in dir; it opens no file until it is asked.
func Open(dir string) Log { return Log{dir: dir} }

// Range is the offsets that can be read: from the first byte kept to the end.
func (l Log) Range() (from, end int64, err error) {
	first, last, err := segments(l.dir)
	if err != nil || last < 0 {
		return 0, 0, err
	}
	fi, err := os.Stat(segmentPath(l.dir, last))
	if err != nil {
		return 0, 0, err
	}
	return first * SegmentSize, last*SegmentSize + fi.Size(), nil
}

// segments finds the numbers of the first and the last segment; last is -1 when
// there is none.
func segments(dir string) (first, last int64, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, -1, err
	}
	first, last = -1, -1
	for _, e := range entries {
		digits, ok := strings.CutPrefix(e.Name(), "log.")
		n, err := strconv.ParseInt(digits, 10, 32)
		if !ok || err != nil || n < 0 {
			continue
		}
		last = max(last, n)
		if first < 0 || n < first {
			first = n
		}
	}
	return max(first, 0), last, nil
}

func length(dir string) (int64, error) {
	_, end, err := Open(dir).Range()
	return end, err
}

// ReadAt implements io.ReaderAt over the segments: io.EOF at the end of what is
// written, ErrRemoved before what is kept.
func (l Log) ReadAt(p []byte, off int64) (n int, err error) {
	c := l.Cursor()
	defer func() { _ = c.Close() }() // only read
	return c.ReadAt(p, off)
}

// openSegment opens the segment of a byte.
func (l Log) openSegment(off int64) (*os.File, error) {
	f, err := os.Open(segmentPath(l.dir, off/SegmentSize))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, l.missing(off)
	}
	return f, err
}

func (l Log) missing(off int64) error {
	from, _, err := l.Range()
	if err != nil {
		return err
	}
	if off < from {
		return ErrRemoved
	}
	return io.EOF
}

// Marks reads the index whole; a record that is being written is left out.
func (l Log) Marks() ([]Mark, error) {
	b, err := os.ReadFile(indexPath(l.dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	marks := make([]Mark, 0, len(b)/markSize)
	for ; len(b) >= markSize; b = b[markSize:] {
		marks = append(marks, decodeMark(b))
	}
	return marks, nil
}
