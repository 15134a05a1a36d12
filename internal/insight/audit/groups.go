package audit

import (
	"cmp"
	"slices"
	"strings"
)

// Group is what sessions have in common: a day, a model, an agent, a file or a tool.
// Figures that such a group does not have are left out.
type Group struct {
	Key      string   `json:"key"` // empty is unknown
	Sessions int      `json:"sessions"`
	Share    float64  `json:"share"` // of the whole: of its cost, or of its tokens where no cost is known; of files and tools, of its characters
	USD      *float64 `json:"usd"`   // nil is unknown; of files and tools: what it cost to give their results to replies, estimated

	Estimated  bool `json:"estimated"`
	UnknownUSD int  `json:"unknown_usd"` // sessions that usd does not have, or not all

	Replies *int64      `json:"replies,omitempty"` // of days, models and agents
	Tokens  *GroupSpent `json:"tokens,omitempty"`  // likewise
	Tool    *ToolCost   `json:"tool,omitempty"`
	File    *FileUse    `json:"file,omitempty"`

	sizes float64 // what its share is of, where no cost is known
}

// GroupSpent is the tokens of a group.
type GroupSpent struct {
	Input      int64 `json:"input"` // without cache reads and writes
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
	Output     int64 `json:"output"`
}

// Sum is all tokens, cache reads too.
func (s GroupSpent) Sum() int64 { return s.Input + s.CacheRead + s.CacheWrite + s.Output }

// ToolCost is what a tool put into contexts.
type ToolCost struct {
	Offered      int    `json:"offered"`      // sessions that say that they offered it
	SchemaChars  *int64 `json:"schema_chars"` // of its schema; nil is unknown
	Calls        int64  `json:"calls"`
	Failed       int64  `json:"failed"`
	InputChars   int64  `json:"input_chars"`
	ResultChars  int64  `json:"result_chars"`
	CarriedChars int64  `json:"carried_chars"` // of the results, each counted once for every reply that was given it
}

// GroupedBy lists how sessions can be grouped.
var GroupedBy = []string{"day", "model", "agent", "file", "tool"}

// Grouped groups sessions by one of GroupedBy: days in their order, everything else with
// what cost most first. Name gives the name of a file in the project.
func Grouped(by string, list []Figures, price Price, name func(f *Figures, path string) string) []Group {
	var out []Group
	switch by {
	case "tool":
		out = byTool(list)
	case "file":
		out = byFile(list, name)
	default:
		out = bySpending(by, list, price)
	}
	shares(out, by == "tool" || by == "file")
	slices.SortStableFunc(out, func(a, b Group) int {
		if by == "day" {
			return strings.Compare(a.Key, b.Key)
		}
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(b.sizes, a.sizes), strings.Compare(a.Key, b.Key))
	})
	return out
}

// shares fills in the share of each group of the whole.
func shares(list []Group, bySize bool) {
	cost, size := 0.0, 0.0
	for _, g := range list {
		size += g.sizes
		if g.USD != nil {
			cost += *g.USD
		}
	}
	for i := range list {
		g := &list[i]
		switch {
		case !bySize && cost > 0 && g.USD != nil:
			g.Share = *g.USD / cost
		case (bySize || cost == 0) && size > 0:
			g.Share = g.sizes / size
		}
	}
}

// grouping collects groups by their key, in the order in which they come.
type grouping struct {
	at   map[string]int
	list []Group
	last map[string]string // which session was counted last
	lack map[string]string // and of which something had no price
}

func newGrouping() *grouping {
	return &grouping{at: map[string]int{}, list: []Group{}, last: map[string]string{}, lack: map[string]string{}}
}

// of gives the group of a key, and counts a session in it once.
func (g *grouping) of(key, session string) *Group {
	i, ok := g.at[key]
	if !ok {
		i = len(g.list)
		g.at[key] = i
		g.list = append(g.list, Group{Key: key})
	}
	if last, ok := g.last[key]; !ok || last != session {
		g.list[i].Sessions++
	}
	g.last[key] = session
	return &g.list[i]
}

