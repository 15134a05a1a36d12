package codex

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"kedge/internal/agents"
	"kedge/internal/agents/stream"
	"kedge/internal/core/watch"
)

// The requests of a session, by their numbers.
const (
	helloID  = 1
	threadID = 2
	turnID   = 3
)

// reader reads what one app server says.
type reader struct {
	stream.Stream
	task agents.Task

	brief   []byte
	version string
	thread  string
	dir     string
	model   string
	turn    string            // that runs; empty: none
	told    map[string]tokens // by thread: what was reported
	began   bool              // a turn of this session did
	calls   []string          // that have no result yet
	open    *asked
	until   time.Time // of a limit that is reached
	done    bool
	failed  *failure
	short   short
	refused string // why it does not compact, where the turn that was stopped for it is not over
	sums    bool   // it compacts: what is used is the summary's
	after   int64  // how full its context is then; 0: unknown
}

// short is how far it is with a compaction that it was told.
type short int

const (
	atWork    short = iota
	told            // it took it, and its turn is being stopped
	untold          // it refused it, and its turn is being stopped all the same
	stopped         // the next turn is nothing but that
	shortens        // in that turn
	shortened       // and that turn is not over
)

// shortenID begins the ids of what it is told to compact by.
const shortenID = "kedge-shorten-"

// asked is a question that people have to answer.
type asked struct {
	id        json.RawMessage
	item      string
	questions stream.Questions
}

// Open implements agents.Reader. What the session is to do can be said only when its
// thread is known: Feed says it.
func (r *reader) Open(brief []byte) agents.Input {
	r.brief = brief
	params := map[string]any{"approvalPolicy": "on-request", "sandbox": "workspace-write"}
	if r.task.ReadOnly {
		params["sandbox"] = "read-only"
	}
	if r.task.Model != "" {
		params["model"] = r.task.Model
	}
	method := "thread/start"
	if r.task.Resume != "" {
		method, params["threadId"] = "thread/resume", r.task.Resume
	}
	hello := map[string]any{
		"clientInfo":   map[string]any{"name": "kedge", "title": "Kedge", "version": "1"},
		"capabilities": map[string]any{"optOutNotificationMethods": []string{"turn/diff/updated"}}, // the whole diff, again and again
	}
	return agents.Input{Text: bytes.Join([][]byte{
		request(helloID, "initialize", hello), stream.JSONLine(map[string]any{"method": "initialized"}), request(threadID, method, params),
	}, nil)}
}

func request(id any, method string, params map[string]any) []byte {
	return stream.JSONLine(map[string]any{"id": id, "method": method, "params": params})
}

func said(text string) []any { return []any{map[string]any{"type": "text", "text": text}} }

// Say implements agents.Reader.
func (r *reader) Say(w agents.Word) (agents.Input, bool) {
	switch {
	case w.Kind == agents.Close:
		return agents.Input{Close: true}, true
	case w.Kind == agents.Interrupt:
		return agents.Input{Text: request(w.ID, "turn/interrupt", map[string]any{"threadId": r.thread, "turnId": r.turn})}, r.turn != ""
	case w.Kind == agents.Shorten:
		return r.shorten(w), r.turn != "" && r.open == nil && !r.done && r.short == atWork
	case r.open != nil:
		return agents.Input{Text: r.open.answer(w.Text)}, true
	case r.done || r.thread == "" || r.short != atWork:
		return agents.Input{}, false
	case r.turn != "":
		return agents.Input{Text: request(w.ID, "turn/steer", map[string]any{"threadId": r.thread, "expectedTurnId": r.turn, "input": said(w.Text)})}, true
	default: // after an interrupt
		return agents.Input{Text: request(w.ID, "turn/start", map[string]any{"threadId": r.thread, "input": said(w.Text)})}, true
	}
}

// shorten stops the turn, because only between two of them it compacts, and tells it
// to. It takes no words on what to keep.
func (r *reader) shorten(w agents.Word) agents.Input {
	return agents.Input{Text: append(
		request(w.ID, "turn/interrupt", map[string]any{"threadId": r.thread, "turnId": r.turn}),
		request(shortenID+w.ID, "thread/compact/start", map[string]any{"threadId": r.thread})...,
	)}
}

