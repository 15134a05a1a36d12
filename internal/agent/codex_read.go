package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"kedge/internal/watch"
)

// The requests of a session, by their numbers.
const (
	codexHello  = 1
	codexThread = 2
	codexTurn   = 3
)

// codexReader reads what one app server says.
type codexReader struct {
	task   Task
	lines  lines
	broken int
	other  string // the last line that is none of the protocol's
	spoken spoken

	brief   []byte
	version string
	thread  string
	dir     string
	model   string
	turn    string                 // that runs; empty: none
	told    map[string]codexTokens // by thread: what was reported
	calls   []string               // that have no result yet
	asked   string
	open    *codexAsked
	until   time.Time // of a limit that is reached
	done    bool
	failed  *codexError
	short   codexShort
	sums    bool  // it compacts: what is used is the summary's
	after   int64 // how full its context is then; 0: unknown
}

// codexShort is how far it is with a compaction that it was told.
type codexShort int

const (
	codexAtWork   codexShort = iota
	codexTold                // it took it, and its turn is being stopped
	codexShortens            // in a turn that is nothing but that
)

// codexShorten begins the ids of what it is told to compact by.
const codexShorten = "kedge-shorten-"

// codexAsked is a question that people have to answer.
type codexAsked struct {
	id        json.RawMessage
	item      string
	questions []question
}

// Open implements Reader. What the session is to do can be said only when its
// thread is known: Feed says it.
func (r *codexReader) Open(brief []byte) Input {
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
	return Input{Text: bytes.Join([][]byte{
		codexRequest(codexHello, "initialize", hello), jsonLine(map[string]any{"method": "initialized"}), codexRequest(codexThread, method, params),
	}, nil)}
}

func codexRequest(id any, method string, params map[string]any) []byte {
	return jsonLine(map[string]any{"id": id, "method": method, "params": params})
}

func codexText(text string) []any { return []any{map[string]any{"type": "text", "text": text}} }

// Say implements Reader.
func (r *codexReader) Say(w Word) (Input, bool) {
	switch {
	case w.Kind == Close:
		return Input{Close: true}, true
	case w.Kind == Interrupt:
		return Input{Text: codexRequest(w.ID, "turn/interrupt", map[string]any{"threadId": r.thread, "turnId": r.turn})}, r.turn != ""
	case w.Kind == Shorten:
		return r.shorten(w), r.turn != "" && r.open == nil && !r.done && r.short == codexAtWork
	case r.open != nil:
		return Input{Text: r.open.answer(w.Text)}, true
	case r.done || r.thread == "" || r.short != codexAtWork:
		return Input{}, false
	case r.turn != "":
		return Input{Text: codexRequest(w.ID, "turn/steer", map[string]any{"threadId": r.thread, "expectedTurnId": r.turn, "input": codexText(w.Text)})}, true
	default: // after an interrupt
		return Input{Text: codexRequest(w.ID, "turn/start", map[string]any{"threadId": r.thread, "input": codexText(w.Text)})}, true
	}
}

// shorten stops the turn, because only between two of them it compacts, and tells it
// to. It takes no words on what to keep.
func (r *codexReader) shorten(w Word) Input {
	return Input{Text: append(
		codexRequest(w.ID, "turn/interrupt", map[string]any{"threadId": r.thread, "turnId": r.turn}),
		codexRequest(codexShorten+w.ID, "thread/compact/start", map[string]any{"threadId": r.thread})...,
	)}
}

// tookShorten is the answer to that.
func (r *codexReader) tookShorten(l *codexLine) []watch.Event {
	if l.Error != nil {
		return []watch.Event{{Kind: watch.Spared, Text: oneLine(l.Error.Message, "")}}
	}
	r.short = codexTold
	return nil
}

func (a *codexAsked) answer(text string) []byte {
	answers := map[string]any{}
	for i, answer := range answersTo(a.questions, text) {
		answers[a.questions[i].ID] = map[string]any{"answers": []string{answer}}
	}
	return jsonLine(map[string]any{"id": a.id, "result": map[string]any{"answers": answers}})
}

