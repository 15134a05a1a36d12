package tape

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"
)

// markEvery is how far apart time marks are: close enough to replay by, far
// enough apart that a flood of output costs nothing.
const markEvery = 50 * time.Millisecond

// Writer appends to the log of one session. There is one writer per log.
type Writer struct {
	dir string

	mu       sync.Mutex
	end      int64
	segment  *os.File   // the last one; nil before the first byte of it
	full     []*os.File // segments that are complete and wait to be put on disk
	index    *os.File
	lastMark time.Time
	marked   int64     // the log up to here has its time in the index
	lastAt   time.Time // when the last byte came
	lost     int64     // bytes lost since the last gap mark
	waiting  []Mark    // that the disk had no room for: sizes, and the end
	dirty    bool      // since the last Sync
}

// Create opens the log in dir for appending; a log that is there is continued.
func Create(dir string) (*Writer, error) {
	end, err := length(dir)
	if err != nil {
		return nil, err
	}
	index, err := os.OpenFile(indexPath(dir), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	if err := trimTorn(index); err != nil {
		return nil, errors.Join(err, index.Close())
	}
	return &Writer{dir: dir, end: end, marked: end, index: index}, nil
}

// trimTorn pads nothing and keeps nothing half: a record that was being written
// when the machine died is cut off, so that the next one is aligned.
func trimTorn(index *os.File) error {
	fi, err := index.Stat()
	if err != nil || fi.Size()%markSize == 0 {
		return err
	}
	return index.Truncate(fi.Size() - fi.Size()%markSize)
}

// Append adds p at the given time and returns the new end. It never fails: what
// cannot be written is lost, counted, and marked as a gap as soon as anything
// can be written again.
func (w *Writer) Append(p []byte, at time.Time) (end int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(p) == 0 {
		return w.end
	}
	since := at.Sub(w.lastMark)
	due := since >= markEvery || since < 0 // a clock that was set back still tells times
	if due {
		w.tellTimeLocked() // else these bytes would seem to have come with the next ones, however late
	}
	w.tellGapLocked(at)
	n := w.writeLocked(p)
	w.lost += int64(len(p) - n)
	if n > 0 {
		w.lastAt = at
	}
	if due {
		w.tellTimeLocked()
	}
	return w.end
}

// tellTimeLocked records when the bytes came that have no time yet. A mark that
// cannot be written only makes times coarser.
func (w *Writer) tellTimeLocked() {
	if w.end == w.marked || w.lastAt.IsZero() {
		return
	}
	w.lastMark, w.marked = w.lastAt, w.end
	_ = w.markLocked(Mark{Kind: Time, Offset: w.end, At: w.lastAt})
}

// writeLocked writes as much of p as it can, over as many segments as it takes.
func (w *Writer) writeLocked(p []byte) (written int) {
	for len(p) > 0 {
		f, err := w.segmentLocked()
		if err != nil {
			return written
		}
		room := SegmentSize - w.end%SegmentSize
		n, err := f.Write(p[:min(int64(len(p)), room)])
		written += n
		w.end += int64(n)
		w.dirty = w.dirty || n > 0
		if err != nil {
			return written
		}
		p = p[n:]
	}
	return written
}

// segmentLocked gives the file that the next byte belongs in.
func (w *Writer) segmentLocked() (*os.File, error) {
	if w.end%SegmentSize == 0 && w.segment != nil && w.end > 0 && full(w.segment) {
		w.retireLocked()
	}
	if w.segment == nil {
		f, err := os.OpenFile(segmentPath(w.dir, w.end/SegmentSize), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return nil, err
		}
		w.segment = f
	}
	return w.segment, nil
}

// maxFull is how many complete segments may wait for the disk: a program that
// prints faster than it can take them has to wait then.
const maxFull = 16

// retireLocked leaves the segment to the next Sync, so that whoever prints does
// not wait for the disk at the end of each.
func (w *Writer) retireLocked() {
	w.full, w.segment = append(w.full, w.segment), nil
	if len(w.full) >= maxFull {
		_ = settle(w.full) // reported by nobody: the session goes on either way
		w.full = nil
	}
}

// settle puts files on disk and closes them.
func settle(files []*os.File) error {
	var errs []error
	for _, f := range files {
		errs = append(errs, f.Sync(), f.Close())
	}
	return errors.Join(errs...)
}

func full(f *os.File) bool {
	fi, err := f.Stat()
	return err == nil && fi.Size() >= SegmentSize
}

// tellGapLocked records bytes lost before now. While there is no room for the
// record either, the count goes on.
func (w *Writer) tellGapLocked(at time.Time) {
	if w.lost == 0 {
		return
	}
	if w.markLocked(Mark{Kind: Gap, B: uint64(w.lost), Offset: w.end, At: at}) == nil {
		w.lost = 0
	}
}

// Mark adds a record to the index at the present end; it says whether it could. A size, or
// the end, that it could not add is added as soon as there is room: without it all that was
// printed later would be read wrongly.
func (w *Writer) Mark(m Mark) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tellTimeLocked()
	w.tellGapLocked(m.At)
	m.Offset = w.end
	err := w.markLocked(m)
	if err != nil && (m.Kind == Resize || m.Kind == Exit) {
		w.waitLocked(m)
	}
	return err
}

