package service

import (
	"os"
	"sync"

	"kedge"
	"kedge/internal/hold"
)

// holders knows the holder of every session that is watched, by its pid.
type holders struct {
	// starting is held for reading while a session starts: its program may ask
	// for something before its holder is known here, and has to wait for that.
	starting sync.RWMutex

	mu  sync.Mutex
	ids map[int]kedge.SessionID
}

// settle waits for the sessions that are being started.
func (h *holders) settle() {
	h.starting.Lock()
	defer h.starting.Unlock()
}

func (h *holders) add(pid int, id kedge.SessionID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ids == nil {
		h.ids = map[int]kedge.SessionID{}
	}
	h.ids[pid] = id
}

func (h *holders) remove(pid int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.ids, pid)
}

// SessionOf is the session that a process runs in, empty for none. It goes by
// descent: whatever a session starts stays below its holder, also what leaves
// its process group, its terminal and its environment behind. So an agent cannot
// make itself a person by unsetting a variable.
func (s *Service) SessionOf(pid int) kedge.SessionID {
	if s.cfg.ReadOnly {
		s.rememberHolders()
	}
	s.holders.settle()
	s.holders.mu.Lock()
	defer s.holders.mu.Unlock()
	if len(s.holders.ids) == 0 {
		return ""
	}
	for _, a := range hold.Ancestors(pid) {
		if id, ok := s.holders.ids[a]; ok {
			return id
		}
	}
	return ""
}

// rememberHolders reads which holders live, for a service that watches none.
func (s *Service) rememberHolders() {
	entries, _ := os.ReadDir(s.sessionDir("")) // none: no session was ever started
	for _, e := range entries {
		if r, err := hold.ReadRecord(s.sessionDir(kedge.SessionID(e.Name()))); err == nil && r.Alive() {
			s.holders.add(r.Holder.PID, r.Session)
		}
	}
}
