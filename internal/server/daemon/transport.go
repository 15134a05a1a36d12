package daemon

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

// transport makes each request on a connection of its own, in the caller's own
// goroutine. A command makes one request and ends: the pool, the goroutines and
// the timers of http.Transport would cost it more than the request itself.
type transport struct {
	home     string
	patience time.Duration
}

// smallBody is what the buffer of a socket takes at once, whoever reads it.
const smallBody = 16 << 10

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	conn, err := connect(req.Context(), t.home)
	if err != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, err
	}
	a := &answer{heard: heard{Conn: conn, ctx: req.Context()}}
	if req.ContentLength < 0 || req.ContentLength > smallBody {
		a.watch() // sending it may have to wait
	}
	unsent := send(conn, req)
	res, err := a.head(req, t.patience)
	if err != nil {
		_ = a.Close()
		return nil, a.reason(firstOf(unsent, err))
	}
	// Otherwise a request that was not taken whole was answered all the same.
	a.body, res.Body = res.Body, a
	return res, nil
}

func send(c net.Conn, req *http.Request) error {
	w := bufio.NewWriter(c)
	if err := req.Write(w); err != nil {
		return err
	}
	return w.Flush()
}

// soon is how long nobody minds that a command cannot be interrupted in order.
const soon = 20 * time.Millisecond

// heard is a connection whose reads end with the context. It gets ready for that
// only when nothing has come for a moment: a command that has to hear of an
// interrupt starts threads for it, which takes longer than most answers do.
type heard struct {
	net.Conn
	ctx     context.Context //nolint:containedctx // of the request, which the answer belongs to
	limit   time.Time       // when a read gives up; zero: never
	unwatch func() bool     // nil: the end of ctx is not heard yet
}

// watch ends whatever waits for the daemon when the context ends.
func (h *heard) watch() {
	h.unwatch = context.AfterFunc(h.ctx, func() { _ = h.Conn.Close() })
}

// Read implements io.Reader.
func (h *heard) Read(p []byte) (int, error) {
	if h.unwatch == nil {
		if err := h.SetReadDeadline(time.Now().Add(soon)); err != nil {
			return 0, err
		}
		if n, err := h.Conn.Read(p); !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		h.watch()
	}
	if err := h.SetReadDeadline(h.limit); err != nil {
		return 0, err
	}
	return h.Conn.Read(p)
}

// answer is a connection on which an answer comes, and then its body.
type answer struct {
	heard
	body io.ReadCloser
}

// head reads the answer up to its body, which must begin within patience.
func (a *answer) head(req *http.Request, patience time.Duration) (*http.Response, error) {
	if patience != 0 {
		a.limit = time.Now().Add(patience)
	}
	res, err := http.ReadResponse(bufio.NewReader(&a.heard), req)
	a.limit = time.Time{}
	return res, err
}

// Read implements io.Reader: it reads the body.
func (a *answer) Read(p []byte) (int, error) {
	n, err := a.body.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = a.reason(err)
	}
	return n, err
}

// Close implements io.Closer.
func (a *answer) Close() error {
	if a.unwatch != nil {
		a.unwatch()
	}
	return a.Conn.Close()
}

// reason is why a read or write failed: the context's end, if it has ended.
func (a *answer) reason(err error) error {
	if a.ctx.Err() != nil {
		return context.Cause(a.ctx)
	}
	return err
}
