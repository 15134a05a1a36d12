package follow

import (
	"context"
	"strconv"
	"syscall"
	"time"

	"kedge"
	"kedge/internal/agents"
	"kedge/internal/agents/catalog"
	"kedge/internal/core/run"
	"kedge/internal/process/hold"
	"kedge/internal/text/lazyre"
)

// conclude makes the answer of a session that is over: everything that it
// printed is read, nothing of it lives any more, and its end is written down.
func (s *session) conclude(ctx context.Context, f hold.Found) (run.Input, error) {
	defer func() { closeClient(f.Client) }()
	left, err := hold.EndLeft(s.dir)
	if err != nil {
		return run.Input{}, err
	}
	if left > 0 {
		s.cfg.log().Warn("the process that kept a session alive (its holder) was killed, so Kedge ended the session's other processes", "session", string(s.id), "processes", left)
	}
	if _, end, err := s.tape(); err == nil {
		s.readTo(ctx, end)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.off > 0 {
		s.feed(ctx, s.off, []byte("\n"), s.cfg.Now()) // a last line that was not ended
	}
	s.makeGood(ctx, f)
	ev := s.outcome(f)
	for i, sig := range s.watch.End(s.cfg.Now(), ev.Outcome == run.Finished) {
		s.signal(ctx, notice{key: "end-" + strconv.Itoa(i), sig: sig})
	}
	s.journalCompaction(ctx)
	if err := s.journalUsage(ctx); err != nil {
		return run.Input{}, err
	}
	if err := s.journalEnd(ctx, s.endOf(f)); err != nil {
		return run.Input{}, err
	}
	if err := s.journalClosing(ctx); err != nil {
		return run.Input{}, err
	}
	if s.heard != nil {
		return run.Input{}, s.heard
	}
	if f.Client != nil && f.Result != nil {
		_ = f.Client.Collect(ctx) // it goes by itself as well
	}
	return ev, nil
}

func (s *session) endOf(f hold.Found) kedge.SessionEndedData {
	d := kedge.SessionEndedData{ID: f.ID, State: f.State, Cause: f.Cause, Bytes: s.off, Conversation: s.conversation(), Closing: s.last.Text()}
	if f.Result != nil {
		code := f.Result.Code
		d.ExitCode, d.Cause, d.Bytes = &code, f.Result.Cause, f.Result.End
		d.Signal = f.Result.SignalName()
	}
	return d
}

// outcome is what the end means for the run.
func (s *session) outcome(f hold.Found) run.Input {
	ev := s.c.Reply(run.Killed)
	ev.Session, ev.Usage = s.id, s.use.spent
	ev.Conversation = s.conversation()
	ev.Context, ev.Window = s.watch.Context()
	ev.Handover = s.watch.Handover()
	if f.Result == nil {
		ev.Reason = "the process that kept the session alive (its holder) was killed: " + f.Cause
		return ev
	}
	r := *f.Result
	exit := s.reader.Exit(r.Code, r.Cause)
	if catalog.Of(s.adapter.Kind()).Versions.Untried(exit.Version) {
		s.cfg.log().Warn("Kedge was never tested with this version of the agent", "session", string(s.id), "agent", s.adapter.Kind(), "version", exit.Version)
	}
	ev.Reason, ev.Until = exit.Text, exit.Until
	switch {
	case r.Asked || s.isWished() && exit.Meaning != agents.Finished:
		ev.Outcome, ev.Reason = run.Closed, ""
	case r.Signal != 0 && (r.Cause == hold.CauseMemory || itsOwn(syscall.Signal(r.Signal))):
		ev.Outcome, ev.Reason = run.Crashed, "signal "+strconv.Itoa(r.Signal)+" ("+r.Cause+")"
	case r.Signal != 0:
		ev.Reason = "it was ended by signal " + strconv.Itoa(r.Signal)
	case exit.Meaning == agents.Asked:
		ev.Outcome, ev.Text, ev.Reason = run.Asked, exit.Text, ""
	default:
		ev.Outcome = outcomes[exit.Meaning]
	}
	if soon := s.cfg.Now().Add(limitPause); ev.Outcome == run.HitLimit && !ev.Until.IsZero() && ev.Until.Before(soon) {
		ev.Until = soon // it is over already, or as good as: not a time that means nothing
	}
	return ev
}

// isWished tells whether the session was to end.
func (s *session) isWished() bool {
	select {
	case <-s.wished:
		return true
	default:
		return false
	}
}

// limitPause is how long a limit is waited for at least.
const limitPause = 5 * time.Second

var outcomes = map[agents.Meaning]run.Outcome{
	agents.Finished: run.Finished,
	agents.Failed:   run.Crashed,
	agents.Limited:  run.HitLimit,
	agents.NoLogin:  run.NoLogin,
}

// itsOwn tells whether a signal comes from what the program itself did wrong,
// not from somebody else.
func itsOwn(sig syscall.Signal) bool {
	switch sig {
	case syscall.SIGSEGV, syscall.SIGABRT, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGILL, syscall.SIGTRAP, syscall.SIGSYS:
		return true
	default:
		return false
	}
}

// conversation is what the program calls its conversation, if that can be said to it
// again: it becomes an argument, and a session must not choose its successor's flags.
func (s *session) conversation() string {
	id := s.reader.Exit(0, "").Conversation
	if !conversationID.MatchString(id) {
		return ""
	}
	return id
}

var conversationID = lazyre.New(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,199}$`)
