// Package mcp gives an agent the tools of its session over the Model Context Protocol, on
// standard input and output. It owns the tools, their published schemas and the few
// methods of the protocol that a server of tools needs. It promises that a tool makes the
// same call as its command, with the same rights. It answers every message that needs an
// answer, and the length of an answer is bounded. It decides nothing: the service does.
package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"kedge"
)

// Caller makes calls to the service.
type Caller interface {
	Call(ctx context.Context, name string, in, out any, progress func(json.RawMessage)) error
}

// Server serves the tools of one session. Without a Session it is nobody's: only
// tools that read answer then.
type Server struct {
	Call    Caller
	Session kedge.SessionID
	Operate Caller   // makes calls with the token of an operator; nil: there is none
	Environ []string // what checks run in; used, never written down
	Version string
}

// drain is how long requests are carried out and answered after the input has
// ended: a gate may take its time.
const drain = 15 * time.Minute

// Serve answers what comes on in until it ends, or ctx does. What was asked before
// the input ended is answered, unless it takes longer than drain, ctx ends or nobody
// listens any more.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	c := &conn{server: s, out: out, gone: stop, running: map[string]context.CancelFunc{}, room: make(chan struct{}, maxRunning)}
	lines := newLines(in)
	ended := make(chan error, 1)
	go func() { ended <- c.read(ctx, lines) }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
		err = context.Cause(ctx) // the reader is left to itself: nothing ends a read of a pipe
	}
	if err != nil {
		stop()
	}
	late := time.AfterFunc(drain, stop)
	defer late.Stop()
	c.end()
	return err
}

// What a client may ask at the same time: tools that run, and those that run or
// wait for it.
const (
	maxRunning = 8
	maxOpen    = 128
)

// conn is one client: what runs for it, and the way back to it.
type conn struct {
	server *Server
	work   sync.WaitGroup
	room   chan struct{}
	gone   func() // is called when nobody listens any more

	mu      sync.Mutex
	out     io.Writer
	running map[string]context.CancelFunc // by the id of the request; nil: nothing is begun any more
}

// begin carries something out beside everything else, unless it all ends.
func (c *conn) begin(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running != nil {
		c.work.Go(f)
	}
}

// end waits for what runs, and lets nothing new begin.
func (c *conn) end() {
	c.mu.Lock()
	c.running = nil
	c.mu.Unlock()
	c.work.Wait()
}

// read takes messages until there are no more.
func (c *conn) read(ctx context.Context, lines *lines) error {
	for {
		line, long, err := lines.next()
		if err != nil && !errors.Is(err, io.EOF) {
			return kedge.Errorf(kedge.Internal, "Kedge's MCP server cannot read from its client: %w", err)
		}
		if long {
			c.write(failure(nil, codeParse, "a message is too long"))
		} else if line = bytes.TrimSpace(line); len(line) > 0 {
			c.message(ctx, line)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
	}
}

// message takes in one message, or a batch of them.
func (c *conn) message(ctx context.Context, b []byte) {
	if b[0] != '[' {
		c.one(ctx, b, c.write)
		return
	}
	var all []json.RawMessage
	if err := json.Unmarshal(b, &all); err != nil || len(all) == 0 || len(all) > maxBatch {
		c.write(failure(nil, codeInvalid, "a batch must have 1 to 100 messages"))
		return
	}
	c.batch(ctx, all)
}

// maxBatch bounds the messages that are sent as one.
const maxBatch = 100

// batch answers the messages that were sent as one together.
func (c *conn) batch(ctx context.Context, all []json.RawMessage) {
	var (
		mu      sync.Mutex
		answers []response
		open    sync.WaitGroup
	)
	for _, b := range all {
		open.Add(1)
		once := sync.OnceFunc(open.Done)
		c.oneOf(ctx, b, func(r response) {
			mu.Lock()
			defer mu.Unlock()
			answers = append(answers, r)
		}, once)
	}
	c.begin(func() {
		open.Wait()
		if len(answers) > 0 {
			c.writeAny(answers)
		}
	})
}

func (c *conn) one(ctx context.Context, b []byte, answer func(response)) {
	c.oneOf(ctx, b, answer, func() {})
}

// oneOf takes in one message; done is called when nothing more comes of it.
func (c *conn) oneOf(ctx context.Context, b []byte, answer func(response), done func()) {
	r, fault := parse(b)
	switch {
	case fault != nil:
		answer(*fault)
		done()
	case r.ID == nil: // a notification has no answer, also where it is not understood
		c.notified(r)
		done()
	case r.Method == "":
		done() // an answer: nothing was asked
	case r.Method == methodCall:
		c.start(ctx, r, answer, done)
	default:
		answer(c.server.answer(r))
		done()
	}
}

// start carries a call of a tool out beside everything else.
func (c *conn) start(ctx context.Context, r request, answer func(response), done func()) {
	ctx, cancel := context.WithCancel(ctx)
	key := string(r.ID)
	if fault := c.enter(key, cancel); fault != "" {
		cancel()
		answer(failure(r.ID, codeInvalid, fault))
		done()
		return
	}
	c.begin(func() {
		defer done()
		defer cancel()
		res := c.carryOut(ctx, r)
		c.mu.Lock()
		delete(c.running, key)
		c.mu.Unlock()
		if ctx.Err() == nil { // who has withdrawn a request wants no answer
			answer(res)
		}
	})
}

// enter makes a request known, so that it can be withdrawn, and says what is against
// it.
func (c *conn) enter(key string, cancel context.CancelFunc) (fault string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, taken := c.running[key]
	switch {
	case taken:
		return "a request with this id is being carried out"
	case c.running == nil:
		return "the server is ending"
	case len(c.running) >= maxOpen:
		return "too many requests are being carried out: wait for an answer, then ask again"
	}
	c.running[key] = cancel
	return ""
}

// carryOut waits for room, then calls the tool.
func (c *conn) carryOut(ctx context.Context, r request) response {
	select {
	case c.room <- struct{}{}:
		defer func() { <-c.room }()
	case <-ctx.Done():
		return response{}
	}
	return c.server.callTool(ctx, r, func(token json.RawMessage, n int) {
		if ctx.Err() == nil {
			c.writeAny(notification{Version: rpcVersion, Method: "notifications/progress", Params: progressed{Token: token, Progress: n}})
		}
	})
}

// notified takes in what needs no answer.
func (c *conn) notified(r request) {
	if r.Method != "notifications/cancelled" {
		return
	}
	var p struct {
		ID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(r.Params, &p) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel, ok := c.running[canonical(p.ID)]; ok {
		cancel()
	}
}

func (c *conn) write(r response) { c.writeAny(r) }

// writeAny sends one line. A client that does not listen any more needs no answers.
func (c *conn) writeAny(v any) {
	b, err := encode(v)
	if err != nil {
		return // of our own types and JSON that was read: it cannot be
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := c.out.Write(b); err != nil {
		c.gone()
	}
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}
