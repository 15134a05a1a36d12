package sessions

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"kedge"
	"kedge/internal/engine/gate"
	"kedge/internal/process/hold"
)

// holders knows the holder of every session that is watched, by its pid.
type holders struct {
	// starting is held for reading while a session starts: its program may ask
	// for something before its holder is known here, and has to wait for that.
	starting sync.RWMutex

	mu    sync.Mutex
	ids   map[int]kedge.SessionID
	lines map[int]hold.Record // of the lines of checks, services and setups, until they are seen to be gone
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

// addLine makes the holder of a line known. There is nobody to say when it goes:
// those that are gone are dropped here.
func (h *holders) addLine(r hold.Record) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lines == nil {
		h.lines = map[int]hold.Record{}
	}
	maps.DeleteFunc(h.lines, func(_ int, r hold.Record) bool { return !r.Alive() })
	h.lines[r.Holder.PID] = r
}

// of is whose holder a process is, empty for nobody's.
func (h *holders) of(pid int) kedge.SessionID {
	h.mu.Lock()
	defer h.mu.Unlock()
	if id, ok := h.ids[pid]; ok {
		return id
	}
	if r, ok := h.lines[pid]; ok && r.Alive() {
		return r.Session
	}
	return ""
}

// nobodys is where a process runs that is no person's and of no session that is
// known.
const nobodys = kedge.SessionID("ses-00000000000000000000000000")

// SessionOf gives the session that a process runs in, or "". It follows the parents of
// the process: whatever a session starts stays below its holder, even if it leaves its
// process group, terminal and environment. So an agent does not become a user by
// unsetting a variable. Processes of checks, services and setups count as an agent's,
// because an agent wrote what they run. So do all other descendants of the daemon, and a
// caller that is gone before it can be looked up.
func (s *Manager) SessionOf(pid int) kedge.SessionID {
	up, known := hold.Ancestors(pid)
	if s.home.ReadOnly {
		s.rememberHolders()
		s.rememberLines()
	}
	s.holders.settle()
	for i, a := range up {
		if id := s.holders.of(a); id != "" {
			return id
		}
		if i > 0 && a == os.Getpid() {
			return nobodys
		}
	}
	if !known {
		return nobodys
	}
	return ""
}

// holdingLine starts the holder of a line while whoever asks whose process
// something is has to wait.
func (s *Manager) holdingLine(start func() (*hold.Client, error)) (*hold.Client, error) {
	s.holders.starting.RLock()
	defer s.holders.starting.RUnlock()
	c, err := start()
	if err == nil {
		s.holders.addLine(hold.Record{Greeting: c.Greeting})
	}
	return c, err
}

// rememberLines reads which holders of lines live that somebody else started.
func (s *Manager) rememberLines() {
	gates, _ := filepath.Glob(filepath.Join(s.home.StateDir("*"), "gate", "*")) // the pattern is well formed
	for _, dir := range gates {
		for _, r := range gate.Holders(dir) {
			s.holders.addLine(r)
		}
	}
}

// rememberHolders reads which holders live, for a service that watches none.
func (s *Manager) rememberHolders() {
	entries, _ := os.ReadDir(s.SessionDir("")) // none: no session was ever started
	for _, e := range entries {
		if r, err := hold.ReadRecord(s.SessionDir(kedge.SessionID(e.Name()))); err == nil && r.Alive() {
			s.holders.add(r.Holder.PID, r.Session)
		}
	}
}

// Runner gives the runner that lets the commands of gates outlive the daemon. It is nil
// if no holder can be started, or if a holder could not find all processes of a command.
func (s *Manager) Runner() gate.Runner {
	if s.with.Holder == nil || runtime.GOOS != "linux" {
		return nil
	}
	return gate.Held{Holder: s.with.Holder, Sockets: s.with.Sockets, Now: s.home.Clock, Holding: s.holdingLine}
}

// Holding starts the holder of a run's session. SessionOf waits meanwhile: the agent may
// make a call at once.
func (s *Manager) Holding(id kedge.SessionID, start func() (holder int, err error)) (forget func(), err error) {
	s.holders.starting.RLock()
	defer s.holders.starting.RUnlock()
	pid, err := start()
	if err != nil {
		return nil, err
	}
	s.holders.add(pid, id)
	return func() { s.holders.remove(pid) }, nil
}
