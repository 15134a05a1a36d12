package modelserver

import (
	"encoding/json"
	"fmt"
)

// chat is the Chat Completions API.
var chat = protocol{
	name: "chat", parse: parseChat, whole: chatWhole, stream: chatStream, refuse: openaiRefuse,
	count: func(tokens int64) any { return object{"total_tokens": tokens} },
}

func parseChat(_ string, body []byte) (Request, error) {
	var in struct {
		Model  string `json:"model"`
		Stream bool   `json:"stream"`
		Choice any    `json:"tool_choice"`
		Tools  []struct {
			Function struct {
				Name       string `json:"name"`
				Parameters Schema `json:"parameters"`
			} `json:"function"`
		} `json:"tools"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Request{}, fmt.Errorf("not a request of the chat API: %w", err)
	}
	r := Request{Model: in.Model, Stream: in.Stream, Size: len(body), Tools: map[string]Tool{}}
	_, named := in.Choice.(map[string]any)
	r.Forced = named || in.Choice == "required"
	for _, t := range in.Tools {
		r.Tools[t.Function.Name] = Tool{Schema: t.Function.Parameters}
	}
	for _, m := range in.Messages {
		switch m.Role {
		case "assistant":
			r.Spoken = append(r.Spoken, texts(m.Content)...)
		case "system", "developer":
			for _, text := range texts(m.Content) {
				r.System += text + "\n"
			}
		default:
			r.Said = append(r.Said, texts(m.Content)...)
		}
	}
	return r, nil
}

func chatUsage(u Usage) object {
	return object{
		"prompt_tokens": u.All(), "completion_tokens": u.Output, "total_tokens": u.All() + u.Output,
		"prompt_tokens_details": object{"cached_tokens": u.CacheRead},
	}
}

func chatStop(r Reply) string {
	if len(r.Calls) > 0 {
		return "tool_calls"
	}
	return "stop"
}

func chatCalls(r Reply) []any {
	var out []any
	for i, c := range r.Calls {
		out = append(out, object{"index": i, "id": "call_" + c.ID, "type": "function", "function": object{"name": c.Name, "arguments": c.Args}})
	}
	return out
}

func chatWhole(r Reply) any {
	m := object{"role": "assistant", "content": r.Text}
	if len(r.Calls) > 0 {
		m["tool_calls"] = chatCalls(r)
	}
	if r.Thinking != "" {
		m["reasoning_content"] = r.Thinking
	}
	return object{
		"id": "chatcmpl-" + r.ID, "object": "chat.completion", "created": 0, "model": r.Model,
		"choices": []any{object{"index": 0, "message": m, "finish_reason": chatStop(r)}}, "usage": chatUsage(r.Usage),
	}
}

func chatStream(r Reply) []frame {
	chunk := func(delta object, stop any) frame {
		return frame{data: object{
			"id": "chatcmpl-" + r.ID, "object": "chat.completion.chunk", "created": 0, "model": r.Model,
			"choices": []any{object{"index": 0, "delta": delta, "finish_reason": stop}},
		}}
	}
	out := []frame{chunk(object{"role": "assistant", "content": ""}, nil)}
	if r.Thinking != "" {
		out = append(out, chunk(object{"reasoning_content": r.Thinking}, nil))
	}
	if r.Text != "" {
		for _, p := range pieces(r.Text) {
			out = append(out, chunk(object{"content": p}, nil))
		}
	}
	if len(r.Calls) > 0 {
		out = append(out, chunk(object{"tool_calls": chatCalls(r)}, nil))
	}
	used := frame{data: object{
		"id": "chatcmpl-" + r.ID, "object": "chat.completion.chunk", "created": 0, "model": r.Model, "choices": []any{}, "usage": chatUsage(r.Usage),
	}}
	return append(out, chunk(object{}, chatStop(r)), used, frame{data: "[DONE]"})
}
