package follow

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strconv"

	"kedge"
	"kedge/internal/agents"
	"kedge/internal/core/run"
	"kedge/internal/core/watch"
	"kedge/internal/process/tape"
)

// usage is what a session said that it used.
type usage struct {
	reports int
	spent   *kedge.Spend // nil: it never said
	usd     *float64
	kinds   *kedge.TokenKinds // nil: it never said
	partial bool              // it said that it used more
	begun   bool              // a reply whose usage it has not said yet
	model   string
	context *int64
	window  *int64

	written int // reports that the journal has
	bucket  int64
}

func (u *usage) take(ev watch.Act) {
	if ev.Kind != watch.Usage || ev.Used == nil {
		return
	}
	u.reports++
	if s, ok := Spent(ev.Used); ok {
		if u.spent == nil {
			u.spent = &kedge.Spend{}
		}
		total := kedge.Spend{Tokens: u.spent.Tokens + s.Tokens, USD: u.spent.USD + s.USD}
		u.spent = &total
	}
	u.kinds = addKinds(u.kinds, ev.Used)
	u.partial, u.begun = u.partial || ev.Used.Partial || u.begun && ev.Used.Begun, ev.Used.Begun
	if ev.Used.USD != nil {
		usd := u.spent.USD
		u.usd = &usd
	}
	if ev.Used.Context != nil {
		u.context = ev.Used.Context
	}
	if ev.Used.Window != nil {
		u.window = ev.Used.Window
	}
	if ev.Used.Model != "" {
		u.model = ev.Used.Model
	}
}

// less tells whether more was used than is known.
func (u *usage) less() bool { return u.partial || u.begun }

// addKinds adds what a report says of the kinds of tokens; one that says nothing
// leaves unknown what is.
func addKinds(k *kedge.TokenKinds, u *watch.Used) *kedge.TokenKinds {
	if u.Input == nil && u.CacheRead == nil && u.CacheWrite == nil && u.Output == nil {
		return k
	}
	var sum kedge.TokenKinds
	if k != nil {
		sum = *k
	}
	for _, f := range []struct {
		to  *int64
		add *int64
	}{{&sum.Input, u.Input}, {&sum.CacheRead, u.CacheRead}, {&sum.CacheWrite, u.CacheWrite}, {&sum.CacheWriteHour, u.CacheWriteHour}, {&sum.Output, u.Output}} {
		if f.add != nil {
			*f.to += *f.add
		}
	}
	return &sum
}

// buckets is into how many parts a context is divided: the journal is told when
// it comes to another one, and at the end.
const buckets = 20

// moved tells whether the context came to another part.
func (u *usage) moved() bool {
	if u.context == nil || u.window == nil || *u.window <= 0 {
		return false
	}
	b := 1 + *u.context*buckets / *u.window // the first report is one too
	if b == u.bucket {
		return false
	}
	u.bucket = b
	return true
}

// reportUsage tells the run what was used so far.
func (s *session) reportUsage(ctx context.Context) {
	if s.use.spent != nil {
		total := *s.use.spent
		s.report(run.Input{Kind: run.Used, Outcome: run.OK, Session: s.id, Usage: &total})
	}
	if s.use.moved() {
		if err := s.journalUsage(ctx); err != nil {
			s.cfg.log().Error("cannot record what a session used", "session", string(s.id), "error", err.Error())
		}
	}
}

// journalUsage writes down what was used, once for each number of reports.
func (s *session) journalUsage(ctx context.Context) error {
	u, unread := &s.use, s.reader.Broken()
	if u.reports == u.written && unread == 0 {
		return nil
	}
	u.written = u.reports
	d := kedge.SessionUsedData{ID: s.id, Model: u.model, USD: u.usd, ContextTokens: u.context, ContextWindow: u.window, Unread: unread, Kinds: u.kinds, Partial: u.less()}
	if u.spent != nil {
		d.Tokens = &u.spent.Tokens
	}
	return s.journal(ctx, "used-"+strconv.Itoa(u.reports)+"-"+strconv.Itoa(unread), kedge.SessionUsed, d)
}

func (s *session) journal(ctx context.Context, what string, typ kedge.EventType, data any) error {
	ev, err := kedge.NewEvent(typ, kedge.ActorDaemon, data)
	if err != nil {
		return err
	}
	return s.cfg.Journal(ctx, string(s.id)+"-"+what, ev)
}