// tookShorten is the answer to that. It may come before the end of the turn that is
// stopped for it, and nothing can be said until then.
func (r *reader) tookShorten(l *message) []watch.Act {
	switch {
	case l.Error == nil && r.turn == "":
		r.short = stopped
	case l.Error == nil:
		r.short = told
	case r.turn == "":
		return spared(l.Error.Message)
	default:
		r.short, r.refused = untold, l.Error.Message
	}
	return nil
}

// spared tells that it was told to compact and did not.
func spared(why string) []watch.Act {
	return []watch.Act{{Kind: watch.Spared, Asked: true, Text: stream.OneLine(why, "")}}
}

func (a *asked) answer(text string) []byte {
	answers := map[string]any{}
	for i, answer := range a.questions.Answers(text) {
		answers[a.questions[i].ID] = map[string]any{"answers": []string{answer}}
	}
	return stream.JSONLine(map[string]any{"id": a.id, "result": map[string]any{"answers": answers}})
}

// Asks implements agents.Reader.
func (r *reader) Asks() bool { return r.open != nil }

// Feed implements agents.Reader.
func (r *reader) Feed(b []byte, at agents.Time) ([]watch.Act, agents.Input) {
	return r.Each(b, at, r.line)
}

func (r *reader) line(line []byte, long bool) ([]watch.Act, agents.Input) {
	if bytes.HasPrefix(line, []byte(`{"method":"item/agentMessage/delta"`)) {
		return nil, agents.Input{}
	}
	var l message
	if !r.Decode(line, long, &l) {
		return nil, agents.Input{}
	}
	if l.Method == "" && len(l.ID) == 0 {
		r.Break()
		return nil, agents.Input{}
	}
	switch {
	case l.Method == "" && bytes.HasPrefix(l.ID, []byte(`"`+shortenID)):
		return r.tookShorten(&l), agents.Input{}
	case l.Method == "":
		return nil, r.answered(&l)
	case len(l.ID) > 0:
		return r.request(&l)
	default:
		return r.notice(l.Method, &l.Params)
	}
}

// answered is the answer to a request of ours. Without a thread there is nothing
// to do.
func (r *reader) answered(l *message) agents.Input {
	id, _ := strconv.Atoi(string(l.ID))
	switch {
	case l.Error != nil && id >= helloID && id <= turnID:
		r.failed, r.done = &failure{Message: l.Error.Message}, true
		return agents.Input{Close: true}
	case id == helloID:
		_, after, _ := strings.Cut(l.Result.UserAgent, "/")
		r.version, _, _ = strings.Cut(after, " ")
		return agents.Input{}
	case id != threadID || l.Error != nil:
		return agents.Input{}
	}
	r.thread, r.dir, r.model = l.Result.Thread.ID, l.Result.Thread.CWD, cmp.Or(l.Result.Model, l.Result.Thread.Model)
	return agents.Input{Text: request(turnID, "turn/start", map[string]any{"threadId": r.thread, "input": said(string(r.brief))})}
}

// request is something that the program asks before it goes on. Whatever it is
// gets an answer.
func (r *reader) request(l *message) ([]watch.Act, agents.Input) {
	reply := func(result any) agents.Input {
		return agents.Input{Text: stream.JSONLine(map[string]any{"id": l.ID, "result": result})}
	}
	switch l.Method {
	case "item/commandExecution/requestApproval", "item/fileChange/requestApproval":
		if r.task.ReadOnly {
			return nil, reply(map[string]any{"decision": "decline"})
		}
		return nil, reply(map[string]any{"decision": "accept"})
	case "item/tool/requestUserInput":
		return r.asks(l)
	case "mcpServer/elicitation/request":
		if l.Params.Meta.Approval == "mcp_tool_call" && !r.task.ReadOnly {
			return nil, reply(map[string]any{"action": "accept", "content": map[string]any{}})
		}
		return nil, reply(map[string]any{"action": "decline"})
	default:
		return nil, agents.Input{Text: stream.JSONLine(map[string]any{"id": l.ID, "error": map[string]any{"code": -32601, "message": "not supported here: " + l.Method}})}
	}
}

// asks is a question to people. A planning session goes on without the answers:
// the next one has them. Any other waits.
func (r *reader) asks(l *message) ([]watch.Act, agents.Input) {
	a := &asked{id: l.ID, item: l.Params.ItemID, questions: l.Params.Questions}
	if !r.task.ReadOnly && len(a.questions) > 0 {
		r.open = a
		return a.questions.Ask(a.item), agents.Input{}
	}
	return a.questions.Later(), agents.Input{Text: a.answer("People answer this later. End your turn now, without a plan; the next session has the answers.")}
}

