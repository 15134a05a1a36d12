package follow

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"kedge"
	"kedge/internal/agents"
	"kedge/internal/core/run"
	"kedge/internal/core/watch"
	"kedge/internal/process/hold"
)

// shortening is how far a session is with the compaction of its context.
type shortening struct {
	can   bool
	open  []string // calls that have no result yet
	stage shortStage
	focus string
	turns int                         // of the model that ended since it was told
	place int64                       // of what is to be typed next, and the number of it
	told  *kedge.SessionCompactedData // is written down when it is known how full the context is then
	at    time.Time                   // of told, zero: the run knows of it
	key   string
}

// shortStage is where a compaction stands.
type shortStage int

const (
	shortNot    shortStage = iota
	shortWanted            // the program is told at the end of what its tools do
	shortTold              // and does it
	shortOver              // and is told to go on
	shortGoes              // and was not seen to go on yet
)

// want has the context shortened, where the program can be told.
func (h *shortening) want(a notice) {
	if h.can && h.stage == shortNot && a.place > 0 {
		h.stage, h.focus, h.place = shortWanted, a.sig.Focus, a.place
	}
}

// maxFollowed bounds the calls without a result that are remembered here.
const maxFollowed = 256

// followShort takes in what the session did, as far as it has to do with its
// context. The lock is held.
func (s *session) followShort(ctx context.Context, end int64, ev watch.Act) {
	h := &s.short
	h.goesOn(ev.Kind, end <= s.old)
	h.forgets(ev.Kind)
	switch ev.Kind {
	case watch.Call:
		h.open = append(h.open[max(0, len(h.open)-maxFollowed+1):], ev.ID)
	case watch.Result:
		h.open = slices.DeleteFunc(h.open, func(id string) bool { return id == ev.ID })
	case watch.Compact, watch.Spared:
		s.journalCompaction(ctx)
		h.compacted(s.id, end, ev.Asked, s.use.context)
		if end > s.old {
			h.at = s.cfg.Now()
		}
		if ev.Kind == watch.Spared {
			h.told.Failed = cmp.Or(ev.Text, "it did not say why")
			s.journalCompaction(ctx)
		}
	case watch.Usage:
		if h.told != nil && ev.Used != nil && ev.Used.Context != nil {
			h.told.After = ev.Used.Context
			s.journalCompaction(ctx)
		}
	default:
	}
}

// goesOn is called with what the session does. Where that is old, an owner before this
// one, or a person, told it to.
func (h *shortening) goesOn(kind watch.Kind, old bool) {
	switch kind {
	case watch.Call, watch.Say, watch.Ask:
		if h.stage == shortGoes || h.stage == shortOver && old {
			h.stage = shortNot
		}
	default:
	}
}

// dropped is how many turns of its model a session may end, after it was told to shorten
// its context, before what it does says that it dropped the wish: one may have been under
// way, one may be the compaction.
const dropped = 2

// forgets is called with what the session does. One that works on has dropped the wish:
// it may have compacted by itself meanwhile. Nobody waits for it any longer; where it
// comes to it all the same, that is seen.
func (h *shortening) forgets(kind watch.Kind) {
	if h.stage != shortTold {
		return
	}
	switch kind {
	case watch.Turn:
		h.turns++
	case watch.Call, watch.Say:
		if h.turns >= dropped {
			h.stage = shortNot
		}
	default:
	}
}

// compacted is the end of a compaction, at a place on the tape. Of one that it was
// told the program waits for what comes next, whoever told it; else it goes on by
// itself, and does what it was told before as well.
func (h *shortening) compacted(id kedge.SessionID, end int64, asked bool, before *int64) {
	h.told = &kedge.SessionCompactedData{ID: id, Before: before}
	h.key = "compacted-" + strconv.FormatInt(end, 10)
	h.open = nil
	switch {
	case asked:
		h.told.Asked, h.told.Focus = true, h.focus
		h.stage, h.place = shortOver, end
	case h.stage == shortWanted:
		h.stage = shortNot
	}
}

// journalCompaction writes down what became of the context, once.
func (s *session) journalCompaction(ctx context.Context) {
	h := &s.short
	if h.told == nil {
		return
	}
	s.tellCompaction()
	if err := s.journal(ctx, h.key, kedge.SessionCompacted, *h.told); err != nil {
		s.cfg.log().Error("cannot record a compaction", "session", string(s.id), "error", err.Error())
	}
	h.told = nil
}

// tellAfter is how long the run waits to hear what a compaction came to. An agent that
// does not report how full its context is must not be silent about the compaction too.
const tellAfter = 3 * time.Second

// lateCompaction tells the run of a compaction whose size is still unknown.
func (s *session) lateCompaction() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h := &s.short; h.told != nil && !h.at.IsZero() && s.cfg.Now().Sub(h.at) >= tellAfter {
		s.tellCompaction()
	}
}

// tellCompaction makes a compaction a line of the run, once. The lock is held.
func (s *session) tellCompaction() {
	h := &s.short
	if h.at.IsZero() {
		return
	}
	h.at = time.Time{}
	s.report(run.Input{Kind: run.Signalled, Outcome: run.Noticed, Session: s.id, Reason: compactionText(*h.told)})
}

// compactionText says what became of a context.
func compactionText(d kedge.SessionCompactedData) string {
	who := "the agent compacted its context"
	switch {
	case d.Failed != "":
		return "the agent could not compact its context: " + d.Failed
	case d.Asked:
		who = "the agent compacted its context, as Kedge asked"
	}
	if d.Before == nil || d.After == nil {
		return who
	}
	return fmt.Sprintf("%s: from %d to %d tokens", who, *d.Before, *d.After)
}

// goOn is what a session is told whose turn was stopped to shorten its context.
const goOn = "Your context became large, so Kedge had it shortened. Continue your work where you were; ignore a reply that was cut off. " +
	"Do not start over, and do not repeat what is done. If all is done, say so and end your turn. What matters:\n"

// shorten tells the program what is due, between two calls of its tools: what one
// does would be lost. Nothing is due at a place that is old: what the program does now
// is not known before all of it is read. Then who reads a session again comes to the
// same, and what its holder took from an owner before is not typed twice. The lock is
// held.
func (s *session) shorten(end int64) {
	h := &s.short
	if h.stage != shortWanted && h.stage != shortOver || len(h.open) > 0 || end < s.old {
		return
	}
	w := agents.Word{Kind: agents.Shorten, ID: string(s.id) + "-shorten-" + strconv.FormatInt(h.place, 10), Text: h.focus}
	if h.stage == shortOver {
		w.Kind, w.Text = agents.Tell, goOn+h.focus
	}
	in, ok := s.reader.Say(w)
	if !ok {
		return // not now
	}
	s.typed.add(hold.Typing{Source: hold.SourceShort, Number: uint64(h.place), Text: in.Text, Close: in.Close}, make(chan struct{}))
	if h.stage == shortWanted {
		h.stage, h.turns = shortTold, 0
	} else {
		h.stage = shortGoes
	}
}
