package tape

import (
	"errors"
	"io"

	"kedge"
	"kedge/internal/screen/vt"
)

// Feed is a screen that is fed from the log of a session. It is not for several
// goroutines at once.
type Feed struct {
	Screen *vt.Terminal

	// Left takes the lines that leave the main screen, and Returned tells that the last
	// ones came back; see vt.Terminal.
	Left     func(vt.Line)
	Returned func(lines int)

	log   Log
	bytes *Cursor
	marks *MarkCursor
	size  *Mark // the next change of size, if it is known
	read  int64 // the records of the index that happened
	sized int64 // sizes of before here were told by Resize; -1 for none
	at    int64 // how much of the log was fed
	base  int64 // the place in the log of the first byte that Screen was fed
	lines int64 // that left the main screen, before at
	buf   []byte
}

// feedPiece is how much is fed at once.
const feedPiece = 64 << 10

// OpenFeed gives the screen of the session in dir as a snapshot has it: the last one that is
// at or before the place want in the log, and has at most so many lines above it. Where
// there is none it is the empty screen that the session began with. NotFound means that
// the session has no terminal.
func OpenFeed(dir string, want, lines int64) (*Feed, error) {
	log := Open(dir)
	from, end, err := log.Range()
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot read the session's output: %w", err)
	}
	shot, found := nearest(dir, from, min(want, end), lines)
	f := &Feed{log: log, bytes: log.Cursor(), marks: log.MarkCursor(shot.marks), sized: -1}
	if found {
		f.restore(shot)
		return f, nil
	}
	if err := f.begin(from); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Anywhere is no limit to the place or the lines of a snapshot.
const Anywhere = int64(1) << 62

// begin is the screen before the first byte of the log that is kept.
func (f *Feed) begin(from int64) error {
	m, ok, err := f.peek()
	if err != nil {
		return err
	}
	if !ok {
		return kedge.Errorf(kedge.NotFound, "this session was started without a terminal")
	}
	f.at, f.base = from, from
	f.attend(vt.New(int(m.A), int(m.B)))
	return f.resizes()
}

func (f *Feed) restore(s snapshot) {
	t := vt.New(s.cols, s.rows)
	_, _ = t.Write(s.body) // it never fails
	f.at, f.lines, f.read = s.offset, s.lines, s.marks
	f.base = s.offset - int64(len(s.body))
	f.attend(t)
}

// attend counts the lines that leave.
func (f *Feed) attend(t *vt.Terminal) {
	f.Screen = t
	t.Left = func(l vt.Line) {
		f.lines++
		if f.Left != nil {
			f.Left(l)
		}
	}
	t.Returned = func(n int) {
		f.lines -= int64(n)
		if f.Returned != nil {
			f.Returned(n)
		}
	}
}

// At is how much of the log the screen shows.
func (f *Feed) At() int64 { return f.at }

// Begun gives what was fed from a place on that a snapshot of Screen tells: a sequence or a
// character that has not come to its end yet. It is nothing where it is not kept any more.
func (f *Feed) Begun(from int64) []byte {
	from += f.base
	b := make([]byte, max(f.at-from, 0))
	if _, err := f.bytes.ReadAt(b, from); err != nil {
		return nil
	}
	return b
}

// Lines is how many lines have left the main screen.
func (f *Feed) Lines() int64 { return f.lines }

// peek is the next change of size.
func (f *Feed) peek() (m Mark, ok bool, err error) {
	for f.size == nil {
		m, ok, err := f.marks.Next()
		if err != nil {
			return m, false, kedge.Errorf(kedge.Internal, "cannot read the times of the session's output: %w", err)
		}
		if !ok {
			return m, false, nil
		}
		if m.Kind == Resize {
			f.size = &m
		} else {
			f.read = f.marks.Position()
		}
	}
	return *f.size, true, nil
}

// resizes makes the changes of size that happened at or before where the screen is.
func (f *Feed) resizes() error {
	for {
		m, ok, err := f.peek()
		if err != nil || !ok || m.Offset > f.at {
			return err
		}
		f.size, f.read = nil, f.marks.Position()
		if m.Offset > f.sized {
			f.Screen.Resize(int(m.A), int(m.B))
		}
	}
}

// Resize gives the screen a size that it has from here on: one that could not be written
// into the log, and so may stand there later.
func (f *Feed) Resize(cols, rows int) {
	f.Screen.Resize(cols, rows)
	f.sized = f.at
}

// Next gives the bytes that come next, up to a place in the log or the next change of
// size; none where the screen is there already. They are good until the next call, and
// must be given to Take.
func (f *Feed) Next(end int64) ([]byte, error) {
	if err := f.resizes(); err != nil {
		return nil, err
	}
	if m, ok, err := f.peek(); err != nil {
		return nil, err
	} else if ok {
		end = min(end, m.Offset)
	}
	if f.buf == nil {
		f.buf = make([]byte, feedPiece)
	}
	for f.at < end {
		n, err := f.bytes.ReadAt(f.buf[:min(feedPiece, end-f.at)], f.at)
		if n > 0 {
			return f.buf[:n], nil
		}
		if more, err := f.skip(end, err); err != nil || !more {
			return nil, err
		}
	}
	return nil, f.resizes()
}

// skip goes on behind a part of the log that is not kept; false where the log ends.
func (f *Feed) skip(end int64, err error) (more bool, _ error) {
	if err != nil && !errors.Is(err, ErrRemoved) && !errors.Is(err, io.EOF) {
		return false, kedge.Errorf(kedge.Internal, "cannot read the session's output: %w", err)
	}
	_, written, err := f.log.Range()
	if err != nil {
		return false, kedge.Errorf(kedge.Internal, "cannot read the session's output: %w", err)
	}
	if end = min(end, written); f.at >= end {
		return false, nil
	}
	next := min((f.at/SegmentSize+1)*SegmentSize, end)
	f.base += next - f.at
	f.at = next
	return true, nil
}

// Take feeds what Next gave.
func (f *Feed) Take(b []byte) {
	_, _ = f.Screen.Write(b) // it never fails
	f.at += int64(len(b))
}

// Advance feeds the log up to a place.
func (f *Feed) Advance(end int64) error {
	for {
		b, err := f.Next(end)
		if err != nil || len(b) == 0 {
			return err
		}
		f.Take(b)
	}
}

// Close closes the files; the screen stays.
func (f *Feed) Close() error { return errors.Join(f.bytes.Close(), f.marks.Close()) }
