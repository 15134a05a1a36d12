package sessions

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/sessions"
	"kedge/internal/cli/frame"
	"kedge/internal/process/hold"
	"kedge/internal/process/tape"
	"kedge/internal/process/term"
	"kedge/internal/process/wire"

	"kedge/internal/text/plain"
)

// prefix is the key that speaks to Kedge instead of the session: Ctrl-].
const prefix = 0x1d

// errDetached ends an attachment by the person's choice.
var errDetached = errors.New("detached")

// Attach is kedge attach.
func Attach(env *frame.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "attach NAME",
		Short: "Look at a session and type into it",
		Long: `Connect this terminal to a session: you see what it prints and type into it.

  Ctrl-] d         detach; the session continues
  Ctrl-] Ctrl-]    type Ctrl-] itself

The session takes the size of this terminal and is asked to repaint its
screen. Earlier output is in kedge logs. Agents may not attach: inside a
session the command is refused.`,
		Example:           "  kedge attach auth-refactor",
		Args:              cobra.ExactArgs(1),
		RunE:              func(c *cobra.Command, args []string) error { return attachTo(c.Context(), env, args[0]) },
		ValidArgsFunction: frame.SessionNames(env),
	}
}

func attachTo(ctx context.Context, env *frame.Env, name string) error {
	if env.Term == nil {
		return kedge.Errorf(kedge.Invalid, "attach needs a terminal").WithHint("kedge logs %s --follow", name)
	}
	found, err := frame.Call[sessions.SessionFound](ctx, env, "session.attach", sessions.SessionName{Name: name})
	if err != nil {
		return err
	}
	if !found.Session.Live() {
		return kedge.Errorf(kedge.Conflict, "session %q is %s", name, plain.Line(found.Session.Summary())).WithHint("kedge logs %s", name)
	}
	if found.Session.Cause == hold.CauseSilent {
		return kedge.Errorf(kedge.Conflict, "the holder of session %q does not answer now", name).WithHint("kedge logs %s", name)
	}
	c, err := hold.Dial(ctx, found.Folder)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	talkWarnings(env, found.Session)
	restore, err := env.Term.Raw()
	if err != nil {
		return err
	}
	a := &attachment{client: c, term: env.Term, dir: found.Folder, source: rand.Uint64()}
	defer func() { restore(a.wayOut(false)) }()
	last, err := a.run(ctx)
	restore(a.wayOut(err == nil && last.Exit != nil))
	return a.farewell(env, found.Session, last, err)
}

// attachment is one terminal's view of a session.
type attachment struct {
	client *hold.Client
	term   *term.Terminal
	dir    string
	source uint64
	seq    atomic.Uint64

	screens term.Screens // as the session has switched them
	within  bool         // a line of the session's that has no end yet
}

// wayOut is how the terminal is left: below what the session showed last.
func (a *attachment) wayOut(ended bool) term.Way {
	switch {
	case a.screens.Second():
		return term.LeaveSecond
	case !ended:
		return term.BelowAll
	case a.within:
		return term.GoOnBelow
	default:
		return term.GoOn
	}
}

// run shows the session and types what is typed, until one of them ends.
func (a *attachment) run(ctx context.Context) (wire.State, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	_, at, err := tape.Open(a.dir).Range()
	if err != nil {
		return wire.State{}, kedge.Errorf(kedge.Internal, "cannot read the session's output: %w", err)
	}
	a.lately(at)
	if err := a.paint(ctx); err != nil {
		return wire.State{}, err
	}
	go func() { cancel(a.typeAll(ctx)) }()
	go a.followSize(ctx)
	show := &shower{tape: tape.Open(a.dir).Cursor(), at: at, buf: make([]byte, 64<<10), out: a.term.Out, saw: a.saw}
	defer func() { _ = show.tape.Close() }() // only read
	last, err := a.client.Follow(ctx, show.upTo)
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return last, cause
	}
	return last, err
}

// shower shows a session's output as it grows, with nothing to be found or opened
// between a key and its echo.
type shower struct {
	tape *tape.Cursor
	at   int64
	buf  []byte
	out  io.Writer

	saw func(b []byte) // what was shown
}

// upTo shows what has come until the tape has this length.
func (s *shower) upTo(end int64) error {
	for s.at < end {
		n, err := s.tape.ReadAt(s.buf[:min(int64(len(s.buf)), end-s.at)], s.at)
		s.at += int64(n)
		if n > 0 {
			if _, err := s.out.Write(s.buf[:n]); err != nil {
				return kedge.Errorf(kedge.Internal, "write: %w", err)
			}
			s.saw(s.buf[:n])
		}
		if err != nil {
			return kedge.Errorf(kedge.Internal, "cannot read the session's output: %w", err)
		}
	}
	return nil
}

