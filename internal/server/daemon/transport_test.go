package daemon_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kedge/internal/server/daemon"
)

// TestClientCarriesRequests: small and large bodies, answers with and without a
// known length, and any number of requests on one client.
func TestClientCarriesRequests(t *testing.T) {
	s := serve(t, daemon.Config{Home: newHome(t), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body) // an answer comes after its request, as all of the daemon's do
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
		}
		_, _ = w.Write(b)
		if r.URL.Path == "/stream" {
			_ = http.NewResponseController(w).Flush()
			_, _ = io.WriteString(w, "more")
		}
	})})
	for _, size := range []int{0, 100, 16 << 10, 3 << 20} {
		for path, more := range map[string]string{"/": "", "/stream": "more"} {
			body := strings.Repeat("x", size)
			res, err := s.client.Post(daemon.BaseURL+path, "text/plain", strings.NewReader(body))
			must(t, err)
			b, err := io.ReadAll(res.Body)
			must(t, errors.Join(err, res.Body.Close()))
			if res.StatusCode != http.StatusOK || string(b) != body+more {
				t.Errorf("%s with %d bytes: status %d, %d bytes back", path, size, res.StatusCode, len(b))
			}
		}
	}
}

// TestClientHearsARefusal: an answer that comes before the request is sent whole
// is the answer.
func TestClientHearsARefusal(t *testing.T) {
	s := serve(t, daemon.Config{Home: newHome(t), Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "too much", http.StatusForbidden)
	})})
	res, err := s.client.Post(daemon.BaseURL+"/", "text/plain", strings.NewReader(strings.Repeat("x", 8<<20)))
	must(t, err)
	b, err := io.ReadAll(res.Body)
	must(t, errors.Join(err, res.Body.Close()))
	if res.StatusCode != http.StatusForbidden || string(b) != "too much\n" {
		t.Errorf("status %d, %q", res.StatusCode, b)
	}
}

// TestClientEndsWithItsContext: who waits for the head or for the rest of an
// answer is told why it ended, and the daemon sees the connection go.
func TestClientEndsWithItsContext(t *testing.T) {
	for path, streams := range map[string]bool{"/head": false, "/rest": true} {
		t.Run(path, func(t *testing.T) {
			reached, gone := make(chan struct{}), make(chan struct{})
			s := serve(t, daemon.Config{Home: newHome(t), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body) // only then the server looks whether the client is still there
				if streams {
					_ = http.NewResponseController(w).Flush()
				}
				close(reached)
				<-r.Context().Done()
				close(gone)
			})})
			why := errors.New("enough")
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() { <-reached; cancel(why) }()
			if err := post(ctx, s.client, path); !errors.Is(err, why) {
				t.Errorf("got %v", err)
			}
			await(t, gone)
		})
	}
}

func post(ctx context.Context, c *http.Client, path string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, daemon.BaseURL+path, bytes.NewReader([]byte("{}")))
	if err != nil {
		return err
	}
	res, err := c.Do(req)
	if err != nil {
		return err
	}
	_, err = io.ReadAll(res.Body)
	return errors.Join(err, res.Body.Close())
}

// TestClientIsImpatient: a daemon that takes the connection and never answers, as
// a stopped one does, is given up; one that has begun to answer is not.
func TestClientIsImpatient(t *testing.T) {
	home := newHome(t)
	silent(t, home)
	res, err := daemon.Client(home, time.Millisecond).Get(daemon.BaseURL + "/")
	if err == nil {
		_ = res.Body.Close()
	}
	if e, ok := errors.AsType[net.Error](err); !ok || !e.Timeout() {
		t.Errorf("got %v", err)
	}
}

// silent listens where a daemon of home would and says nothing.
func silent(t *testing.T, home string) {
	t.Helper()
	dir := filepath.Join(home, "daemon")
	must(t, os.MkdirAll(dir, 0o700))
	path := filepath.Join(dir, "socket")
	l, err := new(net.ListenConfig).Listen(t.Context(), "unix", path)
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	must(t, os.WriteFile(filepath.Join(dir, "address"), []byte(path+"\n"), 0o600))
}
