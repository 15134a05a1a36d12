package audit

import (
	"hash/maphash"
	"slices"
	"strings"
)

// Counter counts the entries of one session, in their order.
type Counter struct {
	f           Figures
	first, last string // times; empty is none
	most        int64  // of context tokens
	tools       map[string]*Tool
	calls       map[uint64]call  // by hash: names of calls and replies are long, and there are many
	replies     map[uint64]reply // by hash
	models      map[string]*modelUse
	order       []string // models, as they came
	files       map[string]*file
	ran         map[uint64]struct{} // commands, by hash
	seed        maphash.Seed
	usage       bool // any reply had it
	actions     int64
	read        int64
	offered     map[string]Offer
}

// call is a tool call that waits for its result.
type call struct {
	tool        *Tool
	file        *file // of a Read or an Edit
	input       int64
	act         Act
	again       bool // a reread, or a repeated command
	failedInput bool // its input is counted as failed
}

type reply struct {
	model *modelUse
	usage Usage
	usd   *float64
}

type modelUse struct {
	calls, known, priced int64 // replies; those with usage; those with a cost of their own
	usage                Usage
	usd                  float64
}

// file is what was read of one, since its last edit.
type file struct {
	read         bool
	ok, failed   int64
	reads, chars int64 // since the beginning
}

// NewCounter counts a session of this agent.
func NewCounter(agent string) *Counter {
	c := &Counter{
		tools: map[string]*Tool{}, calls: map[uint64]call{}, replies: map[uint64]reply{}, models: map[string]*modelUse{},
		files: map[string]*file{}, ran: map[uint64]struct{}{}, seed: maphash.MakeSeed(),
	}
	c.f.Agent = agent
	return c
}

// Add counts one entry.
func (c *Counter) Add(e *Entry) {
	c.when(e.At)
	n := int64(e.Chars)
	switch e.Kind {
	case UserText:
		c.f.Composition.UserText += n
		if e.Rules {
			c.f.Sources.Rules += n
		} else {
			c.f.Sources.Dialogue += n
		}
	case AssistantText:
		c.f.Composition.AssistantText += n
		c.f.Sources.Dialogue += n
	case Thinking:
		c.f.Composition.Thinking += n
		c.f.Sources.Dialogue += n
	case ToolCall:
		c.toolCall(e)
	case ToolResult:
		c.toolResult(e)
	case Reply:
		c.reply(e)
	case Compaction:
		c.f.Compactions++
	case Offered:
		c.offer(e)
	case Moment, Queued, Refused: // what reached the model of it is counted where it did
	}
}

// when widens the time of the session. The texts have one form, so that they
// are in the order of time.
func (c *Counter) when(at string) {
	if at == "" {
		return
	}
	if c.first == "" || at < c.first {
		c.first = at
	}
	c.last = max(c.last, at)
}

// hash stands for a name or a command. Two of one session with the same hash of
// 64 bits, from a secret seed, are not to be expected.
func (c *Counter) hash(s string) uint64 { return maphash.String(c.seed, s) }

func (c *Counter) toolCall(e *Entry) {
	n := int64(e.Chars)
	c.f.Composition.ToolInput += n
	c.f.Sources.Dialogue += n
	t := c.tools[e.Tool]
	if t == nil {
		t = &Tool{Name: e.Tool}
		c.tools[e.Tool] = t
	}
	t.Calls++
	k := call{tool: t, act: e.Act, input: n}
	switch e.Act {
	case Read:
		c.f.Reads++
		k.file = c.file(e.Path)
		k.again = k.file.read
		k.file.read = true
		k.file.reads++
		c.f.Rereads += one(k.again)
	case Shell:
		c.f.Commands++
		h := c.hash(e.Command)
		_, k.again = c.ran[h]
		c.ran[h] = struct{}{}
		c.f.RepeatedCommands += one(k.again)
	case Edit:
		k.file = c.file(e.Path)
		c.firstEdit()
	case Other:
	}
	c.actions++
	c.calls[c.hash(e.Call)] = k
}

// firstEdit keeps what came before it.
func (c *Counter) firstEdit() {
	if c.f.ActionsToEdit == nil {
		actions, read := c.actions, c.read
		c.f.ActionsToEdit, c.f.CharsToEdit = &actions, &read
	}
}

func (c *Counter) file(path string) *file {
	f := c.files[path]
	if f == nil {
		f = &file{}
		c.files[path] = f
	}
	return f
}

