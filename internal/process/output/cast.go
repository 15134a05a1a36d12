package output

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"time"

	"kedge"
	"kedge/internal/process/tape"
)

// readSize is how much is read and passed on at once.
const readSize = 32 << 10

// player is told what is on a tape, in order.
type player interface {
	// begin comes first, with how many bytes at the front are no longer kept.
	begin(removed int64) error
	// output is a piece that was printed at a time; it is only lent.
	output(b []byte, at time.Time) error
	// mark is a record of the index that is not only a time.
	mark(m tape.Mark) error
}

// Removed is the error of a session that has no output any more.
func Removed() error {
	return kedge.Errorf(kedge.NotFound, "Kedge has removed the output of this session: Kedge keeps output only for a limited time and up to a limited size")
}

// play tells p what is on the tape, up to its present end.
func play(ctx context.Context, l tape.Log, p player) error {
	from, end, err := l.Range()
	if errors.Is(err, fs.ErrNotExist) {
		return Removed()
	}
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot read the session's output: %w", err)
	}
	if err := p.begin(from); err != nil {
		return err
	}
	r := &reel{ctx: ctx, cursor: l.Cursor(), p: p, pos: from, end: end, buf: make([]byte, readSize)}
	defer func() { _ = r.cursor.Close() }() // only read
	if err := l.EachMark(r.take); err != nil {
		return err
	}
	return r.upTo(end, r.at)
}

// reel is how far a tape has been played.
type reel struct {
	ctx    context.Context //nolint:containedctx // of the one call that plays
	cursor *tape.Cursor
	p      player
	pos    int64
	end    int64
	at     time.Time
	buf    []byte
}

func (r *reel) take(m tape.Mark) error {
	r.at = m.At
	if err := r.upTo(min(m.Offset, r.end), m.At); err != nil {
		return err
	}
	if m.Kind == tape.Time || m.Kind != tape.Resize && m.Offset < r.pos {
		return nil // a gap in what is no longer kept is no news
	}
	return r.p.mark(m)
}

// upTo plays the bytes before an offset.
func (r *reel) upTo(off int64, at time.Time) error {
	for r.pos < off {
		if err := r.ctx.Err(); err != nil {
			return kedge.Errorf(kedge.Interrupted, "the export was stopped: %w", err)
		}
		n, err := r.cursor.ReadAt(r.buf[:min(readSize, off-r.pos)], r.pos)
		r.pos += int64(n)
		if err := r.p.output(r.buf[:n], at); err != nil {
			return err
		}
		if n == 0 && err != nil && !errors.Is(err, io.EOF) {
			return kedge.Errorf(kedge.Internal, "cannot read the session's output: %w", err)
		}
		if n == 0 {
			return nil // shorter than its index: a machine lost its power
		}
	}
	return nil
}
