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
	calls       map[uint64]call // by hash: names of calls and replies are long, and there are many
	replies     map[uint64]int  // by hash: where they are in used
	used        []ReplyUse
	names       Names
	files       map[string]*file
	ran         map[uint64]*CommandUse // by hash
	seed        maphash.Seed
	usage       bool // any reply had it
	actions     int64
	read        int64
	offered     map[string]Offer
	prompt      int64 // characters of the system prompt
	told        int   // replies that turn has seen
	turns       int64 // of them, those of the session itself
	compacted   []Compacted
	carried     []carry // what the context has
}

// call is a tool call that waits for its result.
type call struct {
	tool        *Tool
	file        *file       // of a Read or an Edit
	command     *CommandUse // of a Shell
	input       int64
	act         Act
	again       bool // a reread, or a repeated command
	failedInput bool // its input is counted as failed
}

// file is what was read of one, since its last edit.
type file struct {
	read       bool
	ok, failed int64
	use        FileUse // since the beginning
}

// Names are texts of which many sessions need one copy: those of a project use the same
// models, run the same commands and read the same files.
type Names map[string]string

// once gives a text in a copy of its own, always the same one: what it is cut out of can be
// as long as a line.
func (n Names) once(s string) string {
	same, ok := n[s]
	if !ok {
		same = strings.Clone(s)
		n[same] = same
	}
	return same
}

// NewCounter counts a session of this agent. Whoever counts many gives them the same names.
func NewCounter(agent string, names Names) *Counter {
	c := &Counter{
		tools: map[string]*Tool{}, calls: map[uint64]call{}, replies: map[uint64]int{}, names: names,
		files: map[string]*file{}, ran: map[uint64]*CommandUse{}, seed: maphash.MakeSeed(),
	}
	c.f.Agent, c.f.Sessions = agent, 1
	return c
}

// Add counts one entry.
func (c *Counter) Add(e *Entry) {
	if !e.Nested {
		c.when(e.At)
	}
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
		c.turn(e.Nested)
	case Compaction:
		c.compact(e)
	case Offered:
		c.offer(e)
	case Prompt:
		c.prompt = max(c.prompt, n)
	case Given:
		c.f.Composition.System += n
		c.f.Sources.Rules += n
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
		t = &Tool{Name: e.Tool, other: e.Act != Read && e.Act != Shell}
		c.tools[e.Tool] = t
	}
	t.Calls++
	t.InputChars += n
	k := call{tool: t, act: e.Act, input: n}
	switch e.Act {
	case Read:
		c.f.Reads++
		k.file = c.file(e.Path)
		k.again = k.file.read
		k.file.read = true
		k.file.use.Reads++
		k.file.use.Rereads += one(k.again)
		c.f.Rereads += one(k.again)
	case Shell:
		c.f.Commands++
		k.command = c.ranCommand(e.Command)
		k.again = k.command.Runs > 0
		k.command.Runs++
		k.command.Repeats += one(k.again)
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
		k.tool.Failed += one(e.Failed)
		c.keep(n, &k.tool.CarriedChars)
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
			k.file.use.Edits++
			c.edited(k.file)
		}
	case Shell:
		c.commandResult(k, e)
		c.keep(n, &k.command.CarriedChars)
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
	k.file.use.Chars += n
	k.file.use.RereadChars += n * one(k.again)
	c.keep(n, &k.file.use.CarriedChars)
	c.read += n
	c.f.RereadChars += n * one(k.again)
}

func (c *Counter) edited(f *file) {
	c.f.StaleReadChars += f.ok + f.failed
	f.use.StaleChars += f.ok + f.failed
	f.ok, f.failed = 0, 0
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
	c.settle()
	f.Curve, f.Compacted = c.curve()
	f.Tools = []Tool{}
	for _, t := range c.tools {
		f.Tools = append(f.Tools, *t)
	}
	sortTools(f.Tools)
	f.Files, f.Ran, f.Offered = c.fileUses(), c.commandUses(), c.offers()
	f.Sources.Rules += c.prompt
	f.Composition.System += c.prompt
	for _, o := range f.Offered {
		if o.SchemaChars != nil {
			f.Sources.ToolSchemas += *o.SchemaChars
			f.Composition.System += *o.SchemaChars
		}
	}
	f.Replies = slices.Clone(c.used) // without the room to grow
	for i := range f.Replies {
		if r := &f.Replies[i]; r.At == "" {
			r.At = c.first
		}
	}
	f.Reckon(price)
	if f.Calls == 0 || c.usage {
		f.MaxContextTokens = ptr(c.most)
	}
	f.Quality = QualityAt(f.MaxContextTokens)
	return f
}

func ptr[T any](v T) *T { return &v }

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
