package sessions

import (
	"os"
	"sync"
	"time"

	"kedge"
	"kedge/internal/process"
	"kedge/internal/process/hold"
)

// spareFor is how long a launch is kept ready for the next session: whoever starts
// one often starts another, and a holder takes longer to come up than all the rest.
const spareFor = 2 * time.Second

// spare is at most one launch that waits for a session. It holds nothing, and its
// folder is no session's.
type spare struct {
	mu     sync.Mutex
	ready  *launch
	expiry *time.Timer
	closed bool
}

// take gives the launch that is ready, if there is one.
func (s *spare) take() (launch, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready == nil {
		return launch{}, false
	}
	l := *s.ready
	s.ready = nil
	s.expiry.Stop()
	return l, true
}

// keep makes a launch ready until it is taken, or for a while.
func (s *spare) keep(l launch) {
	if !s.put(l) {
		l.abandon()
	}
}

func (s *spare) put(l launch) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.ready != nil {
		return false
	}
	s.ready, s.expiry = &l, time.AfterFunc(spareFor, s.drop)
	return true
}

// drop gives up what is ready.
func (s *spare) drop() {
	if l, ok := s.take(); ok {
		l.abandon()
	}
}

// close drops what is ready, and lets nothing become so.
func (s *spare) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.drop()
}

// spareSoon makes the next launch ready, beside everything else.
func (s *Manager) spareSoon() {
	s.life.Go(func() {
		if l, err := s.freshLaunch(s.life.Context()); err == nil { // otherwise the next session is refused, and says why
			s.spare.keep(l)
		}
	})
}

// sweep lets go of folders that no journal knows, and takes those away that a
// daemon before this one was killed with while they waited for a session.
func (s *Manager) sweep(unknown map[kedge.SessionID]hold.Found) {
	for id, f := range unknown {
		closeFound(f)
		if hold.Sweep(f.Dir, process.TokenFile, "holder.err") { // the last as an earlier version left it
			_ = os.Remove(s.socketOf(id)) // most often its holder did that
		}
	}
}

// CloseSpare gives up the prepared launch and prepares no other.
func (s *Manager) CloseSpare() { s.spare.close() }