func (a *attachment) saw(b []byte) {
	a.screens.Saw(b)
	if len(b) > 0 {
		a.within = b[len(b)-1] != '\n'
	}
}

// lately shows the last lines of a session that will not paint itself anew: a
// shell, say. They are shown as text, so that nothing that was once asked of a
// terminal is asked, and answered, again. A program that has the second screen
// gets it here too: it does not ask for it again.
func (a *attachment) lately(end int64) {
	const most = 256 << 10
	buf := make([]byte, min(end, most))
	n, _ := tape.Open(a.dir).ReadAt(buf, end-int64(len(buf))) // what cannot be read is not shown
	if a.saw(buf[:n]); a.screens.Second() {
		_, _ = io.WriteString(a.term.Out, term.Second)
	}
	_, rows, err := a.term.Size()
	if err != nil {
		return
	}
	empty := "\x1b[2J\x1b[H"
	if !a.screens.Second() {
		empty = term.ScrollAway(rows)
	}
	_, _ = io.WriteString(a.term.Out, empty+lastLines(buf[:n], rows))
}

// lastLines is the text of the last lines in b, for a terminal that is raw.
func lastLines(b []byte, rows int) string {
	const most = 16 << 10
	lines := bytes.Split(plain.Stripped(b[max(0, len(b)-most):]), []byte("\n"))
	lines = lines[max(0, len(lines)-rows):]
	shown := plain.Text(string(bytes.ReplaceAll(bytes.Join(lines, []byte("\n")), []byte("\r"), nil)))
	return strings.ReplaceAll(shown, "\n", "\r\n")
}

// paint gives the session this terminal's size and asks for its screen.
func (a *attachment) paint(ctx context.Context) error {
	cols, rows, err := a.term.Size()
	if err != nil {
		return err
	}
	if err := a.client.Resize(ctx, uint16(cols), uint16(rows)); kedge.Invalid.Is(err) {
		return nil // pipes: there is nothing to paint
	} else if err != nil {
		return err
	}
	return a.client.Redraw(ctx)
}

func (a *attachment) followSize(ctx context.Context) {
	changes, stop := a.term.Resized()
	defer stop()
	for {
		select {
		case <-changes:
			if cols, rows, err := a.term.Size(); err == nil {
				_ = a.client.Resize(ctx, uint16(cols), uint16(rows)) // the next change tries again
			}
		case <-ctx.Done():
			return
		}
	}
}

// typeAll passes keys on until the person detaches.
func (a *attachment) typeAll(ctx context.Context) error {
	var keys keys
	in, release := a.term.Keys()
	defer release()
	buf := make([]byte, 4096)
	for {
		n, err := in.Read(buf)
		if err != nil {
			return kedge.Errorf(kedge.Interrupted, "the terminal is gone: %w", err)
		}
		out, detach := keys.take(buf[:n])
		if len(out) > 0 {
			if err := a.client.Input(ctx, a.source, a.seq.Add(1), out); err != nil && !kedge.Conflict.Is(err) {
				return err // Conflict: the program does not read; the person sees that and can detach
			}
		}
		if detach {
			return errDetached
		}
	}
}

// farewell says how the attachment ended, on the person's own screen again.
func (a *attachment) farewell(env *frame.Env, s kedge.Session, last wire.State, err error) error {
	switch {
	case errors.Is(err, errDetached):
		env.Talk("[detached from %s; kedge attach %s]", s.Name, s.Name)
		talkWarnings(env, s)
		return nil
	case err != nil:
		return err
	case last.Exit != nil:
		env.Talk("[%s has ended: exit code %d]", s.Name, last.Exit.Code)
	}
	return nil
}

// keys finds the detach key in what is typed, wherever the reads cut it.
type keys struct{ prefixed bool }

// take gives what is meant for the session, and whether to detach.
func (k *keys) take(in []byte) (out []byte, detach bool) {
	for _, b := range in {
		switch {
		case k.prefixed && (b == 'd' || b == 'D'):
			return out, true
		case k.prefixed && b == prefix:
			k.prefixed = false
			out = append(out, b)
		case k.prefixed: // not a key of ours: both go through
			k.prefixed = false
			out = append(out, prefix, b)
		case b == prefix:
			k.prefixed = true
		default:
			out = append(out, b)
		}
	}
	return out, false
}
