package acp

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"kedge/internal/agents"
	"kedge/internal/agents/stream"
	"kedge/internal/core/watch"
)

// The requests of a session, by their numbers. What people say later is numbered
// by its id.
const (
	helloID  = 1
	openID   = 2
	modeID   = 3
	modelID  = 4
	promptID = 5
	leaveID  = 6 // after all that was wanted of it
)

// protocol is the version of the protocol: in the next one the answer to a
// prompt is not the end of the turn.
const protocol = 1

// reader reads what one program says.
type reader struct {
	stream.Stream
	task   agents.Task
	own    Program
	beside Beside // nil: nothing comes beside the protocol
	usage  usage

	brief   []byte
	version string
	session string
	next    []step // before the brief can be told
	stage   stage
	said    []byte // of the message that is coming
	calls   map[string]*call
	order   []string // of calls, the oldest first
	open    *asked
	trouble *failure // that it told of last, in the place of a message
	failed  *failure
}

// stage is how far a session has come.
type stage int

const (
	opening stage = iota // no prompt was sent; what is told is of an earlier time
	working              // a prompt runs
	paused               // a prompt was cancelled, and who did that says what comes next
	done                 // no further prompt is wanted
)

// step is a request that the brief waits for.
type step struct {
	id     int
	method string
	params map[string]any
}

// Open implements agents.Reader. What the session is to do can be said only when it is
// known: Feed says it.
func (r *reader) Open(brief []byte) agents.Input {
	r.brief = brief
	return agents.Input{Text: request(helloID, "initialize", map[string]any{
		"protocolVersion":    protocol,
		"clientInfo":         map[string]any{"name": "kedge", "title": "Kedge", "version": "1"},
		"clientCapabilities": map[string]any{"fs": map[string]any{"readTextFile": false, "writeTextFile": false}, "terminal": false},
	})}
}

