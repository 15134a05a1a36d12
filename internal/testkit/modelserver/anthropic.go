package modelserver

import (
	"encoding/json"
	"fmt"
	"strings"
)

// anthropic is the Messages API.
var anthropic = protocol{
	name: "anthropic", parse: parseAnthropic, whole: anthropicWhole, stream: anthropicStream, refuse: anthropicRefuse,
	count:  func(tokens int64) any { return object{"input_tokens": tokens} },
	begins: func(r Reply) Usage { r.Usage.Output = anthropicFirst; return r.Usage },
}

// anthropicFirst is the output that a stream tells when it begins.
const anthropicFirst = 1

func parseAnthropic(_ string, body []byte) (Request, error) {
	var in struct {
		Model  string          `json:"model"`
		Stream bool            `json:"stream"`
		System json.RawMessage `json:"system"`
		Tools  []struct {
			Name   string `json:"name"`
			Schema Schema `json:"input_schema"`
		} `json:"tools"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Request{}, fmt.Errorf("not a request of the messages API: %w", err)
	}
	r := Request{Model: in.Model, Stream: in.Stream, Size: len(body), Tools: map[string]Tool{}}
	for _, text := range texts(in.System) {
		r.System += text + "\n"
	}
	for _, t := range in.Tools {
		r.Tools[t.Name] = Tool{Schema: t.Schema}
	}
	for _, m := range in.Messages {
		switch m.Role {
		case "assistant":
		case "system": // what the agent puts between: reminders, the state of the repository
			r.System += strings.Join(texts(m.Content), "\n") + "\n"
		default:
			r.Said = append(r.Said, texts(m.Content)...)
		}
	}
	return r, nil
}

func anthropicUsage(u Usage, output int64) object {
	return object{
		"input_tokens": u.Input, "cache_read_input_tokens": u.CacheRead, "cache_creation_input_tokens": u.CacheWrite, "output_tokens": output,
	}
}

func anthropicStop(r Reply) string {
	if len(r.Calls) > 0 {
		return "tool_use"
	}
	return "end_turn"
}

func anthropicMessage(r Reply, content []any, stop any, output int64) object {
	return object{
		"id": "msg_" + r.ID, "type": "message", "role": "assistant", "model": r.Model, "content": content,
		"stop_reason": stop, "stop_sequence": nil, "usage": anthropicUsage(r.Usage, output),
	}
}

func anthropicWhole(r Reply) any {
	content := []any{}
	if r.Thinking != "" {
		content = append(content, object{"type": "thinking", "thinking": r.Thinking, "signature": "c2ln"})
	}
	if r.Text != "" {
		content = append(content, object{"type": "text", "text": r.Text})
	}
	for _, c := range r.Calls {
		content = append(content, object{"type": "tool_use", "id": "toolu_" + c.ID, "name": c.Name, "input": json.RawMessage(c.Args)})
	}
	return anthropicMessage(r, content, anthropicStop(r), r.Usage.Output)
}

func anthropicStream(r Reply) []frame {
	out := []frame{{"message_start", object{"type": "message_start", "message": anthropicMessage(r, []any{}, nil, anthropicFirst)}}}
	index := 0
	block := func(start object, deltas ...object) {
		out = append(out, frame{"content_block_start", object{"type": "content_block_start", "index": index, "content_block": start}})
		for _, d := range deltas {
			out = append(out, frame{"content_block_delta", object{"type": "content_block_delta", "index": index, "delta": d}})
		}
		out = append(out, frame{"content_block_stop", object{"type": "content_block_stop", "index": index}})
		index++
	}
	if r.Thinking != "" {
		block(object{"type": "thinking", "thinking": "", "signature": ""},
			object{"type": "thinking_delta", "thinking": r.Thinking}, object{"type": "signature_delta", "signature": "c2ln"})
	}
	if r.Text != "" {
		var deltas []object
		for _, p := range pieces(r.Text) {
			deltas = append(deltas, object{"type": "text_delta", "text": p})
		}
		block(object{"type": "text", "text": ""}, deltas...)
	}
	for _, c := range r.Calls {
		block(object{"type": "tool_use", "id": "toolu_" + c.ID, "name": c.Name, "input": object{}}, object{"type": "input_json_delta", "partial_json": c.Args})
	}
	return append(out,
		frame{"message_delta", object{
			"type": "message_delta", "delta": object{"stop_reason": anthropicStop(r), "stop_sequence": nil}, "usage": anthropicUsage(r.Usage, r.Usage.Output),
		}},
		frame{"message_stop", object{"type": "message_stop"}})
}

func anthropicRefuse(f Fault) any {
	kind := map[FaultKind]string{
		RateLimit: "rate_limit_error", Overloaded: "overloaded_error", TooLong: "invalid_request_error", Unauthorized: "authentication_error",
	}[f.Kind]
	if kind == "" {
		kind = "api_error"
	}
	return object{"type": "error", "error": object{"type": kind, "message": f.message()}}
}
