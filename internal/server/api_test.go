package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"kedge"
	"kedge/internal/app"
	"kedge/internal/app/sessions"
	"kedge/internal/server"
)

// desk is a service over a plain folder, served like the daemon serves it.
type desk struct {
	t      *testing.T
	dir    string
	state  string // of the project
	server *httptest.Server
	breaks int // answers to break off after the work is done
	mu     sync.Mutex
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, dir: t.TempDir()}
	if err := os.MkdirAll(filepath.Join(d.dir, ".kedge"), 0o700); err != nil {
		t.Fatal(err)
	}
	id := kedge.NewID("prj", time.Now())
	for name, text := range map[string]string{filepath.Join(kedge.Dir, "id"): id + "\n", kedge.ValidateFile: "#!/bin/sh\n"} {
		if err := os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	home := t.TempDir()
	newJournal(t, home, id)
	d.state = filepath.Join(home, "projects", id)
	s := app.New(app.Config{Home: home})
	h := server.Handler(s, slog.New(slog.DiscardHandler))
	d.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { d.serve(h, w, r) }))
	t.Cleanup(func() {
		d.server.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// serve answers, or does the work and then breaks the connection off.
func (d *desk) serve(h http.Handler, w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	broken := d.breaks > 0
	if broken {
		d.breaks--
	}
	d.mu.Unlock()
	if !broken {
		h.ServeHTTP(w, r)
		return
	}
	h.ServeHTTP(httptest.NewRecorder(), r)
	panic(http.ErrAbortHandler)
}

// http reaches the desk whatever host the address names.
func (d *desk) http() *http.Client {
	return &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", d.server.Listener.Addr().String())
		},
	}}
}

func (d *desk) envelope(key string, in any) server.Envelope {
	d.t.Helper()
	b, err := json.Marshal(in)
	if err != nil {
		d.t.Fatal(err)
	}
	return server.Envelope{Dir: d.dir, User: "ada", Key: key, In: b}
}

func (d *desk) risks() []kedge.Risk {
	d.t.Helper()
	var out struct {
		Risks []kedge.Risk `json:"risks"`
	}
	c := &server.Client{HTTP: d.http()}
	if err := c.Call(d.t.Context(), "risk.list", d.envelope("", struct{}{}), &out, nil); err != nil {
		d.t.Fatal(err)
	}
	return out.Risks
}

// TestF27RetriedRequest: a connection that breaks after the work was done is
// tried again by the client, and a request sent twice by hand too: one effect,
// the same answer.
func TestF27RetriedRequest(t *testing.T) {
	d := newDesk(t)
	env := d.envelope("req-1", map[string]string{"text": "the disk may be full"})
	c := &server.Client{HTTP: d.http(), Again: func(context.Context) (*http.Client, error) { return d.http(), nil }}
	d.breaks = 1
	var first, second json.RawMessage
	if err := c.Call(t.Context(), "risk.add", env, &first, nil); err != nil {
		t.Fatal(err)
	}
	if err := c.Call(t.Context(), "risk.add", env, &second, nil); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, second) {
		t.Errorf("the answers differ:\n%s\n%s", first, second)
	}
	if got := d.risks(); len(got) != 1 {
		t.Errorf("%d risks", len(got))
	}
	env.Key = "req-2"
	if err := c.Call(t.Context(), "risk.add", env, &second, nil); err != nil {
		t.Fatal(err)
	}
	if got := d.risks(); len(got) != 2 {
		t.Errorf("another request: %d risks", len(got))
	}
}

// TestBrokenForEver: the client does not go on for ever, and says what it knows.
func TestBrokenForEver(t *testing.T) {
	d := newDesk(t)
	d.breaks = 1000
	c := &server.Client{HTTP: d.http(), Again: func(context.Context) (*http.Client, error) { return d.http(), nil }}
	err := c.Call(t.Context(), "risk.add", d.envelope("k", map[string]string{"text": "x"}), nil, nil)
	if !kedge.Internal.Is(err) || !strings.Contains(err.Error(), "the daemon ended") {
		t.Errorf("%v", err)
	}
}

