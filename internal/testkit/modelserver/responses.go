package modelserver

import (
	"encoding/json"
	"fmt"
	"strings"
)

// responses is OpenAI's Responses API.
var responses = protocol{
	name: "responses", parse: parseResponses, whole: responsesWhole, stream: responsesStream, refuse: openaiRefuse,
	count: func(tokens int64) any { return object{"object": "response.input_tokens", "input_tokens": tokens} },
}

func parseResponses(_ string, body []byte) (Request, error) {
	var in struct {
		Model        string          `json:"model"`
		Stream       bool            `json:"stream"`
		Instructions string          `json:"instructions"`
		Input        json.RawMessage `json:"input"`
		Tools        []struct {
			Type       string `json:"type"`
			Name       string `json:"name"`
			Parameters Schema `json:"parameters"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Request{}, fmt.Errorf("not a request of the responses API: %w", err)
	}
	r := Request{Model: in.Model, Stream: in.Stream, System: in.Instructions, Size: len(body), Tools: map[string]Tool{}}
	for _, t := range in.Tools {
		if t.Name != "" {
			r.Tools[t.Name] = Tool{Schema: t.Parameters, Custom: t.Type == "custom"}
		}
	}
	var items []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
		Output  json.RawMessage `json:"output"`
	}
	if json.Unmarshal(in.Input, &items) != nil {
		r.Said = texts(in.Input)
		return r, nil //nolint:nilerr // it is a text then
	}
	for _, item := range items {
		if item.Role == "assistant" {
			continue
		}
		r.Said = append(append(r.Said, texts(item.Content)...), texts(item.Output)...)
	}
	return r, nil
}

func responsesItems(r Reply) []object {
	var out []object
	if r.Thinking != "" {
		out = append(out, object{"type": "reasoning", "id": "rs_" + r.ID, "summary": []any{object{"type": "summary_text", "text": r.Thinking}}, "encrypted_content": "c2ln"})
	}
	if r.Text != "" {
		out = append(out, object{
			"type": "message", "id": "msg_" + r.ID, "role": "assistant", "status": "completed",
			"content": []any{object{"type": "output_text", "text": r.Text, "annotations": []any{}}},
		})
	}
	for _, c := range r.Calls {
		item := object{"type": "function_call", "id": "fc_" + c.ID, "call_id": "call_" + c.ID, "name": c.Name, "status": "completed"}
		if c.Server != "" {
			space := "mcp__" + c.Server
			item["namespace"], item["name"] = space, strings.TrimPrefix(c.Name, space+"__")
		}
		if c.Custom {
			item["type"], item["input"] = "custom_tool_call", c.Args
		} else {
			item["arguments"] = c.Args
		}
		out = append(out, item)
	}
	return out
}

func responsesWhole(r Reply) any {
	u := r.Usage
	return object{
		"id": "resp_" + r.ID, "object": "response", "status": "completed", "model": r.Model, "output": responsesItems(r), "error": nil,
		"usage": object{
			"input_tokens": u.All(), "input_tokens_details": object{"cached_tokens": u.CacheRead},
			"output_tokens": u.Output, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": u.All() + u.Output,
		},
	}
}

func responsesStream(r Reply) []frame {
	begun := object{"id": "resp_" + r.ID, "object": "response", "status": "in_progress", "model": r.Model, "output": []any{}}
	out := []frame{{"response.created", object{"type": "response.created", "response": begun}}}
	for i, item := range responsesItems(r) {
		out = append(out, frame{"response.output_item.added", object{"type": "response.output_item.added", "output_index": i, "item": item}})
		if item["type"] == "message" {
			for _, p := range pieces(r.Text) {
				out = append(out, frame{"response.output_text.delta", object{
					"type": "response.output_text.delta", "item_id": item["id"], "output_index": i, "content_index": 0, "delta": p,
				}})
			}
		}
		out = append(out, frame{"response.output_item.done", object{"type": "response.output_item.done", "output_index": i, "item": item}})
	}
	return append(out, frame{"response.completed", object{"type": "response.completed", "response": responsesWhole(r)}})
}

// openaiRefuse is an error of both of OpenAI's protocols.
func openaiRefuse(f Fault) any {
	code := map[FaultKind]string{
		RateLimit: "rate_limit_exceeded", Overloaded: "server_is_overloaded", TooLong: "context_length_exceeded", Unauthorized: "invalid_api_key",
	}[f.Kind]
	if code == "" {
		code = "server_error"
	}
	return object{"error": object{"message": f.message(), "type": code, "code": code, "param": nil}}
}
