package hold

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"time"

	"kedge"
	"kedge/internal/process"
	"kedge/internal/process/wire"
	"kedge/internal/text/strictjson"
)

// Client talks to one living holder. Its methods may be called from several
// goroutines; each request waits for its answer.
type Client struct {
	Greeting wire.Greeting

	dir string
	mu  sync.Mutex
	c   net.Conn
}

// ReadRecord reads holder.json in a session's folder; NotFound when no holder
// was there, or it has gone.
func ReadRecord(dir string) (Record, error) {
	var r Record
	err := readJSON(recordPath(dir), &r)
	return r, err
}

// ReadResult reads exit.json in a session's folder; NotFound before the end.
func ReadResult(dir string) (Result, error) {
	var r Result
	err := readJSON(resultPath(dir), &r)
	return r, err
}

// readJSON reads a file that a holder wrote. Keys of a later version are
// accepted: the holder may be younger than we are.
func readJSON(path string, v any) error {
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return kedge.Errorf(kedge.NotFound, "no file %q", path)
	}
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot read %q: %w", path, err)
	}
	_, err = strictjson.Lenient(path, b, v)
	return err
}

// Dial connects to the holder of the session in dir. It is NotFound when none
// lives: the record must be of this boot, and the process at the other end of
// the socket must say that it is the one that the record names.
func Dial(ctx context.Context, dir string) (*Client, error) {
	r, err := ReadRecord(dir)
	if err != nil {
		return nil, err
	}
	if !alive(r.Holder, r.Boot) {
		return nil, kedge.Errorf(kedge.NotFound, "the holder of session %q is gone: the process that kept the session alive", r.Session).WithHint("see what became of the session: kedge ls")
	}
	nc, err := new(net.Dialer).DialContext(ctx, "unix", r.Socket)
	if err != nil {
		return nil, kedge.Errorf(kedge.NotFound, "the holder of session %q does not answer: %w", r.Session, err)
	}
	c, err := greet(ctx, nc, r)
	if err != nil {
		return nil, errors.Join(err, nc.Close())
	}
	c.dir = dir
	return c, nil
}

// Alive tells whether the holder that was recorded still runs.
func (r Record) Alive() bool { return alive(r.Holder, r.Boot) }

// alive tells whether the process that was recorded is the one that has its pid
// now, and runs: a dead one may stay in the table until its parent looks, and one that
// was killed closes its socket a good while before it is dead.
func alive(p wire.Process, boot string) bool {
	now, ok := statOf(p.PID)
	return ok && boot == bootID() && !now.zombie && !now.ending && now.start == p.Start
}

func greet(ctx context.Context, nc net.Conn, r Record) (*Client, error) {
	uid, err := process.UID(nc)
	if err != nil {
		return nil, err
	}
	if uid != os.Geteuid() {
		return nil, kedge.Errorf(kedge.Conflict, "Kedge does not connect to session %q: the program at its socket belongs to user %d, not to you", r.Session, uid).WithHint("see who started it: kedge doctor")
	}
	c := &Client{c: nc}
	defer c.deadline(ctx)()
	f, err := wire.Read(nc)
	if err != nil {
		return nil, broken(ctx, err)
	}
	if f.Type != wire.Hello {
		return nil, kedge.Errorf(kedge.Conflict, "another program, not a holder, answers for session %q", r.Session)
	}
	if err := f.Into(&c.Greeting); err != nil {
		return nil, err
	}
	if c.Greeting.Session != r.Session || c.Greeting.Holder != r.Holder || c.Greeting.Boot != r.Boot {
		return nil, kedge.Errorf(kedge.Conflict, "the holder that answers for session %q is not the one on record", r.Session)
	}
	return c, nil
}

// deadline makes the connection heed ctx until the function it gives is called.
func (c *Client) deadline(ctx context.Context) (release func()) {
	set := make(chan struct{})
	stop := context.AfterFunc(ctx, func() { _ = c.c.SetDeadline(time.Unix(1, 0)); close(set) })
	return func() {
		if stop() {
			return
		}
		<-set
		_ = c.c.SetDeadline(time.Time{}) // ctx ended after the answer came
	}
}

func broken(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return kedge.Errorf(kedge.Interrupted, "the holder did not answer: %w", context.Cause(ctx))
	}
	return kedge.Errorf(kedge.NotFound, "the connection to the holder ended: %w", err)
}

// Close ends the connection; the session goes on.
func (c *Client) Close() error { return c.c.Close() }

// ask sends a request and gives its answer; a refusal is an error.
func (c *Client) ask(ctx context.Context, f wire.Frame) (wire.Frame, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.knows(f.Type) {
		return wire.Frame{}, kedge.Errorf(kedge.Conflict, "an older Kedge started this session, and it does not support the request %q", byte(f.Type)).
			WithHint("start the session again")
	}
	defer c.deadline(ctx)()
	answer, err := c.exchange(f)
	if err != nil {
		_ = c.c.Close() // the answer may still come: it must not be taken for that to the next request
		return wire.Frame{}, broken(ctx, err)
	}
	if answer.Type == wire.Fail {
		var why wire.Failure
		if err := answer.Into(&why); err != nil {
			return wire.Frame{}, err
		}
		return wire.Frame{}, kedge.Errorf(why.Kind, "%s", why.Message)
	}
	return answer, nil
}

