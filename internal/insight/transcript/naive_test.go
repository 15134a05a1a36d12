package transcript_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"kedge/internal/insight/audit"
)

// naive counts a transcript of Claude Code a second time, whole in memory, with
// the standard decoder and straight from the definitions in docs/reference/json.md: what
// the reader and the counter must agree with, figure by figure.
type naive struct {
	composition                audit.Composition
	tools                      map[string]audit.Tool
	calls, maxContext, output  int64
	compactions, skipped       int64
	reads, rereads, stale      int64
	commands, failed, repeated int64
	first, last, id            string
	uses                       map[string]naiveUse
	spent                      map[string]*naiveSpent // replies, by id
	paths, ran                 map[string]bool
	readResults                []naiveRead
	edits                      []naiveRead
	results                    int // tool results so far: the order of reads and edits
	sources                    audit.Sources
	models                     []string              // of the replies, one each
	kinds                      map[string]naiveSpent // by model
	story                      []naiveEvent
}

// naiveEvent is a reply, a compaction, or what a tool gave.
type naiveEvent struct {
	tool             string
	chars            int64
	reply, compacted bool
}

// carried counts every character of a tool's results once for each reply before the next
// compaction.
func (n *naive) carried(tool string) (sum int64) {
	for i, e := range n.story {
		if e.tool != tool || e.reply || e.compacted {
			continue
		}
		for _, later := range n.story[i:] {
			if later.compacted {
				break
			}
			if later.reply {
				sum += e.chars
			}
		}
	}
	return sum
}

// naiveSpent is what a reply used.
type naiveSpent struct {
	model                            string
	input, read, write, hour, output int64
}

type naiveUse struct {
	name, path string
	input      int64
	failed     bool
}

type naiveRead struct {
	at     int
	path   string
	chars  int64
	failed bool
}

// model is the one of most replies; of several, the one that was there first.
func (n *naive) model() string {
	count, most, best := map[string]int{}, 0, ""
	for _, m := range n.models {
		count[m]++
	}
	for _, m := range n.models {
		if count[m] > most {
			most, best = count[m], m
		}
	}
	return best
}

func object(v any) map[string]any { m, _ := v.(map[string]any); return m }
func list(v any) []any            { l, _ := v.([]any); return l }
func str(v any) string            { s, _ := v.(string); return s }
func num(v any) int64             { f, _ := v.(float64); return int64(f) }
func chars(s string) int64        { return int64(utf8.RuneCountInString(s)) }

func isTime(s string) bool {
	_, err := time.Parse("2006-01-02T15:04:05.000Z", s)
	return err == nil
}

func countNaive(b []byte) *naive {
	n := &naive{tools: map[string]audit.Tool{}, uses: map[string]naiveUse{}, spent: map[string]*naiveSpent{}, kinds: map[string]naiveSpent{}, paths: map[string]bool{}, ran: map[string]bool{}}
	for _, line := range bytes.Split(b, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var o map[string]any
		if json.Unmarshal(line, &o) != nil || o == nil {
			n.skipped++
			continue
		}
		if o["isSidechain"] != true {
			n.line(o)
		} else if o["type"] == "assistant" {
			n.reply(o, true)
		}
	}
	for _, s := range n.spent {
		n.output += s.output
		k := n.kinds[s.model]
		n.kinds[s.model] = naiveSpent{s.model, k.input + s.input, k.read + s.read, k.write + s.write, k.hour + s.hour, k.output + s.output}
	}
	for _, r := range n.readResults {
		stale := false
		for _, e := range n.edits {
			stale = stale || e.path == r.path && e.at > r.at
		}
		switch {
		case stale:
			n.stale += r.chars
		case r.failed:
			n.sources.FailedAttempts += r.chars
		default:
			n.sources.FileReads += r.chars
		}
	}
	n.sources.StaleReads = n.stale
	n.sources.Dialogue += n.composition.AssistantText + n.composition.Thinking
	return n
}

// said counts a text of the person's side.
func (n *naive) said(text string, meta bool) {
	n.composition.UserText += chars(text)
	if meta {
		n.sources.Rules += chars(text)
	} else {
		n.sources.Dialogue += chars(text)
	}
}

func (n *naive) line(o map[string]any) {
	if n.id == "" {
		n.id = str(o["sessionId"])
	}
	if at := str(o["timestamp"]); isTime(at) {
		if n.first == "" || at < n.first {
			n.first = at
		}
		n.last = max(n.last, at)
	}
	m := object(o["message"])
	switch o["type"] {
	case "system":
		if o["subtype"] == "compact_boundary" {
			n.compactions++
			n.story = append(n.story, naiveEvent{compacted: true})
		}
	case "user":
		n.said(str(m["content"]), o["isMeta"] == true)
		for _, b := range list(m["content"]) {
			n.user(object(b), o["isMeta"] == true)
		}
	case "progress":
		if inner := object(object(o["data"])["message"]); inner["type"] == "assistant" {
			n.reply(inner, true)
		}
	case "assistant":
		n.reply(o, false)
		n.composition.AssistantText += chars(str(m["content"]))
		for _, b := range list(m["content"]) {
			n.assistant(object(b))
		}
	}
}

