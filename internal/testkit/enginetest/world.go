package enginetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"

	"kedge"
	"kedge/internal/core/run"
	"kedge/internal/engine"
)

// world is what commands are carried out on: a branch, sessions, and a record of
// everything that was done. It outlives the engines and executors of a test, as
// a repository outlives daemons.
type world struct {
	script func(ctx context.Context, c run.Command) (run.Input, bool, error) // comes first; false: the usual answer
	holds  bool                                                              // sessions go on until they are let go
	exits  []run.Input                                                       // of sessions to come; then all finish

	mu       sync.Mutex
	seen     map[key]run.Command // what was asked for, by number
	done     map[key]run.Input   // what was done, by its first number
	sessions map[key]*session
	ends     map[place]int64 // the number of the newest command to end a job's session
	writing  map[place]claim // who has a job's worktree now
	effects  map[string]int
	order    []run.CommandKind
	wrong    []string
}

// key is a command, by its number in its run.
type key struct {
	run   kedge.RunID
	epoch int64
}

// place is a job's worktree.
type place struct {
	run kedge.RunID
	job int
}

// claim is a command that writes a worktree, and whose hands do it.
type claim struct {
	by   *hands
	kind run.CommandKind
}

// session is a living agent. Nobody but the world ends it.
type session struct {
	at   place
	by   *hands // that stay with it
	over chan struct{}
	how  run.Input
	ends sync.Once
}

func newWorld() *world {
	return &world{
		seen: map[key]run.Command{}, done: map[key]run.Input{}, sessions: map[key]*session{}, ends: map[place]int64{},
		writing: map[place]claim{}, effects: map[string]int{},
	}
}

// hands carry commands out on a world, until they die.
type hands struct {
	w *world

	mu   sync.Mutex
	dead bool
}

// errDead is told to nobody: who asks is dead too.
var errDead = errors.New("these hands are dead")

func (w *world) hands() *hands { return &hands{w: w} }

// die ends the hands as a kill does: nothing is done any more, in the middle of
// whatever they did.
func (h *hands) die() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.dead = true
	h.w.mu.Lock()
	defer h.w.mu.Unlock()
	maps.DeleteFunc(h.w.writing, func(_ place, c claim) bool { return c.by == h })
}

// act does something unless the hands are dead: no effect comes after a death.
func (h *hands) act(do func(w *world)) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.dead {
		return errDead
	}
	h.w.mu.Lock()
	defer h.w.mu.Unlock()
	do(h.w)
	return nil
}

// Do carries a command out; see engine.Executor.
func (h *hands) Do(ctx context.Context, c run.Command, report func(run.Input)) (run.Input, error) {
	if err := h.act(func(w *world) { w.asked(c) }); err != nil {
		return run.Input{}, err
	}
	if c.Kind == run.StartSession {
		return h.session(ctx, c, report)
	}
	if writesTree(c.Kind) {
		if err := h.act(func(w *world) { w.enter(h, c) }); err != nil {
			return run.Input{}, err
		}
		defer func() { _ = h.act(func(w *world) { delete(w.writing, place{c.Run, c.Job}) }) }()
	}
	if h.w.script != nil {
		if ev, ok, err := h.w.script(ctx, c); ok || err != nil {
			return ev, err
		}
	}
	if ctx.Err() != nil {
		return run.Input{}, context.Cause(ctx)
	}
	var ev run.Input
	err := h.act(func(w *world) { ev = w.effect(c) })
	return ev, err
}

// asked holds a command against every other that had its number.
func (w *world) asked(c run.Command) {
	k := key{c.Run, c.Epoch}
	old, again := w.seen[k]
	w.seen[k] = c
	switch {
	case again && (old.Kind != c.Kind || old.Job != c.Job || old.Origin() != c.Origin()):
		w.blame("number %d of %s was %s and is %s: something followed from a step that was not kept", c.Epoch, c.Run, old.Kind, c.Kind)
	case c.Adopts != 0 && c.Origin() >= c.Epoch:
		w.blame("%s %d says that it adopts %d of %d", c.Kind, c.Epoch, c.Adopts, c.Origin())
	}
}

// writesTree tells whether nothing else may write the job's worktree meanwhile.
func writesTree(k run.CommandKind) bool {
	switch k {
	case run.Prepare, run.Gate, run.Prove, run.Park, run.Inspect, run.Revert:
		return true
	default:
		return false
	}
}

func (w *world) enter(h *hands, c run.Command) {
	at := place{c.Run, c.Job}
	if other, busy := w.writing[at]; busy {
		w.blame("%s begins in the worktree where %s is not over", c.Kind, other.kind)
	}
	w.writing[at] = claim{h, c.Kind}
}

