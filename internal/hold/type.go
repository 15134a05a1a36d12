package hold

import (
	"context"
	"time"

	"kedge"
)

// How a text is typed.
const (
	typePiece = 32 << 10               // at once
	typePause = 200 * time.Millisecond // before the first new try
	typeLong  = 5 * time.Second        // the longest such pause
)

// TypeAll types a text into the session in dir, which has no terminal, and ends its
// input, however long the program leaves it unread: half a text is worse than a
// late one. It returns when all was taken, the session is over or ctx ends.
func TypeAll(ctx context.Context, dir string, b []byte) {
	untilDone(func() error { return typeOnce(ctx, dir, b) }, func(after time.Duration) bool {
		f := Look(ctx, dir)
		if f.Client != nil {
			_ = f.Client.Close()
		}
		return f.State == kedge.SessionRunning && wait(ctx, after)
	})
}

// typeOnce types what the holder has not taken yet. Each piece has its number, so
// that who tries again goes on where the first stopped.
func typeOnce(ctx context.Context, dir string, b []byte) error {
	c, err := Dial(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	const source = 1 // nobody else types into a session without a terminal
	for seq := uint64(1); len(b) > 0; seq++ {
		n := min(len(b), typePiece)
		if err := c.Input(ctx, source, seq, b[:n]); err != nil {
			return err
		}
		b = b[n:]
	}
	return c.CloseInput(ctx)
}

// untilDone tries until it succeeds or next says that it makes no sense any
// more, with pauses that grow: a program that closed its input is not asked
// five times a second for as long as it lives.
func untilDone(try func() error, next func(after time.Duration) bool) {
	for after := typePause; try() != nil && next(after); after = min(2*after, typeLong) {
	}
}

// wait tells whether the time passed before ctx ended.
func wait(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
