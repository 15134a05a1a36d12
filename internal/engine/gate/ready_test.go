package gate

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kedge/internal/process"
)

// running is a program that does not end.
type running struct{ done chan struct{} }

func (r running) Done() <-chan struct{}       { return r.done }
func (running) Wait() (process.Result, error) { return process.Result{Exit: 3}, nil }

func address503(t *testing.T, ready *atomic.Bool) *url.URL {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if !ready.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(srv.Close)
	u, err := url.Parse(srv.URL + "/health")
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestAwaitReadyTellsWhatTheServiceSays(t *testing.T) {
	var ready atomic.Bool
	u := address503(t, &ready)
	var told string
	w := wait{ready: u, limit: time.Hour, every: time.Millisecond, tell: func(last string) {
		told = last
		ready.Store(true)
	}}
	if said := awaitReady(t.Context(), running{}, w); said != "" {
		t.Errorf("not ready: %s", said)
	}
	if told != "the service answered 503 Service Unavailable" {
		t.Errorf("told %q", told)
	}
}

func TestAwaitReadyNamesTheAddress(t *testing.T) {
	var never atomic.Bool
	u := address503(t, &never)
	gone := running{done: make(chan struct{})}
	close(gone.done)
	said := awaitReady(t.Context(), gone, wait{ready: u, limit: time.Hour, every: time.Hour})
	if said != "ended with exit 3 before it was ready at "+u.String() {
		t.Errorf("said %q", said)
	}
	asked := false
	said = awaitReady(t.Context(), running{}, wait{ready: u, limit: 300 * time.Millisecond, every: time.Millisecond, tell: func(string) { asked = true }})
	if !strings.HasPrefix(said, "was not ready at "+u.String()+" within 300ms: ") || asked && !strings.HasSuffix(said, "the service answered 503 Service Unavailable") {
		t.Errorf("said %q", said)
	}
}

// TestStrangersAnswerIsNone: a port that answers after the service is gone is
// somebody else's, and proves nothing.
func TestStrangersAnswerIsNone(t *testing.T) {
	var ready atomic.Bool
	ready.Store(true)
	u := address503(t, &ready)
	gone := running{done: make(chan struct{})}
	close(gone.done)
	if said := awaitReady(t.Context(), gone, wait{ready: u, limit: time.Hour, every: time.Hour}); !strings.HasPrefix(said, "ended with exit 3") {
		t.Errorf("said %q", said)
	}
}
