package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"kedge/internal/watch"
)

// The requests of a session, by their numbers. What people say later is numbered
// by its id.
const (
	acpHello  = 1
	acpOpen   = 2
	acpMode   = 3
	acpModel  = 4
	acpPrompt = 5
)

// acpVersion is the version of the protocol: in the next one the answer to a
// prompt is not the end of the turn.
const acpVersion = 1

// acpReader reads what one program says.
type acpReader struct {
	task   Task
	own    acpProgram
	lines  lines
	broken int
	other  string // the last line that is none of the protocol's
	spoken spoken
	meter  telemetry
	usage  acpUsage

	brief   []byte
	version string
	session string
	next    []acpStep // before the brief can be told
	stage   acpStage
	said    []byte // of the message that is coming
	calls   map[string]*acpCall
	order   []string // of calls, the oldest first
	open    *acpAsked
	asked   string
	trouble *acpError // that it told of last, in the place of a message
	failed  *acpError
}

// acpStage is how far a session has come.
type acpStage int

const (
	acpOpening acpStage = iota // no prompt was sent; what is told is of an earlier time
	acpWorking                 // a prompt runs
	acpPaused                  // a prompt was cancelled, and who did that says what comes next
	acpDone                    // no further prompt is wanted
)

// acpStep is a request that the brief waits for.
type acpStep struct {
	id     int
	method string
	params map[string]any
}

// Open implements Reader. What the session is to do can be said only when it is
// known: Feed says it.
func (r *acpReader) Open(brief []byte) Input {
	r.brief = brief
	return Input{Text: acpRequest(acpHello, "initialize", map[string]any{
		"protocolVersion":    acpVersion,
		"clientInfo":         map[string]any{"name": "kedge", "title": "Kedge", "version": "1"},
		"clientCapabilities": map[string]any{"fs": map[string]any{"readTextFile": false, "writeTextFile": false}, "terminal": false},
	})}
}