func TestInterruptedCall(t *testing.T) {
	d := newDesk(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := &server.Client{HTTP: d.http()}
	if err := c.Call(ctx, "risk.list", d.envelope("", struct{}{}), nil, nil); !kedge.Interrupted.Is(err) {
		t.Errorf("%v", err)
	}
}

// post sends a raw request and gives its status and body.
func (d *desk) post(path, host, origin, body string) (int, string) {
	d.t.Helper()
	req, err := http.NewRequestWithContext(d.t.Context(), http.MethodPost, "http://"+host+path, strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	if origin != "" {
		req.Header.Set("Origin", origin)
	}
	res, err := d.http().Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

// TestNotForBrowsers: another host name, as a rebound page sends it, or any
// origin is refused on every route, before anything happens.
func TestNotForBrowsers(t *testing.T) {
	d := newDesk(t)
	env, err := json.Marshal(d.envelope("k", map[string]string{"text": "x"}))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/v1/call/risk.add", "/v1/hello", server.LeftPath, "/"} {
		for _, tc := range []struct{ host, origin string }{{"127.0.0.1", ""}, {"rebind.test", ""}, {"kedge", "http://kedge"}, {"kedge", "null"}} {
			if code, _ := d.post(path, tc.host, tc.origin, string(env)); code != http.StatusForbidden {
				t.Errorf("%s with host %q and origin %q: %d", path, tc.host, tc.origin, code)
			}
		}
	}
	if got := d.risks(); len(got) != 0 {
		t.Errorf("%d risks", len(got))
	}
}

func TestRefusals(t *testing.T) {
	d := newDesk(t)
	envelope := func(change func(*server.Envelope)) string {
		e := d.envelope("k", map[string]string{"text": "x"})
		change(&e)
		b, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, tc := range []struct {
		name, call, body string
		code             int
		want             string
	}{
		{"unknown call", "no.such", envelope(func(*server.Envelope) {}), 404, "cannot do what your command asks"},
		{"no key", "risk.add", envelope(func(e *server.Envelope) { e.Key = "" }), 400, "needs an idempotency key"},
		{"unknown key in the request", "risk.add", envelope(func(e *server.Envelope) { e.In = []byte(`{"text":"x","more":1}`) }), 400, `unknown key \"more\"`},
		{"unknown key in the envelope", "risk.add", `{"dir":"/","other":1}`, 400, `unknown key \"other\"`},
		{"no JSON", "risk.add", `hello`, 400, "invalid character"},
		{"no project", "risk.add", envelope(func(e *server.Envelope) { e.Dir = "/" }), 404, "kedge init"},
		{"too large", "risk.add", `{"dir":"` + strings.Repeat("x", server.MaxBody) + `"}`, 400, "may have at most"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			code, body := d.post("/v1/call/"+tc.call, server.Host, "", tc.body)
			if code != tc.code || !strings.Contains(body, tc.want) {
				t.Errorf("%d %s", code, body)
			}
			var l server.Line
			if err := json.Unmarshal([]byte(body), &l); err != nil || l.Type != "error" || l.Error == nil {
				t.Errorf("not an error line: %s", body)
			}
		})
	}
	if got := d.risks(); len(got) != 0 {
		t.Errorf("%d risks", len(got))
	}
}

// TestTable: names are unique, and every call says what it may do.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range server.Calls() {
		if seen[c.Name] {
			t.Errorf("%s is there twice", c.Name)
		}
		seen[c.Name] = true
		if c.Mode != server.Reading && c.Mode != server.Writing {
			t.Errorf("%s has the mode %q", c.Name, c.Mode)
		}
	}
	if len(seen) < 40 {
		t.Errorf("only %d calls", len(seen))
	}
}

func TestErrorsTravel(t *testing.T) {
	err := kedge.Errorf(kedge.Conflict, "it moved: %w", io.EOF).WithHint("look again")
	back := server.ToWire(err).Err()
	if !kedge.Conflict.Is(back) || back.Error() != "it moved: EOF" || kedge.HintOf(back) != "look again" {
		t.Errorf("%v", back)
	}
	if errors.Is(back, io.EOF) {
		t.Error("a cause does not travel")
	}
}

// TestF28LongCallIsAnsweredAtOnce: a search that takes long is told from a daemon
// that does not answer; what comes of it comes the same way as ever.
func TestF28LongCallIsAnsweredAtOnce(t *testing.T) {
	d := newDesk(t)
	told := 0
	c := &server.Client{HTTP: d.http()}
	var out sessions.SessionSearchReply
	err := c.Call(t.Context(), "session.search", d.envelope("", sessions.SessionSearch{Query: "x", Limit: 1}), &out, func(json.RawMessage) { told++ })
	if err != nil || len(out.Hits) != 0 || told != 1 {
		t.Errorf("%+v, %v, told %d times", out, err, told)
	}
	err = c.Call(t.Context(), "session.search", d.envelope("", sessions.SessionSearch{Query: "x"}), &out, nil)
	if !kedge.Invalid.Is(err) || kedge.HintOf(err) == "" {
		t.Errorf("refused: %v", err)
	}
}
