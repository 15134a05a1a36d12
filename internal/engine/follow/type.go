package follow

import (
	"context"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"kedge/internal/agents"
	"kedge/internal/core/run"
	"kedge/internal/process/hold"
)

// Who types into a session, beside its brief. What a program is answered is
// numbered by the place on the tape of what it said, and what people say by the
// command that passes it on: whoever does it again types nothing twice.
const (
	sourcePeople uint64 = 1 << 32
	sourceEnd    uint64 = 1 << 48 // Kedge itself, once: that the session is to end
)

// typist keeps what is to be typed into a session, in its order. One hand types
// all of it: a text among the pieces of another breaks both.
type typist struct {
	mu    sync.Mutex
	queue []typing
	past  uint64 // answers before this place are typed
	more  chan struct{}
	over  chan struct{} // closed when nothing is typed any more
}

// typing is a text that is to be typed.
type typing struct {
	hold.Typing
	done chan struct{} // closed when it is typed
}

func newTypist() *typist {
	return &typist{more: make(chan struct{}, 1), over: make(chan struct{})}
}

// put adds an answer to what was said up to a place on the tape, unless an owner
// before this one typed it; it never waits.
func (t *typist) put(end int64, in agents.Input) {
	if in.None() || uint64(end) < t.past {
		return
	}
	t.add(hold.Typing{Source: hold.SourceReplies, Number: uint64(end), Text: in.Text, Close: in.Close}, make(chan struct{}))
}

// add adds a text; done is closed when it is typed.
func (t *typist) add(w hold.Typing, done chan struct{}) {
	t.mu.Lock()
	t.queue = append(t.queue, typing{w, done})
	t.mu.Unlock()
	select {
	case t.more <- struct{}{}:
	default:
	}
}

// some waits until there is something to type; false when ctx ended before.
func (t *typist) some(ctx context.Context) bool {
	for len(t.firsts()) == 0 {
		select {
		case <-t.more:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// firsts are the first text of each source. An owner before this one may have
// left any of them half typed, and that one has to be typed first.
func (t *typist) firsts() (out []hold.Typing) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, w := range t.queue {
		if !slices.ContainsFunc(out, func(o hold.Typing) bool { return o.Source == w.Source }) {
			out = append(out, w.Typing)
		}
	}
	return out
}

// typed takes a text out.
func (t *typist) typed(w hold.Typing) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.queue = slices.DeleteFunc(t.queue, func(q typing) bool {
		is := q.Source == w.Source && q.Number == w.Number
		if is {
			close(q.done)
		}
		return is
	})
}

// opening is what the session starts with. A program that never reads finds its
// brief in a file.
func (s *session) opening() agents.Input {
	b, err := os.ReadFile(s.briefFile())
	if err != nil {
		s.cfg.log().Error("cannot read the brief", "session", string(s.id), "error", err.Error())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catchUp()
	return s.reader.Open(b)
}

// typeAll types the brief, then what the program is answered and what people say,
// until ctx ends or the session is over.
func (s *session) typeAll(ctx context.Context, first agents.Input) {
	defer close(s.typed.over)
	hold.Type(ctx, s.dir, hold.Typing{Source: hold.SourceBrief, Text: first.Text, Close: first.Close})
	for s.typed.some(ctx) {
		w, ok := hold.TypeOne(ctx, s.dir, s.typed.firsts)
		if !ok {
			return
		}
		s.typed.typed(w)
	}
}

// tell says something to the session, when everything that it said itself before
// it was taken up is known (what is said may answer it), and its brief is typed.
func (s *session) tell(ctx context.Context, c run.Command) {
	if holds(c) {
		s.hold(ctx, c)
		return
	}
	if !came(ctx, s.caught) {
		return
	}
	if done, ok := s.say(c); ok {
		select {
		case <-done:
		case <-s.typed.over:
		case <-ctx.Done():
		}
	}
}

// word is what a person says.
type word struct {
	c    run.Command
	done chan struct{} // closed when it is typed
}

// say has something typed, behind the answers to what was read so far. While the
// context is shortened the program would not heed it, and it is kept.
func (s *session) say(c run.Command) (done <-chan struct{}, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := word{c, make(chan struct{})}
	if len(s.words) == 0 && s.hears(w) {
		return w.done, true
	}
	if len(s.words) == 0 && s.short.stage == shortNot {
		return nil, false // it cannot hear at all, or its work is over
	}
	s.words = append(s.words, w)
	return w.done, true
}

// sayKept has typed what was kept, in its order, as soon as it can be heard. The lock
// is held.
func (s *session) sayKept() {
	for len(s.words) > 0 && s.hears(s.words[0]) {
		s.words = s.words[1:]
	}
}

// hears has a word typed; false when that cannot be now. The lock is held.
func (s *session) hears(w word) bool {
	switch s.short.stage {
	case shortTold, shortOver, shortGoes:
		return false
	case shortNot, shortWanted:
	}
	in, ok := s.reader.Say(agents.Word{Kind: agents.Tell, ID: string(s.id) + "-" + strconv.FormatInt(w.c.Origin(), 10), Text: w.c.Text})
	if ok {
		s.typed.add(hold.Typing{Source: sourcePeople + uint64(w.c.Origin()), Text: in.Text, Close: in.Close}, w.done)
	}
	return ok
}

// interrupt has the program stop its turn and end by itself, so that its own record of
// the conversation is whole, and gives it some time for that; a program that cannot
// be told loses none.
func (s *session) interrupt(ctx context.Context, grace time.Duration) {
	if !s.sayEnd() {
		return
	}
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case <-late.C:
	case <-ctx.Done(): // it is over
	}
}

// sayEnd has typed that the turn is to stop and none is to follow; false when the
// program cannot be told.
func (s *session) sayEnd() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	stop, ok := s.reader.Say(agents.Word{Kind: agents.Interrupt, ID: string(s.id) + "-end"})
	last, closes := s.reader.Say(agents.Word{Kind: agents.Close, ID: string(s.id) + "-close"})
	if !ok || !closes {
		return false
	}
	s.typed.add(hold.Typing{Source: sourceEnd, Text: append(stop.Text, last.Text...), Close: last.Close}, make(chan struct{}))
	return true
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
