package acp

import (
	"cmp"

	"kedge/internal/agents/stream"
	"kedge/internal/core/watch"
)

// usage counts. The protocol has one figure for how full the context is and
// one, at the end of a prompt, for all that was used so far; some programs tell
// what each reply used, and then the end adds what is missing to its sums.
type usage struct {
	model  string
	window int64   // 0: unknown
	told   Tokens  // that were reported
	usd    float64 // likewise
	hides  bool    // that it uses more than it tells
}

// plain is the input that no cache has to do with.
func (t Tokens) plain() int64 { return max(0, t.Input-t.CacheRead-t.CacheWrite) }

// reply reports what one reply used; main says that it fills the session's own
// context.
func (u *usage) reply(t Tokens, model string, main bool) []watch.Act {
	for _, n := range []int64{t.Input, t.Output, t.CacheRead, t.CacheWrite} {
		if n < 0 || n > 1<<50 {
			return nil // it cannot be true
		}
	}
	u.told.Input, u.told.Output = u.told.Input+t.Input, u.told.Output+t.Output
	u.told.CacheRead, u.told.CacheWrite = u.told.CacheRead+t.CacheRead, u.told.CacheWrite+t.CacheWrite
	input, read, output := t.plain(), t.CacheRead, t.Output
	out := &watch.Used{Input: &input, CacheRead: &read, Output: &output, Model: stream.Name(cmp.Or(model, u.model)), Partial: u.hides}
	if t.CacheWrite > 0 {
		out.CacheWrite = &t.CacheWrite
	}
	if !main {
		return stream.Used(out)
	}
	full := t.Input + t.Output
	out.Context = &full
	if size := u.window; size > 0 {
		out.Window = &size
	}
	return append(stream.Used(out), watch.Act{Kind: watch.Turn})
}

// spent is what a reply used, told in the place of a piece of a message.
func (r *reader) spent(u *update) []watch.Act {
	return r.usage.reply(*u.Meta.Usage, "", u.Meta.Parent == "")
}

// filled is how full the context is, with the cost so far.
func (r *reader) filled(u *update) []watch.Act {
	if u.Used == nil || *u.Used < 0 || *u.Used > 1<<50 {
		return nil
	}
	out := &watch.Used{Context: u.Used, Model: r.usage.model}
	if u.Size != nil && *u.Size > 0 {
		r.usage.window = *u.Size
		out.Window = u.Size
	}
	if u.Cost != nil && u.Cost.Currency == "USD" && u.Cost.Amount >= r.usage.usd {
		usd := u.Cost.Amount - r.usage.usd
		r.usage.usd = u.Cost.Amount
		out.USD = &usd
	}
	return append(stream.Used(out), watch.Act{Kind: watch.Turn})
}

// settle adds what the sums of a prompt's end have and no reply told. Of a
// conversation that goes on they may hold what was before it, so that nothing is
// known by them, unless the program is known to sum up its own process.
func (r *reader) settle(res *result) []watch.Act {
	sum, told := res.Usage, r.usage.told
	if sum == nil || r.task.Resume != "" && !r.own.SumsItself || r.beside != nil {
		return nil
	}
	rest := Tokens{
		Input: max(0, sum.Input-told.Input), Output: max(0, sum.Output-told.Output),
		CacheRead: max(0, sum.CacheRead-told.CacheRead), CacheWrite: max(0, sum.CacheWrite-told.CacheWrite),
	}
	if rest == (Tokens{}) {
		return nil
	}
	return r.usage.reply(rest, "", false)
}