func one(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func (c *Counter) toolResult(e *Entry) {
	n := int64(e.Chars)
	c.f.Composition.ToolResult += n
	id := c.hash(e.Call)
	k, known := c.calls[id]
	if known {
		k.tool.ResultChars += n
	}
	if e.Failed && known && !k.failedInput {
		c.f.Sources.Dialogue -= k.input
		c.f.Sources.FailedAttempts += k.input
		k.failedInput = true
		c.calls[id] = k
	}
	switch k.act {
	case Read:
		c.readResult(k, n, e.Failed)
		return
	case Edit:
		if !e.Failed {
			c.edited(k.file)
		}
	case Shell:
		c.f.FailedCommands += one(e.Failed)
		c.f.RepeatedChars += n * one(k.again)
	case Other:
	}
	if e.Failed {
		c.f.Sources.FailedAttempts += n
	} else {
		c.f.Sources.ToolOutput += n
		c.f.LongChars += max(0, n-LongResult)
	}
}

// readResult waits with the file for an edit: until then it is unknown whether
// it is a stale view.
func (c *Counter) readResult(k call, n int64, failed bool) {
	if failed {
		k.file.failed += n
	} else {
		k.file.ok += n
	}
	k.file.chars += n
	c.read += n
	c.f.RereadChars += n * one(k.again)
}

func (c *Counter) edited(f *file) {
	c.f.StaleReadChars += f.ok + f.failed
	f.ok, f.failed = 0, 0
}

func (c *Counter) reply(e *Entry) {
	id := c.hash(e.Reply)
	old, again := c.replies[id]
	if !again {
		c.f.Calls++
		old.model = c.model(e.Model)
		old.model.calls++
	}
	m := old.model
	if e.Usage != nil {
		c.used(*e.Usage)
		m.usage = m.usage.Minus(old.usage).Plus(*e.Usage)
		if old.usage == (Usage{}) {
			m.known++
		}
		old.usage = *e.Usage
	}
	if e.USD != nil {
		if old.usd == nil {
			m.priced++
		} else {
			m.usd -= *old.usd
		}
		m.usd += *e.USD
		old.usd = e.USD
	}
	c.replies[id] = old
}

func (c *Counter) used(u Usage) {
	if !c.usage {
		c.f.StartTokens = ptr(u.Context())
	}
	c.most = max(c.most, u.Context())
	c.usage = true
}

func (c *Counter) model(name string) *modelUse {
	m := c.models[name]
	if m == nil {
		m = &modelUse{}
		c.models[name] = m
		c.order = append(c.order, name)
	}
	return m
}

// Figures gives what was counted so far. Unseen are the sources of which this
// transcript does not have all.
func (c *Counter) Figures(price Price, unseen ...string) Figures {
	f := c.f
	if c.first != "" {
		f.StartedAt, f.EndedAt = ptr(c.first), ptr(c.last)
	}
	f.Unseen = append([]string{}, unseen...)
	f.Sources.StaleReads = f.StaleReadChars
	for _, v := range c.files { // sums: their order does not matter
		f.Sources.FileReads += v.ok
		f.Sources.FailedAttempts += v.failed
	}
	f.Tools = []Tool{}
	for _, t := range c.tools {
		f.Tools = append(f.Tools, *t)
	}
	sortTools(f.Tools)
	f.FilesRead, f.Offered = c.filesRead(), c.offers()
	c.priced(&f, price)
	if f.Calls == 0 || c.usage {
		f.OutputTokens, f.MaxContextTokens = ptr(int64(0)), ptr(c.most)
		for _, m := range f.Models {
			*f.OutputTokens += m.OutputTokens
		}
	}
	f.Quality = QualityAt(f.MaxContextTokens)
	return f
}

func ptr[T any](v T) *T { return &v }

// priced fills in the models and what they cost; one unknown price makes the
// whole unknown.
func (c *Counter) priced(f *Figures, price Price) {
	f.Models, f.USD, f.Estimated = []ModelUse{}, nil, false
	total, most, at := ptr(0.0), int64(0), ""
	if f.StartedAt != nil {
		at = *f.StartedAt
	}
	for _, name := range c.order {
		m := c.models[name]
		u := ModelUse{
			Model: name, Calls: m.calls, InputTokens: m.usage.Input, CacheReadTokens: m.usage.CacheRead,
			CacheWriteTokens: m.usage.CacheWrite, OutputTokens: m.usage.Output, USD: m.cost(name, at, price),
		}
		f.Models = append(f.Models, u)
		f.Estimated = f.Estimated || u.USD != nil && m.priced < m.calls
		total = add(total, u.USD)
		if m.calls > most {
			f.Model, most = name, m.calls
		}
	}
	if len(f.Models) > 0 {
		f.USD = total
	}
}

// cost is what the program itself said, or the price of the tokens.
func (m *modelUse) cost(name, at string, price Price) *float64 {
	switch {
	case m.priced == m.calls:
		return ptr(m.usd)
	case m.known == 0:
		return nil
	default:
		return price(name, at, m.usage)
	}
}

func add(a, b *float64) *float64 {
	if a == nil || b == nil {
		return nil
	}
	return ptr(*a + *b)
}

// sortTools puts what filled the context most first.
func sortTools(list []Tool) {
	slices.SortFunc(list, func(a, b Tool) int {
		switch {
		case a.ResultChars != b.ResultChars:
			return int(b.ResultChars - a.ResultChars)
		case a.Calls != b.Calls:
			return int(b.Calls - a.Calls)
		default:
			return strings.Compare(a.Name, b.Name)
		}
	})
}