// Asks implements Reader.
func (r *codexReader) Asks() bool { return r.open != nil }

// Broken implements Reader.
func (r *codexReader) Broken() int { return r.broken }

// Feed implements Reader.
func (r *codexReader) Feed(b []byte, at Time) ([]watch.Event, Input) {
	var evs []watch.Event
	var in Input
	r.lines.feed(b, func(line []byte, long bool) {
		got, reply := r.line(line, long)
		for _, ev := range got {
			ev.At = at
			evs = append(evs, ev)
		}
		in.Text = append(in.Text, reply.Text...)
		in.Close = in.Close || reply.Close
	})
	return evs, in
}

func (r *codexReader) line(line []byte, long bool) ([]watch.Event, Input) {
	switch {
	case long:
		r.broken++
		return nil, Input{}
	case !bytes.HasPrefix(line, []byte("{")):
		r.other = first(otherLine(line), r.other)
		return nil, Input{}
	case bytes.HasPrefix(line, []byte(`{"method":"item/agentMessage/delta"`)):
		return nil, Input{}
	}
	var l codexLine
	var odd *json.UnmarshalTypeError
	if err := json.Unmarshal(line, &l); err != nil && !errors.As(err, &odd) || l.Method == "" && len(l.ID) == 0 {
		r.broken++
		return nil, Input{}
	}
	switch {
	case l.Method == "" && bytes.HasPrefix(l.ID, []byte(`"`+codexShorten)):
		return r.tookShorten(&l), Input{}
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
func (r *codexReader) answered(l *codexLine) Input {
	id, _ := strconv.Atoi(string(l.ID))
	switch {
	case l.Error != nil && id >= codexHello && id <= codexTurn:
		r.failed, r.done = &codexError{Message: l.Error.Message}, true
		return Input{Close: true}
	case id == codexHello:
		_, after, _ := strings.Cut(l.Result.UserAgent, "/")
		r.version, _, _ = strings.Cut(after, " ")
		return Input{}
	case id != codexThread || l.Error != nil:
		return Input{}
	}
	r.thread, r.dir, r.model = l.Result.Thread.ID, l.Result.Thread.CWD, first(l.Result.Model, l.Result.Thread.Model)
	return Input{Text: codexRequest(codexTurn, "turn/start", map[string]any{"threadId": r.thread, "input": codexText(string(r.brief))})}
}

// request is something that the program asks before it goes on. Whatever it is
// gets an answer.
func (r *codexReader) request(l *codexLine) ([]watch.Event, Input) {
	reply := func(result any) Input { return Input{Text: jsonLine(map[string]any{"id": l.ID, "result": result})} }
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
		return nil, Input{Text: jsonLine(map[string]any{"id": l.ID, "error": map[string]any{"code": -32601, "message": "not supported here: " + l.Method}})}
	}
}

// asks is a question to people. A planning session goes on without the answers:
// the next one has them. Any other waits.
func (r *codexReader) asks(l *codexLine) ([]watch.Event, Input) {
	a := &codexAsked{id: l.ID, item: l.Params.ItemID, questions: l.Params.Questions}
	if !r.task.ReadOnly && len(a.questions) > 0 {
		r.open = a
		return []watch.Event{{Kind: watch.Ask, ID: a.item, Text: cut(questionsText(a.questions), maxText)}}, Input{}
	}
	var out []watch.Event
	for _, q := range a.questions {
		out = append(out, watch.Event{Kind: watch.Question, Text: cut(q.text(), maxText)})
	}
	return out, Input{Text: a.answer("People answer this later. End your turn now, without a plan; the next session has the answers.")}
}

// notice takes what happened. What is not known here is passed over.
func (r *codexReader) notice(method string, p *codexParams) ([]watch.Event, Input) {
	main := p.Thread == r.thread
	switch method {
	case "turn/started":
		if main {
			r.turn = p.Turn.ID
		}
	case "turn/completed":
		if main {
			return r.ended(p)
		}
	case "item/started":
		return r.started(&p.Item), Input{}
	case "item/completed":
		return r.completed(&p.Item, main), Input{}
	case "thread/tokenUsage/updated":
		return r.used(p, main), Input{}
	case "account/rateLimits/updated":
		r.rates(p)
	case "error":
		return r.retried(p), Input{}
	}
	return nil, Input{}
}

// ended is the end of a turn, and of what ran in it. No further one is wanted,
// unless somebody interrupted this one: who did that says what comes next.
func (r *codexReader) ended(p *codexParams) ([]watch.Event, Input) {
	r.turn, r.open, r.sums = "", nil, false
	var out []watch.Event
	for _, id := range r.calls {
		out = append(out, watch.Event{Kind: watch.Result, ID: id, Failed: true, Output: p.Turn.Status})
	}
	r.calls = nil
	if r.short == codexShortens {
		r.short = codexAtWork
		if p.Turn.Status != "completed" {
			out = append(out, watch.Event{Kind: watch.Spared, Text: p.Turn.why()})
		}
		return out, Input{}
	}
	switch p.Turn.Status {
	case "interrupted":
		return out, Input{}
	case "completed":
	default:
		r.failed = p.Turn.Error
		if r.failed == nil {
			r.failed = &codexError{Message: p.Turn.why()}
		}
	}
	r.done = true
	return out, Input{Close: true}
}

// started is something that it is about to do.
func (r *codexReader) started(i *codexItem) []watch.Event {
	if i.Type == "contextCompaction" {
		r.sums = true
		if r.short == codexTold {
			r.short = codexShortens
		}
	}
	ev := watch.Event{Kind: watch.Call, ID: i.ID}
	switch i.Type {
	case "commandExecution":
		ev.Tool, ev.Input = "shell", cut(i.Command, maxText)
	case "fileChange":
		ev.Tool, ev.Paths, ev.Input = "apply_patch", r.paths(i), strings.Join(r.paths(i), " ")
	case "mcpToolCall":
		ev.Tool, ev.Input = i.Server+"/"+i.Tool, cut(inputText(i.Args), maxText)
	default:
		return nil
	}
	r.calls = append(r.calls[max(0, len(r.calls)-maxCalls+1):], i.ID)
	return []watch.Event{ev}
}

// maxCalls bounds the calls without a result that are remembered.
const maxCalls = 64

func (r *codexReader) paths(i *codexItem) []string {
	var out []string
	for _, c := range i.Changes {
		if p, ok := inside(c.Path, r.dir, r.task.Dir); ok && len(out) < maxPaths {
			out = append(out, p)
		}
	}
	return out
}

// completed is what came of it, or what it says.
func (r *codexReader) completed(i *codexItem, main bool) []watch.Event {
	if r.open != nil && r.open.item == i.ID {
		r.open = nil
	}
	r.calls = slices.DeleteFunc(r.calls, func(id string) bool { return id == i.ID })
	ev := watch.Event{Kind: watch.Result, ID: i.ID, Failed: i.Status != "completed"}
	switch i.Type {
	case "agentMessage":
		if !main {
			return nil
		}
		out, broken := r.spoken.text(i.Text)
		r.broken += broken
		r.asked = askedIn(out, r.asked)
		return out
	case "contextCompaction":
		return r.compacted()
	case "commandExecution":
		ev.Output, ev.Failed = cut(i.Output, maxText), ev.Failed || i.Exit != 0
	case "fileChange":
	case "mcpToolCall":
		ev.Output = cut(inputText(i.Result), maxText)
	default:
		return nil
	}
	return []watch.Event{ev}
}

// compacted tells that the context is shorter, and how full it is then.
func (r *codexReader) compacted() []watch.Event {
	out := []watch.Event{{Kind: watch.Compact}}
	if n := r.after; n > 0 {
		out = append(out, used(&watch.Used{Context: &n, Model: r.model})...)
	}
	r.sums, r.after = false, 0
	return out
}

// used is what one reply of the model used. The sums are those of the thread,
// with what was before it was resumed, so the figures of each reply are added.
func (r *codexReader) used(p *codexParams, main bool) []watch.Event {
	if p.Usage.Total == r.told[p.Thread] {
		if main && p.Usage.Last.Input == 0 {
			r.after = p.Usage.Last.All // as it takes it to be, before it asks anything again
		}
		return nil // said again
	}
	r.told[p.Thread] = p.Usage.Total
	t := p.Usage.Last
	input := max(0, t.Input-t.CacheRead-t.CacheWrite)
	u := &watch.Used{Input: &input, CacheRead: &t.CacheRead, CacheWrite: &t.CacheWrite, Output: &t.Output, Model: r.model}
	if !main || r.sums {
		return used(u)
	}
	u.Context = &t.All
	if size := p.Usage.Window; size > 0 {
		u.Window = &size
	}
	out := used(u)
	if r.open == nil {
		out = append(out, watch.Event{Kind: watch.Turn})
	}
	return out
}

// rates keeps when a limit that is reached ends.
func (r *codexReader) rates(p *codexParams) {
	r.until = time.Time{}
	for _, w := range []codexWindow{p.Rates.Primary, p.Rates.Secondary} {
		if end := untilOf(w.Resets); w.Percent >= 100 && end.After(r.until) {
			r.until = end
		}
	}
}

// retried is a request that failed; of some it is known now what the end will
// mean. A connection that merely broke is not worth a word.
func (r *codexReader) retried(p *codexParams) []watch.Event {
	if p.Error == nil {
		return nil
	}
	text := oneLine(first(p.Error.Details, p.Error.Message), "")
	name, status := p.Error.name()
	switch m := codexMeaning(p.Error); {
	case m == Limited && (status != 0 || !strings.HasPrefix(name, "response") && name != "httpConnectionFailed"):
		return []watch.Event{{Kind: watch.Limit, Text: text, Until: r.until}}
	case m == NoLogin:
		return []watch.Event{{Kind: watch.NoLogin, Text: text}}
	default:
		return nil
	}
}

// codexMeaning is what an error means for the session that it ends.
func codexMeaning(e *codexError) Meaning {
	name, status := e.name()
	switch {
	case name == "unauthorized" || status == 401 || status == 403 || e != nil && strings.Contains(e.Message, "401 Unauthorized"):
		return NoLogin
	case status == 429 || status >= 500:
		return Limited
	}
	switch name {
	case "usageLimitExceeded", "rateLimitExceeded", "serverOverloaded", "internalServerError", "flexUnavailable",
		"httpConnectionFailed", "responseStreamConnectionFailed", "responseStreamDisconnected", "responseTooManyFailedAttempts":
		return Limited
	default:
		return Failed
	}
}

// Exit implements Reader.
func (r *codexReader) Exit(code int, cause string) Exit {
	e := r.exit(code, cause)
	e.Conversation, e.Version = r.thread, r.version
	return e
}

func (r *codexReader) exit(code int, cause string) Exit {
	switch {
	case r.failed != nil:
		e := Exit{Meaning: codexMeaning(r.failed), Text: oneLine(r.failed.Message, "it failed without a word")}
		if e.Meaning == Limited {
			e.Until = r.until
		}
		if name, _ := r.failed.name(); e.Meaning == Failed && name != "" {
			e.Text = name + ": " + e.Text
		}
		return e
	case r.done && r.asked != "":
		return Exit{Meaning: Asked, Text: r.asked}
	case r.done && code == 0:
		return Exit{Meaning: Finished}
	}
	text := "it ended with exit code " + strconv.Itoa(code)
	if cause != "" && cause != "exited" {
		text = "it ended with " + strconv.Itoa(code) + " (" + cause + ")"
	}
	if !r.done && r.other != "" {
		return Exit{Meaning: Failed, Text: text + ": " + oneLine(r.other, "")}
	}
	return Exit{Meaning: Failed, Text: text}
}
