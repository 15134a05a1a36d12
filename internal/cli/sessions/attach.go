package sessions

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/sessions"
	"kedge/internal/cli/frame"
	"kedge/internal/process"
	"kedge/internal/process/hold"
	"kedge/internal/process/tape"
	"kedge/internal/screen/vt"
	"kedge/internal/text/plain"
)

// errDetached ends an attachment by the person's choice.
var errDetached = errors.New("detached")

// elsewhere ends an attachment for that to another session.
type elsewhere struct{ name string }

func (e elsewhere) Error() string { return "to session " + e.name }

// Attach is kedge attach.
func Attach(env *frame.Env) *cobra.Command {
	var watch bool
	c := &cobra.Command{
		Use:   "attach [NAME]",
		Short: "Look at a session and type into it",
		Long: `Connect this terminal to a session: you see its screen and type into it.
Without a name, Kedge takes the session that you left last, or lets you choose.

  Ctrl-] d         detach; the session continues
  Ctrl-] w         switch to another session: a list; type to filter it
  Ctrl-] n         go to the next session that waits for you
  Ctrl-] l         go back to the session where you were before
  Ctrl-] [         scroll back through everything that the session printed
  Ctrl-] /         search everything that the session printed
  Ctrl-] f         fit the session to this terminal
  Ctrl-] r         rename the session
  Ctrl-] x         end the session
  Ctrl-] ?         show these keys
  Ctrl-] Ctrl-]    type Ctrl-] itself

What the session printed while you were away is in your terminal's scrollback.
Below it, a line says how long you were away. The session takes the size of the
terminal where somebody typed last. Other terminals crop it, or show it with an
empty border. With --watch, you only look: no key reaches the session, and the
session keeps its size. Agents may not attach.`,
		Example: `  kedge attach auth-refactor
  kedge attach                         the session that you left last
  kedge attach auth-refactor --watch   only look`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			name := ""
			if len(args) > 0 {
				name = args[0]
			}
			return attachAs(c.Context(), env, name, watch)
		},
		ValidArgsFunction: frame.SessionNames(env),
	}
	c.Flags().BoolVar(&watch, "watch", false, "only look: keys do not reach the session")
	return c
}

func attachTo(ctx context.Context, env *frame.Env, name string) error {
	return attachAs(ctx, env, name, false)
}

// attachAs attaches to one session after the other, as long as another one is chosen.
func attachAs(ctx context.Context, env *frame.Env, name string, watch bool) error {
	if env.Term == nil {
		if name == "" {
			return kedge.Errorf(kedge.Invalid, "you can attach only from a terminal").WithHint("see the sessions: kedge ls")
		}
		return kedge.Errorf(kedge.Invalid, "you can attach only from a terminal").WithHint("read the session's output instead: kedge logs %s --follow", name)
	}
	var restore func(process.Leaving)
	leave := func(process.Leaving) {}
	defer func() { leave("") }() // also when this panics
	if name == "" {
		chosen, err := chooseSession(ctx, env)
		if err != nil || chosen == "" {
			return err
		}
		name = chosen
	}
	var before kedge.SessionID
	for {
		a, err := newAttachment(ctx, env, name, watch)
		if err != nil {
			return err
		}
		a.before = before
		if restore == nil {
			talkWarnings(env, a.found.Session)
			if restore, err = env.Term.Raw(); err != nil {
				return errors.Join(err, a.close())
			}
		}
		leave = func(process.Leaving) { restore(a.d.Leaving(false)) }
		last, err := a.run(ctx)
		var to elsewhere
		if errors.As(err, &to) {
			name, before = to.name, a.found.Session.ID
			_, _ = env.Term.Out.WriteString(string(a.d.Leaving(false))) // the terminal stays raw
			continue
		}
		restore(a.d.Leaving(err == nil && last.Exit != nil))
		return a.farewell(last, err)
	}
}

