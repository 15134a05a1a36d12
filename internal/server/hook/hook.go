// Package hook is the process that an agent starts for one of its hooks. It reads the
// agent's message, answers within its time limit, and stores the event for the daemon,
// whether the daemon is up, down or hung. It promises never to disturb the agent: after
// any internal error it ends with exit code 0 and no answer, and writes the error to
// $KEDGE_HOME/hooks/log. It waits for the daemon in two cases only, each with a limit:
// for a checkpoint before a compaction, and for the gate when the agent says "done". It
// never starts a daemon.
package hook

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/agents/hooks"
	"kedge/internal/app/attend"
)

// How long a hook takes at most: usually; and once the daemon has said that it
// runs the gate. The agents are told to wait longer.
const (
	Budget     = 5 * time.Second
	GateBudget = 14 * time.Minute
)

// maxInput bounds what is read of an agent's words.
const maxInput = 24 << 20

// Service is what hooks ask of Kedge.
type Service interface {
	// Brief reads where the work stands; it needs no daemon.
	Brief(ctx context.Context, dir string, in attend.HookBriefRequest) (string, error)
	// Poke tells the daemon that something was left, and waits for nothing.
	Poke()
	// Take has the daemon take what was left.
	Take(ctx context.Context, dir string) error
	// Stop asks whether an agent may stop. A daemon that does not say at once that
	// it is at it is taken to be hung.
	Stop(ctx context.Context, dir string, in attend.HookStopRequest) (attend.HookStopReply, error)
}

// World is everything outside of the process.
type World struct {
	In      io.Reader
	Out     io.Writer
	Getenv  func(string) string
	Environ []string
	Dir     string
	Home    string // KEDGE_HOME
	Now     func() time.Time
	Service Service
	// Project is the project that a folder lies in; false for none.
	Project func(dir string) (id string, ok bool)
	// CompactFrom is the size from which people want contexts compacted in a folder's
	// project; 0: at none. Nil: nobody can tell.
	CompactFrom func(dir string) int64
	// Block is what an agent used in the window of its provider's limit, over all sessions;
	// nil for none. Nil: nobody can tell.
	Block func(ctx context.Context, agent string) *hooks.Block
	// Shell runs the person's own status line.
	Shell func(ctx context.Context, line string, input []byte) ([]byte, error)
	// Budget and GateBudget, where they are others.
	Budget, GateBudget time.Duration

	inside, owner string // a folder, and its project, once it was looked up
}

// Homed takes the state folder out of the words of a hook, `AGENT --home=FOLDER …`:
// where the agent's environment names none, it is that one.
func Homed(args []string, getenv func(string) string) ([]string, func(string) string) {
	if len(args) < 2 {
		return args, getenv
	}
	home, is := strings.CutPrefix(args[1], hooks.HomeFlag)
	if !is {
		return args, getenv
	}
	return append(args[:1:1], args[2:]...), func(name string) string {
		if v := getenv(name); v != "" || name != "KEDGE_HOME" {
			return v
		}
		return home
	}
}

// Main answers one hook: `hook AGENT [statusline [LINE]]`.
func Main(ctx context.Context, args []string, w World) {
	defer func() {
		if v := recover(); v != nil {
			w.log(kedge.Errorf(kedge.Internal, "Kedge crashed while it handled an event of an agent's hook: %v", v))
		}
	}()
	if w.Budget == 0 {
		w.Budget, w.GateBudget = Budget, GateBudget
	}
	answer, err := w.answer(ctx, args)
	if err != nil {
		w.log(err)
	}
	if len(answer) > 0 {
		_, _ = w.Out.Write(answer) // an agent that is gone needs none
	}
}

func (w World) answer(ctx context.Context, args []string) ([]byte, error) {
	if len(args) == 0 {
		return nil, kedge.Errorf(kedge.Invalid, "the hook's command does not name an agent")
	}
	agent, ok := catalog.HooksOf(args[0])
	if !ok {
		return nil, kedge.Errorf(kedge.Invalid, "Kedge has no hooks for agent %q", args[0])
	}
	if w.Getenv("KEDGE_RUN") != "" && !isStatus(args) {
		return nil, nil // a run drives it, and needs no hooks
	}
	input, err := io.ReadAll(io.LimitReader(w.In, maxInput+1)) // an agent that does not end it waits for itself
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "Kedge's hook cannot read what the agent sent to it: %w", err)
	}
	if len(input) > maxInput {
		return nil, kedge.Errorf(kedge.Invalid, "the agent sent more than %d bytes to Kedge's hook", maxInput)
	}
	if isStatus(args) {
		return w.status(ctx, args, input)
	}
	ev, err := hooks.Parse(agent, input)
	if err != nil || ev.Kind == "" {
		return nil, err
	}
	if ev.Dir == "" {
		ev.Dir = w.Dir
	}
	owner, ok := w.Project(ev.Dir)
	if !ok {
		return nil, nil
	}
	w.inside, w.owner = ev.Dir, owner
	return w.event(ctx, ev)
}

func isStatus(args []string) bool { return len(args) > 1 && args[1] == "statusline" }

