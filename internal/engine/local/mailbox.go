package local

import (
	"sync"

	"kedge/internal/core/run"
)

// message is something for the loop of a run.
type message struct {
	ev    run.Input
	open  bool       // no event: take the run over
	work  *work      // whose answer it is, or whose end
	over  bool       // the work is; without an event it has left
	reply chan error // nil: nobody waits
}

// inner tells whether the engine itself sent it.
func (m *message) inner() bool { return m.reply == nil }

// mailbox holds what waits for a loop, in order. Putting something in never
// blocks.
type mailbox struct {
	mu     sync.Mutex
	list   []message
	closed bool
	wake   chan struct{} // holds one token while there may be something to see
}

func newMailbox() *mailbox { return &mailbox{wake: make(chan struct{}, 1)} }

// put adds a message. A closed box takes only what the engine itself sends.
func (b *mailbox) put(m message) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed && !m.inner() {
		return false
	}
	if !b.merge(m) {
		b.list = append(b.list, m)
	}
	b.nudge()
	return true
}

// merge lets a session's newest total stand for one that nobody has read yet: a
// session may say more than a disk can write.
func (b *mailbox) merge(m message) bool {
	if m.ev.Kind != run.Used || !m.inner() {
		return false
	}
	for i := range b.list {
		if old := &b.list[i]; old.ev.Kind == run.Used && old.inner() && old.ev.Epoch == m.ev.Epoch && m.ev.Usage != nil {
			old.ev = m.ev
			return true
		}
	}
	return false
}

// close lets take end once the box is empty.
func (b *mailbox) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.nudge()
}

// closeEmpty closes the box where nothing is in it, and tells whether it did.
func (b *mailbox) closeEmpty() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.list) > 0 || b.closed {
		return false
	}
	b.closed = true
	return true
}

func (b *mailbox) nudge() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// take waits for a message; false when the box is closed and empty.
func (b *mailbox) take() (message, bool) {
	for {
		m, ok, closed := b.poll()
		if ok || closed {
			return m, ok
		}
		<-b.wake
	}
}

// poll gives a message if there is one.
func (b *mailbox) poll() (m message, ok, closed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.list) == 0 {
		return message{}, false, b.closed
	}
	m = b.list[0]
	b.list = b.list[1:]
	return m, true, b.closed
}