// notice takes what happened. What is not known here is passed over.
func (r *reader) notice(method string, p *params) ([]watch.Act, agents.Input) {
	main := p.Thread == r.thread
	switch method {
	case "turn/started":
		if main {
			r.turn, r.began = p.Turn.ID, true
		}
	case "turn/completed":
		if main {
			return r.ended(p)
		}
	case "item/started":
		return r.started(&p.Item), agents.Input{}
	case "item/completed":
		return r.completed(&p.Item, main), agents.Input{}
	case "thread/tokenUsage/updated":
		return r.used(p, main), agents.Input{}
	case "account/rateLimits/updated":
		r.rates(p)
	case "error":
		return r.retried(p), agents.Input{}
	}
	return nil, agents.Input{}
}

// ended is the end of a turn, and of what ran in it. No further one is wanted,
// unless somebody interrupted this one: who did that says what comes next.
func (r *reader) ended(p *params) ([]watch.Act, agents.Input) {
	r.turn, r.open, r.sums = "", nil, false
	var out []watch.Act
	for _, id := range r.calls {
		out = append(out, watch.Act{Kind: watch.Result, ID: id, Failed: true, Output: p.Turn.Status})
	}
	r.calls = nil
	was := r.short
	r.short = atWork
	switch was {
	case shortened:
		return out, agents.Input{}
	case stopped, shortens:
		return append(out, spared(p.Turn.why())...), agents.Input{}
	case untold:
		out = append(out, spared(r.refused)...)
	case told:
		r.short = stopped
	case atWork:
	}
	switch p.Turn.Status {
	case "interrupted":
		return out, agents.Input{}
	case "completed":
	default:
		r.failed = p.Turn.Error
		if r.failed == nil {
			r.failed = &failure{Message: p.Turn.why()}
		}
	}
	r.done = true
	return out, agents.Input{Close: true}
}

// started is something that it is about to do.
func (r *reader) started(i *item) []watch.Act {
	if i.Type == "contextCompaction" {
		r.sums = true
		if r.short == told || r.short == stopped {
			r.short = shortens
		}
	}
	ev := watch.Act{Kind: watch.Call, ID: i.ID}
	switch i.Type {
	case "commandExecution":
		ev.Tool, ev.Input = "shell", stream.Cut(i.Command)
	case "fileChange":
		ev.Tool, ev.Paths, ev.Input = "apply_patch", r.paths(i), strings.Join(r.paths(i), " ")
	case "mcpToolCall":
		ev.Tool, ev.Input = i.Server+"/"+i.Tool, stream.Cut(stream.InputText(i.Args))
	default:
		return nil
	}
	r.calls = append(r.calls[max(0, len(r.calls)-maxCalls+1):], i.ID)
	return []watch.Act{ev}
}

// maxCalls bounds the calls without a result that are remembered.
const maxCalls = 64

func (r *reader) paths(i *item) []string {
	var out []string
	for _, c := range i.Changes {
		if p, ok := stream.Inside(c.Path, r.dir, r.task.Dir); ok && len(out) < stream.MaxPaths {
			out = append(out, p)
		}
	}
	return out
}

// completed is what came of it, or what it says.
func (r *reader) completed(i *item, main bool) []watch.Act {
	if r.open != nil && r.open.item == i.ID {
		r.open = nil
	}
	r.calls = slices.DeleteFunc(r.calls, func(id string) bool { return id == i.ID })
	ev := watch.Act{Kind: watch.Result, ID: i.ID, Failed: i.Status != "completed"}
	switch i.Type {
	case "agentMessage":
		if !main {
			return nil
		}
		return r.Said(i.Text)
	case "contextCompaction":
		return r.compacted()
	case "commandExecution":
		ev.Output, ev.Failed = stream.Cut(i.Output), ev.Failed || i.Exit != 0
	case "fileChange":
	case "mcpToolCall":
		ev.Output = stream.Cut(stream.InputText(i.Result))
	default:
		return nil
	}
	return []watch.Act{ev}
}

