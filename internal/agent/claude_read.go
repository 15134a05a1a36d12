package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"kedge/internal/watch"
)

// claudeLine is the longest line that is understood: it may hold a whole file,
// before and after.
const claudeLine = 16 << 20

// claudeReader reads the events of one Claude Code process.
type claudeReader struct {
	task   Task
	lines  lines
	broken int
	other  string // the last line that is no event: what it says before it gives up

	spoken spoken
	usage  claudeUsage

	dir          string // that it works in, as it says
	conversation string
	version      string
	plan         string // what it wrote last into a file of plans
	planFile     string

	question *claudeAsked // that it waits for an answer to
	asked    string       // what it asked in its text, to end with
	failed   claudeFailure
	result   *claudeEvent
	short    claudeShort
}

// claudeShort is how far it is with a compaction that it was told.
type claudeShort int

const (
	claudeAtWork  claudeShort = iota
	claudeStopped             // its turn was stopped: who did that says what comes next
	claudeShortens
	claudeShortened // and its turn, which is nothing but that, is not over
)

// Open implements Reader.
func (r *claudeReader) Open(brief []byte) Input { return Input{Text: claudeUser(string(brief), "")} }

// claudeUser is a line that says something as the user.
func claudeUser(text, id string) []byte {
	line := map[string]any{
		"type": "user", "message": map[string]any{"role": "user", "content": text}, "parent_tool_use_id": nil, "session_id": "",
	}
	if id != "" {
		line["uuid"] = id
	}
	return jsonLine(line)
}

// jsonLine is a value as one line. Only values that can be written are given.
func jsonLine(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return append(b, '\n')
}

// Say implements Reader.
func (r *claudeReader) Say(w Word) (Input, bool) {
	switch {
	case w.Kind == Close:
		return Input{Close: true}, true
	case w.Kind == Interrupt:
		return Input{Text: jsonLine(map[string]any{
			"type": "control_request", "request_id": w.ID, "request": map[string]any{"subtype": "interrupt"},
		})}, true
	case w.Kind == Shorten:
		return r.shorten(w), r.question == nil && r.result == nil && r.conversation != "" && r.short == claudeAtWork
	case r.question != nil:
		return Input{Text: r.question.answer(w.Text)}, true
	case r.result != nil:
		return Input{}, false // its turn is over, and no other is wanted
	case r.short == claudeShortens || r.short == claudeShortened:
		return Input{}, false // a turn of its own
	default:
		return Input{Text: claudeUser(w.Text, "")}, true
	}
}

// shorten stops the turn, because only between two of them it compacts when it is
// told, and tells it to.
func (r *claudeReader) shorten(w Word) Input {
	stop := jsonLine(map[string]any{"type": "control_request", "request_id": w.ID, "request": map[string]any{"subtype": "interrupt"}})
	return Input{Text: append(stop, claudeUser("/compact "+w.Text, "")...)}
}

// Asks implements Reader.
func (r *claudeReader) Asks() bool { return r.question != nil }

// Broken implements Reader.
func (r *claudeReader) Broken() int { return r.broken }

// Feed implements Reader.
func (r *claudeReader) Feed(b []byte, at Time) ([]watch.Event, Input) {
	var evs []watch.Event
	var in Input
	r.lines.feed(b, func(line []byte, long bool) {
		got, reply := r.line(line, long, at)
		for _, ev := range got {
			ev.At = at
			evs = append(evs, ev)
		}
		in.Text = append(in.Text, reply.Text...)
		in.Close = in.Close || reply.Close
	})
	return evs, in
}

// partial begins the many lines of a reply that is being streamed.
var (
	partial = []byte(`{"type":"stream_event"`)
	starts  = []byte(`"message_start"`)
	deltas  = []byte(`"message_delta"`)
)

func (r *claudeReader) line(line []byte, long bool, at Time) ([]watch.Event, Input) {
	switch {
	case long:
		r.broken++
		return nil, Input{}
	case !bytes.HasPrefix(line, []byte("{")):
		r.other = first(otherLine(line), r.other)
		return nil, Input{}
	case bytes.HasPrefix(line, partial) && !bytes.Contains(line, starts) && !bytes.Contains(line, deltas):
		return nil, Input{}
	}
	var ev claudeEvent
	var odd *json.UnmarshalTypeError // a field that is something else in this version: the rest counts
	if err := json.Unmarshal(line, &ev); err != nil && !errors.As(err, &odd) || ev.Type == "" {
		r.broken++
		return nil, Input{}
	}
	return r.event(&ev, at)
}

