package hold

import (
	"context"
	"time"

	"kedge"
)

// How a text is typed.
const (
	typePiece = 32 << 10               // at once; a shorter one is the last of its text
	pieceBits = 20                     // of a piece's number; the rest is the text's
	typePause = 200 * time.Millisecond // before the first new try
	typeLong  = 5 * time.Second        // the longest such pause
)

// Typing is a text that is typed once, however often it is tried, and whole:
// nobody else types into the session while it is half typed. Source is a number
// that no other writer has; texts of one source are typed in the order of their
// numbers, and one with a number that was passed is not typed any more.
type Typing struct {
	Source uint64 // below 1<<48
	Number uint64 // below 1<<44
	Text   []byte
	Close  bool // the input is ended after it
}

// Sources that a holder never forgets, however many others type.
const (
	SourceBrief   uint64 = 1 // of what a session without a terminal starts with
	SourceReplies uint64 = 2 // of what its program is answered
	SourceShort   uint64 = 3 // of what it is told to shorten its context by
)

// sourceTyped is above the sources of texts that are tried until they are whole.
const sourceTyped uint64 = 1 << 48

// Type types a text into the session in dir, which has no terminal, however long
// the program leaves it unread: half a text is worse than a late one. It returns
// when all was taken, the session is over or ctx ends; false says that it was not
// taken whole.
func Type(ctx context.Context, dir string, t Typing) bool {
	_, taken := TypeOne(ctx, dir, func() []Typing { return []Typing{t} })
	return taken
}

// TypeOne is Type for the first of several texts that can be typed: while one is
// half typed no other can. It asks before each try which there are, and gives the
// one that was taken whole.
func TypeOne(ctx context.Context, dir string, texts func() []Typing) (typed Typing, taken bool) {
	untilDone(func() (err error) {
		for _, t := range texts() {
			if err = typeOnce(ctx, dir, t); err == nil {
				typed, taken = t, true
				return nil
			}
		}
		return err
	}, func(after time.Duration) bool {
		f := Look(ctx, dir)
		if f.Client != nil {
			_ = f.Client.Close()
		}
		return f.State == kedge.SessionRunning && wait(ctx, after)
	})
	return typed, taken
}

// typeOnce types what the holder has not taken yet. Each piece has its number, so
// that who tries again goes on where the first stopped.
func typeOnce(ctx context.Context, dir string, t Typing) error {
	c, err := Dial(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	b, more := t.Text, len(t.Text) > 0
	for seq := t.Number<<pieceBits + 1; more; seq++ {
		n := min(len(b), typePiece)
		if err := c.Input(ctx, t.Source, seq, b[:n]); err != nil {
			return err
		}
		b, more = b[n:], n == typePiece
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
