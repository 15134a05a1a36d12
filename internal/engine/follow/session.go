package follow

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"kedge"
	"kedge/internal/agents"
	"kedge/internal/core/run"
	"kedge/internal/core/watch"
	"kedge/internal/engine"
	"kedge/internal/process"
	"kedge/internal/process/atomicfile"
	"kedge/internal/process/hold"
	"kedge/internal/process/tape"
)

// session is one session of a job while it is started, followed and concluded.
type session struct {
	cfg     *Config
	live    *living
	c       run.Command
	asked   Work
	id      kedge.SessionID
	number  int // among those for its feature
	dir     string
	work    string // its worktree
	route   kedge.Routed
	adapter agents.Adapter
	tools   []string     // the server of Kedge's tools; empty: none
	offer   agents.Offer // likewise
	report  func(run.Input)
	wished  <-chan struct{} // closed when it is to be ended
	forget  func()          // its holder is no longer known
	typed   *typist
	caught  chan struct{} // closed when everything that was printed before it was taken up is read

	mu     sync.Mutex // over what is below: output and moments come from two sides
	reader agents.Reader
	watch  *watch.Watcher
	off    int64 // of the tape, up to where it was read
	use    usage
	unsaid *notice // a question that was printed before it was taken up
	old    int64   // of the tape, what was on it when the session was taken up: none of it is news
	heard  error   // the first time that nobody could hear
	quiet  []hold.Sample
	open   []string // calls that have no result yet
	first  firsts
	last   Closing
	short  shortening
	words  []word // of people, that it could not hear yet

	holding sync.Mutex // over what is below: one holds or lets go at a time
	stand   int64      // the number of the newest command to hold or let go
	held    bool       // what that command wants
}

// do takes the session from wherever it is to its end.
func (s *session) do(ctx context.Context) (run.Input, error) {
	f, err := s.look(ctx)
	if err != nil {
		return run.Input{}, err
	}
	switch {
	case f.State == kedge.SessionRunning:
		if _, end, err := s.tape(); err == nil {
			s.old = end
		}
		if st, err := f.Client.State(ctx); err == nil {
			s.typed.past = st.Replied
		}
		if err := s.known(func() (int, error) { return f.Client.Greeting.Holder.PID, nil }); err != nil {
			return run.Input{}, errors.Join(err, f.Client.Close())
		}
	case f.Result != nil || began(s.dir):
		return s.conclude(context.WithoutCancel(ctx), f)
	default:
		if s.unwanted(ctx) {
			return s.c.Reply(run.Closed), engine.Left(ctx)
		}
		var ev *run.Input
		if f.Client, ev, err = s.begin(ctx); ev != nil || err != nil {
			return deref(ev), err
		}
		s.holdAtStart(ctx)
	}
	f, err = s.follow(ctx, f.Client)
	if err != nil {
		return run.Input{}, err
	}
	return s.conclude(context.WithoutCancel(ctx), f)
}

func deref(ev *run.Input) run.Input {
	if ev == nil {
		return run.Input{}
	}
	return *ev
}

// unwanted tells whether the session is not to be started any more.
func (s *session) unwanted(ctx context.Context) bool { return s.isWished() || ctx.Err() != nil }

// look finds the session as it is; of a holder that does not answer now it waits
// for the answer.
func (s *session) look(ctx context.Context) (hold.Found, error) {
	for {
		f := hold.Look(ctx, s.dir)
		if f.State != kedge.SessionRunning || f.Client != nil {
			return f, nil
		}
		if err := pause(ctx); err != nil {
			return f, err
		}
	}
}

// began tells whether a holder was ever at work in the session's folder.
func began(dir string) bool {
	if _, err := hold.ReadRecord(dir); err == nil {
		return true
	}
	_, end, err := tape.Open(dir).Range()
	return err == nil && end > 0
}