// event takes one event. Kinds that are not known here are passed over: new
// versions have new ones.
func (r *claudeReader) event(ev *claudeEvent, at Time) ([]watch.Event, Input) {
	switch ev.Type {
	case "system":
		return r.system(ev, at)
	case "stream_event":
		return r.streamed(ev), Input{}
	case "control_response":
		return r.answered(ev), Input{}
	case "assistant":
		return r.assistant(ev), Input{}
	case "user":
		return r.user(ev), Input{}
	case "rate_limit_event":
		return r.rateLimit(ev), Input{}
	case "control_request":
		return r.request(ev)
	case "result":
		return r.ended(ev)
	default:
		return nil, Input{}
	}
}

func (r *claudeReader) system(ev *claudeEvent, at Time) ([]watch.Event, Input) {
	switch ev.Subtype {
	case "init":
		return nil, r.begin(ev)
	case "compact_boundary":
		return r.compacted(ev), Input{}
	case "status":
		return r.shortening(ev), Input{}
	case "api_retry":
		return r.retried(ev, at), Input{}
	default:
		return nil, Input{}
	}
}

// windowRequest asks how large the context is: nothing else says it before the
// end. It costs no tokens.
const windowRequest = "kedge-window"

// begin is the beginning of a turn.
func (r *claudeReader) begin(ev *claudeEvent) Input {
	again := r.conversation != ""
	r.dir, r.conversation, r.version = ev.CWD, ev.SessionID, ev.Version
	r.usage.name(ev.Model)
	if again || r.usage.window > 0 {
		return Input{}
	}
	return Input{Text: jsonLine(map[string]any{
		"type": "control_request", "request_id": windowRequest, "request": map[string]any{"subtype": "get_context_usage"},
	})}
}

// answered is the answer to what was asked of the program.
func (r *claudeReader) answered(ev *claudeEvent) []watch.Event {
	size := ev.Response.Response.Max
	if ev.Response.ID != windowRequest || size <= 0 {
		return nil
	}
	r.usage.window = size
	return used(&watch.Used{Window: &size})
}

// works is called when it does what it was told after it was stopped.
func (r *claudeReader) works() {
	if r.short == claudeStopped {
		r.short = claudeAtWork
	}
}

// shortening is news of a compaction.
func (r *claudeReader) shortening(ev *claudeEvent) []watch.Event {
	switch {
	case ev.State == "compacting" && r.short == claudeStopped:
		r.short = claudeShortens
	case ev.CompactResult == "failed" && r.short == claudeShortens:
		r.short = claudeShortened
		return []watch.Event{{Kind: watch.Spared, Text: ev.CompactError}}
	}
	return nil
}

func (r *claudeReader) compacted(ev *claudeEvent) []watch.Event {
	if r.short == claudeShortens {
		r.short = claudeShortened
	}
	out := []watch.Event{{Kind: watch.Compact, Text: ev.Compact.Trigger}}
	if n := ev.Compact.Post; n > 0 {
		out = append(out, used(r.usage.full("", n))...)
	}
	return out
}

// retried is a request that failed and is made again: of some it is known now
// what the end will mean.
func (r *claudeReader) retried(ev *claudeEvent, at Time) []watch.Event {
	switch ev.errorName() {
	case "authentication_failed":
		return []watch.Event{{Kind: watch.NoLogin, Text: "the provider does not accept the login"}}
	case "rate_limit", "overloaded":
		return []watch.Event{{Kind: watch.Limit, Text: ev.errorName(), Until: at.Add(time.Duration(ev.RetryMS) * time.Millisecond).UTC()}}
	default:
		return nil
	}
}

func (r *claudeReader) rateLimit(ev *claudeEvent) []watch.Event {
	if ev.Rate.Status != "rejected" {
		return nil
	}
	r.failed.until = untilOf(ev.Rate.ResetsAt)
	return []watch.Event{{Kind: watch.Limit, Text: ev.Rate.Type, Until: r.failed.until}}
}

