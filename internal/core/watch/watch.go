package watch

import (
	"time"

	"kedge/internal/text/glob"
)

// SignalKind names what was noticed.
type SignalKind string

// The signals.
const (
	Pressure  SignalKind = "pressure"       // the context fills up
	Budget    SignalKind = "budget"         // the session's tokens are spent
	Circling  SignalKind = "circling"       // it does the same again and again
	Stall     SignalKind = "stalled"        // hung or spinning
	Waiting   SignalKind = "waiting"        // it asked, and does nothing
	Provider  SignalKind = "provider_limit" // the provider refuses
	Retried   SignalKind = "provider_retry" // a request to the provider failed and is made again
	Age       SignalKind = "age"            // hours without a compaction
	Periodic  SignalKind = "periodic"       // work went on for long without a checkpoint
	Quality   SignalKind = "quality"        // more and more of what it does fails
	Scope     SignalKind = "out_of_scope"   // it edits what is not its feature's
	Drift     SignalKind = "prompt_drift"   // it acts against what was decided
	Confusion SignalKind = "mode_confusion" // it plans where it should work, or works where it should plan
)

// Advice is what a signal asks for. Who hears it decides; nothing here ends a
// session.
type Advice string

// The advices, the weakest first.
const (
	Record  Advice = ""        // write it down
	Save    Advice = "save"    // save a checkpoint before the next turn
	Shorten Advice = "shorten" // compact the context with Focus; where that cannot be done, save
	HandOff Advice = "handoff" // save, then end the session; a fresh one goes on
	Person  Advice = "person"  // a person has to answer Text
	Break   Advice = "break"   // the program does not work any more
)

// Signal is one thing that was noticed. Reason is for people, in one line.
type Signal struct {
	Kind   SignalKind
	At     time.Time
	Advice Advice
	Reason string
	Focus  string    // of Shorten: what to keep
	Text   string    // of Person: the question
	Until  time.Time // of Provider; zero: unknown
}

// Window is how many tokens fit into the context of models whose names match.
type Window struct {
	Pattern string
	Tokens  int64
}

// Share is the share of the window at which sessions of models whose names match hand
// over.
type Share struct {
	Pattern string
	Of      float64
}

// Limits are the thresholds of a session. Zero switches a threshold off.
type Limits struct {
	Checkpoint    float64 // share of the window at which a checkpoint is saved
	Handover      float64 // share at which the session hands over
	CompactTokens int64   // size from which a context is better compacted
	Shortens      bool    // the session can be told to compact its context
	Windows       []Window
	Handovers     []Share // in the place of Handover
	SessionTokens int64

	Hung     time.Duration // without output and without computing
	Spinning time.Duration // without output, computing
	Waiting  time.Duration // quiet after a question
	Age      time.Duration // without a compaction
	Every    time.Duration // of work without a checkpoint

	Repeats  int // equal calls with equal results
	Talk     int // turns of an execution without a single call
	Failures int // of the last turns: how many of them failed

	Bounds
}

// Bounds are what the session's work must keep to.
type Bounds struct {
	Planning bool     // it may not change anything
	Paths    []string // globs of the feature; empty: no limit
	Steps    int      // of the item; a session between two of them is in the middle
	Rules    []Rule   // what was decided and ruled out
	Focus    string   // what a shortened context must keep
}

// Rule is something that edits and commands must not go against: paths that are
// somebody's decision, or words of a command that were ruled out.
type Rule struct {
	Name   string   // for people: the decision's id and title, or the constraint
	Within []string // globs: edits of other paths are no concern of it; empty: of all
	Paths  []string // globs that may not be changed
	Words  []string // texts that no command and no edit may contain
}

// Usual are the limits that nobody has to set.
func Usual() Limits {
	return Limits{
		Checkpoint: 0.60, Handover: 0.70, CompactTokens: 100_000,
		Hung: 15 * time.Minute, Spinning: 45 * time.Minute, Waiting: time.Minute,
		Age: 4 * time.Hour, Every: 30 * time.Minute,
		Repeats: 3, Talk: 8, Failures: 6,
	}
}

