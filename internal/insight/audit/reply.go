package audit

import "slices"

// ReplyUse is what one reply of a model used.
type ReplyUse struct {
	Key    uint64 // of the reply: the same in every transcript that has it
	At     string // as in Entry; empty is unknown
	Model  string
	Usage  Usage
	Known  bool     // the transcript says what it used
	Nested bool     // as in Entry: where a transcript has it as its own, it belongs there
	USD    *float64 // what the program itself says that it cost; nil is unknown
}

// Cost is what the reply cost, by the program itself or by the price of its tokens; nil is
// unknown.
func (r *ReplyUse) Cost(price Price) *float64 {
	switch {
	case r.USD != nil:
		return r.USD
	case !r.Known:
		return nil
	default:
		return price(r.Model, r.At, r.Usage)
	}
}

// keyOf names a reply in all transcripts that have it: by its id and the request that it
// answers, else by its id and its time, for some programs number their replies. A reply
// without an id has no name, and is never found again.
func keyOf(agent string, e *Entry) uint64 {
	if e.Reply == "" {
		return 0
	}
	which := e.Asked
	if which == "" {
		which = e.At
	}
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a
	h := uint64(offset)
	for _, s := range [...]string{agent, "\x00", e.Reply, "\x00", which} {
		for i := range len(s) {
			h = (h ^ uint64(s[i])) * prime
		}
	}
	return h
}

// reply counts a reply; one that is told again has the last usage that was told.
func (c *Counter) reply(e *Entry) {
	at, again := 0, false
	if e.Reply != "" {
		at, again = c.replies[c.hash(e.Reply)]
	}
	if !again {
		at = len(c.used)
		c.used = append(c.used, ReplyUse{Key: keyOf(c.f.Agent, e), At: e.At, Model: c.names.once(e.Model), Nested: e.Nested})
		c.replies[c.hash(e.Reply)] = at
	}
	r := &c.used[at]
	r.Nested = r.Nested && e.Nested
	if e.Usage != nil {
		r.Usage, r.Known = *e.Usage, true
		c.fill(e)
	}
	if e.USD != nil {
		r.USD = e.USD
	}
}

// fill takes in how full the context was.
func (c *Counter) fill(e *Entry) {
	if e.Nested {
		return
	}
	if !c.usage {
		c.f.StartTokens = ptr(e.Usage.Context())
	}
	c.most = max(c.most, e.Usage.Context())
	c.usage = true
}

// Reckon sums up the replies of a session, with what they cost. What has no price is left
// out of the sum, and counted.
func (f *Figures) Reckon(price Price) {
	f.Models, f.Model, f.USD, f.Estimated = []ModelUse{}, "", nil, false
	f.Calls, f.UnpricedCalls, f.UnknownUSD, f.divided = 0, 0, 0, false
	at := map[string]int{}
	var output, known, most int64
	f.EachReply(func(r *ReplyUse) {
		f.Calls++
		j, ok := at[r.Model]
		if !ok {
			j = len(f.Models)
			at[r.Model] = j
			f.Models = append(f.Models, ModelUse{Model: r.Model})
		}
		usd := r.Cost(price)
		f.Estimated = f.Estimated || usd != nil && r.USD == nil
		f.Models[j].reply(r.Usage, usd)
		output += r.Usage.Output
		known += one(r.Known)
	})
	for _, m := range f.Models {
		f.UnpricedCalls += m.UnpricedCalls
		f.USD = plus(f.USD, m.USD)
		if m.Calls > most {
			f.Model, most = m.Model, m.Calls
		}
	}
	if f.UnpricedCalls > 0 || f.PartialUsage {
		f.UnknownUSD = 1
	}
	f.OutputTokens = nil
	if f.Calls == 0 || known > 0 {
		f.OutputTokens = &output
	}
}

// LacksUsage says that the transcript has not all that the session used.
func (f *Figures) LacksUsage() { f.PartialUsage, f.UnknownUSD = true, 1 }

func (m *ModelUse) reply(u Usage, usd *float64) {
	m.Calls++
	m.InputTokens += u.Input
	m.CacheReadTokens += u.CacheRead
	m.CacheWriteTokens += u.CacheWrite
	m.CacheWriteHourTokens += u.Hour
	m.OutputTokens += u.Output
	if usd == nil {
		m.UnpricedCalls++
		return
	}
	m.USD = plus(m.USD, usd)
}

// Once leaves every reply in one session only. Programs write some replies into two
// transcripts: those of sub-agents into the session that began them, too, and those of a
// session that was resumed or forked into its successor. A reply belongs to the transcript
// that has it as its own; among several, to the first of the list. What filled a context
// is left as it is: the copies did fill it.
func Once(list []Figures, price Price) {
	twice := repeated(list)
	if len(twice) == 0 {
		return
	}
	owner := map[uint64]int{}
	for _, own := range []bool{true, false} {
		for i := range list {
			list[i].keys(func(key uint64, nested bool) {
				if _, taken := owner[key]; nested != own && !taken && twice[key] {
					owner[key] = i
				}
			})
		}
	}
	for i := range list {
		f := &list[i]
		if n := f.drop(func(key uint64) bool { return twice[key] && owner[key] != i }); n > 0 {
			f.CopiedCalls = int64(n)
			f.Reckon(price)
		}
	}
}

// repeated gives the keys that several replies have: few, mostly.
func repeated(list []Figures) map[uint64]bool {
	n := 0
	for i := range list {
		n += len(list[i].Replies) + len(list[i].packed)
	}
	keys := make([]uint64, 0, n)
	for i := range list {
		list[i].keys(func(key uint64, _ bool) {
			if key != 0 {
				keys = append(keys, key)
			}
		})
	}
	slices.Sort(keys)
	twice := map[uint64]bool{}
	for i := 1; i < len(keys); i++ {
		if keys[i] == keys[i-1] {
			twice[keys[i]] = true
		}
	}
	return twice
}
