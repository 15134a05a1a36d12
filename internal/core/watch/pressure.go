package watch

import (
	"cmp"
	"fmt"
	"strings"

	"kedge/internal/text/words"
)

// pressure is how full the context is, and what was said about it.
type pressure struct {
	model    string // of the last report that named one
	used     int64  // tokens that count for the budget, so far
	context  int64
	window   int64
	saved    bool // Save was said since the context was last small
	soft     bool // Shorten was said in the place of an end
	ended    bool
	budgeted bool
	short    shortening
	past     compactions
}

// shortening is how far a compaction is that was asked for because the context
// became large.
type shortening int

const (
	notAsked  shortening = iota
	askedFor             // and not done yet
	shortened            // and the context was not seen to be small since
)

// hard is where in what is left above the handover even a session in the middle
// of something is handed over.
const hard = 0.5

func (w *Watcher) feedPressure(ev Act) []Signal {
	p := &w.pressure
	switch {
	case ev.Kind == Compact:
		p.context, p.saved, p.soft, p.ended = 0, false, false, false
		if p.short == askedFor {
			p.short = shortened
		}
		return nil
	case ev.Kind == Spared:
		p.short = shortened // it cannot be had
		return w.pressed(false)
	case ev.Kind == Step || ev.Kind == Turn:
		return w.pressed(ev.Kind == Step)
	case ev.Kind != Usage || ev.Used == nil:
		return nil
	}
	if ev.Used.Model != "" && len(w.usual.Handovers) > 0 {
		w.limits = w.usual.forModel(ev.Used.Model)
	}
	p.take(ev.Used, w.limits)
	return append(w.spent(), w.pressed(false)...)
}

func (p *pressure) take(u *Used, l Limits) {
	for _, n := range []*int64{u.Input, u.CacheWrite, u.Output} {
		if n != nil {
			p.used += *n
		}
	}
	if u.Context != nil {
		p.context = *u.Context
		if p.context < l.CompactTokens && p.short == shortened {
			p.short = notAsked
		}
	}
	// What people set for a model counts more than what the agent believes.
	p.model = cmp.Or(u.Model, p.model)
	if size := l.window(p.model); size > 0 {
		p.window = size
	} else if u.Window != nil {
		p.window = *u.Window
	}
}

// spent is the session's own budget.
func (w *Watcher) spent() []Signal {
	p := &w.pressure
	if w.limits.SessionTokens <= 0 || p.used < w.limits.SessionTokens || p.budgeted {
		return nil
	}
	p.budgeted = true
	return []Signal{{Kind: Budget, Advice: HandOff, Reason: fmt.Sprintf("the session has used %d of its %d tokens", p.used, w.limits.SessionTokens)}}
}

// pressed judges how full the context is; step says that the work came to the
// end of a step, where it may be cut.
func (w *Watcher) pressed(step bool) []Signal {
	p := &w.pressure
	share, known := p.share(w.limits)
	if !known || p.ended {
		return nil
	}
	text := p.text(w.limits)
	l := w.limits
	full := l.Handover > 0 && share >= l.Handover
	switch {
	case full && p.window > 0:
		return w.full(step, share, text)
	case w.large():
		p.short, p.soft = askedFor, true
		return []Signal{{Kind: Pressure, Advice: Shorten, Reason: text, Focus: w.focus()}}
	case full && p.short == askedFor && share < l.hardest():
		return nil // what was asked for comes first
	case full:
		return w.full(step, share, text)
	case l.Checkpoint > 0 && share >= l.Checkpoint && !p.saved:
		p.saved = true
		return []Signal{{Kind: Pressure, Advice: Save, Reason: text}}
	}
	return nil
}

// large tells whether the context is to be compacted because of nothing but its
// size: a session that can be told continues in it then.
func (w *Watcher) large() bool {
	p, l := &w.pressure, w.limits
	return l.Shortens && l.CompactTokens > 0 && p.context >= l.CompactTokens && p.short == notAsked && w.mayCompact()
}

// hardest is the share at which nothing is a reason to go on.
func (l Limits) hardest() float64 { return l.Handover + (1-l.Handover)*hard }

// full is a context over the share of the handover. A compaction that did not help
// is not asked for again.
func (w *Watcher) full(step bool, share float64, text string) []Signal {
	p := &w.pressure
	s := w.soften(Signal{Kind: Pressure, Advice: HandOff, Reason: text})
	if step || share >= w.limits.hardest() || p.short == shortened || p.short == notAsked && !w.mayCompact() {
		s = Signal{Kind: Pressure, Advice: HandOff, Reason: text}
	}
	if s.Advice == Shorten && p.soft {
		return nil
	}
	p.saved, p.soft, p.ended = true, true, s.Advice == HandOff
	if s.Advice == Shorten && w.limits.Shortens {
		p.short = askedFor
	}
	return []Signal{s}
}

// share is how much of the context is used. Without a known window the size
// from which a context is compacted stands for the handover.
func (p *pressure) share(l Limits) (float64, bool) {
	switch {
	case p.context <= 0:
		return 0, false
	case p.window > 0:
		return float64(p.context) / float64(p.window), true
	case l.CompactTokens > 0 && l.Handover > 0:
		return float64(p.context) / float64(l.CompactTokens) * l.Handover, true
	default:
		return 0, false
	}
}

// Context is how full the session's context is, and its window as the handover is
// judged by it; 0 is unknown.
func (w *Watcher) Context() (tokens, window int64) {
	p, l := &w.pressure, w.limits
	window = p.window
	if window <= 0 && l.CompactTokens > 0 && l.Handover > 0 {
		window = int64(float64(l.CompactTokens) / l.Handover)
	}
	return p.context, window
}

// Handover is the share of the window at which the session hands over, by the model that
// it had last.
func (w *Watcher) Handover() float64 { return w.limits.Handover }

func (p *pressure) text(l Limits) string {
	if p.window > 0 {
		return fmt.Sprintf("the context holds %d of %d tokens", p.context, p.window)
	}
	return fmt.Sprintf("the context holds %d tokens; the model's limit is unknown, so Kedge uses compact_tokens = %d", p.context, l.CompactTokens)
}

// focus is what a shortened context must keep.
func (w *Watcher) focus() string {
	var parts []string
	if w.limits.Focus != "" {
		parts = append(parts, w.limits.Focus)
	}
	if w.thread.step != "" {
		parts = append(parts, "the step under way: "+clip(w.thread.step))
	}
	if w.thread.failing != "" {
		parts = append(parts, "the failing check that is being narrowed down: "+clip(w.thread.failing))
	}
	return strings.Join(parts, "\n")
}

// maxFocus bounds each of the session's own words in the focus, in bytes: they go into
// the context that is to become small, and a command may be a whole file.
const maxFocus = 500

func clip(s string) string { return words.ClipBytes(s, maxFocus) }
