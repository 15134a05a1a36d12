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
	"kedge/internal/text/strict"
)

// Client talks to one living holder. Its methods may be called from several
// goroutines; each request waits for its answer.
type Client struct {
	Greeting Greeting

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
		return kedge.Errorf(kedge.NotFound, "there is no file %q", path)
	}
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot read %q: %w", path, err)
	}
	_, err = strict.Lenient(path, b, v)
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
		return nil, kedge.Errorf(kedge.NotFound, "the process that kept session %q alive (its holder) is gone", r.Session).WithHint("see what became of the session: kedge ls")
	}
	nc, err := new(net.Dialer).DialContext(ctx, "unix", r.Socket)
	if err != nil {
		return nil, kedge.Errorf(kedge.NotFound, "the process that keeps session %q alive (its holder) does not answer: %w", r.Session, err).WithHint("see what became of the session: kedge ls")
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
func alive(p Process, boot string) bool {
	now, ok := statOf(p.PID)
	return ok && boot == bootID() && !now.zombie && !now.ending && now.start == p.Start
}

func greet(ctx context.Context, nc net.Conn, r Record) (*Client, error) {
	uid, err := process.UID(nc)
	if err != nil {
		return nil, err
	}
	if uid != os.Geteuid() {
		return nil, kedge.Errorf(kedge.Conflict, "Kedge does not connect to session %q: the program that answers for that session belongs to user %d, not to you", r.Session, uid).WithHint("see what is wrong: kedge doctor")
	}
	c := &Client{c: nc}
	defer c.deadline(ctx)()
	f, err := ReadFrame(nc)
	if err != nil {
		return nil, broken(ctx, err)
	}
	if f.Type != VerbHello {
		return nil, kedge.Errorf(kedge.Conflict, "Kedge does not connect to session %q: the program that answers on its socket is not Kedge", r.Session).WithHint("see what became of the session: kedge ls")
	}
	if err := f.Into(&c.Greeting); err != nil {
		return nil, err
	}
	if c.Greeting.Session != r.Session || c.Greeting.Holder != r.Holder || c.Greeting.Boot != r.Boot {
		return nil, kedge.Errorf(kedge.Conflict, "Kedge does not connect to session %q: the process that answers for that session is not the one that Kedge started", r.Session).WithHint("see what became of the session: kedge ls")
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
		return kedge.Errorf(kedge.Interrupted, "the process that keeps the session alive (its holder) did not answer: %w", context.Cause(ctx))
	}
	return kedge.Errorf(kedge.NotFound, "the process that keeps the session alive (its holder) closed the connection: %w", err)
}

// Close ends the connection; the session goes on.
func (c *Client) Close() error { return c.c.Close() }

// ask sends a request and gives its answer; a refusal is an error.
func (c *Client) ask(ctx context.Context, f Frame) (Frame, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.knows(f.Type) {
		return Frame{}, c.tooOld(f.Type)
	}
	defer c.deadline(ctx)()
	answer, err := c.exchange(f)
	if err != nil {
		_ = c.c.Close() // the answer may still come: it must not be taken for that to the next request
		return Frame{}, broken(ctx, err)
	}
	if answer.Type == VerbFail {
		var why Failure
		if err := answer.Into(&why); err != nil {
			return Frame{}, err
		}
		return Frame{}, kedge.Errorf(why.Kind, "%s", why.Message)
	}
	return answer, nil
}

// tooOld is why the holder is not asked. Where it cannot be asked to end the session, only
// the system can end it.
func (c *Client) tooOld(t Verb) error {
	err := kedge.Errorf(kedge.Conflict, "an older version of Kedge started this session, and it does not know the request %q", byte(t))
	if !c.knows(VerbEnd) {
		return err.WithHint("end its program: kill %d", c.Greeting.Child.PID)
	}
	return err.WithHint("end the session and start it again: kedge kill %[1]s; kedge resume %[1]s", c.Greeting.Session)
}

func (c *Client) exchange(f Frame) (Frame, error) {
	if err := WriteFrame(c.c, f); err != nil {
		return Frame{}, err
	}
	return ReadFrame(c.c)
}

func (c *Client) knows(t Verb) bool {
	for _, v := range []byte(c.Greeting.Verbs) {
		if v == byte(t) {
			return true
		}
	}
	return false
}

func (c *Client) do(ctx context.Context, f Frame) error {
	_, err := c.ask(ctx, f)
	return err
}

// State asks how the session is.
func (c *Client) State(ctx context.Context) (State, error) {
	var s State
	f, err := c.ask(ctx, Frame{Type: VerbStatus})
	if err != nil {
		return s, err
	}
	return s, f.Into(&s)
}

// Environ is the environment that the program was started with: it is nowhere
// but in its holder's memory.
func (c *Client) Environ(ctx context.Context) ([]string, error) {
	var env []string
	f, err := c.ask(ctx, Frame{Type: VerbEnviron})
	if err != nil {
		return nil, err
	}
	return env, f.Into(&env)
}

// Input types b; source, any number that no other writer has, and seq, counting
// up from 1, make a retry harmless. It returns when the program's terminal or
// pipe has taken all of it.
func (c *Client) Input(ctx context.Context, source, seq uint64, b []byte) error {
	return c.do(ctx, NewInput(source, seq, b))
}

// CloseInput ends the program's input.
func (c *Client) CloseInput(ctx context.Context) error {
	return c.do(ctx, Frame{Type: VerbClose})
}

// Resize sets the terminal's size.
func (c *Client) Resize(ctx context.Context, cols, rows uint16) error {
	return c.do(ctx, NewResize(cols, rows))
}

// Redraw makes the program paint its screen anew.
func (c *Client) Redraw(ctx context.Context) error { return c.do(ctx, Frame{Type: VerbRedraw}) }

// Signal signals the program's process group.
func (c *Client) Signal(ctx context.Context, number byte) error {
	return c.do(ctx, NewSignal(number))
}

// End ends the session: SIGINT, SIGTERM (a shell at its
// terminal: SIGHUP, SIGINT), then every descendant, a grace apart.
// It returns when that has begun; Follow tells when it is done.
func (c *Client) End(ctx context.Context, grace time.Duration) error {
	return c.do(ctx, NewEnd(uint32(grace.Milliseconds())))
}

// Collect lets the holder of an ended session go.
func (c *Client) Collect(ctx context.Context) error { return c.do(ctx, Frame{Type: VerbQuit}) }

// Follow tells grown of every new length of the log, until the session ends,
// ctx does, or grown gives an error. It has a connection of its own, so that
// other requests go on. The state it gives is the last one, also of a session
// that somebody collected meanwhile.
func (c *Client) Follow(ctx context.Context, grown func(end int64) error) (State, error) {
	own, err := Dial(ctx, c.dir)
	if err != nil {
		return c.collected(err, grown)
	}
	defer func() { _ = own.Close() }()
	if err := own.do(ctx, Frame{Type: VerbFollow}); err != nil {
		return c.collected(err, grown)
	}
	defer own.deadline(ctx)()
	for {
		f, err := ReadFrame(own.c)
		if err != nil {
			return c.collected(broken(ctx, err), grown)
		}
		switch f.Type {
		case VerbGrown:
			end, err := f.GrownOf()
			if err != nil {
				return State{}, err
			}
			if err := grown(end); err != nil {
				return State{}, err
			}
		case VerbEnded:
			var s State
			return s, f.Into(&s)
		default: // of a later version, and not for us
		}
	}
}

// Await waits for the end of the session and gives its last state, like Follow,
// but is not woken by what the session prints. It takes the connection for
// itself: nothing else can be asked meanwhile.
func (c *Client) Await(ctx context.Context) (State, error) {
	nothing := func(int64) error { return nil }
	if !c.knows(VerbAwait) {
		return c.Follow(ctx, nothing) // held by an older Kedge
	}
	if err := c.do(ctx, Frame{Type: VerbAwait}); err != nil {
		return c.collected(err, nothing)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.deadline(ctx)()
	for {
		f, err := ReadFrame(c.c)
		if err != nil {
			return c.collected(broken(ctx, err), nothing)
		}
		if f.Type == VerbEnded {
			var s State
			return s, f.Into(&s)
		}
	}
}

// collected is the last state of a session whose holder is gone because its work
// is done; anything else that ends a connection stays the error it is.
func (c *Client) collected(err error, grown func(end int64) error) (State, error) {
	r, none := ReadResult(c.dir)
	if none != nil || !kedge.NotFound.Is(err) {
		return State{}, err
	}
	return State{End: r.End, Lost: r.Lost, Exit: &r.Exit}, grown(r.End)
}
