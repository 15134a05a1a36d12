package agent

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"kedge/internal/watch"
)

// acpCall is one use of a tool. Programs tell of it bit by bit, and some for the
// first time when they ask whether they may.
type acpCall struct {
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
func (r *acpReader) call(u *acpUpdate) []watch.Event {
	if u.ID == "" {
		return nil
	}
	c := r.know(u)
	var out []watch.Event
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
	return append(out, watch.Event{
		Kind: watch.Result, ID: c.id, Output: cut(text, maxText),
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
func (r *acpReader) know(u *acpUpdate) *acpCall {
	c := r.calls[u.ID]
	if c == nil {
		if len(r.order) >= maxMessages {
			delete(r.calls, r.order[0])
			r.order = r.order[1:]
		}
		c = &acpCall{id: u.ID}
		r.calls[u.ID] = c
		r.order = append(r.order, u.ID)
	}
	c.tool, c.kind, c.title = first(u.Meta.Tool, c.tool), first(u.ToolKind, c.kind), first(u.Title, c.title)
	if text := inputText(u.Input); text != "" && text != "{}" && text != "null" {
		c.input = cut(text, maxText)
	}
	if c.kind == "edit" || c.kind == "delete" || c.kind == "move" {
		c.paths = r.paths(c.paths, u)
	}
	return c
}

// paths adds the files that a change names.
func (r *acpReader) paths(known []string, u *acpUpdate) []string {
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
		p, ok := inside(file, r.task.Dir)
		if ok && len(known) < maxPaths && !slices.Contains(known, p) {
			known = append(known, p)
		}
	}
	return known
}

// announce tells that a call runs, once.
func (r *acpReader) announce(c *acpCall) []watch.Event {
	if c.told {
		return nil
	}
	c.told = true
	return []watch.Event{{
		Kind: watch.Call, ID: c.id, Tool: first(c.tool, first(c.kind, "tool")), Input: first(c.input, cut(c.title, maxText)), Paths: c.paths,
	}}
}

// request is something that the program asks before it goes on. Whatever it is
// gets an answer. Files and terminals are not offered: who asks for them is told
// so, and does it by itself or not at all.
func (r *acpReader) request(l *acpLine) ([]watch.Event, Input) {
	if l.Method != "session/request_permission" {
		return nil, Input{Text: jsonLine(map[string]any{
			"jsonrpc": "2.0", "id": l.ID, "error": map[string]any{"code": -32601, "message": "not supported here: " + l.Method},
		})}
	}
	call := &l.Params.Call
	out := r.flush()
	var in struct {
		Questions []question `json:"questions"`
		Plan      string     `json:"plan"`
	}
	_ = json.Unmarshal(call.Input, &in) // a tool with other arguments is none of these
	if len(in.Questions) > 0 {
		evs, reply := r.asks(l, in.Questions)
		return append(out, evs...), reply
	}
	if r.task.ReadOnly && call.ToolKind == "switch_mode" {
		return append(out, r.plans(first(in.Plan, call.shown()))...), refuse(l)
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
func permit(l *acpLine) Input {
	for _, o := range l.Params.Options {
		if o.Kind == "allow_once" {
			return acpReply(l.ID, map[string]any{"outcome": chosen(o.ID)})
		}
	}
	return refuse(l)
}

func refuse(l *acpLine) Input {
	for _, o := range l.Params.Options {
		if o.Kind == "reject_once" {
			return acpReply(l.ID, map[string]any{"outcome": chosen(o.ID)})
		}
	}
	return acpReply(l.ID, map[string]any{"outcome": map[string]any{"outcome": "cancelled"}})
}

func chosen(option string) map[string]any {
	return map[string]any{"outcome": "selected", "optionId": option}
}

// plans is a plan that is handed in. It is not taken up: people decide about it.
func (r *acpReader) plans(text string) []watch.Event {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	all, broken := r.spoken.text(text + "\n")
	r.broken += broken
	var out []watch.Event
	for _, said := range all {
		if said.Kind == watch.PlanText || said.Kind == watch.Question {
			out = append(out, said)
		}
	}
	if len(out) == 0 {
		out = append(out, watch.Event{Kind: watch.PlanText, Text: text})
	}
	return out
}

// acpAsked is a question that people have to answer.
type acpAsked struct {
	line      acpLine
	questions []question
}

// asks is a question to people. A planning session goes on without the answers:
// the next one has them. Any other waits.
func (r *acpReader) asks(l *acpLine, all []question) ([]watch.Event, Input) {
	if !r.task.ReadOnly {
		r.know(&l.Params.Call).told = true
		r.open = &acpAsked{line: *l, questions: all}
		return []watch.Event{{Kind: watch.Ask, ID: l.Params.Call.ID, Text: cut(questionsText(all), maxText)}}, Input{}
	}
	var out []watch.Event
	for _, q := range all {
		out = append(out, watch.Event{Kind: watch.Question, Text: cut(q.text(), maxText)})
	}
	return out, refuse(l)
}

// answer is the line that answers: the questions by their places.
func (a *acpAsked) answer(text string) []byte {
	answers := map[string]string{}
	for i, answer := range answersTo(a.questions, text) {
		answers[strconv.Itoa(i)] = answer
	}
	for _, o := range a.line.Params.Options {
		if o.Kind == "allow_once" {
			return acpReply(a.line.ID, map[string]any{"outcome": chosen(o.ID), "answers": answers}).Text
		}
	}
	return a.cancel()
}

func (a *acpAsked) cancel() []byte {
	return acpReply(a.line.ID, map[string]any{"outcome": map[string]any{"outcome": "cancelled"}}).Text
}
