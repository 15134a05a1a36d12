package claude

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"kedge/internal/agents"
	"kedge/internal/agents/stream"
	"kedge/internal/core/watch"
)

// reader reads the events of one Claude Code process.
type reader struct {
	stream.Stream
	task  agents.Task
	usage usage

	dir          string // that it works in, as it says
	conversation string
	version      string
	plan         string // what it wrote last into a file of plans
	planFile     string

	question *asked // that it waits for an answer to
	failed   failure
	result   *event
	short    short
}

// short is how far it is with a compaction that it was told.
type short int

const (
	atWork    short = iota
	told            // its turn is being stopped for it
	stopped         // the next turn is nothing but that
	shortens        // in that turn
	shortened       // it did, or could not, and that turn is not over
	idle            // no turn runs: who stopped the last one says what comes next
)

// shortenID begins the ids of the requests that stop a turn to compact.
const shortenID = "kedge-shorten-"

// Open implements agents.Reader.
func (r *reader) Open(brief []byte) agents.Input { return agents.Input{Text: user(string(brief), "")} }

// user is a line that says something as the user.
func user(text, id string) []byte {
	line := map[string]any{
		"type": "user", "message": map[string]any{"role": "user", "content": text}, "parent_tool_use_id": nil, "session_id": "",
	}
	if id != "" {
		line["uuid"] = id
	}
	return stream.JSONLine(line)
}

// Say implements agents.Reader.
func (r *reader) Say(w agents.Word) (agents.Input, bool) {
	switch {
	case w.Kind == agents.Close:
		return agents.Input{Close: true}, true
	case w.Kind == agents.Interrupt:
		return agents.Input{Text: stream.JSONLine(map[string]any{
			"type": "control_request", "request_id": w.ID, "request": map[string]any{"subtype": "interrupt"},
		})}, true
	case w.Kind == agents.Shorten:
		return r.shorten(w), r.question == nil && r.result == nil && r.conversation != "" && r.short == atWork
	case r.question != nil:
		return agents.Input{Text: r.question.answer(w.Text)}, true
	case r.result != nil:
		return agents.Input{}, false // its turn is over, and no other is wanted
	case r.short != atWork && r.short != idle:
		return agents.Input{}, false // that is a turn of its own
	default:
		return agents.Input{Text: user(w.Text, "")}, true
	}
}

// shorten stops the turn, because only between two of them it compacts when it is
// told, and tells it to.
func (r *reader) shorten(w agents.Word) agents.Input {
	stop := stream.JSONLine(map[string]any{"type": "control_request", "request_id": shortenID + w.ID, "request": map[string]any{"subtype": "interrupt"}})
	return agents.Input{Text: append(stop, user("/compact "+w.Text, "")...)}
}

// Asks implements agents.Reader.
func (r *reader) Asks() bool { return r.question != nil }

// Feed implements agents.Reader.
func (r *reader) Feed(b []byte, at agents.Time) ([]watch.Act, agents.Input) {
	return r.Each(b, at, func(line []byte, long bool) ([]watch.Act, agents.Input) { return r.line(line, long, at) })
}

// partial begins the many lines of a reply that is being streamed.
var (
	partial = []byte(`{"type":"stream_event"`)
	starts  = []byte(`"message_start"`)
	deltas  = []byte(`"message_delta"`)
	breaks  = []byte(`"abandoned_blocks"`)
)

func (r *reader) line(line []byte, long bool, at agents.Time) ([]watch.Act, agents.Input) {
	if bytes.HasPrefix(line, partial) && !bytes.Contains(line, starts) && !bytes.Contains(line, deltas) && !bytes.Contains(line, breaks) {
		return nil, agents.Input{}
	}
	var ev event
	if !r.Decode(line, long, &ev) {
		return nil, agents.Input{}
	}
	if ev.Type == "" {
		r.Break()
		return nil, agents.Input{}
	}
	return r.event(&ev, at)
}