// unpriced counts a session once whose cost is not known, or not all of it.
func (g *grouping) unpriced(group *Group, session string) {
	if last, ok := g.lack[group.Key]; !ok || last != session {
		group.UnknownUSD++
	}
	g.lack[group.Key] = session
}

// bySpending groups what replies used.
func bySpending(by string, list []Figures, price Price) []Group {
	groups := newGrouping()
	for i := range list {
		f := &list[i]
		last := ""
		f.EachReply(func(r *ReplyUse) {
			last = keyBy(by, f, r)
			g := groups.of(last, nameOf(f))
			if g.Tokens == nil {
				g.Tokens, g.Replies = &GroupSpent{}, ptr(int64(0))
			}
			*g.Replies++
			g.Tokens.Input += r.Usage.Input
			g.Tokens.CacheRead += r.Usage.CacheRead
			g.Tokens.CacheWrite += r.Usage.CacheWrite
			g.Tokens.Output += r.Usage.Output
			g.sizes = float64(g.Tokens.Sum())
			usd := r.Cost(price)
			if usd == nil {
				groups.unpriced(g, nameOf(f))
				return
			}
			g.USD = plus(g.USD, usd)
			g.Estimated = g.Estimated || r.USD == nil
		})
		if at, any := groups.at[last]; f.PartialUsage && any { // nobody knows of which group the rest is
			groups.unpriced(&groups.list[at], nameOf(f))
		}
	}
	return groups.list
}

// nameOf tells sessions apart.
func nameOf(f *Figures) string { return f.Agent + "\x00" + f.ID + "\x00" + f.File }

func keyBy(by string, f *Figures, r *ReplyUse) string {
	switch by {
	case "model":
		return r.Model
	case "agent":
		return f.Agent
	}
	if len(r.At) < len("2006-01-02") {
		return ""
	}
	return r.At[:len("2006-01-02")]
}

// byTool groups what tools were offered, asked and gave.
func byTool(list []Figures) []Group {
	groups := newGrouping()
	tool := func(f *Figures, name string) (*Group, *ToolCost) {
		g := groups.of(name, nameOf(f))
		if g.Tool == nil {
			g.Tool = &ToolCost{}
		}
		return g, g.Tool
	}
	for i := range list {
		f := &list[i]
		for _, o := range f.Offered {
			_, t := tool(f, o.Name)
			t.Offered++
			t.SchemaChars = longest(t.SchemaChars, o.SchemaChars)
		}
		for _, x := range f.Tools {
			g, t := tool(f, x.Name)
			t.Calls += x.Calls
			t.Failed += x.Failed
			t.InputChars += x.InputChars
			t.ResultChars += x.ResultChars
			t.CarriedChars += x.CarriedChars
			g.sizes = float64(t.InputChars + t.ResultChars)
			groups.carried(g, f, x.CarriedChars)
		}
	}
	return groups.list
}

// carried adds what it cost to give results to replies.
func (g *grouping) carried(group *Group, f *Figures, chars int64) {
	usd := f.carriedCost(chars)
	if usd == nil {
		g.unpriced(group, nameOf(f))
		return
	}
	group.USD, group.Estimated = plus(group.USD, usd), true
}

// byFile groups what was read and edited.
func byFile(list []Figures, name func(f *Figures, path string) string) []Group {
	groups := newGrouping()
	for i := range list {
		f := &list[i]
		for _, u := range f.Files {
			path := name(f, u.Path)
			if path == "" {
				continue
			}
			g := groups.of(path, nameOf(f))
			if g.File == nil {
				g.File = &FileUse{Path: path}
			}
			g.File.add(u)
			g.File.Sessions = g.Sessions
			g.sizes = float64(g.File.Chars)
			groups.carried(g, f, u.CarriedChars)
		}
	}
	return groups.list
}
