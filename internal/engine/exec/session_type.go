package exec

import (
	"context"
	"os"
	"strconv"
	"sync"

	"kedge/internal/agent"
	"kedge/internal/hold"
	"kedge/internal/run"
)

// Who types into a session, beside its brief. What a program is answered is
// numbered by the place on the tape of what it said, and what people say by the
// command that passes it on: whoever does it again types nothing twice.
const (
	sourceReplies        = 2
	sourcePeople  uint64 = 1 << 32
)

// typist keeps what is to be typed into a session, in its order.
type typist struct {
	mu    sync.Mutex
	queue []hold.Typing
	more  chan struct{}
	begun chan struct{} // closed when the brief is typed
}

func newTypist() *typist {
	return &typist{more: make(chan struct{}, 1), begun: make(chan struct{})}
}

// put adds an answer to what was said up to a place on the tape; it never waits.
func (t *typist) put(end int64, in agent.Input) {
	if in.None() {
		return
	}
	t.mu.Lock()
	t.queue = append(t.queue, hold.Typing{Source: sourceReplies, Number: uint64(end), Text: in.Text, Close: in.Close})
	t.mu.Unlock()
	select {
	case t.more <- struct{}{}:
	default:
	}
}

// next takes the first text, when there is one before ctx ends.
func (t *typist) next(ctx context.Context) (hold.Typing, bool) {
	for {
		if w, ok := t.take(); ok {
			return w, true
		}
		select {
		case <-t.more:
		case <-ctx.Done():
			return hold.Typing{}, false
		}
	}
}

func (t *typist) take() (hold.Typing, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.queue) == 0 {
		return hold.Typing{}, false
	}
	w := t.queue[0]
	t.queue = t.queue[1:]
	return w, true
}

// opening is what the session starts with. A program that never reads finds its
// brief in a file.
func (s *session) opening() agent.Input {
	b, err := os.ReadFile(s.briefFile())
	if err != nil {
		s.x.log().Error("the brief cannot be read", "session", string(s.id), "error", err.Error())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catchUp()
	return s.reader.Open(b)
}

// typeAll types the brief, then what the program is answered, until ctx ends.
func (s *session) typeAll(ctx context.Context, first agent.Input) {
	hold.Type(ctx, s.dir, hold.Typing{Source: hold.SourceBrief, Text: first.Text, Close: first.Close})
	close(s.typed.begun)
	for {
		w, ok := s.typed.next(ctx)
		if !ok {
			return
		}
		hold.Type(ctx, s.dir, w)
	}
}

// tell says something to the session, when everything that it said itself before
// it was taken up is known (what is said may answer it), and its brief is typed.
func (s *session) tell(ctx context.Context, c run.Command) {
	if !came(ctx, s.caught) {
		return
	}
	s.mu.Lock()
	in, ok := s.reader.Say(agent.Word{Kind: agent.Tell, ID: string(s.id) + "-" + strconv.FormatInt(c.Origin(), 10), Text: c.Text})
	s.mu.Unlock()
	if ok && came(ctx, s.typed.begun) {
		hold.Type(ctx, s.dir, hold.Typing{Source: sourcePeople + uint64(c.Origin()), Text: in.Text, Close: in.Close})
	}
}

// came waits for a moment; false when ctx ended before.
func came(ctx context.Context, moment <-chan struct{}) bool {
	select {
	case <-moment:
		return true
	case <-ctx.Done():
		return false
	}
}

// catchUp says when everything is read that was printed before the session was
// taken up. The lock is held.
func (s *session) catchUp() {
	select {
	case <-s.caught:
	default:
		if s.off >= s.old {
			close(s.caught)
		}
	}
}