func acpRequest(id any, method string, params map[string]any) []byte {
	return jsonLine(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

func acpReply(id json.RawMessage, result any) Input {
	return Input{Text: jsonLine(map[string]any{"jsonrpc": "2.0", "id": id, "result": result})}
}

func (r *acpReader) prompt(id any, text string) []byte {
	return acpRequest(id, "session/prompt", map[string]any{
		"sessionId": r.session, "prompt": []any{map[string]any{"type": "text", "text": text}},
	})
}

// Say implements Reader. A prompt that comes while another runs ends that one in
// some programs, so that what people say waits for the next brief.
func (r *acpReader) Say(w Word) (Input, bool) {
	switch {
	case w.Kind == Close:
		return Input{Close: true}, true
	case w.Kind == Shorten:
		return Input{}, false
	case w.Kind == Interrupt:
		stop := jsonLine(map[string]any{"jsonrpc": "2.0", "method": "session/cancel", "params": map[string]any{"sessionId": r.session}})
		if r.open != nil {
			stop = append(stop, r.open.cancel()...)
		}
		return Input{Text: stop}, r.stage == acpWorking
	case r.open != nil:
		return Input{Text: r.open.answer(w.Text)}, true
	case r.stage == acpPaused:
		return Input{Text: r.prompt(w.ID, w.Text)}, true
	default:
		return Input{}, false
	}
}

// Asks implements Reader.
func (r *acpReader) Asks() bool { return r.open != nil }

// Broken implements Reader.
func (r *acpReader) Broken() int { return r.broken }

// Feed implements Reader.
func (r *acpReader) Feed(b []byte, at Time) ([]watch.Event, Input) {
	var evs []watch.Event
	var in Input
	tell := func(got []watch.Event, reply Input) {
		for _, ev := range got {
			ev.At = at
			evs = append(evs, ev)
		}
		in.Text = append(in.Text, reply.Text...)
		in.Close = in.Close || reply.Close
	}
	if !r.own.metered {
		r.lines.feed(b, func(line []byte, long bool) { tell(r.line(line, long)) })
		return evs, in
	}
	r.meter.split(b, func(b []byte) {
		r.lines.feed(b, func(line []byte, long bool) { tell(r.line(line, long)) })
	}, func(rec reading) {
		tell(r.metered(rec), Input{})
	})
	return evs, in
}

func (r *acpReader) line(line []byte, long bool) ([]watch.Event, Input) {
	switch {
	case long:
		r.broken++
		return nil, Input{}
	case !bytes.HasPrefix(line, []byte("{")):
		r.other = first(otherLine(line), r.other)
		return nil, Input{}
	}
	var l acpLine
	var odd *json.UnmarshalTypeError // a field that is something else in this program: the rest counts
	if err := json.Unmarshal(line, &l); err != nil && !errors.As(err, &odd) {
		r.broken++
		return nil, Input{}
	}
	switch {
	case l.Method == "" && len(l.ID) == 0: // a report of an error, as some programs print it
		r.other = first(otherLine(line), r.other)
		return nil, Input{}
	case l.Method == "":
		return r.answered(&l)
	case len(l.ID) > 0:
		return r.request(&l)
	case l.Method == "session/update" && (r.session == "" || l.Params.Session == r.session):
		return r.update(&l.Params.Update)
	default:
		return nil, Input{}
	}
}

// answered is the answer to a request of ours.
func (r *acpReader) answered(l *acpLine) ([]watch.Event, Input) {
	id, err := strconv.Atoi(string(l.ID))
	switch {
	case err != nil || id == acpPrompt:
		return r.ended(l)
	case id < acpHello || id > acpPrompt:
		return nil, Input{}
	case l.Error != nil:
		return nil, r.fail(l.Error)
	case id == acpHello:
		return nil, r.hello(&l.Result)
	case id == acpOpen:
		if fault := r.opened(&l.Result); fault != nil {
			return nil, r.fail(fault)
		}
		if r.own.settles && r.task.Resume != "" {
			return nil, Input{} // its history is still coming
		}
	}
	return nil, r.step()
}

// fail is the end of a session that came to nothing.
func (r *acpReader) fail(e *acpError) Input {
	r.failed, r.stage = e, acpDone
	return Input{Close: true}
}

// hello opens the conversation, now that it is known what the program can do.
func (r *acpReader) hello(res *acpResult) Input {
	r.version = res.Info.Version
	params := map[string]any{"cwd": r.task.Dir, "mcpServers": []any{}}
	method := "session/new"
	switch canResume := len(res.Can.Session.Resume) > 0 && string(res.Can.Session.Resume) != "null"; {
	case res.Protocol != acpVersion:
		return r.fail(&acpError{Message: "it speaks version " + strconv.Itoa(res.Protocol) + " of the Agent Client Protocol, and Kedge version " + strconv.Itoa(acpVersion)})
	case r.task.Resume == "":
	case res.Can.Load: // some offer both and know only this
		method = "session/load"
	case canResume:
		method = "session/resume"
	default:
		return r.fail(&acpError{Message: "it cannot go on with an earlier conversation"})
	}
	if r.task.Resume != "" {
		params["sessionId"] = r.task.Resume
	}
	return Input{Text: acpRequest(acpOpen, method, params)}
}

// planModes are the names of a mode in which a program only reads.
var planModes = []string{"plan", "read-only"}

// opened takes the conversation, and plans what has to be set before it is told
// what to do. A program that nothing keeps from writing does not plan: not every one
// asks before it writes.
func (r *acpReader) opened(res *acpResult) *acpError {
	r.session = first(res.Session, r.task.Resume)
	r.usage.model, r.usage.window = res.Models.Current, r.own.window
	set := func(id int, method, key, value string) {
		r.next = append(r.next, acpStep{id: id, method: method, params: map[string]any{"sessionId": r.session, key: value}})
	}
	if r.task.ReadOnly && !r.own.reads {
		mode := res.planMode()
		if mode == "" {
			return &acpError{Message: "it has no mode in which it only reads (" + strings.Join(planModes, ", ") + "): it cannot be used for planning"}
		}
		if res.Modes.Current != mode {
			set(acpMode, "session/set_mode", "modeId", mode)
		}
	}
	for _, m := range res.Models.All {
		if m.ID == r.task.Model && m.ID != "" && m.ID != res.Models.Current && !r.own.chosen {
			r.usage.model = m.ID
			set(acpModel, "session/set_model", "modelId", m.ID)
		}
	}
	for _, m := range res.Models.All {
		if m.ID == r.usage.model && m.Meta.Window > 0 {
			r.usage.window = m.Meta.Window
		}
	}
	if r.own.model != nil {
		r.usage.model = r.own.model(r.usage.model)
	}
	return nil
}

// planMode is the mode in which the program only reads; empty when it has none.
func (res *acpResult) planMode() string {
	for _, name := range planModes {
		for _, m := range res.Modes.All {
			if m.ID == name {
				return name
			}
		}
	}
	return ""
}

// step is the next thing that the brief waits for, or the brief.
func (r *acpReader) step() Input {
	switch {
	case r.stage != acpOpening || r.session == "":
		return Input{}
	case len(r.next) > 0:
		s := r.next[0]
		r.next = r.next[1:]
		return Input{Text: acpRequest(s.id, s.method, s.params)}
	}
	r.stage = acpWorking
	return Input{Text: r.prompt(acpPrompt, string(r.brief))}
}

// ended is the end of a prompt, and of what ran in it. No further one is wanted,
// unless somebody cancelled this one: who did that says what comes next.
func (r *acpReader) ended(l *acpLine) ([]watch.Event, Input) {
	if r.stage == acpOpening || r.stage == acpDone {
		return nil, Input{}
	}
	out := r.flush()
	r.open = nil
	for _, id := range r.order {
		if c := r.calls[id]; !c.ended {
			out = append(out, r.announce(c)...)
			out = append(out, watch.Event{Kind: watch.Result, ID: id, Failed: true, Output: first(l.Result.Stop, "failed")})
		}
	}
	r.calls, r.order = map[string]*acpCall{}, nil
	out = append(out, r.settle(&l.Result)...)
	switch {
	case l.Error != nil:
		return out, r.fail(l.Error)
	case r.trouble != nil:
		return out, r.fail(r.trouble)
	case l.Result.Stop == "cancelled":
		r.stage = acpPaused
		return out, Input{}
	case l.Result.Stop != "end_turn":
		return out, r.fail(&acpError{Message: "its turn ended with " + strconv.Quote(first(l.Result.Stop, "nothing"))})
	}
	r.stage = acpDone
	return out, Input{Close: true}
}

// update is something that happened. What is told while a conversation is loaded
// happened before.
func (r *acpReader) update(u *acpUpdate) ([]watch.Event, Input) {
	if r.stage == acpOpening {
		if u.Kind == "available_commands_update" && r.own.settles {
			return nil, r.step()
		}
		return nil, Input{}
	}
	if r.stage == acpPaused && slices.Contains([]string{"agent_message_chunk", "agent_thought_chunk", "tool_call", "plan"}, u.Kind) {
		r.stage = acpWorking // on what it was told after it was cancelled
	}
	switch u.Kind {
	case "agent_message_chunk":
		return r.message(u), Input{}
	case "tool_call", "tool_call_update":
		r.trouble = nil
		return append(r.flush(), r.call(u)...), Input{}
	case "usage_update":
		return r.filled(u), Input{}
	}
	return nil, Input{} // thoughts, plans, titles: nothing that counts
}

// maxSaid bounds one message: a plan fits.
const maxSaid = 2 * maxPlan

// message is a piece of what it says, or figures that come in the place of one.
// What a sub-agent says is not the session's word.
func (r *acpReader) message(u *acpUpdate) []watch.Event {
	if u.Meta.Usage != nil && !r.own.metered {
		out := r.flush()
		return append(out, r.spent(u)...)
	}
	text := u.said()
	if u.Meta.Parent != "" || strings.HasPrefix(text, "[MODE_UPDATE] ") {
		return nil
	}
	r.trouble = nil
	if r.own.notice != nil {
		if n := r.own.notice(text); n != (acpNotice{}) {
			return r.noticed(n)
		}
	}
	if len(r.said)+len(text) <= maxSaid {
		r.said = append(r.said, text...)
	}
	return nil
}

// acpNotice is something that a program says of itself in the place of a message.
type acpNotice struct {
	kind  watch.Kind // of the event that it is; empty: none
	text  string
	fatal bool // a prompt that ends with it came to nothing, whatever its end says

	status int // of HTTP, of a fatal one; 0: not told
}

func (r *acpReader) noticed(n acpNotice) []watch.Event {
	out := r.flush()
	if n.fatal {
		r.trouble = &acpError{Code: n.status, Message: n.text}
	}
	if n.kind != "" {
		out = append(out, watch.Event{Kind: n.kind, Text: cut(n.text, maxText)})
	}
	return out
}

// flush tells the message that came, now that something else does.
func (r *acpReader) flush() []watch.Event {
	text := strings.ToValidUTF8(string(r.said), "\uFFFD")
	r.said = nil
	if strings.TrimSpace(text) == "" {
		return nil
	}
	out, broken := r.spoken.text(text)
	r.broken += broken
	r.asked = askedIn(out, r.asked)
	return out
}

// acpMeaning is what an error means for the session that it ends: by the provider's
// status, wherever the program puts it, else by the words that stand for one. Any other
// number in the words is none.
func acpMeaning(e *acpError) Meaning {
	status, text := e.status(), e.text()
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
	}
	switch {
	case status == 401 || status == 403 || e.Code == acpNoLogin:
		return NoLogin
	case status == 429 || status >= 500:
		return Limited
	case status != 0:
		return Failed
	case has("UNAUTHENTICATED", "API key not valid", "invalid_api_key", "nvalid api key"):
		return NoLogin
	case has("RESOURCE_EXHAUSTED", "UNAVAILABLE", "ate limit", "verloaded", "Connection error", "Could not connect", "fetch failed", "terminated"):
		return Limited
	default:
		return Failed
	}
}

// Exit implements Reader.
func (r *acpReader) Exit(code int, cause string) Exit {
	e := r.exit(code, cause)
	e.Conversation, e.Version = r.session, r.version
	return e
}

func (r *acpReader) exit(code int, cause string) Exit {
	switch {
	case r.failed != nil:
		return Exit{Meaning: acpMeaning(r.failed), Text: oneLine(r.failed.text(), "it failed without a word")}
	case r.stage == acpDone && r.asked != "":
		return Exit{Meaning: Asked, Text: r.asked}
	case r.stage == acpDone && code == 0:
		return Exit{Meaning: Finished}
	}
	text := "it ended with exit code " + strconv.Itoa(code)
	if cause != "" && cause != "exited" {
		text = "it ended with " + strconv.Itoa(code) + " (" + cause + ")"
	}
	if r.stage != acpDone && r.other != "" {
		return Exit{Meaning: Failed, Text: text + ": " + oneLine(r.other, "")}
	}
	return Exit{Meaning: Failed, Text: text}
}
