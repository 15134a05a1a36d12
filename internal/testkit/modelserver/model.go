package modelserver

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Model plays scripts. It knows nothing of HTTP. It may be used from several
// goroutines.
type Model struct {
	mu      sync.Mutex
	scripts map[string]Script
	now     map[string]*conversation
	replies int
	calls   int
}

// conversation is how far a script has been played.
type conversation struct {
	turn   int
	faults int   // of the turn, that were met
	size   int64 // tokens of the last request: the next one finds them in the cache
	totals Totals
}

// Totals is what a conversation used. What broke off is in Usage as far as its
// protocol told it before: with some all of its input, with others nothing.
type Totals struct {
	Usage
	Replies int // given whole
	Aside   int // of them, beside the work
	Faults  int
	Models  []string // in the order of their first use
	Beside  Usage    // of what was beside the work
	First   Usage    // of the first reply that was not beside the work
	Last    Usage    // of the last one
}

// Reply is what a request is answered.
type Reply struct {
	Conversation string
	ID           string // counts up over all replies
	Model        string
	Thinking     string
	Text         string
	Calls        []ToolCall
	Usage        Usage
	Fault        *Fault // nil: none

	aside bool
}

// ToolCall is a call as the agent offered it.
type ToolCall struct {
	ID     string
	Name   string
	Args   string // JSON, or text where the tool is a custom one
	Custom bool
	Server string // of a tool behind an MCP server: its name, where the protocol has a place for it
}

// NewModel gives a model with no scripts.
func NewModel() *Model {
	return &Model{scripts: map[string]Script{}, now: map[string]*conversation{}}
}

// Play sets the script of a conversation and starts it anew.
func (m *Model) Play(name string, s Script) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.scripts[name] = s
	m.now[name] = &conversation{}
}

// Totals is what a conversation has used so far.
func (m *Model) Totals(name string) Totals {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c, ok := m.now[name]; ok {
		return c.totals
	}
	return Totals{}
}

// Answer is the model's reply. A reply that reached its reader is to be told to
// Given: until then the same turn is given again.
func (m *Model) Answer(r Request) Reply {
	m.mu.Lock()
	defer m.mu.Unlock()
	name := r.Conversation()
	c, ok := m.now[name]
	if !ok {
		c = &conversation{}
		m.now[name] = c
	}
	m.replies++
	reply := Reply{Conversation: name, ID: fmt.Sprintf("%04d", m.replies), Model: r.Model}
	if r.Aside() {
		reply.aside = true
		if form, ok := r.form(); ok {
			m.say(&reply, r, Turn{Calls: []Call{{Do: Raw, Name: form, Args: json.RawMessage(arguments(nil, r.Tools[form].Schema))}}})
		} else {
			reply.Text = "A summary of the conversation " + Mark(name) + "."
		}
		reply.Usage = c.count(r, reply)
		return reply
	}
	turn := Turn{Text: "Done."}
	if turns := m.scripts[name].Turns; c.turn < len(turns) {
		turn = turns[c.turn]
	}
	if c.faults < len(turn.Faults) && !r.says(turn.Faults[c.faults].Unless) {
		f := turn.Faults[c.faults]
		c.faults++
		c.totals.Faults++
		reply.Fault = &f
	}
	m.say(&reply, r, turn)
	reply.Usage = c.count(r, reply)
	if turn.Usage != nil {
		reply.Usage = *turn.Usage
	}
	return reply
}

func (m *Model) say(reply *Reply, r Request, t Turn) {
	reply.Thinking, reply.Text = t.Thinking, t.Text
	for _, call := range t.Calls {
		m.calls++
		tc := call.on(r)
		tc.ID = fmt.Sprintf("%04d", m.calls)
		reply.Calls = append(reply.Calls, tc)
	}
}

// Given says that a reply reached its reader whole: it counts, and the script
// goes on.
func (m *Model) Given(r Reply) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.now[r.Conversation]
	t := &c.totals
	t.Usage = t.Usage.Add(r.Usage)
	t.Replies++
	if !slices.Contains(t.Models, r.Model) {
		t.Models = append(t.Models, r.Model)
	}
	if r.aside {
		t.Aside++
		t.Beside = t.Beside.Add(r.Usage)
		return
	}
	c.size = r.Usage.All()
	if t.Last == (Usage{}) {
		t.First = r.Usage
	}
	t.Last = r.Usage
	c.turn++
	c.faults = 0
}

// Begun says that a reply that breaks off has told what it used so far.
func (m *Model) Begun(r Reply, told Usage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := &m.now[r.Conversation].totals
	t.Usage = t.Usage.Add(told)
}

// perToken is how many characters a token has here.
const perToken = 4

// count makes figures as a provider with a cache has them: what the last request
// of the conversation held is read from it, what came since is written to it.
func (c *conversation) count(r Request, reply Reply) Usage {
	const uncached = 3
	all := max(uncached, int64(r.Size)/perToken)
	read := min(c.size, all-uncached)
	said := len(reply.Thinking) + len(reply.Text)
	for _, call := range reply.Calls {
		said += len(call.Args) + len(call.Name)
	}
	return Usage{Input: uncached, CacheRead: read, CacheWrite: all - uncached - read, Output: int64(said)/perToken + 1}
}

// pieces cuts a text as a stream brings it.
func pieces(text string) []string {
	words := strings.SplitAfter(text, " ")
	var out []string
	for len(words) > 8 {
		out, words = append(out, strings.Join(words[:8], "")), words[8:]
	}
	return append(out, strings.Join(words, ""))
}

// Everything is what all conversations have used so far.
func (m *Model) Everything() (sum Usage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range m.now {
		sum = sum.Add(c.totals.Usage)
	}
	return sum
}
