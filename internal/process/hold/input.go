package hold

import (
	"errors"
	"os"
	"slices"
	"sync"
	"time"

	"kedge"
)

// sources is how many writers a holder remembers beside those that it never
// forgets; one that was forgotten could only type twice if it retried after
// that many others had typed.
const sources = 256

// input types what is asked for, each numbered request of a source once. A
// request that the program did not take whole in time fails; asked again with
// the same number it goes on where it stopped.
type input struct {
	typing sync.Mutex // held while typing: requests of several clients do not mix

	mu    sync.Mutex
	from  map[uint64]*source
	order []uint64 // of those in from that can be forgotten, by last use
	half  uint64   // whose text has begun and is not whole: nobody else types meanwhile; 0: none
	total int64    // bytes typed, but for answers to queries

	replied uint64 // the number of the newest reply
}

// source is one writer's place.
type source struct {
	taken uint64 // the last request that was typed whole
	seq   uint64 // the one being typed
	done  int    // bytes of it that are
}

// typed is how many bytes were typed, and the number of the newest reply.
func (i *input) typed() (bytes int64, replied uint64) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.total, i.replied
}

func (i *input) source(id uint64) *source {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.from == nil {
		i.from = map[uint64]*source{}
	}
	s, ok := i.from[id]
	if !ok {
		s = &source{}
		i.from[id] = s
	}
	if id > SourceShort {
		i.use(id)
	}
	return s
}

// use makes a source the last to be forgotten, and forgets the first when there
// are too many; never the one whose text is half typed.
func (i *input) use(id uint64) {
	if n := slices.Index(i.order, id); n >= 0 {
		i.order = slices.Delete(i.order, n, n+1)
	}
	i.order = append(i.order, id)
	if len(i.order) > sources {
		n := 0
		if i.order[n] == i.half {
			n++
		}
		delete(i.from, i.order[n])
		i.order = slices.Delete(i.order, n, n+1)
	}
}

// leaves keeps whose text is not whole after a piece of it, or a part of one. Of others
// than Type it is unknown whether they will go on.
func (i *input) leaves(c *child, id uint64, s *source, piece int, err error) {
	switch {
	case c.tty || id >= sourceTyped:
	case err != nil && s.done > 0, err == nil && piece == typePiece:
		i.half = id
	case err == nil:
		i.half = 0
	}
}

// take types b to c.
func (i *input) take(c *child, id, seq uint64, b []byte) error {
	i.typing.Lock()
	defer i.typing.Unlock()
	s := i.source(id)
	if seq <= s.taken {
		return nil // a retry of what was typed
	}
	if seq != s.seq {
		s.seq, s.done = seq, 0
	}
	if c.isGone() {
		return kedge.Errorf(kedge.Conflict, "the session's program has ended")
	}
	if i.half != 0 && i.half != id {
		return kedge.Errorf(kedge.Conflict, "somebody else is typing into the session").WithHint("wait a moment, then repeat your command")
	}
	if err := c.in.SetWriteDeadline(time.Now().Add(inputLimit)); err != nil {
		return inputError(err)
	}
	n, err := c.in.Write(b[min(s.done, len(b)):])
	s.done += n
	i.mu.Lock()
	if id != sourceAnswers {
		i.total += int64(n)
	}
	if id == SourceReplies {
		i.replied = seq >> pieceBits
	}
	i.mu.Unlock()
	i.leaves(c, id, s, len(b), err)
	if err != nil {
		return inputError(err)
	}
	s.taken = seq
	return nil
}

// close ends the program's input, after what is being typed.
func (i *input) close(c *child) error {
	if !c.tty {
		return c.closePipe() // whoever types into it is refused
	}
	i.typing.Lock()
	defer i.typing.Unlock()
	if err := c.in.SetWriteDeadline(time.Now().Add(inputLimit)); err != nil {
		return inputError(err)
	}
	if _, err := c.in.Write([]byte{endOfInput}); err != nil {
		return inputError(err)
	}
	return nil
}

// endOfInput is the character that means it at a terminal.
const endOfInput = 4

func inputError(err error) error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return kedge.Errorf(kedge.Conflict, "the session's program does not read its input, so Kedge cannot type into it")
	case errors.Is(err, os.ErrClosed):
		return kedge.Errorf(kedge.Conflict, "the session's program has closed its standard input")
	}
	return kedge.Errorf(kedge.Conflict, "Kedge cannot type into the session's program: %w", err)
}
