package hold

import (
	"errors"
	"os"
	"sync"
	"time"

	"kedge"
)

// input types what is asked for, each numbered request once. A request that the
// program did not take whole in time fails; asked again with the same number it
// goes on where it stopped.
type input struct {
	mu   sync.Mutex // held while typing: requests of several clients do not mix
	seq  uint64
	done int // bytes of seq that are typed

	stateMu sync.Mutex
	taken   uint64
}

func (i *input) last() uint64 {
	i.stateMu.Lock()
	defer i.stateMu.Unlock()
	return i.taken
}

// take types b to c.
func (i *input) take(c *child, seq uint64, b []byte) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if seq <= i.last() {
		return nil // a retry of what was typed
	}
	if seq != i.seq {
		i.seq, i.done = seq, 0
	}
	if c.isGone() {
		return kedge.Errorf(kedge.Conflict, "the program has ended")
	}
	if err := c.in.SetWriteDeadline(time.Now().Add(inputLimit)); err != nil {
		return kedge.Errorf(kedge.Internal, "type: %w", err)
	}
	n, err := c.in.Write(b[min(i.done, len(b)):])
	i.done += n
	if err != nil {
		return inputError(err)
	}
	i.stateMu.Lock()
	i.taken = seq
	i.stateMu.Unlock()
	return nil
}

func inputError(err error) error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return kedge.Errorf(kedge.Conflict, "the program does not read its input")
	case errors.Is(err, os.ErrClosed):
		return kedge.Errorf(kedge.Conflict, "the program's input is closed")
	}
	return kedge.Errorf(kedge.Conflict, "the program does not take input: %w", err)
}