// attachment is one terminal's look at a session.
type attachment struct {
	env     *frame.Env
	term    *process.Terminal
	watch   bool
	found   sessions.SessionFound
	before  kedge.SessionID // where somebody was before; empty for nowhere
	seat    *hold.Attached
	keys    *hold.Typist // types what somebody types
	replies *hold.Typist // types what the terminal would answer: keys do not wait for it
	cancel  context.CancelCauseFunc

	mu    sync.Mutex // held while what the terminal shows is changed
	d     frame.Display
	front front       // what covers the session; nil for nothing
	fade  *time.Timer // takes the note away
	seen  seen
	first int64 // the line from which on this terminal has not seen them
}

// newAttachment finds the session and what its screen shows.
func newAttachment(ctx context.Context, env *frame.Env, name string, watch bool) (*attachment, error) {
	found, err := frame.Call[sessions.SessionFound](ctx, env, "session.attach", sessions.SessionName{Name: name})
	if err != nil {
		return nil, err
	}
	if !found.Session.Live() {
		return nil, kedge.Errorf(kedge.Conflict, "Kedge cannot attach to session %q, because it has ended: %s", name, plain.Line(found.Session.Summary())).WithHint("read the session's output instead: kedge logs %s", name)
	}
	if found.Session.Cause == hold.CauseSilent {
		return nil, kedge.Errorf(kedge.Conflict, "the process that keeps session %q alive (its holder) does not answer now", name).WithHint("read the session's output instead: kedge logs %s", name)
	}
	a := &attachment{env: env, term: env.Term, watch: watch, found: found}
	a.keys, a.replies = hold.NewTypist(found.Folder, rand.Uint64()), hold.NewTypist(found.Folder, rand.Uint64())
	if err := a.open(ctx); err != nil {
		return nil, errors.Join(err, a.close())
	}
	return a, nil
}

// open begins with the screen, early enough to have the lines that this terminal missed.
func (a *attachment) open(ctx context.Context) error {
	cols, rows, err := a.term.Size()
	if err != nil {
		return err
	}
	dir := a.found.Folder
	a.seen = readSeen(dir)
	feed, err := tape.OpenFeed(dir, tape.Anywhere, tape.Anywhere)
	if err != nil {
		return err
	}
	a.d = frame.Display{Out: a.term.Out, Feed: feed, Clean: true, Reply: a.replies.Offer}
	a.d.Fits(cols, rows)
	had, known := a.seen.Terminals[thisTerminal(a.term)]
	if a.first = had; !known {
		a.first = max(feed.Lines()-freshMost, 0)
	}
	if from := max(a.first, feed.Lines()-tape.MissedMost); from < feed.Lines() {
		_ = feed.Close() // only read
		if a.d.Feed, err = tape.OpenFeed(dir, tape.Anywhere, from); err != nil {
			return err
		}
	}
	a.d.Past.Dropped = max(a.d.Feed.Lines()-a.first, 0)
	if !known {
		a.d.Past.Dropped = 0
	}
	a.d.Feed.Left = a.left
	a.d.Feed.Returned = a.d.Past.Returned
	a.gap(ctx)
	return nil
}

// freshMost is how many lines above the screen a terminal gets that never showed the
// session.
const freshMost = 500

// left keeps a line that the terminal did not get.
func (a *attachment) left(l vt.Line) {
	if a.d.Way != frame.Whole && a.d.Feed.Lines() > a.first {
		a.d.Past.Add(l)
	}
}

func (a *attachment) close() error {
	var errs []error
	if a.seat != nil {
		errs = append(errs, a.seat.Close())
	}
	if a.d.Feed != nil {
		errs = append(errs, a.d.Feed.Close())
	}
	return errors.Join(errs...)
}

// run shows the session and types what is typed, until one of them ends.
func (a *attachment) run(ctx context.Context) (last hold.State, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	a.cancel = cancel
	defer func() { _ = a.close() }()
	if a.seat, err = hold.Attach(ctx, a.found.Folder, a.d.Viewer(a.watch, false)); err != nil {
		return last, err
	}
	a.beside(func() { cancel(a.typeAll(ctx)) })
	a.beside(func() {
		if err := a.keys.Run(ctx, a.refused); err != nil {
			cancel(err)
		}
	})
	a.beside(func() { _ = a.replies.Run(ctx, func(error) {}) }) // a program that does not read gets none
	a.beside(func() { a.followSize(ctx) })
	a.beside(func() { a.lookAround(ctx) })
	last, err = a.seat.Follow(ctx, func(r hold.Role) error {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.d.Begins(r)
		_, err := a.d.UpTo(a.d.Feed.At()) // it may hold already
		return err
	}, func(end int64) error { return a.upTo(ctx, end) })
	a.mu.Lock() // for good: nobody writes to the terminal any more
	a.remember()
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return last, cause
	}
	return last, err
}