// reply counts one; what is said of it again replaces. A nested one fills no context.
func (n *naive) reply(line map[string]any, nested bool) {
	m := object(line["message"])
	if m["model"] == "<synthetic>" {
		return
	}
	id := str(m["id"])
	if id == "" {
		id = str(line["requestId"])
	}
	if id == "" {
		id = fmt.Sprintf("unnamed %d", len(n.spent))
	}
	if n.spent[id] == nil {
		n.calls++
		n.models = append(n.models, str(m["model"]))
		n.spent[id] = &naiveSpent{model: str(m["model"])}
		if !nested {
			n.story = append(n.story, naiveEvent{reply: true})
		}
	}
	u := object(m["usage"])
	if u == nil {
		return
	}
	write := num(u["cache_creation_input_tokens"])
	hour := min(write, num(object(u["cache_creation"])["ephemeral_1h_input_tokens"]))
	*n.spent[id] = naiveSpent{n.spent[id].model, num(u["input_tokens"]), num(u["cache_read_input_tokens"]), write, hour, num(u["output_tokens"])}
	if !nested {
		n.maxContext = max(n.maxContext, num(u["input_tokens"])+num(u["cache_read_input_tokens"])+write)
	}
}

func (n *naive) assistant(b map[string]any) {
	switch b["type"] {
	case "text":
		n.composition.AssistantText += chars(str(b["text"]))
	case "thinking":
		n.composition.Thinking += chars(str(b["thinking"]))
	case "tool_use":
		n.use(b)
	}
}

func (n *naive) use(b map[string]any) {
	var w bytes.Buffer
	e := json.NewEncoder(&w)
	e.SetEscapeHTML(false)
	_ = e.Encode(b["input"]) // it was decoded from JSON
	// Go escapes the two line separators, which JSON does not ask for.
	in := strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029", `\\`, `\\`).Replace(strings.TrimSuffix(w.String(), "\n"))
	if _, there := b["input"]; there {
		n.composition.ToolInput += chars(in)
		n.sources.Dialogue += chars(in)
	} else {
		in = ""
	}
	n.called(str(b["id"]), str(b["name"]), object(b["input"]), chars(in))
}

func (n *naive) called(id, name string, in map[string]any, size int64) {
	t := n.tools[name]
	t.Name, t.Calls, t.InputChars = name, t.Calls+1, t.InputChars+size
	n.tools[name] = t
	path := str(in["file_path"])
	if path == "" {
		path = str(in["notebook_path"])
	}
	n.uses[id] = naiveUse{name, path, size, false}
	switch name {
	case "Read":
		n.reads++
		if n.paths[path] {
			n.rereads++
		}
		n.paths[path] = true
	case "Bash":
		n.commands++
		if n.ran[str(in["command"])] {
			n.repeated++
		}
		n.ran[str(in["command"])] = true
	}
}

func (n *naive) user(b map[string]any, meta bool) {
	if b["type"] == "text" {
		n.said(str(b["text"]), meta)
	}
	if b["type"] != "tool_result" {
		return
	}
	all := str(b["content"])
	for _, x := range list(b["content"]) {
		if object(x)["type"] == "text" {
			all += str(object(x)["text"])
		}
	}
	n.composition.ToolResult += chars(all)
	n.results++
	id, failed := str(b["tool_use_id"]), b["is_error"] == true
	u, ok := n.uses[id]
	switch {
	case u.name == "Read":
	case failed:
		n.sources.FailedAttempts += chars(all)
	default:
		n.sources.ToolOutput += chars(all)
	}
	if !ok {
		return
	}
	if failed && !u.failed {
		n.sources.Dialogue -= u.input
		n.sources.FailedAttempts += u.input
		u.failed = true
		n.uses[id] = u
	}
	t := n.tools[u.name]
	n.story = append(n.story, naiveEvent{tool: u.name, chars: chars(all)})
	t.ResultChars += chars(all)
	if failed {
		t.Failed++
	}
	n.tools[u.name] = t
	switch u.name {
	case "Read":
		n.readResults = append(n.readResults, naiveRead{n.results, u.path, chars(all), failed})
	case "Edit", "Write", "MultiEdit", "NotebookEdit":
		if !failed {
			n.edits = append(n.edits, naiveRead{at: n.results, path: u.path})
		}
	case "Bash":
		if failed {
			n.failed++
		}
	}
}