// compacted tells that the context is shorter, and how full it is then.
func (r *reader) compacted() []watch.Act {
	out := []watch.Act{{Kind: watch.Compact, Asked: r.short == shortens}}
	if r.short == shortens {
		r.short = shortened
	}
	if n := r.after; n > 0 {
		out = append(out, stream.Used(&watch.Used{Context: &n, Model: r.model})...)
	}
	r.sums, r.after = false, 0
	return out
}

// used is what one reply of the model used. The sums are those of the thread,
// with what was before it was resumed, so the figures of each reply are added.
func (r *reader) used(p *params, main bool) []watch.Act {
	if p.Usage.Total == r.told[p.Thread] {
		if main && p.Usage.Last.Input == 0 {
			r.after = p.Usage.Last.All // as it takes it to be, before it asks anything again
		}
		return nil // said again
	}
	r.told[p.Thread] = p.Usage.Total
	t := p.Usage.Last
	if main && !r.began && r.task.Resume != "" { // of a conversation that goes on: what it says is how full its context is
		return r.before(p)
	}
	input := max(0, t.Input-t.CacheRead-t.CacheWrite)
	u := &watch.Used{Input: &input, CacheRead: &t.CacheRead, CacheWrite: &t.CacheWrite, Output: &t.Output, Model: r.model}
	if !main || r.sums {
		return stream.Used(u)
	}
	u.Context = &t.All
	if size := p.Usage.Window; size > 0 {
		u.Window = &size
	}
	out := stream.Used(u)
	if r.open == nil {
		out = append(out, watch.Act{Kind: watch.Turn})
	}
	return out
}

// before is what a conversation that goes on says of its last reply.
func (r *reader) before(p *params) []watch.Act {
	u := &watch.Used{Context: &p.Usage.Last.All, Model: r.model}
	if size := p.Usage.Window; size > 0 {
		u.Window = &size
	}
	return stream.Used(u)
}

// rates keeps when a limit that is reached ends.
func (r *reader) rates(p *params) {
	r.until = time.Time{}
	for _, w := range []window{p.Rates.Primary, p.Rates.Secondary} {
		if end := stream.Until(w.Resets); w.Percent >= 100 && end.After(r.until) {
			r.until = end
		}
	}
}

// retried is a request that failed; of some it is known now what the end will
// mean.
func (r *reader) retried(p *params) []watch.Act {
	if p.Error == nil {
		return nil
	}
	text := stream.OneLine(cmp.Or(p.Error.Details, p.Error.Message), "")
	name, status := p.Error.name()
	switch m := meaning(p.Error); {
	case m == agents.Limited && (status != 0 || !strings.HasPrefix(name, "response") && name != "httpConnectionFailed"):
		return []watch.Act{{Kind: watch.Limit, Text: text, Until: r.until}}
	case m == agents.NoLogin:
		return []watch.Act{{Kind: watch.NoLogin, Text: text}}
	case p.Again:
		return []watch.Act{{Kind: watch.Retry, Text: text}}
	default:
		return nil
	}
}

// meaning is what an error means for the session that it ends.
func meaning(e *failure) agents.Meaning {
	name, status := e.name()
	switch {
	case name == "unauthorized" || status == 401 || status == 403 || e != nil && strings.Contains(e.Message, "401 Unauthorized"):
		return agents.NoLogin
	case status == 429 || status >= 500:
		return agents.Limited
	}
	switch name {
	case "usageLimitExceeded", "rateLimitExceeded", "serverOverloaded", "internalServerError", "flexUnavailable",
		"httpConnectionFailed", "responseStreamConnectionFailed", "responseStreamDisconnected", "responseTooManyFailedAttempts":
		return agents.Limited
	default:
		return agents.Failed
	}
}

// Exit implements agents.Reader.
func (r *reader) Exit(code int, cause string) agents.Exit {
	e := r.exit(code, cause)
	e.Conversation, e.Version = r.thread, r.version
	return e
}

func (r *reader) exit(code int, cause string) agents.Exit {
	switch {
	case r.failed != nil:
		e := agents.Exit{Meaning: meaning(r.failed), Text: stream.OneLine(r.failed.Message, "it failed and gave no reason")}
		if e.Meaning == agents.Limited {
			e.Until = r.until
		}
		if name, _ := r.failed.name(); e.Meaning == agents.Failed && name != "" {
			e.Text = name + ": " + e.Text
		}
		return e
	default:
		return r.Ended(r.done, code, cause)
	}
}
