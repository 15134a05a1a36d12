package modelserver

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// Record is one request as it came.
type Record struct {
	Method       string
	Path         string // with its query
	Header       http.Header
	Body         []byte
	Protocol     string // empty: none of ours
	Conversation string
	Request      Request
}

// Server is a model on the loopback interface.
type Server struct {
	*Model
	URL string

	http    *http.Server
	closing context.Context
	close   context.CancelFunc

	mu      sync.Mutex
	records []Record
	more    chan struct{} // closed and made anew with every record
	cut     chan struct{} // closed and made anew with every Cut
}

// Start starts a server on a free port of 127.0.0.1.
func Start() (*Server, error) {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{Model: NewModel(), URL: "http://" + l.Addr().String(), more: make(chan struct{}), cut: make(chan struct{})}
	s.closing, s.close = context.WithCancel(context.Background())
	s.http = &http.Server{Handler: s}   //nolint:gosec // a test's own: whoever is slow may be
	go func() { _ = s.http.Serve(l) }() // it ends with Close
	return s, nil
}

// Close ends the server and every connection.
func (s *Server) Close() error {
	s.close()
	return s.http.Close()
}

// Records are the requests so far.
func (s *Server) Records() []Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Record(nil), s.records...)
}

// Await waits until a request is there that ok accepts, among those that came
// and those that will.
func (s *Server) Await(ctx context.Context, ok func(Record) bool) (Record, error) {
	for seen := 0; ; {
		s.mu.Lock()
		fresh, more := s.records[seen:], s.more
		seen = len(s.records)
		s.mu.Unlock()
		for _, r := range fresh {
			if ok(r) {
				return r, nil
			}
		}
		select {
		case <-more:
		case <-ctx.Done():
			return Record{}, context.Cause(ctx)
		}
	}
}

// Cut breaks the connections of all replies that stall, or will, to requests that
// are among the records. Who cuts knows what was read before: a connection that
// breaks at once may take with it what its reader had not yet looked at.
func (s *Server) Cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.cut)
	s.cut = make(chan struct{})
}

// record keeps a request, and gives what is closed when replies to it are cut.
func (s *Server) record(r Record) (cut <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records = append(s.records, r)
	close(s.more)
	s.more = make(chan struct{})
	return s.cut
}

// endpoint is the protocol of a path; counting says that only tokens are asked.
func endpoint(path string) (p protocol, counting, ok bool) {
	for _, e := range []struct {
		end      string
		p        protocol
		counting bool
	}{
		{"/messages", anthropic, false},
		{"/messages/count_tokens", anthropic, true},
		{"/responses", responses, false},
		{"/responses/input_tokens", responses, true},
		{"/chat/completions", chat, false},
		{":generateContent", gemini, false},
		{":streamGenerateContent", gemini, false},
		{":countTokens", gemini, true},
	} {
		if strings.HasSuffix(path, e.end) {
			return e.p, e.counting, true
		}
	}
	return protocol{}, false, false
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // who asked went away
	}
	rec := Record{Method: r.Method, Path: r.URL.RequestURI(), Header: r.Header.Clone(), Body: body}
	p, counting, ok := endpoint(r.URL.Path)
	if !ok || r.Method != http.MethodPost {
		s.record(rec)
		s.other(w, r)
		return
	}
	req, err := p.parse(r.URL.Path, body)
	rec.Protocol, rec.Request, rec.Conversation = p.name, req, req.Conversation()
	cut := s.record(rec)
	switch {
	case err != nil:
		reply(w, http.StatusBadRequest, p.refuse(Fault{Kind: TooLong, Text: err.Error()}))
	case counting:
		reply(w, http.StatusOK, p.count(int64(req.Size)/perToken))
	default:
		s.serve(w, r, p, req, cut)
	}
}

// other is what agents ask beside the model: whether somebody is there, and what
// models there are.
func (s *Server) other(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasSuffix(r.URL.Path, "/models"):
		reply(w, http.StatusOK, object{"object": "list", "data": []any{}, "models": []any{}})
	case r.URL.Path == "/":
		w.WriteHeader(http.StatusOK)
	default:
		reply(w, http.StatusNotFound, object{"error": object{"message": "nothing is here"}})
	}
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // who does not listen any more asks again
}

// serve gives the model's answer, or what goes wrong with it.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, p protocol, req Request, cut <-chan struct{}) {
	a := s.Answer(req)
	if a.Fault != nil && a.Fault.status() != 0 {
		if a.Fault.Kind == RateLimit {
			w.Header().Set("Retry-After", strconv.Itoa(a.Fault.RetryAfter))
		}
		status := a.Fault.status()
		if status == 529 && p.name != anthropic.name {
			status = http.StatusServiceUnavailable
		}
		reply(w, status, p.refuse(*a.Fault))
		return
	}
	if !req.Stream {
		s.serveWhole(w, r, p, a, cut)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	frames := p.stream(a)
	if a.Fault != nil {
		frames = frames[:(len(frames)+1)/2]
		if p.begins != nil {
			s.Begun(a, p.begins(a))
		}
	}
	for i, f := range frames {
		if a.Fault == nil && i == len(frames)-1 {
			s.Given(a) // before its last word: who hears it may ask for the count at once
		}
		if f.write(w) != nil {
			return
		}
		_ = http.NewResponseController(w).Flush()
	}
	s.breakOff(r, a, cut)
}

func (s *Server) serveWhole(w http.ResponseWriter, r *http.Request, p protocol, a Reply, cut <-chan struct{}) {
	if a.Fault == nil {
		s.Given(a)
		reply(w, http.StatusOK, p.whole(a))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, "{") // as far as it comes
	_ = http.NewResponseController(w).Flush()
	s.breakOff(r, a, cut)
}

// breakOff ends a reply that stalls, when it is cut or nobody listens any more; a
// whole one it leaves as it is.
func (s *Server) breakOff(r *http.Request, a Reply, cut <-chan struct{}) {
	if a.Fault == nil {
		return
	}
	select {
	case <-r.Context().Done():
	case <-s.closing.Done():
	case <-cut:
	}
	panic(http.ErrAbortHandler)
}