func request(id any, method string, params map[string]any) []byte {
	return stream.JSONLine(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

func reply(id json.RawMessage, result any) agents.Input {
	return agents.Input{Text: stream.JSONLine(map[string]any{"jsonrpc": "2.0", "id": id, "result": result})}
}

func (r *reader) prompt(id any, text string) []byte {
	return request(id, "session/prompt", map[string]any{
		"sessionId": r.session, "prompt": []any{map[string]any{"type": "text", "text": text}},
	})
}

// Say implements agents.Reader. A prompt that comes while another runs ends that one in
// some programs, so that what people say waits for the next brief.
func (r *reader) Say(w agents.Word) (agents.Input, bool) {
	switch {
	case w.Kind == agents.Close:
		return agents.Input{Close: true}, true
	case w.Kind == agents.Shorten:
		return agents.Input{}, false
	case w.Kind == agents.Interrupt:
		stop := stream.JSONLine(map[string]any{"jsonrpc": "2.0", "method": "session/cancel", "params": map[string]any{"sessionId": r.session}})
		if r.open != nil {
			stop = append(stop, r.open.cancel()...)
		}
		return agents.Input{Text: stop}, r.stage == working
	case r.open != nil:
		return agents.Input{Text: r.open.answer(w.Text)}, true
	case r.stage == paused:
		return agents.Input{Text: r.prompt(w.ID, w.Text)}, true
	default:
		return agents.Input{}, false
	}
}

// Asks implements agents.Reader.
func (r *reader) Asks() bool { return r.open != nil }

// Feed implements agents.Reader.
func (r *reader) Feed(b []byte, at agents.Time) ([]watch.Act, agents.Input) {
	if r.beside == nil {
		return r.Each(b, at, r.line)
	}
	told := stream.Told{At: at}
	r.beside.Split(b, func(b []byte) { told.Add(r.Each(b, at, r.line)) }, func(m Reading) { told.Add(r.metered(m), agents.Input{}) })
	return told.Events, told.Input
}

func (r *reader) line(line []byte, long bool) ([]watch.Act, agents.Input) {
	var l message
	if !r.Decode(line, long, &l) {
		return nil, agents.Input{}
	}
	switch {
	case l.Method == "" && len(l.ID) == 0: // a report of an error, as some programs print it
		r.Other = cmp.Or(stream.Plain(line), r.Other)
		return nil, agents.Input{}
	case l.Method == "":
		return r.answered(&l)
	case len(l.ID) > 0:
		return r.request(&l)
	case l.Method == "session/update" && (r.session == "" || l.Params.Session == r.session):
		return r.update(&l.Params.Update)
	default:
		return nil, agents.Input{}
	}
}

// answered is the answer to a request of ours.
func (r *reader) answered(l *message) ([]watch.Act, agents.Input) {
	id, err := strconv.Atoi(string(l.ID))
	switch {
	case err != nil || id == promptID:
		return r.ended(l)
	case id == leaveID:
		return nil, agents.Input{Close: true}
	case id < helloID || id > promptID:
		return nil, agents.Input{}
	case l.Error != nil:
		return nil, r.fail(l.Error)
	case id == helloID:
		return nil, r.hello(&l.Result)
	case id == openID:
		if fault := r.opened(&l.Result); fault != nil {
			return nil, r.fail(fault)
		}
		if r.own.Settles && r.task.Resume != "" {
			return nil, agents.Input{} // its history is still coming
		}
	}
	return nil, r.step()
}

// fail is the end of a session that came to nothing.
func (r *reader) fail(e *failure) agents.Input {
	r.failed, r.stage = e, done
	return agents.Input{Close: true}
}

// hello opens the conversation, now that it is known what the program can do.
func (r *reader) hello(res *result) agents.Input {
	r.version = res.Info.Version
	r.usage.hides = r.own.Hides != nil && r.own.Hides(r.version)
	params := map[string]any{"cwd": r.task.Dir, "mcpServers": []any{}}
	method := "session/new"
	switch canResume := len(res.Can.Session.Resume) > 0 && string(res.Can.Session.Resume) != "null"; {
	case res.Protocol != protocol:
		return r.fail(&failure{Message: "it speaks version " + strconv.Itoa(res.Protocol) + " of the Agent Client Protocol, and Kedge speaks version " + strconv.Itoa(protocol)})
	case r.task.Resume == "":
	case res.Can.Load: // some offer both and know only this
		method = "session/load"
	case canResume:
		method = "session/resume"
	default:
		return r.fail(&failure{Message: "it cannot continue an earlier conversation"})
	}
	if r.task.Resume != "" {
		params["sessionId"] = r.task.Resume
	}
	return agents.Input{Text: request(openID, method, params)}
}

// planModes are the names of a mode in which a program only reads.
var planModes = []string{"plan", "read-only"}

// opened takes the conversation, and plans what has to be set before it is told
// what to do. A program that nothing keeps from writing does not plan: not every one
// asks before it writes.
func (r *reader) opened(res *result) *failure {
	r.session = cmp.Or(res.Session, r.task.Resume)
	r.usage.model, r.usage.window = res.Models.Current, r.own.Window
	if r.own.ModelFlag {
		r.usage.model = cmp.Or(r.usage.model, r.task.Model)
	}
	set := func(id int, method, key, value string) {
		r.next = append(r.next, step{id: id, method: method, params: map[string]any{"sessionId": r.session, key: value}})
	}
	if r.task.ReadOnly && len(r.own.ReadArgs) == 0 {
		mode := res.planMode()
		if mode == "" {
			return &failure{Message: "it has no mode in which it only reads (" + strings.Join(planModes, ", ") + "): it cannot be used for planning"}
		}
		if res.Modes.Current != mode {
			set(modeID, "session/set_mode", "modeId", mode)
		}
	}
	for _, m := range res.Models.All {
		if m.ID == r.task.Model && m.ID != "" && m.ID != res.Models.Current && !r.own.ModelFlag {
			r.usage.model = m.ID
			set(modelID, "session/set_model", "modelId", m.ID)
		}
	}
	for _, m := range res.Models.All {
		if m.ID == r.usage.model && m.Meta.Window > 0 {
			r.usage.window = m.Meta.Window
		}
	}
	if r.own.Model != nil {
		r.usage.model = r.own.Model(r.usage.model)
	}
	return nil
}

// planMode is the mode in which the program only reads; empty when it has none.
func (res *result) planMode() string {
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
func (r *reader) step() agents.Input {
	switch {
	case r.stage != opening || r.session == "":
		return agents.Input{}
	case len(r.next) > 0:
		s := r.next[0]
		r.next = r.next[1:]
		return agents.Input{Text: request(s.id, s.method, s.params)}
	}
	r.stage = working
	return agents.Input{Text: r.prompt(promptID, string(r.brief))}
}

// ended is the end of a prompt, and of what ran in it. No further one is wanted,
// unless somebody cancelled this one: who did that says what comes next.
func (r *reader) ended(l *message) ([]watch.Act, agents.Input) {
	if r.stage == opening || r.stage == done {
		return nil, agents.Input{}
	}
	out := r.flush()
	r.open = nil
	for _, id := range r.order {
		if c := r.calls[id]; !c.ended {
			out = append(out, r.announce(c)...)
			out = append(out, watch.Act{Kind: watch.Result, ID: id, Failed: true, Output: cmp.Or(l.Result.Stop, "failed")})
		}
	}
	r.calls, r.order = map[string]*call{}, nil
	out = append(out, r.settle(&l.Result)...)
	switch {
	case l.Error != nil:
		return out, r.fail(l.Error)
	case r.trouble != nil:
		return out, r.fail(r.trouble)
	case l.Result.Stop == "cancelled":
		r.stage = paused
		return out, agents.Input{}
	case l.Result.Stop != "end_turn":
		return out, r.fail(&failure{Message: "its turn ended with " + strconv.Quote(cmp.Or(l.Result.Stop, "nothing"))})
	}
	r.stage = done
	return out, r.leave()
}

// leave ends the input, now that its work is done. A program that is still writing its
// last reply down is asked something before that it answers only by what it wrote.
func (r *reader) leave() agents.Input {
	if !r.own.SavesLate {
		return agents.Input{Close: true}
	}
	return agents.Input{Text: request(leaveID, "session/list", map[string]any{"cwd": r.task.Dir, "_meta": map[string]any{"size": 1}})}
}

// update is something that happened. What is told while a conversation is loaded
// happened before.
func (r *reader) update(u *update) ([]watch.Act, agents.Input) {
	if r.stage == opening {
		if u.Kind == "available_commands_update" && r.own.Settles {
			return nil, r.step()
		}
		return nil, agents.Input{}
	}
	if r.stage == paused && slices.Contains([]string{"agent_message_chunk", "agent_thought_chunk", "tool_call", "plan"}, u.Kind) {
		r.stage = working // on what it was told after it was cancelled
	}
	switch u.Kind {
	case "agent_message_chunk":
		return r.message(u), agents.Input{}
	case "tool_call", "tool_call_update":
		r.trouble = nil
		return append(r.flush(), r.call(u)...), agents.Input{}
	case "usage_update":
		return r.filled(u), agents.Input{}
	}
	return nil, agents.Input{} // thoughts, plans, titles: nothing that counts
}

// maxSaid bounds one message: a plan fits.
const maxSaid = 2 << 20

// message is a piece of what it says, or figures that come in the place of one.
// What a sub-agent says is not the session's word.
func (r *reader) message(u *update) []watch.Act {
	if u.Meta.Usage != nil && r.beside == nil {
		out := r.flush()
		return append(out, r.spent(u)...)
	}
	text := u.said()
	if u.Meta.Parent != "" || strings.HasPrefix(text, "[MODE_UPDATE] ") {
		return nil
	}
	r.trouble = nil
	if r.own.Notice != nil {
		if n := r.own.Notice(text); n != (Notice{}) {
			return r.noticed(n)
		}
	}
	if len(r.said)+len(text) <= maxSaid {
		r.said = append(r.said, text...)
	}
	return nil
}

// Notice is something that a program says of itself in the place of a message.
type Notice struct {
	Kind   watch.Kind // of the event that it is; empty: none
	Text   string
	Fatal  bool // a prompt that ends with it failed, whatever its end says
	Status int  // of HTTP, of a fatal one; 0: not told
}

func (r *reader) noticed(n Notice) []watch.Act {
	out := r.flush()
	if n.Fatal {
		r.trouble = &failure{Code: n.Status, Message: n.Text}
	}
	if n.Kind != "" {
		out = append(out, watch.Act{Kind: n.Kind, Text: stream.Cut(n.Text)})
	}
	return out
}

// flush tells the message that came, now that something else does.
func (r *reader) flush() []watch.Act {
	text := strings.ToValidUTF8(string(r.said), "\uFFFD")
	r.said = nil
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return r.Said(text)
}

// Exit implements agents.Reader.
func (r *reader) Exit(code int, cause string) agents.Exit {
	e := r.exit(code, cause)
	e.Conversation, e.Version = r.session, r.version
	return e
}

func (r *reader) exit(code int, cause string) agents.Exit {
	if r.failed != nil {
		return agents.Exit{Meaning: r.failed.meaning(), Text: stream.OneLine(r.failed.text(), "it failed and gave no reason")}
	}
	return r.Ended(r.stage == done, code, cause)
}