// effect does the work, once for each first number, and gives the answer.
func (w *world) effect(c run.Command) run.Input {
	k := key{c.Run, c.Origin()}
	if ev, done := w.done[k]; done {
		return ev
	}
	w.effects[string(c.Kind)]++
	w.order = append(w.order, c.Kind)
	ev := Happy(c)
	switch c.Kind {
	case run.Commit, run.Ledger:
		w.effects[string(c.Run)+" "+string(c.Kind)+" "+string(c.Feature)+" "+string(c.Status)]++
		if c.Flaky {
			w.effects["flaky"]++
		}
	case run.EndSession: // counts for a session that was asked for before and is not started yet
		at := place{c.Run, c.Job}
		w.ends[at] = max(w.ends[at], c.Origin())
		for _, s := range w.sessions {
			if s.at == (place{c.Run, c.Job}) {
				s.end(run.Input{Outcome: run.Closed})
			}
		}
	case run.Tell, run.Notify, run.Mark:
		w.effects[string(c.Kind)+" "+c.Text+string(c.Status)]++
	default:
	}
	w.done[k] = ev
	return ev
}

// Happy is the answer to a command in a world where all goes well. The same
// command gives the same answer, whoever asks.
func Happy(c run.Command) run.Input {
	ev := run.Input{Kind: c.Kind.Answer(), Outcome: run.OK}
	switch c.Kind {
	case run.Prepare:
		ev.Commit, ev.Tree, ev.Environment = c.Base, "tree of "+c.Base, "e"
	case run.Gate:
		ev.Outcome, ev.Tree, ev.Environment = run.Green, c.Tree, "e"
		if c.Tree == "" {
			ev.Tree = fmt.Sprintf("work of %s %d", c.Run, c.Job)
		}
	case run.Prove:
		ev.Outcome = run.Fails
	case run.StartSession:
		ev.Outcome = run.Finished
	case run.Inspect:
		ev.Outcome = run.Clean
	case run.Integrate:
		ev.Outcome, ev.Tree, ev.Environment = run.Green, c.Tree, "e"
		ev.Evidence = kedge.EvidenceID(fmt.Sprintf("evd-%s-%d", c.Run, c.Origin()))
	case run.Commit, run.Ledger:
		ev.Commit, ev.Tree = fmt.Sprintf("%s of %s %d", c.Kind, c.Feature, c.Origin()), c.Tree
	default:
	}
	return ev
}

// session starts an agent, or finds the one that lives, and stays with it.
func (h *hands) session(ctx context.Context, c run.Command, report func(run.Input)) (run.Input, error) {
	var s *session
	if err := h.act(func(w *world) { s = w.start(h, c) }); err != nil {
		return run.Input{}, err
	}
	defer func() { _ = h.act(func(*world) { s.by = nil }) }()
	report(run.Input{Kind: run.Used, Outcome: run.OK, Usage: &kedge.Spend{Tokens: 100, USD: 0.5}})
	select {
	case <-s.over:
		ev := s.how
		ev.Usage = &kedge.Spend{Tokens: 150, USD: 0.75}
		return ev, nil
	case <-ctx.Done():
		if !errors.Is(context.Cause(ctx), engine.ErrLeave) {
			_ = h.act(func(w *world) { w.blame("the session of job %d was withdrawn", c.Job) })
		}
		return run.Input{}, context.Cause(ctx)
	}
}

func (w *world) start(h *hands, c run.Command) *session {
	k := key{c.Run, c.Origin()}
	s := w.sessions[k]
	if s != nil {
		if s.by == h {
			w.blame("the session of job %d is adopted by who has it", c.Job)
		}
		s.by = h
		return s
	}
	s = &session{at: place{c.Run, c.Job}, by: h, over: make(chan struct{})}
	for _, o := range w.sessions {
		if o.at == s.at && o.live() {
			w.blame("job %d has two living sessions", c.Job)
		}
	}
	w.sessions[k] = s
	w.effects[string(c.Run)+" session "+string(c.Feature)]++
	switch {
	case w.ends[s.at] > c.Origin():
		s.end(run.Input{Outcome: run.Closed})
	case len(w.exits) > 0:
		s.end(w.exits[0])
		w.exits = w.exits[1:]
	case !w.holds:
		s.end(run.Input{Outcome: run.Finished})
	}
	return s
}

func (s *session) end(how run.Input) {
	s.ends.Do(func() {
		s.how = how
		close(s.over)
	})
}

func (s *session) live() bool {
	select {
	case <-s.over:
		return false
	default:
		return true
	}
}

// finish lets all sessions go that are held, and those to come.
func (w *world) finish() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.holds = false
	for _, s := range w.sessions {
		s.end(run.Input{Outcome: run.Finished})
	}
}

// alive is how many sessions live.
func (w *world) alive() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for _, s := range w.sessions {
		if s.live() {
			n++
		}
	}
	return n
}

func (w *world) blame(format string, args ...any) {
	w.wrong = append(w.wrong, fmt.Sprintf(format, args...))
}

// count is how often something was done.
func (w *world) count(what string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.effects[what]
}

func (h *hands) isDead() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.dead
}