// upTo shows what was printed up to a place in the log. However much that is, what is typed
// meanwhile gets its turn.
func (a *attachment) upTo(ctx context.Context, end int64) error {
	for more := true; more; {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		err := func() (err error) {
			a.mu.Lock()
			defer a.mu.Unlock()
			more, err = a.d.UpTo(end)
			return err
		}()
		if err != nil {
			return err
		}
	}
	return nil
}

// beside does something beside the rest. If it panics, the attachment ends, and the
// terminal is restored.
func (a *attachment) beside(do func()) {
	go func() {
		defer func() {
			if p := recover(); p != nil {
				a.cancel(kedge.Errorf(kedge.Internal, "attach failed: %v", p).WithHint("the session continues; see it in the list: kedge ls"))
			}
		}()
		do()
	}()
}

func (a *attachment) followSize(ctx context.Context) {
	changes, stop := a.term.Resized()
	defer stop()
	for {
		select {
		case <-changes:
			if cols, rows, err := a.term.Size(); err == nil && cols > 0 && rows > 0 {
				a.fit(ctx, cols, rows)
			}
		case <-ctx.Done():
			return
		}
	}
}

// fit shows the session on a terminal that has another size now.
func (a *attachment) fit(ctx context.Context, cols, rows int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.d.Resized(cols, rows); err != nil {
		a.cancel(err)
		return
	}
	_ = a.seat.Update(ctx, a.d.Viewer(a.watch, false)) // a connection that broke is noticed by whoever follows
}

// refused says that the program does not take what is typed.
func (a *attachment) refused(error) {
	a.beginBeside(func() (string, error) {
		ctx, stop := context.WithTimeout(context.Background(), callLimit)
		defer stop()
		note := ""
		err := a.atHolder(ctx, func(c *hold.Client) error {
			if st, err := c.State(ctx); err == nil && st.Running {
				note = "the program does not read what you type"
			}
			return nil // it has ended, which is told in another way
		})
		return note, err
	})
}

// atHolder asks the holder for something.
func (a *attachment) atHolder(ctx context.Context, ask func(c *hold.Client) error) error {
	c, err := hold.Dial(ctx, a.found.Folder)
	if err != nil {
		return err
	}
	return errors.Join(ask(c), c.Close())
}

// farewell says how the attachment ended, on the person's own screen again.
func (a *attachment) farewell(last hold.State, err error) error {
	s := a.found.Session
	switch {
	case errors.Is(err, errDetached):
		a.env.Talk("[detached from session %s; to attach again: kedge attach %s]", s.Name, s.Name)
		talkWarnings(a.env, s)
		return nil
	case err != nil:
		return err
	case last.Exit != nil:
		a.env.Talk("[session %s has ended: exit code %d]", s.Name, last.Exit.Code)
	}
	return nil
}

// status is what the last row says of the session, and of others.
func (a *attachment) status(list []kedge.Session) string {
	s := a.found.Session
	text := " " + s.Name
	for _, now := range list {
		if now.ID == s.ID {
			s = now
		}
	}
	if s.ContextTokens != nil && s.ContextWindow != nil && *s.ContextWindow > 0 {
		text += fmt.Sprintf("  %d%%", *s.ContextTokens*100 / *s.ContextWindow)
	}
	if s.USD != nil {
		text += "  $" + frame.USD(*s.USD)
	}
	others, waits := 0, 0
	for _, o := range list {
		if o.ID != s.ID && o.Live() {
			others++
			if o.State == kedge.SessionWaiting {
				waits++
			}
		}
	}
	if others > 0 {
		text += fmt.Sprintf(" | %d others, %d waiting", others, waits)
	}
	return text + " | Ctrl-] ? "
}
