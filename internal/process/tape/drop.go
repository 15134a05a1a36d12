package tape

import (
	"errors"
	"io/fs"
	"os"
)

// Drop takes the front of a log away for good: the segments that end at or
// before an offset, the first one first, so that what is left is whole whenever
// it is interrupted. It is for retention, and only for a log that nobody writes.
// It gives how many bytes went.
func (l Log) Drop(before int64) (gone int64, err error) {
	from, end, err := l.Range()
	if err != nil {
		return 0, err
	}
	for at := from; at < end && min(at+SegmentSize, end) <= before; at += SegmentSize {
		if err := os.Remove(segmentPath(l.dir, at/SegmentSize)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return gone, err
		}
		gone += min(SegmentSize, end-at)
	}
	return gone, nil
}