func (c *Client) exchange(f wire.Frame) (wire.Frame, error) {
	if err := wire.Write(c.c, f); err != nil {
		return wire.Frame{}, err
	}
	return wire.Read(c.c)
}

func (c *Client) knows(t wire.Type) bool {
	for _, v := range []byte(c.Greeting.Verbs) {
		if v == byte(t) {
			return true
		}
	}
	return false
}

func (c *Client) do(ctx context.Context, f wire.Frame) error {
	_, err := c.ask(ctx, f)
	return err
}

// State asks how the session is.
func (c *Client) State(ctx context.Context) (wire.State, error) {
	var s wire.State
	f, err := c.ask(ctx, wire.Frame{Type: wire.Status})
	if err != nil {
		return s, err
	}
	return s, f.Into(&s)
}

// Environ is the environment that the program was started with: it is nowhere
// but in its holder's memory.
func (c *Client) Environ(ctx context.Context) ([]string, error) {
	var env []string
	f, err := c.ask(ctx, wire.Frame{Type: wire.Environ})
	if err != nil {
		return nil, err
	}
	return env, f.Into(&env)
}

// Input types b; source, any number that no other writer has, and seq, counting
// up from 1, make a retry harmless. It returns when the program's terminal or
// pipe has taken all of it.
func (c *Client) Input(ctx context.Context, source, seq uint64, b []byte) error {
	return c.do(ctx, wire.NewInput(source, seq, b))
}

// CloseInput ends the program's input.
func (c *Client) CloseInput(ctx context.Context) error {
	return c.do(ctx, wire.Frame{Type: wire.Close})
}

// Resize sets the terminal's size.
func (c *Client) Resize(ctx context.Context, cols, rows uint16) error {
	return c.do(ctx, wire.NewResize(cols, rows))
}

// Redraw makes the program paint its screen anew.
func (c *Client) Redraw(ctx context.Context) error { return c.do(ctx, wire.Frame{Type: wire.Redraw}) }

// Signal signals the program's process group.
func (c *Client) Signal(ctx context.Context, number byte) error {
	return c.do(ctx, wire.NewSignal(number))
}

// End ends the session: SIGINT, SIGTERM (a shell at its
// terminal: SIGHUP, SIGINT), then every descendant, a grace apart.
// It returns when that has begun; Follow tells when it is done.
func (c *Client) End(ctx context.Context, grace time.Duration) error {
	return c.do(ctx, wire.NewEnd(uint32(grace.Milliseconds())))
}

// Collect lets the holder of an ended session go.
func (c *Client) Collect(ctx context.Context) error { return c.do(ctx, wire.Frame{Type: wire.Quit}) }

// Follow tells grown of every new length of the log, until the session ends,
// ctx does, or grown gives an error. It has a connection of its own, so that
// other requests go on. The state it gives is the last one, also of a session
// that somebody collected meanwhile.
func (c *Client) Follow(ctx context.Context, grown func(end int64) error) (wire.State, error) {
	own, err := Dial(ctx, c.dir)
	if err != nil {
		return c.collected(err, grown)
	}
	defer func() { _ = own.Close() }()
	if err := own.do(ctx, wire.Frame{Type: wire.Follow}); err != nil {
		return c.collected(err, grown)
	}
	defer own.deadline(ctx)()
	for {
		f, err := wire.Read(own.c)
		if err != nil {
			return c.collected(broken(ctx, err), grown)
		}
		switch f.Type {
		case wire.Grown:
			end, err := f.GrownOf()
			if err != nil {
				return wire.State{}, err
			}
			if err := grown(end); err != nil {
				return wire.State{}, err
			}
		case wire.Ended:
			var s wire.State
			return s, f.Into(&s)
		default: // of a later version, and not for us
		}
	}
}

// Await waits for the end of the session and gives its last state, like Follow,
// but is not woken by what the session prints. It takes the connection for
// itself: nothing else can be asked meanwhile.
func (c *Client) Await(ctx context.Context) (wire.State, error) {
	nothing := func(int64) error { return nil }
	if !c.knows(wire.Await) {
		return c.Follow(ctx, nothing) // held by an older Kedge
	}
	if err := c.do(ctx, wire.Frame{Type: wire.Await}); err != nil {
		return c.collected(err, nothing)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.deadline(ctx)()
	for {
		f, err := wire.Read(c.c)
		if err != nil {
			return c.collected(broken(ctx, err), nothing)
		}
		if f.Type == wire.Ended {
			var s wire.State
			return s, f.Into(&s)
		}
	}
}

// collected is the last state of a session whose holder is gone because its work
// is done; anything else that ends a connection stays the error it is.
func (c *Client) collected(err error, grown func(end int64) error) (wire.State, error) {
	r, none := ReadResult(c.dir)
	if none != nil || !kedge.NotFound.Is(err) {
		return wire.State{}, err
	}
	return wire.State{End: r.End, Lost: r.Lost, Exit: &r.Exit}, grown(r.End)
}