// event answers what happened. What has to wait for nobody sets up nothing for it.
func (w World) event(ctx context.Context, ev hooks.Input) ([]byte, error) {
	switch ev.Kind {
	case kedge.HookStart:
		return w.start(ctx, ev)
	case kedge.HookBefore:
		return w.before(ev)
	case kedge.HookTool:
		return w.tool(ctx, ev)
	case kedge.HookCompact:
		return w.compact(ctx, ev)
	case kedge.HookCompacted:
		d := w.data(ev)
		d.Tokens = lastTokens(ev)
		return nil, w.leave(ev, d)
	case kedge.HookStop:
		return w.stop(ctx, ev)
	default:
		return nil, w.leave(ev, w.data(ev))
	}
}

// start gives a conversation its brief, unless it was started with one.
func (w World) start(ctx context.Context, ev hooks.Input) ([]byte, error) {
	left := w.leave(ev, w.data(ev))
	if w.Getenv("KEDGE_BRIEF") != "" && ev.Source == "startup" {
		return nil, left
	}
	ctx, cancel := context.WithTimeout(ctx, w.Budget)
	defer cancel()
	text, err := w.brief(ctx, ev)
	return ev.Context(text), errors.Join(left, err)
}

func (w World) brief(ctx context.Context, ev hooks.Input) (string, error) {
	env := map[string]string{}
	for _, name := range catalog.Transcripts().Variables() {
		if v := w.Getenv(name); v != "" {
			env[name] = v
		}
	}
	return within(ctx, func() (string, error) {
		return w.Service.Brief(ctx, ev.Dir, attend.HookBriefRequest{Event: ev.Kind, Source: ev.Source, Transcript: ev.Transcript, Env: env})
	})
}

// before denies what changes something while the agent plans.
func (w World) before(ev hooks.Input) ([]byte, error) {
	if !ev.Denied() {
		return nil, nil
	}
	d := w.data(ev)
	d.Blocked, d.Text = true, hooks.Planning
	return ev.Deny(hooks.Planning), w.leave(ev, d)
}

// tool makes a long output short, and keeps all of it. What takes too long to make
// short stays as it is.
func (w World) tool(ctx context.Context, ev hooks.Input) ([]byte, error) {
	d := w.data(ev)
	text, file, ok := ev.Output()
	if !ok || len(text) <= Long && file == "" {
		return nil, w.leave(ev, d)
	}
	ctx, cancel := context.WithTimeout(ctx, w.Budget)
	defer cancel()
	s, err := within(ctx, func() (short, error) { return w.condense(ev, text, file) })
	d.Bytes, d.Output, d.Shown = max(d.Bytes, s.bytes), s.output, s.shown
	return s.answer, errors.Join(err, w.leave(ev, d))
}

// compact has a checkpoint saved, and says what has to be kept.
func (w World) compact(ctx context.Context, ev hooks.Input) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, w.Budget)
	defer cancel()
	text, err := w.brief(ctx, ev)
	d := w.data(ev)
	d.Text, d.Tokens = text, lastTokens(ev)
	err = errors.Join(err, w.leave(ev, d))
	_, taken := within(ctx, func() (struct{}, error) { return struct{}{}, w.Service.Take(ctx, ev.Dir) })
	return ev.Focus(text), errors.Join(err, taken)
}

// stop asks for the gate. Without an answer the agent may go.
func (w World) stop(ctx context.Context, ev hooks.Input) ([]byte, error) {
	left := w.leave(ev, w.data(ev))
	if ev.Mode == "plan" {
		return nil, left // nothing was to be changed
	}
	ctx, cancel := context.WithTimeout(ctx, w.GateBudget)
	defer cancel()
	r, err := within(ctx, func() (attend.HookStopReply, error) {
		return w.Service.Stop(ctx, ev.Dir, attend.HookStopRequest{Agent: ev.Agent.Name, Native: ev.Native, Ask: ev.Ask, Again: ev.Again, Env: w.Environ})
	})
	switch {
	case err != nil:
		return nil, errors.Join(left, err)
	case r.Block && !ev.Again: // whoever answers: never twice
		return ev.Block(r.Reason), left
	default:
		return ev.Tell(joined(r.Tell, w.large(ev))), left
	}
}

// large is what the person is told of a context that became large.
func (w World) large(ev hooks.Input) string {
	n := lastTokens(ev)
	if n == nil {
		return ""
	}
	return ev.TimeToCompact(*n, w.compactFrom(ev.Dir, *n))
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}

// within does something that may not hear of the end of a context; then it is
// left alone, and goes with the process. After the end nothing is begun.
func within[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	if ctx.Err() == nil {
		go func() {
			var r result
			defer func() {
				if v := recover(); v != nil { // else the agent would see the process fail
					r.err = kedge.Errorf(kedge.Internal, "Kedge crashed while it handled an event of an agent's hook: %v", v)
				}
				done <- r
			}()
			r.v, r.err = do()
		}()
	}
	select {
	case r := <-done:
		return r.v, r.err
	case <-ctx.Done():
		var none T
		return none, kedge.Errorf(kedge.Interrupted, "Kedge's hook took too long, so the agent continues without an answer: %w", context.Cause(ctx))
	}
}