// streamed is the beginning or the end of a reply: the only places where its
// figures are right while it comes. Sub-agents are not streamed.
func (r *claudeReader) streamed(ev *claudeEvent) []watch.Event {
	switch {
	case ev.Parent != "":
		return nil
	case ev.Event.Type == "message_start":
		r.works()
		return used(r.usage.start(ev.Event.Message))
	case ev.Event.Type == "message_delta":
		id, u := r.usage.end(ev.Event.Usage)
		return append(used(u), r.turn(id)...)
	default:
		return nil
	}
}

func used(u *watch.Used) []watch.Event {
	if u == nil {
		return nil
	}
	return []watch.Event{{Kind: watch.Usage, Used: u}}
}

// turn tells that a reply of the model is over. While a question is open it is
// not: it waits.
func (r *claudeReader) turn(id string) []watch.Event {
	if id == "" || r.question != nil {
		return nil
	}
	return []watch.Event{{Kind: watch.Turn}}
}

// maxMessages bounds the messages that are remembered: only the last ones can
// come again.
const maxMessages = 1024

// assistant is one block of a reply.
func (r *claudeReader) assistant(ev *claudeEvent) []watch.Event {
	m, main := ev.message(), ev.Parent == ""
	if m.Model == "<synthetic>" {
		r.failed.synthetic(ev)
		return nil
	}
	if main {
		r.works()
	}
	var out []watch.Event
	for _, b := range m.blocks() {
		switch {
		case b.Type == "tool_use":
			out = append(out, r.call(b))
		case b.Type == "text" && main:
			out = append(out, r.text(b.Text)...)
		}
	}
	u, whole := r.usage.block(m, main)
	out = append(out, used(u)...)
	if whole && main {
		out = append(out, r.turn(m.ID)...)
	}
	return out
}

// text is what it says, and what of that is meant for Kedge.
func (r *claudeReader) text(text string) []watch.Event {
	out, broken := r.spoken.text(text)
	r.broken += broken
	r.asked = askedIn(out, r.asked)
	return out
}

// call is a tool that it is about to use.
func (r *claudeReader) call(b claudeBlock) watch.Event {
	var in struct {
		File     string `json:"file_path"`
		Notebook string `json:"notebook_path"`
		Content  string `json:"content"`
		Old      string `json:"old_string"`
		New      string `json:"new_string"`
	}
	_ = json.Unmarshal(b.Input, &in) // a tool with other arguments changes no file that is named
	ev := watch.Event{Kind: watch.Call, ID: b.ID, Tool: b.Name, Input: cut(inputText(b.Input), maxText)}
	file := first(in.File, in.Notebook)
	switch b.Name {
	case "Write":
		if strings.Contains(file, "/plans/") {
			r.planFile, r.plan = file, in.Content
		}
	case "Edit":
		if file != "" && file == r.planFile {
			r.plan = strings.Replace(r.plan, in.Old, in.New, 1)
		}
	case "MultiEdit", "NotebookEdit":
	default:
		return ev
	}
	if p, ok := inside(file, r.dir, r.task.Dir); ok {
		ev.Paths = []string{p}
	}
	return ev
}

// user are the results of tools.
func (r *claudeReader) user(ev *claudeEvent) []watch.Event {
	var out []watch.Event
	for _, b := range ev.message().blocks() {
		if b.Type != "tool_result" {
			continue
		}
		if r.question != nil && r.question.call == b.Use {
			r.question = nil
		}
		out = append(out, watch.Event{Kind: watch.Result, ID: b.Use, Output: cut(b.output(), maxText), Failed: b.Error})
	}
	return out
}

// ended is the end of a turn. No further one is wanted, unless somebody
// interrupted this one: who did that says what comes next.
func (r *claudeReader) ended(ev *claudeEvent) ([]watch.Event, Input) {
	r.question = nil
	out := used(r.usage.settle(ev))
	switch {
	case strings.HasPrefix(ev.Terminal, "aborted"):
		r.short = claudeStopped
		return out, Input{}
	case r.short == claudeShortened:
		r.short = claudeStopped
		return out, Input{}
	}
	r.result = ev
	return out, Input{Close: true}
}
