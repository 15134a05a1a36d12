package gate

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"kedge"
	"kedge/internal/core/config"
	"kedge/internal/process"
)

// How often a service is asked, how long one answer may take, and how often a
// person hears that it is still waited for.
const (
	readyPause = 50 * time.Millisecond
	readyTry   = 5 * time.Second
	readyTell  = 10 * time.Second
)

// wait is where and how long a service is waited for.
type wait struct {
	ready *url.URL
	limit time.Duration
	every time.Duration     // how often tell is called
	tell  func(last string) // what it said last
}

// ended is a program that may end before it is ready.
type ended interface {
	Done() <-chan struct{}
	Wait() (process.Result, error)
}

func (s *services) waitFor(v kedge.Service, ready *url.URL) wait {
	return wait{
		ready: ready, limit: config.ReadyTimeout(v), every: readyTell,
		tell: func(last string) {
			if s.g.Progress != nil {
				s.g.Progress(Step{State: Waiting, Service: v.Name, Note: fmt.Sprintf("not ready at %s: %s", address(ready), last)})
			}
		},
	}
}

// awaitReady polls; it returns why the service is not ready, or nothing.
func awaitReady(ctx context.Context, p ended, w wait) string {
	ctx, cancel := context.WithTimeout(ctx, w.limit)
	defer cancel()
	tick, tell := time.NewTicker(readyPause), time.NewTicker(w.every)
	defer tick.Stop()
	defer tell.Stop()
	last := "it was not asked yet"
	for {
		err := askReady(ctx, w.ready)
		if err == nil && !over(p) { // an answer from a stranger, once the service is gone, is none
			return ""
		}
		if err == nil {
			err = errGone
		}
		if ctx.Err() == nil { // else it is our own haste that ended the question
			last = err.Error()
		}
		select {
		case <-p.Done():
			res, _ := p.Wait()
			return fmt.Sprintf("ended with exit %d before it was ready at %s", res.Exit, address(w.ready))
		case <-ctx.Done():
			return fmt.Sprintf("was not ready at %s within %v: %s", address(w.ready), w.limit, last)
		case <-tell.C:
			w.tell(last)
		case <-tick.C:
		}
	}
}

// errGone is for an answer that the service cannot have given.
var errGone = errors.New("another program answers there")

// over tells whether a program has ended.
func over(p ended) bool {
	select {
	case <-p.Done():
		return true
	default:
		return false
	}
}

// address is where a service is asked, for people.
func address(u *url.URL) string {
	if u.Scheme == "tcp" {
		return u.Host
	}
	return u.String()
}

// askReady asks once; the error is what the service answered, or why it did not.
func askReady(ctx context.Context, u *url.URL) error {
	ctx, cancel := context.WithTimeout(ctx, readyTry)
	defer cancel()
	if u.Scheme == "tcp" {
		return dial(ctx, u.Host)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return err
	}
	resp, err := client().Do(req)
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err // the address is said already
	}
	if err != nil {
		return err
	}
	_ = resp.Body.Close()
	if resp.StatusCode >= 400 {
		return fmt.Errorf("the service answered %s", resp.Status)
	}
	return nil
}

// answers tells whether something listens at the address.
func answers(ctx context.Context, addr string) bool {
	ctx, cancel := context.WithTimeout(ctx, readyTry)
	defer cancel()
	return dial(ctx, addr) == nil
}

func dial(ctx context.Context, addr string) error {
	c, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	return c.Close()
}