// begin writes the session down and starts it. The event is the answer of a
// session that cannot be started.
func (s *session) begin(ctx context.Context) (*hold.Client, *run.Input, error) {
	var err error
	if s.tools, err = s.asked.Tools(ctx); err != nil {
		return nil, nil, err
	}
	if s.asked.Offer != nil {
		if s.offer, err = s.asked.Offer(ctx, s.route.Agent); err != nil {
			return nil, nil, err
		}
	}
	start, err := s.start()
	if err != nil {
		return nil, nil, err
	}
	token, err := process.IssueToken(s.dir)
	if err != nil {
		return nil, nil, err
	}
	if err := s.started(ctx, start); err != nil {
		return nil, nil, err
	}
	var c *hold.Client
	err = s.known(func() (int, error) {
		spec, err := s.spec(ctx, start, token)
		if err != nil {
			return 0, err
		}
		if c, err = s.cfg.Holder.Start(ctx, spec); err != nil {
			return 0, err
		}
		return c.Greeting.Holder.PID, nil
	})
	if err != nil {
		// A holder that came up and did not answer in time holds the session all the
		// same: nothing that runs may be taken for absent.
		f := hold.Look(ctx, s.dir)
		c = f.Client
		if f.State == kedge.SessionRunning || f.Result != nil {
			err = nil
		}
	}
	if err == nil {
		s.report(run.Input{Kind: run.Used, Outcome: run.OK, Session: s.id})
		return c, nil, nil
	}
	if err := s.journalEnd(ctx, kedge.SessionEndedData{ID: s.id, State: kedge.SessionInterrupted, Cause: "did not start"}); err != nil {
		return nil, nil, err
	}
	if kedge.NotFound.Is(err) || kedge.Invalid.Is(err) || kedge.Blocked.Is(err) {
		ev := s.c.Reply(run.NoLogin)
		ev.Reason, ev.Session = err.Error(), s.id
		return nil, &ev, nil
	}
	return nil, nil, err
}

// start writes the brief and asks the adapter how to start.
func (s *session) start() (agents.Start, error) {
	text, err := s.asked.Brief()
	if err != nil {
		return agents.Start{}, err
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return agents.Start{}, kedge.Errorf(kedge.Internal, "cannot make the folder for the output of session %q: %w", s.id, err)
	}
	if err := atomicfile.Write(s.briefFile(), []byte(text), 0o600); err != nil {
		return agents.Start{}, kedge.Errorf(kedge.Internal, "cannot save the brief (the start text) of session %q: %w", s.id, err)
	}
	return s.adapter.Start(s.task())
}

func (s *session) task() agents.Task {
	return agents.Task{
		Session: s.id, Run: s.c.Run, Feature: s.c.Feature, Attempt: s.c.Attempt, Purpose: string(s.c.Purpose), Number: s.number,
		Model: s.route.Model, Dir: s.work, Brief: s.briefFile(), ReadOnly: s.c.Purpose == run.MakePlan, Resume: s.c.Resume, Tools: s.tools, Offer: s.offer,
	}
}

func (s *session) briefFile() string { return filepath.Join(s.dir, "brief.md") }

func (s *session) spec(ctx context.Context, start agents.Start, token string) (hold.Spec, error) {
	box, err := s.asked.Box(ctx)
	if err != nil {
		return hold.Spec{}, err
	}
	id := string(s.id)
	spec := hold.Spec{
		Session: s.id, Dir: s.dir, Socket: filepath.Join(s.cfg.Sockets, id[len(id)-12:]),
		Command: start.Command, Cwd: s.work, Env: process.WithToken(s.env(start), token),
	}
	if !start.Pipes {
		spec.Cols, spec.Rows = 120, 40
	}
	if under := box.Prefix(); len(under) > 0 {
		if _, err := hold.LookPath(start.Command[0], s.work, spec.Env); err != nil {
			return spec, err // said by us: in the box it would only be an exit code
		}
		if err := box.Try(ctx); err != nil {
			return spec, err // likewise: a box that cannot be made is not the agent's failure
		}
		spec.Command = append(under, start.Command...)
	}
	return spec, nil
}

// env is the caller's environment with what tells the program its session. What
// the caller has of the kind is taken out: an agent must not pass for another,
// nor act on another project.
func (s *session) env(start agents.Start) []string {
	ours := append(slices.Clone(start.Env), "KEDGE_SESSION="+string(s.id), "KEDGE_RUN="+string(s.c.Run), "KEDGE_HOME="+s.cfg.Home, "PWD="+s.work)
	taken := map[string]bool{"KEDGE_PROJECT": true, process.OperatorVariable: true}
	for _, kv := range ours {
		name, _, _ := strings.Cut(kv, "=")
		taken[name] = true
	}
	var out []string
	for _, kv := range s.asked.Env() {
		if name, _, _ := strings.Cut(kv, "="); !taken[name] {
			out = append(out, kv)
		}
	}
	slices.Sort(ours)
	return append(out, slices.CompactFunc(ours, func(a, b string) bool { return a == b })...)
}

// known starts the holder, and makes known whose it is.
func (s *session) known(start func() (int, error)) error {
	forget, err := s.cfg.Holding(s.id, start)
	if err == nil {
		s.forget = forget
	}
	return err
}
