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
	"kedge/internal/process/wire"
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
}

func (c *conn) send(f wire.Frame) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return wire.Write(c.Conn, f)
}

func (c *conn) sendJSON(t wire.Type, v any) error {
	f, err := wire.JSON(t, v)
	if err != nil {
		return err
	}
	return c.send(f)
}

func (h *holder) answer(nc net.Conn) {
	c := &conn{Conn: nc, gone: make(chan struct{})}
	defer func() { close(c.gone); _ = nc.Close() }()
	if uid, err := process.UID(nc); err != nil || uid != os.Geteuid() {
		return // the folder's permissions refused them already; this is the second lock
	}
	if c.sendJSON(wire.Hello, h.hello) != nil {
		return
	}
	for {
		f, err := wire.Read(nc)
		if err != nil {
			return
		}
		if h.handle(c, f) != nil {
			return
		}
	}
}

// handle answers one request; an error means that the client is gone.
func (h *holder) handle(c *conn, f wire.Frame) error {
	switch f.Type {
	case wire.Status:
		return c.sendJSON(wire.Report, h.state())
	case wire.Environ:
		return c.sendJSON(wire.Values, h.spec.Env)
	case wire.Follow:
		if err := c.send(wire.Frame{Type: wire.OK}); err != nil {
			return err
		}
		go h.follow(c)
		return nil
	case wire.Await:
		if err := c.send(wire.Frame{Type: wire.OK}); err != nil {
			return err
		}
		go h.await(c)
		return nil
	case wire.Quit:
		return h.collect(c)
	default:
		return h.reply(c, h.act(f))
	}
}

func (h *holder) reply(c *conn, err error) error {
	if err == nil {
		return c.send(wire.Frame{Type: wire.OK})
	}
	return c.sendJSON(wire.Fail, wire.Failure{Kind: kedge.KindOf(err), Message: err.Error()})
}

// act carries out a request that is answered by OK or Fail.
func (h *holder) act(f wire.Frame) error {
	switch f.Type {
	case wire.Input:
		source, seq, b, err := f.InputOf()
		if err != nil {
			return err
		}
		return h.input.take(h.child, source, seq, b)
	case wire.Close:
		return h.input.close(h.child)
	case wire.Resize:
		cols, rows, err := f.ResizeOf()
		if err != nil {
			return err
		}
		return h.resize(cols, rows)
	case wire.Signal:
		n, err := f.SignalOf()
		if err != nil {
			return err
		}
		h.child.signal(syscall.Signal(n))
		return nil
	case wire.End:
		ms, err := f.EndOf()
		if err != nil {
			return err
		}
		h.endAsked(time.Duration(ms) * time.Millisecond)
		return nil
	case wire.Redraw:
		return h.redraw()
	default:
		return kedge.Errorf(kedge.Invalid, "this holder does not know the request %q", byte(f.Type))
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
		return h.reply(c, kedge.Errorf(kedge.Conflict, "the session has not ended"))
	}
}

// await tells c of the end, and of nothing else: whoever only waits for it costs
// a session that prints nothing at all.
func (h *holder) await(c *conn) {
	select {
	case <-h.ended:
		_ = c.sendJSON(wire.Ended, h.state()) // the last word; a client that went away needs none
	case <-c.gone:
	}
}

// follow tells c how far the log is, as fast as c takes it: what it misses in
// between is in the next number.
func (h *holder) follow(c *conn) {
	told := int64(-1)
	for {
		h.mu.Lock()
		if h.grown == nil {
			h.grown = make(chan struct{})
		}
		grown := h.grown
		h.mu.Unlock()
		s := h.state()
		if s.End != told {
			told = s.End
			if c.send(wire.NewGrown(s.End)) != nil {
				return
			}
		}
		if !s.Running {
			_ = c.sendJSON(wire.Ended, s) // the last word; a client that went away needs none
			return
		}
		select {
		case <-grown:
		case <-c.gone:
			return
		}
	}
}