// event takes one event. Kinds that are not known here are passed over: new
// versions have new ones.
func (r *reader) event(ev *event, at agents.Time) ([]watch.Act, agents.Input) {
	switch ev.Type {
	case "system":
		return r.system(ev, at)
	case "stream_event":
		return r.streamed(ev), agents.Input{}
	case "control_response":
		return r.answered(ev), agents.Input{}
	case "assistant":
		return r.assistant(ev), agents.Input{}
	case "user":
		return r.user(ev), agents.Input{}
	case "rate_limit_event":
		return r.rateLimit(ev), agents.Input{}
	case "control_request":
		return r.request(ev)
	case "result":
		return r.ended(ev)
	default:
		return nil, agents.Input{}
	}
}

func (r *reader) system(ev *event, at agents.Time) ([]watch.Act, agents.Input) {
	switch ev.Subtype {
	case "init":
		return nil, r.begin(ev)
	case "compact_boundary":
		return r.compacted(ev), agents.Input{}
	case "status":
		return r.shortening(ev), agents.Input{}
	case "api_retry":
		return r.retried(ev, at), agents.Input{}
	default:
		return nil, agents.Input{}
	}
}

// windowRequest asks how large the context is: nothing else says it before the
// end. It costs no tokens.
const windowRequest = "kedge-window"

// begin is the beginning of a turn.
func (r *reader) begin(ev *event) agents.Input {
	again := r.conversation != ""
	r.dir, r.conversation, r.version = ev.CWD, ev.SessionID, ev.Version
	r.usage.name(ev.Model)
	if again || r.usage.window > 0 {
		return agents.Input{}
	}
	return agents.Input{Text: stream.JSONLine(map[string]any{
		"type": "control_request", "request_id": windowRequest, "request": map[string]any{"subtype": "get_context_usage"},
	})}
}

// answered is the answer to what was asked of the program.
func (r *reader) answered(ev *event) []watch.Act {
	if ev.Response.Subtype == "success" && strings.HasPrefix(ev.Response.ID, shortenID) {
		r.tookShorten()
	}
	size := ev.Response.Response.Max
	if ev.Response.ID != windowRequest || size <= 0 {
		return nil
	}
	r.usage.window = size
	return stream.Used(&watch.Used{Window: &size})
}

// tookShorten is the answer to the stop of a turn to compact.
func (r *reader) tookShorten() {
	switch r.short {
	case atWork:
		r.short = told
	case idle:
		r.short = stopped
	case told, stopped, shortens, shortened:
	}
}

// works is called when it does what it was told after it was stopped.
func (r *reader) works() {
	if r.short == idle {
		r.short = atWork
	}
}

// shortening is news of a compaction.
func (r *reader) shortening(ev *event) []watch.Act {
	switch {
	case ev.State == "compacting" && r.short == stopped:
		r.short = shortens
	case ev.CompactResult == "failed" && r.short == shortens:
		r.short = shortened
		return []watch.Act{{Kind: watch.Spared, Asked: true, Text: stream.OneLine(ev.CompactError, "")}}
	}
	return nil
}

func (r *reader) compacted(ev *event) []watch.Act {
	out := []watch.Act{{Kind: watch.Compact, Asked: r.short == shortens, Text: ev.Compact.Trigger}}
	if r.short == shortens {
		r.short = shortened
	}
	if n := ev.Compact.Post; n > 0 {
		out = append(out, stream.Used(r.usage.full("", n))...)
	}
	return out
}

// retried is a request that failed and is made again: of some it is known now
// what the end will mean.
func (r *reader) retried(ev *event, at agents.Time) []watch.Act {
	switch ev.errorName() {
	case "authentication_failed":
		return []watch.Act{{Kind: watch.NoLogin, Text: "the provider does not accept the login"}}
	case "rate_limit", "overloaded":
		return []watch.Act{{Kind: watch.Limit, Text: ev.errorName(), Until: at.Add(time.Duration(ev.RetryMS) * time.Millisecond).UTC()}}
	default:
		return []watch.Act{{Kind: watch.Retry, Text: stream.OneLine(ev.errorName(), ""), Until: at.Add(time.Duration(ev.RetryMS) * time.Millisecond).UTC()}}
	}
}

