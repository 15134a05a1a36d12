package claude

import (
	"cmp"
	"strings"

	"kedge/internal/core/watch"
)

// usage counts. A reply says what it used three times: when it starts
// (without its output), with each of its blocks (the same again), and when it
// ends; the result of a turn has the sums of the process, with what sub-agents
// and side requests used, which is nowhere else. So a reply is counted once: its
// input when it begins, because the provider has read it then, whatever becomes of
// the reply; its output when it ends; and the result adds what is missing to its sums.
type usage struct {
	told   tokens          // that were reported, and are in the sums of a result, or will be
	usd    float64         // likewise
	sum    tokens          // of all results, where each says what was used since the one before
	cost   float64         // likewise
	window int64           // 0: unknown
	model  string          // of the last reply of the main conversation
	coming message         // the reply of the main conversation that is being streamed
	ended  message         // the last one that had an end, with all that it used
	lost   tokens          // of the last reply, if it broke off: who stopped it is not known yet
	seen   map[string]bool // replies, by id, that need no counting any more
	order  []string        // of seen, the oldest first
}

// name takes the size of the context from the model's name, where that tells.
func (u *usage) name(model string) {
	if strings.HasSuffix(model, "[1m]") {
		u.window = 1_000_000
	}
}

// know marks a reply; false when it was. The oldest is forgotten: the last ones
// are still coming.
func (u *usage) know(id string) bool {
	if u.seen[id] || id == "" {
		return false
	}
	if u.seen == nil {
		u.seen = map[string]bool{}
	}
	if len(u.order) >= maxMessages {
		delete(u.seen, u.order[0])
		u.order = u.order[1:]
	}
	u.seen[id] = true
	u.order = append(u.order, id)
	return true
}

// start is the beginning of a streamed reply.
func (u *usage) start(m message) *watch.Used {
	u.broke()
	if !u.know(m.ID) {
		return u.full(m.Model, m.Usage.all())
	}
	u.coming = m
	used := u.count(m.Model, m.Usage, true)
	full := m.Usage.all()
	used.Context = &full
	return used
}

// broke is called when the reply that is coming, if one is, will have no end, and
// the program does not say so: then its sums do not have it either.
func (u *usage) broke() {
	u.told = u.told.above(u.coming.Usage)
	u.coming, u.lost = message{}, tokens{}
}

// abandoned is a reply that broke off, as the program says, of which it may have told
// an end all the same. Its sums have it, unless somebody stopped it.
func (u *usage) abandoned() {
	u.lost = u.coming.Usage
	if u.coming.ID == "" {
		u.lost = u.ended.Usage
	}
	u.coming, u.ended = message{}, message{}
}

// end is the end of the streamed reply, with its id.
func (u *usage) end(t tokens) (string, *watch.Used) {
	m := u.coming
	if m.ID == "" {
		return "", nil
	}
	rest := max(0, t.Output-m.Usage.Output)
	m.Usage.Output += rest
	u.coming, u.ended = message{}, m
	u.told.Output += rest
	used := u.full(m.Model, m.Usage.all()+m.Usage.Output)
	used.Output = &rest
	return m.ID, used
}

// block is a block of a reply. One that was not streamed is whole, and counted
// with its first block. Of a sub-agent's, the output is not told: the result has
// it.
func (u *usage) block(m message, main bool) (*watch.Used, bool) {
	if !u.know(m.ID) {
		return nil, false
	}
	if !main {
		m.Usage.Output = 0
	} else {
		u.broke() // the whole reply came in the place of one that was streamed
	}
	return u.count(m.Model, m.Usage, main), true
}

// count reports what a reply used.
func (u *usage) count(model string, t tokens, main bool) *watch.Used {
	u.told = u.told.plus(t)
	used := &watch.Used{}
	if main {
		used = u.full(model, t.all()+t.Output)
	}
	used.Input, used.CacheRead, used.CacheWrite, used.Output, used.Model = &t.Input, &t.CacheRead, &t.CacheWrite, &t.Output, model
	if hour := min(t.Creation.Hour, t.CacheWrite); hour > 0 {
		used.CacheWriteHour = &hour
	}
	return used
}

// full reports how full the context is.
func (u *usage) full(model string, tokens int64) *watch.Used {
	u.model = cmp.Or(model, u.model)
	used := &watch.Used{Context: &tokens, Model: model}
	if u.window > 0 {
		size := u.window
		used.Window = &size
	}
	return used
}

// settle adds what the sums of a result have and no reply told. What they have
// less is not taken back: it was served.
func (u *usage) settle(ev *event) *watch.Used {
	if strings.HasPrefix(ev.Terminal, "aborted") {
		u.told = u.told.above(u.lost)
	}
	u.broke()
	sum, cost := u.sums(ev)
	rest := sum.above(u.told)
	used := &watch.Used{Input: &rest.Input, CacheRead: &rest.CacheRead, CacheWrite: &rest.CacheWrite, Output: &rest.Output}
	if ev.Models == nil {
		used = &watch.Used{}
	}
	u.told = u.told.plus(rest)
	if cost != nil {
		usd := max(0, *cost-u.usd)
		u.usd += usd
		used.USD = &usd
	}
	return used
}

// sums are what a result says that the process has used so far. Of a conversation that
// goes on, those of newer versions have what was used before, too; they say beside it what
// was used since the last result.
func (u *usage) sums(ev *event) (tokens, *float64) {
	var sum tokens
	for model, m := range ev.Models {
		sum = sum.plus(m.tokens())
		if name, _, _ := strings.Cut(model, "["); m.Window > 0 && u.window == 0 && name == u.model {
			u.window = m.Window
		}
	}
	if ev.Since == nil {
		return sum, ev.Cost
	}
	for _, m := range ev.Since {
		u.sum, u.cost = u.sum.plus(m.tokens()), u.cost+m.USD
	}
	return u.sum, &u.cost
}

func (m modelUsage) tokens() tokens {
	return tokens{Input: m.Input, CacheRead: m.CacheRead, CacheWrite: m.CacheWrite, Output: m.Output}
}

func (t tokens) plus(v tokens) tokens {
	sum := tokens{Input: t.Input + v.Input, CacheRead: t.CacheRead + v.CacheRead, CacheWrite: t.CacheWrite + v.CacheWrite, Output: t.Output + v.Output}
	sum.Creation.Hour = t.Creation.Hour + v.Creation.Hour
	return sum
}

// above is what t has more than v.
func (t tokens) above(v tokens) tokens {
	rest := tokens{Input: max(0, t.Input-v.Input), CacheRead: max(0, t.CacheRead-v.CacheRead), CacheWrite: max(0, t.CacheWrite-v.CacheWrite), Output: max(0, t.Output-v.Output)}
	rest.Creation.Hour = min(rest.CacheWrite, max(0, t.Creation.Hour-v.Creation.Hour))
	return rest
}
