package daemon

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
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
	a := &answer{Conn: conn, ctx: req.Context()}
	// A request that is sent without waiting is sent first: the daemon works
	// while this side gets ready to hear of an interrupt.
	large := req.ContentLength < 0 || req.ContentLength > smallBody
	if large {
		a.watch()
	}
	unsent := send(conn, req)
	if !large {
		a.watch()
	}
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

// answer is a connection on which an answer comes, and then its body.
type answer struct {
	net.Conn
	ctx     context.Context //nolint:containedctx // of the request, which the answer belongs to
	unwatch func() bool
	body    io.ReadCloser
}

// watch ends whatever waits for the daemon when the context ends.
func (a *answer) watch() {
	a.unwatch = context.AfterFunc(a.ctx, func() { _ = a.Conn.Close() })
}

// head reads the answer up to its body, which must begin within patience.
func (a *answer) head(req *http.Request, patience time.Duration) (*http.Response, error) {
	if patience == 0 {
		return http.ReadResponse(bufio.NewReader(a.Conn), req)
	}
	if err := a.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return nil, err
	}
	res, err := http.ReadResponse(bufio.NewReader(a.Conn), req)
	if err != nil {
		return nil, err
	}
	return res, a.SetReadDeadline(time.Time{})
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
