package hold

import (
	"context"
	"time"

	"kedge"
)

// Typist types texts into a session, in the order in which it gets them, and beside
// whoever gives them: a program that does not read keeps nobody else waiting.
type Typist struct {
	dir    string
	source uint64
	seq    uint64
	texts  chan text
}

// text is what is typed, or a mark behind what came before it.
type text struct {
	b       []byte
	reached chan struct{}
}

// textsMost is how many texts may wait for a program that does not read.
const textsMost = 64

// NewTypist gives one for the session in dir. Source is a number that no other writer has.
func NewTypist(dir string, source uint64) *Typist {
	return &Typist{dir: dir, source: source, texts: make(chan text, textsMost)}
}

// Type gives it a text, which nobody may change any more. It waits while there are too many.
func (t *Typist) Type(ctx context.Context, b []byte) {
	select {
	case t.texts <- text{b: b}:
	case <-ctx.Done():
	}
}

// Offer gives it a text, or drops the text where there are too many.
func (t *Typist) Offer(b []byte) {
	select {
	case t.texts <- text{b: b}:
	default:
	}
}

// Flush waits until all that it was given before is typed, but not longer than limit.
func (t *Typist) Flush(ctx context.Context, limit time.Duration) {
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	mark := text{reached: make(chan struct{})}
	select {
	case t.texts <- mark:
	case <-ctx.Done():
		return
	}
	select {
	case <-mark.reached:
	case <-ctx.Done():
	}
}

// Run types until ctx ends, or the holder is gone, which is an error. A text that the
// program does not take is dropped, with all that wait behind it, and refused is told.
func (t *Typist) Run(ctx context.Context, refused func(error)) error {
	c, err := Dial(ctx, t.dir)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	for {
		select {
		case <-ctx.Done():
			return nil
		case next := <-t.texts:
			if next.reached != nil {
				close(next.reached)
				continue
			}
			t.seq++
			err := c.Input(ctx, t.source, t.seq, next.b)
			switch {
			case kedge.Conflict.Is(err):
				t.drop()
				refused(err)
			case err != nil && ctx.Err() == nil:
				return err
			}
		}
	}
}

// drop drops what waits.
func (t *Typist) drop() {
	for {
		select {
		case next := <-t.texts:
			if next.reached != nil {
				close(next.reached)
			}
		default:
			return
		}
	}
}
