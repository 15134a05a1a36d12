package hold

import (
	"context"
	"time"

	"kedge"
)

// How a text is typed.
const (
	typePiece = 32 << 10               // at once
	pieceBits = 20                     // of a piece's number; the rest is the text's
	typePause = 200 * time.Millisecond // before the first new try
	typeLong  = 5 * time.Second        // the longest such pause
)

// Typing is a text that is typed once, however often it is tried. Source is any
// number that no other writer has; texts of one source are typed in the order of
// their numbers, and one with a number that was passed is not typed any more.
type Typing struct {
	Source uint64
	Number uint64 // below 1<<44
	Text   []byte
	Close  bool // the input is ended after it
}

// SourceBrief is the source of what a session without a terminal starts with.
const SourceBrief uint64 = 1

// Type types a text into the session in dir, which has no terminal, however long
// the program leaves it unread: half a text is worse than a late one. It returns
// when all was taken, the session is over or ctx ends; false says that it was not
// taken whole.
func Type(ctx context.Context, dir string, t Typing) bool {
	taken := false
	untilDone(func() error {
		err := typeOnce(ctx, dir, t)
		taken = err == nil
		return err
	}, func(after time.Duration) bool {
		f := Look(ctx, dir)
		if f.Client != nil {
			_ = f.Client.Close()
		}
		return f.State == kedge.SessionRunning && wait(ctx, after)
	})
	return taken
}

// typeOnce types what the holder has not taken yet. Each piece has its number, so
// that who tries again goes on where the first stopped.
func typeOnce(ctx context.Context, dir string, t Typing) error {
	c, err := Dial(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	b := t.Text
	for seq := t.Number<<pieceBits + 1; len(b) > 0; seq++ {
		n := min(len(b), typePiece)
		if err := c.Input(ctx, t.Source, seq, b[:n]); err != nil {
			return err
		}
		b = b[n:]
	}
	if !t.Close {
		return nil
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
