package follow

import (
	"context"
	"slices"
	"strings"
	"time"

	"kedge"
	"kedge/internal/core/watch"
	"kedge/internal/text/words"
)

// firsts finds the first action and the first edit of a session, and what it
// read before.
type firsts struct {
	calls int
	read  int64 // tokens, estimated
	open  []firstCall
	told  map[kedge.ActKind]bool
}

// firstCall is a call that changes something, and waits for its result.
type firstCall struct {
	id, tool, path string
	calls          int
	read           int64
}

// take gives the acts that an event completes for the first time. A call that
// failed did nothing.
func (f *firsts) take(ev watch.Act) (out []kedge.SessionActedData) {
	if f.told[kedge.ActEdit] {
		return nil
	}
	switch ev.Kind {
	case watch.Call:
		if !slices.Contains(looking, strings.ToLower(ev.Tool)) {
			c := firstCall{id: ev.ID, tool: ev.Tool, calls: f.calls, read: f.read}
			if len(ev.Paths) > 0 {
				c.path = ev.Paths[0]
			}
			f.open = append(f.open[max(0, len(f.open)-maxOpenCalls+1):], c)
		}
		f.calls++
	case watch.Result:
		i := slices.IndexFunc(f.open, func(c firstCall) bool { return c.id == ev.ID })
		if i >= 0 {
			c := f.open[i]
			f.open = slices.Delete(f.open, i, i+1)
			if !ev.Failed {
				out = f.done(c, ev.At)
			}
		}
		f.read += int64(words.Tokens(ev.Output))
	default:
	}
	return out
}

func (f *firsts) done(c firstCall, at time.Time) (out []kedge.SessionActedData) {
	act := kedge.FirstAct{At: at.UTC(), Tool: c.tool, Path: c.path, Calls: c.calls, ReadTokens: c.read}
	if f.told == nil {
		f.told = map[kedge.ActKind]bool{}
	}
	kinds := []kedge.ActKind{kedge.ActAction}
	if c.path != "" {
		kinds = append(kinds, kedge.ActEdit)
	}
	for _, k := range kinds {
		if !f.told[k] {
			f.told[k] = true
			out = append(out, kedge.SessionActedData{First: k, FirstAct: act})
		}
	}
	return out
}

// journalFirsts writes the first acts down. Who reads the output again finds the
// same ones, and the journal has them once.
func (s *session) journalFirsts(ctx context.Context, ev watch.Act) {
	for _, d := range s.first.take(ev) {
		d.ID = s.id
		if s.use.spent != nil {
			used := s.use.spent.Tokens
			d.UsedTokens = &used
		}
		if err := s.journal(ctx, "acted-"+string(d.First), kedge.SessionActed, d); err != nil {
			s.cfg.log().Error("cannot record the first action of a session", "session", string(s.id), "error", err.Error())
		}
	}
}