// journalEnd writes the end down; the key is the one that everybody uses who
// sees a session end.
func (s *session) journalEnd(ctx context.Context, d kedge.SessionEndedData) error {
	ev, err := kedge.NewEvent(kedge.SessionEnded, kedge.ActorDaemon, d)
	if err != nil {
		return err
	}
	return s.cfg.Journal(ctx, "ended-"+string(d.ID), ev)
}

// journalClosing writes down what the agent of an adopted session said last. Whoever saw
// it end first, while no daemon read it, wrote its end without that.
func (s *session) journalClosing(ctx context.Context) error {
	text := s.last.Text()
	if s.c.Adopts == 0 || text == "" {
		return nil
	}
	return s.journal(ctx, "closing", kedge.SessionUsed, kedge.SessionUsedData{ID: s.id, Closing: text})
}

// started writes down that the session is about to start.
func (s *session) started(ctx context.Context, start agents.Start) error {
	begun := begun(s.c)
	if s.asked.Compared != nil {
		var err error
		if begun.Compared, err = s.asked.Compared(ctx); err != nil {
			s.cfg.log().Error("cannot compare changed files with the checkpoint", "session", string(s.id), "error", err.Error())
			begun.Compared = nil
		}
	}
	route := s.route
	route.Agent = cmp.Or(route.Agent, filepath.Base(start.Command[0]))
	return s.journal(ctx, "started", kedge.SessionStarted, kedge.Session{
		ID: s.id, Name: sessionName(s.c), Project: s.cfg.Project, Agent: route.Agent, Command: start.Command, Dir: s.work,
		State: kedge.SessionRunning, StartedAt: s.cfg.Now().UTC(), Run: s.c.Run, Feature: s.c.Feature, Route: &route,
		Conversation: s.c.Resume, Begun: begun,
	})
}

// begun says how the session of a command begins.
func begun(c run.Command) *kedge.Begun {
	if c.Resume != "" {
		return &kedge.Begun{How: kedge.BegunNative, Why: c.Reason}
	}
	return &kedge.Begun{How: kedge.BegunFresh, Why: c.Reason}
}

// sessionName is the feature's, else what the session is for.
func sessionName(c run.Command) string {
	if c.Feature != "" && kedge.ValidName(string(c.Feature)) {
		return string(c.Feature)
	}
	return string(c.Purpose)
}

// tape is the part of the session's output that can be read.
func (s *session) tape() (from, end int64, err error) { return tape.Open(s.dir).Range() }

// signal writes down what was noticed and tells the run what follows from it. The
// key, of a place on the tape or in time, tells what is noticed anew from what a
// second owner reads again.
func (s *session) signal(ctx context.Context, a notice) {
	sig := a.sig
	err := s.journal(ctx, "signal-"+string(sig.Kind)+"-"+a.key, kedge.SessionSignalled, kedge.SessionSignalledData{
		ID: s.id, Signal: string(sig.Kind), Reason: sig.Reason, Advice: string(sig.Advice), Focus: sig.Focus,
	})
	if err != nil {
		s.cfg.log().Error("cannot record a warning about a session", "session", string(s.id), "error", err.Error())
	}
	ev := run.Input{Kind: run.Signalled, Session: s.id, Reason: fmt.Sprintf("%s: %s", sig.Kind, sig.Reason), Text: sig.Text}
	if sig.Advice == watch.Shorten {
		s.short.want(a)
	}
	switch sig.Advice {
	case watch.Save, watch.Shorten:
		ev.Outcome = run.WantCheckpoint
	case watch.HandOff:
		ev.Outcome = run.WantHandover
	case watch.Person:
		ev.Outcome, ev.Place = run.Asked, a.place
	case watch.Break:
		ev.Outcome = run.Stalled
	default:
		if !fromProvider(sig.Kind) || a.place <= s.old {
			return // of what was printed before the session was taken up, the owner before told the run
		}
		ev.Outcome, ev.Reason = run.Noticed, sig.Reason
	}
	s.report(ev)
}

// fromProvider tells whether a signal is about the provider, for which a session waits
// in silence.
func fromProvider(k watch.SignalKind) bool { return k == watch.Provider || k == watch.Retried }

// Spent is what counts of a report towards a budget: uncached input, cache writes and
// output; false when the report says nothing of them.
func Spent(u *watch.Used) (kedge.Spend, bool) {
	if u == nil {
		return kedge.Spend{}, false
	}
	var s kedge.Spend
	known := u.USD != nil
	for _, n := range []*int64{u.Input, u.CacheWrite, u.Output} {
		if n != nil {
			s.Tokens, known = s.Tokens+*n, true
		}
	}
	if u.USD != nil {
		s.USD = *u.USD
	}
	return s, known
}