// waitingMost bounds the marks that wait.
const waitingMost = 256

// waitLocked keeps a mark for later. Of several sizes at one place only the last one counts.
func (w *Writer) waitLocked(m Mark) {
	if n := len(w.waiting) - 1; n >= 0 && m.Kind == Resize && w.waiting[n].Kind == Resize && (w.waiting[n].Offset == m.Offset || n >= waitingMost) {
		w.waiting[n] = m
		return
	}
	w.waiting = append(w.waiting, m)
}

// Waiting tells whether there are sizes that are not on disk, for want of space.
func (w *Writer) Waiting() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.waiting) > 0
}

// markLocked adds a record, after those that wait.
func (w *Writer) markLocked(m Mark) error {
	if err := w.waitedLocked(); err != nil {
		return err
	}
	return w.writeMark(m)
}

// waitedLocked adds the marks that wait.
func (w *Writer) waitedLocked() error {
	for len(w.waiting) > 0 {
		if err := w.writeMark(w.waiting[0]); err != nil {
			return err
		}
		w.waiting = w.waiting[1:]
	}
	return nil
}

func (w *Writer) writeMark(m Mark) error {
	n, err := w.index.Write(m.encode())
	if err != nil && n > 0 {
		return errors.Join(err, trimTorn(w.index))
	}
	return err
}

// Lost is how many bytes are lost and not yet marked.
func (w *Writer) Lost() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lost
}

// End is the offset after the last byte.
func (w *Writer) End() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.end
}

// Sync puts what was appended on disk.
func (w *Writer) Sync() error {
	w.mu.Lock()
	_ = w.waitedLocked() // the next time, else
	segment, dirty, full := w.segment, w.dirty, w.full
	w.dirty, w.full = false, nil
	w.mu.Unlock()
	err := settle(full)
	if !dirty || segment == nil {
		return err
	}
	if e := segment.Sync(); !errors.Is(e, fs.ErrClosed) { // closed: complete meanwhile, and put on disk then
		err = errors.Join(err, e)
	}
	return err
}

// Close syncs and closes the files.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tellTimeLocked()
	files := append(w.full, w.index)
	if w.segment != nil {
		files = append(files, w.segment)
	}
	w.full, w.segment = nil, nil
	return settle(files)
}

// Discard closes the log, and takes it away where nothing was ever put on it.
func (w *Writer) Discard() error {
	fi, err := w.index.Stat()
	if err != nil || fi.Size() > 0 || w.end > 0 {
		return errors.Join(err, w.Close())
	}
	return errors.Join(w.index.Close(), os.Remove(indexPath(w.dir)))
}