// forModel are the limits for a session of a model. The longest pattern that matches
// wins. A checkpoint is never later than the handover.
func (l Limits) forModel(model string) Limits {
	best := -1
	for _, h := range l.Handovers {
		if len(h.Pattern) > best && glob.Match(h.Pattern, model) {
			best, l.Handover = len(h.Pattern), h.Of
		}
	}
	l.Checkpoint = min(l.Checkpoint, l.Handover)
	return l
}

// window is the size of a model's context, by the limits; 0 when they do not
// tell. The longest pattern that matches wins.
func (l Limits) window(model string) int64 {
	best, size := -1, int64(0)
	for _, w := range l.Windows {
		if len(w.Pattern) > best && glob.Match(w.Pattern, model) {
			best, size = len(w.Pattern), w.Tokens
		}
	}
	return size
}

// Watcher looks at one session. It is not for several goroutines.
type Watcher struct {
	limits Limits
	usual  Limits // of a model that is not known

	pressure pressure
	circle   circle
	stall    stall
	thread   thread
	quality  quality
	age      age
	bounds   bounds
	mode     mode
}

// New gives a watcher that has seen nothing.
func New(l Limits) *Watcher { return &Watcher{limits: l, usual: l} }

// Feed takes the next thing that the session did.
func (w *Watcher) Feed(ev Act) []Signal {
	w.thread.feed(ev)
	var out []Signal
	for _, look := range []func(Act) []Signal{
		w.feedPressure, w.feedCompactions, w.feedCircle, w.feedStall, w.feedQuality, w.feedAge, w.feedBounds, w.feedMode, w.feedProvider,
	} {
		out = append(out, look(ev)...)
	}
	for i := range out {
		out[i].At = ev.At
	}
	return out
}

// Tick takes what the session does at a moment at which it says nothing.
func (w *Watcher) Tick(at time.Time, a Activity) []Signal {
	out := w.tickStall(a)
	for i := range out {
		out[i].At = at
	}
	return out
}

// End takes the end of the session, as a claim to be finished or otherwise.
func (w *Watcher) End(at time.Time, claimed bool) []Signal {
	out := w.endMode(claimed)
	for i := range out {
		out[i].At = at
	}
	return out
}

func (w *Watcher) feedProvider(ev Act) []Signal {
	switch ev.Kind {
	case Limit:
		return []Signal{{Kind: Provider, Until: ev.Until, Reason: "the provider refuses requests" + because(ev) + again(ev)}}
	case Retry:
		return []Signal{{Kind: Retried, Until: ev.Until, Reason: "a request to the provider failed" + because(ev) + again(ev)}}
	default:
		return nil
	}
}

// because is what the agent said of a refusal, in brackets.
func because(ev Act) string {
	if ev.Text == "" {
		return ""
	}
	return " (" + short(ev.Text) + ")"
}

// again says when the provider is asked again, as far as the agent said so.
func again(ev Act) string {
	wait := ev.Until.Sub(ev.At)
	switch {
	case ev.Until.IsZero() && ev.Kind == Limit:
		return ", for how long is unknown"
	case ev.Until.IsZero():
		return ""
	case ev.Kind == Limit:
		return " until " + ev.Until.UTC().Format(time.RFC3339)
	default:
		return "; the agent repeats it in " + max(wait, 0).Round(time.Second).String()
	}
}

// soften turns a wish to end a session into one to shorten its context while it
// is in the middle of something: ending it there would lose more than it saves.
func (w *Watcher) soften(s Signal) Signal {
	why := w.middle()
	if why == "" || s.Advice != HandOff {
		return s
	}
	s.Advice = Shorten
	s.Reason += "; " + why
	s.Focus = w.focus()
	return s
}
