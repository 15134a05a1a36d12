package hold

import (
	"errors"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"kedge"
	"kedge/internal/process"
)

// serve answers everyone who connects; each has its own goroutine and its own
// pace, and none can hold up another or the program.
func (h *holder) serve(l net.Listener) {
	for {
		c, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return // the holder is going
		}
		if err != nil { // as many clients as this process may have: some will go
			<-time.After(acceptPause)
			continue
		}
		go h.answer(c)
	}
}

// acceptPause is how long to wait before the next client when there can be none.
const acceptPause = 50 * time.Millisecond

// conn is one client's connection; frames from several goroutines do not mix.
type conn struct {
	net.Conn
	mu   sync.Mutex
	gone chan struct{} // closed when the client is

	viewer *viewer // nil: it is none
}

func (c *conn) send(f Frame) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return WriteFrame(c.Conn, f)
}

func (c *conn) sendJSON(t Verb, v any) error {
	f, err := NewJSON(t, v)
	if err != nil {
		return err
	}
	return c.send(f)
}

func (h *holder) answer(nc net.Conn) {
	c := &conn{Conn: nc, gone: make(chan struct{})}
	defer func() { h.left(c); close(c.gone); _ = nc.Close() }()
	if uid, err := process.UID(nc); err != nil || uid != os.Geteuid() {
		return // the folder's permissions refused them already; this is the second lock
	}
	if c.sendJSON(VerbHello, h.hello) != nil {
		return
	}
	for {
		f, err := ReadFrame(nc)
		if err != nil {
			return
		}
		if h.handle(c, f) != nil {
			return
		}
	}
}

// handle answers one request; an error means that the client is gone.
func (h *holder) handle(c *conn, f Frame) error {
	switch f.Type {
	case VerbStatus:
		return c.sendJSON(VerbReport, h.state())
	case VerbEnviron:
		return c.sendJSON(VerbValues, h.spec.Env)
	case VerbFollow:
		if err := c.send(Frame{Type: VerbOK}); err != nil {
			return err
		}
		go h.follow(c)
		return nil
	case VerbAwait:
		if err := c.send(Frame{Type: VerbOK}); err != nil {
			return err
		}
		go h.await(c)
		return nil
	case VerbAttach:
		return h.attach(c, f)
	case VerbQuit:
		return h.collect(c)
	default:
		return h.reply(c, h.act(f))
	}
}

func (h *holder) reply(c *conn, err error) error {
	if err == nil {
		return c.send(Frame{Type: VerbOK})
	}
	return c.sendJSON(VerbFail, Failure{Kind: kedge.KindOf(err), Message: err.Error()})
}

// act carries out a request that is answered by OK or Fail.
func (h *holder) act(f Frame) error {
	switch f.Type {
	case VerbInput:
		source, seq, b, err := f.InputOf()
		if err != nil {
			return err
		}
		return h.input.take(h.child, source, seq, b)
	case VerbClose:
		return h.input.close(h.child)
	case VerbResize:
		cols, rows, err := f.ResizeOf()
		if err != nil {
			return err
		}
		return h.resize(cols, rows)
	case VerbSignal:
		n, err := f.SignalOf()
		if err != nil {
			return err
		}
		h.child.signal(syscall.Signal(n))
		return nil
	case VerbEnd:
		ms, err := f.EndOf()
		if err != nil {
			return err
		}
		h.endAsked(time.Duration(ms) * time.Millisecond)
		return nil
	case VerbRedraw:
		return h.redraw()
	default:
		return kedge.Errorf(kedge.Invalid, "another version of Kedge started this session, and that version cannot do what your command asks")
	}
}

// collect lets the holder of an ended session go, when whoever asked for it has
// the answer.
func (h *holder) collect(c *conn) error {
	select {
	case <-h.ended:
		err := h.reply(c, nil)
		h.once.Do(func() { close(h.quit) })
		return err
	default:
		return h.reply(c, kedge.Errorf(kedge.Conflict, "the session has not ended yet"))
	}
}

// await tells c of the end, and of nothing else: whoever only waits for it costs
// a session that prints nothing at all.
func (h *holder) await(c *conn) {
	select {
	case <-h.ended:
		_ = c.sendJSON(VerbEnded, h.state()) // the last word; a client that went away needs none
	case <-c.gone:
	}
}

// follow tells c how far the log is, as fast as c takes it: what it misses in
// between is in the next number. A viewer is told each of its roles before what is
// printed under it.
func (h *holder) follow(c *conn) {
	told := int64(-1)
	for {
		h.mu.Lock()
		if h.grown == nil {
			h.grown = make(chan struct{})
		}
		grown := h.grown
		roles := c.viewer.take()
		s := h.stateLocked() // roles that come later begin behind its end
		h.mu.Unlock()
		for _, r := range roles {
			if c.sendJSON(VerbRole, r) != nil {
				return
			}
		}
		if s.End != told {
			told = s.End
			if c.send(NewGrown(s.End)) != nil {
				return
			}
		}
		if !s.Running {
			_ = c.sendJSON(VerbEnded, s) // the last word; a client that went away needs none
			return
		}
		select {
		case <-grown:
		case <-c.gone:
			return
		}
	}
}
