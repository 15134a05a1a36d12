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

// maxCalls bounds the calls of a prompt that are remembered: only the last ones
// can come again.
const maxCalls = 1024

// call is one use of a tool. Programs tell of it bit by bit, and some for the
// first time when they ask whether they may.
type call struct {
	id    string
	tool  string
	kind  string
	title string
	input string
	paths []string
	told  bool // that it runs
	ended bool
}

// call is a use of a tool, or what became of one.
func (r *reader) call(u *update) []watch.Act {
	if u.ID == "" {
		return nil
	}
	c := r.know(u)
	var out []watch.Act
	if c.input != "" || len(c.paths) > 0 || u.Status != "pending" && u.Status != "" {
		out = r.announce(c)
	}
	if c.ended || u.Status != "completed" && u.Status != "failed" {
		return out
	}
	c.ended = true
	if r.open != nil && r.open.line.Params.Call.ID == c.id {
		r.open = nil
	}
	text := u.shown()
	return append(out, watch.Act{
		Kind: watch.Result, ID: c.id, Output: stream.Cut(text),
		Failed: u.Status == "failed" || c.kind == "execute" && exitedBadly(text),
	})
}

// exitedBadly tells whether the report of a command says so: in some programs a
// command that ran has succeeded, whatever came of it.
func exitedBadly(report string) bool {
	for line := range strings.Lines(report) {
		code, ok := strings.CutPrefix(strings.TrimSpace(line), "Exit Code: ")
		if !ok {
			code, ok = strings.CutPrefix(strings.TrimSpace(line), "Command exited with code: ")
		}
		if !ok && strings.HasPrefix(line, "<shellId: ") {
			_, code, ok = strings.Cut(strings.TrimSuffix(strings.TrimSpace(line), ">"), " completed with exit code ")
		}
		if n, err := strconv.Atoi(strings.TrimSpace(code)); ok && err == nil {
			return n != 0
		}
	}
	return false
}

// know is the call with what an update adds to it.
func (r *reader) know(u *update) *call {
	c := r.calls[u.ID]
	if c == nil {
		if len(r.order) >= maxCalls {
			delete(r.calls, r.order[0])
			r.order = r.order[1:]
		}
		c = &call{id: u.ID}
		r.calls[u.ID] = c
		r.order = append(r.order, u.ID)
	}
	c.tool, c.kind, c.title = cmp.Or(u.Meta.Tool, c.tool), cmp.Or(u.ToolKind, c.kind), cmp.Or(u.Title, c.title)
	if text := stream.InputText(u.Input); text != "" && text != "{}" && text != "null" {
		c.input = stream.Cut(text)
	}
	if c.kind == "edit" || c.kind == "delete" || c.kind == "move" {
		c.paths = r.paths(c.paths, u)
	}
	return c
}

// paths adds the files that a change names.
func (r *reader) paths(known []string, u *update) []string {
	var all []string
	for _, l := range u.Locations {
		all = append(all, l.Path)
	}
	for _, b := range u.blocks() {
		if b.Type == "diff" {
			all = append(all, b.Path)
		}
	}
	for _, file := range all {
		p, ok := stream.Inside(file, r.task.Dir)
		if ok && len(known) < stream.MaxPaths && !slices.Contains(known, p) {
			known = append(known, p)
		}
	}
	return known
}

// announce tells that a call runs, once.
func (r *reader) announce(c *call) []watch.Act {
	if c.told {
		return nil
	}
	c.told = true
	return []watch.Act{{
		Kind: watch.Call, ID: c.id, Tool: cmp.Or(c.tool, c.kind, "tool"), Input: cmp.Or(c.input, stream.Cut(c.title)), Paths: c.paths,
	}}
}

// request is something that the program asks before it goes on. Whatever it is
// gets an answer. Files and terminals are not offered: who asks for them is told
// so, and does it by itself or not at all.
func (r *reader) request(l *message) ([]watch.Act, agents.Input) {
	if l.Method != "session/request_permission" {
		return nil, agents.Input{Text: stream.JSONLine(map[string]any{
			"jsonrpc": "2.0", "id": l.ID, "error": map[string]any{"code": -32601, "message": "not supported here: " + l.Method},
		})}
	}
	call := &l.Params.Call
	out := r.flush()
	var in struct {
		Questions stream.Questions `json:"questions"`
		Plan      string           `json:"plan"`
	}
	_ = json.Unmarshal(call.Input, &in) // a tool with other arguments is none of these
	if len(in.Questions) > 0 {
		evs, reply := r.asks(l, in.Questions)
		return append(out, evs...), reply
	}
	if r.task.ReadOnly && call.ToolKind == "switch_mode" {
		return append(out, r.plans(cmp.Or(in.Plan, call.shown()))...), refuse(l)
	}
	c := r.know(call)
	out = append(out, r.announce(c)...)
	if r.task.ReadOnly && !slices.Contains([]string{"read", "search", "fetch", "think"}, c.kind) {
		return out, refuse(l)
	}
	return out, permit(l)
}

// permit lets it be done this once. Never for always: some programs then change
// their mode, and write a rule into the project.
func permit(l *message) agents.Input {
	for _, o := range l.Params.Options {
		if o.Kind == "allow_once" {
			return reply(l.ID, map[string]any{"outcome": chosen(o.ID)})
		}
	}
	return refuse(l)
}

func refuse(l *message) agents.Input {
	for _, o := range l.Params.Options {
		if o.Kind == "reject_once" {
			return reply(l.ID, map[string]any{"outcome": chosen(o.ID)})
		}
	}
	return reply(l.ID, map[string]any{"outcome": map[string]any{"outcome": "cancelled"}})
}

func chosen(option string) map[string]any {
	return map[string]any{"outcome": "selected", "optionId": option}
}

// plans is a plan that is handed in. It is not taken up: people decide about it.
func (r *reader) plans(text string) []watch.Act {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return stream.HandedIn(r.Quoted(text+"\n"), text)
}

// asked is a question that people have to answer.
type asked struct {
	line      message
	questions stream.Questions
}

// asks is a question to people. A planning session goes on without the answers:
// the next one has them. Any other waits.
func (r *reader) asks(l *message, all stream.Questions) ([]watch.Act, agents.Input) {
	if !r.task.ReadOnly {
		r.know(&l.Params.Call).told = true
		r.open = &asked{line: *l, questions: all}
		return all.Ask(l.Params.Call.ID), agents.Input{}
	}
	return all.Later(), refuse(l)
}

// answer is the line that answers: the questions by their places.
func (a *asked) answer(text string) []byte {
	answers := map[string]string{}
	for i, answer := range a.questions.Answers(text) {
		answers[strconv.Itoa(i)] = answer
	}
	for _, o := range a.line.Params.Options {
		if o.Kind == "allow_once" {
			return reply(a.line.ID, map[string]any{"outcome": chosen(o.ID), "answers": answers}).Text
		}
	}
	return a.cancel()
}

func (a *asked) cancel() []byte {
	return reply(a.line.ID, map[string]any{"outcome": map[string]any{"outcome": "cancelled"}}).Text
}