func (r *reader) rateLimit(ev *event) []watch.Act {
	if ev.Rate.Status != "rejected" {
		return nil
	}
	r.failed.until = stream.Until(ev.Rate.ResetsAt)
	return []watch.Act{{Kind: watch.Limit, Text: ev.Rate.Type, Until: r.failed.until}}
}

// streamed is the beginning or the end of a reply: the only places where its
// figures are right while it comes; or that it broke off. Sub-agents are not streamed.
func (r *reader) streamed(ev *event) []watch.Act {
	switch {
	case ev.Parent != "":
		return nil
	case ev.Event.Type == "message_start":
		r.works()
		return stream.Used(r.usage.start(ev.Event.Message))
	case ev.Event.Type == "message_delta":
		id, u := r.usage.end(ev.Event.Usage)
		return append(stream.Used(u), r.turn(id)...)
	case ev.Event.Type == "message_stop" && len(ev.Abandoned) > 0:
		r.usage.abandoned()
		return nil
	default:
		return nil
	}
}

// turn tells that a reply of the model is over. While a question is open it is
// not: it waits.
func (r *reader) turn(id string) []watch.Act {
	if id == "" || r.question != nil {
		return nil
	}
	return []watch.Act{{Kind: watch.Turn}}
}

// maxMessages bounds the messages that are remembered: only the last ones can
// come again.
const maxMessages = 1024

// assistant is one block of a reply.
func (r *reader) assistant(ev *event) []watch.Act {
	m, main := ev.message(), ev.Parent == ""
	if m.Model == "<synthetic>" {
		r.failed.synthetic(ev)
		return nil
	}
	if main {
		r.works()
	}
	var out []watch.Act
	for _, b := range m.blocks() {
		switch {
		case b.Type == "tool_use":
			out = append(out, r.call(b))
		case b.Type == "text" && main:
			out = append(out, r.Said(b.Text)...)
		}
	}
	u, whole := r.usage.block(m, main)
	out = append(out, stream.Used(u)...)
	if whole && main {
		out = append(out, r.turn(m.ID)...)
	}
	return out
}

// call is a tool that it is about to use.
func (r *reader) call(b block) watch.Act {
	var in struct {
		File     string `json:"file_path"`
		Notebook string `json:"notebook_path"`
		Content  string `json:"content"`
		Old      string `json:"old_string"`
		New      string `json:"new_string"`
	}
	_ = json.Unmarshal(b.Input, &in) // a tool with other arguments changes no file that is named
	ev := watch.Act{Kind: watch.Call, ID: b.ID, Tool: b.Name, Input: stream.Cut(stream.InputText(b.Input))}
	file := cmp.Or(in.File, in.Notebook)
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
	if p, ok := stream.Inside(file, r.dir, r.task.Dir); ok {
		ev.Paths = []string{p}
	}
	return ev
}

// user are the results of tools.
func (r *reader) user(ev *event) []watch.Act {
	var out []watch.Act
	for _, b := range ev.message().blocks() {
		if b.Type != "tool_result" {
			continue
		}
		if r.question != nil && r.question.call == b.Use {
			r.question = nil
		}
		out = append(out, watch.Act{Kind: watch.Result, ID: b.Use, Output: stream.Cut(b.output()), Failed: b.Error})
	}
	return out
}

// ended is the end of a turn. No further one is wanted, unless somebody
// interrupted this one: who did that says what comes next.
func (r *reader) ended(ev *event) ([]watch.Act, agents.Input) {
	r.question = nil
	out := stream.Used(r.usage.settle(ev))
	was := r.short
	r.short = idle
	switch {
	case was == shortened:
		return out, agents.Input{}
	case was == stopped || was == shortens: // it may refuse without ever saying that it begins
		return append(out, watch.Act{Kind: watch.Spared, Asked: true, Text: stream.OneLine(cmp.Or(ev.Result, strings.Join(ev.Errors, "\n")), "")}), agents.Input{}
	case was == told:
		r.short = stopped
	}
	if strings.HasPrefix(ev.Terminal, "aborted") {
		return out, agents.Input{}
	}
	r.result = ev
	return out, agents.Input{Close: true}
}
