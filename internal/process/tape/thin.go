package tape

import (
	"errors"
	"io/fs"
	"os"
)

// Thin removes whole segments from the middle of a log, also while it is
// written: what lies after the first head bytes and well before the end. A
// reader finds the rest as it was, and io.EOF in between.
func (l Log) Thin(head, end int64) error {
	for n := end/SegmentSize - 2; n*SegmentSize >= head; n-- {
		err := os.Remove(segmentPath(l.dir, n))
		if errors.Is(err, fs.ErrNotExist) {
			return nil // those before it went earlier
		}
		if err != nil {
			return err
		}
	}
	return nil
}
