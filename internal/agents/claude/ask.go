package claude

import (
	"cmp"
	"encoding/json"
	"slices"

	"kedge/internal/agents"
	"kedge/internal/agents/stream"
	"kedge/internal/core/watch"
)

// asked is a question that people have to answer.
type asked struct {
	id        string // of the request
	call      string // of the tool: its result shows that it is answered
	input     map[string]json.RawMessage
	questions stream.Questions
}

// readers are the tools that change nothing: all that a planning session may use.
var readers = []string{
	"Read", "Grep", "Glob", "LS", "WebFetch", "WebSearch", "ToolSearch", "NotebookRead", "TodoWrite", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate",
	"TaskOutput", "Agent", "Task", "EnterPlanMode",
	"mcp__kedge__feature_next", "mcp__kedge__feature_get", "mcp__kedge__recall", "mcp__kedge__context_status",
}

// request is something that the program asks before it goes on. Whatever it is
// gets an answer: it would wait for one for ever.
func (r *reader) request(ev *event) ([]watch.Act, agents.Input) {
	q := ev.Request
	switch {
	case q.Subtype != "can_use_tool":
		return nil, reply(ev.RequestID, "error", map[string]any{"error": "not supported here: " + q.Subtype})
	case q.Tool == "AskUserQuestion":
		return r.asks(ev)
	case q.Tool == "ExitPlanMode" && r.task.ReadOnly:
		return r.plans(ev)
	case r.task.ReadOnly && !slices.Contains(readers, q.Tool):
		return nil, deny(ev, "This session plans: it may read, and change nothing.")
	default:
		return nil, allow(ev.RequestID, q.Input)
	}
}

// asks is a question to people. A planning session goes on without the answers:
// the next one has them. Any other waits.
func (r *reader) asks(ev *event) ([]watch.Act, agents.Input) {
	a := &asked{id: ev.RequestID, call: ev.Request.Use}
	var in struct {
		Questions stream.Questions `json:"questions"`
	}
	if json.Unmarshal(ev.Request.Input, &in) != nil || json.Unmarshal(ev.Request.Input, &a.input) != nil || len(in.Questions) == 0 {
		return nil, deny(ev, "The question could not be understood.")
	}
	a.questions = in.Questions
	if r.task.ReadOnly {
		return a.questions.Later(), deny(ev, "The questions were passed on. People answer them later: end your turn now, without a plan; the next session has the answers.")
	}
	r.question = a
	return a.questions.Ask(a.call), agents.Input{}
}

// answer is the line that answers.
func (a *asked) answer(text string) []byte {
	answers := map[string]string{}
	for i, answer := range a.questions.Answers(text) {
		answers[a.questions[i].Question] = answer
	}
	input := map[string]any{}
	for k, v := range a.input {
		input[k] = v
	}
	input["answers"] = answers
	return reply(a.id, "success", map[string]any{"response": map[string]any{"behavior": "allow", "updatedInput": input}}).Text
}

// plans is a plan that is handed in: with the request, or in a file that was
// written before. It is not taken up: people decide about it.
func (r *reader) plans(ev *event) ([]watch.Act, agents.Input) {
	var in struct {
		Plan string `json:"plan"`
	}
	_ = json.Unmarshal(ev.Request.Input, &in) // without one it stands in a file
	text := cmp.Or(in.Plan, r.plan)
	if text == "" {
		return nil, deny(ev, "There is no plan: print it between the fences that the brief shows, and end your turn.")
	}
	return stream.HandedIn(r.Said(text+"\n"), text), deny(ev, "The plan was received, and people decide about it. End your turn now.")
}

func allow(id string, input json.RawMessage) agents.Input {
	if len(input) == 0 {
		input = json.RawMessage("{}")
	}
	return reply(id, "success", map[string]any{"response": map[string]any{"behavior": "allow", "updatedInput": input}})
}

func deny(ev *event, why string) agents.Input {
	return reply(ev.RequestID, "success", map[string]any{"response": map[string]any{"behavior": "deny", "message": why, "interrupt": false}})
}

// reply is the line that answers a request.
func reply(id, subtype string, body map[string]any) agents.Input {
	body["subtype"], body["request_id"] = subtype, id
	return agents.Input{Text: stream.JSONLine(map[string]any{"type": "control_response", "response": body})}
}
