package modelserver

import (
	"encoding/json"
	"fmt"
	"strings"
)

// gemini is generateContent and streamGenerateContent.
var gemini = protocol{
	name: "gemini", parse: parseGemini, whole: geminiWhole, stream: geminiStream, refuse: geminiRefuse,
	count: func(tokens int64) any { return object{"totalTokens": tokens} },
}

func parseGemini(path string, body []byte) (Request, error) {
	type content struct {
		Role  string `json:"role"`
		Parts []struct {
			Text     string `json:"text"`
			Response struct {
				Response json.RawMessage `json:"response"`
			} `json:"functionResponse"`
		} `json:"parts"`
	}
	var in struct {
		Contents []content `json:"contents"`
		System   content   `json:"systemInstruction"`
		Tools    []struct {
			Functions []struct {
				Name       string `json:"name"`
				Parameters Schema `json:"parameters"`
				Schema     Schema `json:"parametersJsonSchema"`
			} `json:"functionDeclarations"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Request{}, fmt.Errorf("not a request of the Gemini API: %w", err)
	}
	model, method, _ := strings.Cut(path[strings.LastIndex(path, "/")+1:], ":")
	r := Request{Model: model, Stream: method == "streamGenerateContent", Size: len(body), Tools: map[string]Tool{}}
	for _, p := range in.System.Parts {
		r.System += p.Text + "\n"
	}
	for _, group := range in.Tools {
		for _, f := range group.Functions {
			s := f.Schema
			if s.Properties == nil {
				s = f.Parameters
			}
			r.Tools[f.Name] = Tool{Schema: s}
		}
	}
	for _, c := range in.Contents {
		if c.Role == "model" {
			continue
		}
		for _, p := range c.Parts {
			if p.Text != "" {
				r.Said = append(r.Said, p.Text)
			}
		}
	}
	return r, nil
}

func geminiReply(r Reply, parts []any, last bool) object {
	candidate := object{"index": 0, "content": object{"role": "model", "parts": parts}}
	out := object{"responseId": r.ID, "modelVersion": r.Model, "candidates": []any{candidate}}
	if last {
		candidate["finishReason"] = "STOP"
		u := r.Usage
		thought := min(u.Output, int64(len(r.Thinking))/perToken) // counted apart here
		out["usageMetadata"] = object{
			"promptTokenCount": u.All(), "cachedContentTokenCount": u.CacheRead, "candidatesTokenCount": u.Output - thought, "thoughtsTokenCount": thought,
			"totalTokenCount": u.All() + u.Output,
		}
	}
	return out
}

func geminiCalls(r Reply) []any {
	parts := []any{}
	for _, c := range r.Calls {
		parts = append(parts, object{"functionCall": object{"id": "call_" + c.ID, "name": c.Name, "args": json.RawMessage(c.Args)}})
	}
	return parts
}

func geminiThought(r Reply) object { return object{"text": r.Thinking, "thought": true} }

func geminiWhole(r Reply) any {
	parts := []any{}
	if r.Thinking != "" {
		parts = append(parts, geminiThought(r))
	}
	if r.Text != "" {
		parts = append(parts, object{"text": r.Text})
	}
	return geminiReply(r, append(parts, geminiCalls(r)...), true)
}

func geminiStream(r Reply) []frame {
	var out []frame
	if r.Thinking != "" {
		out = append(out, frame{data: geminiReply(r, []any{geminiThought(r)}, false)})
	}
	if r.Text != "" {
		for _, p := range pieces(r.Text) {
			out = append(out, frame{data: geminiReply(r, []any{object{"text": p}}, false)})
		}
	}
	return append(out, frame{data: geminiReply(r, geminiCalls(r), true)})
}

func geminiRefuse(f Fault) any {
	status := map[FaultKind]string{
		RateLimit: "RESOURCE_EXHAUSTED", Overloaded: "UNAVAILABLE", TooLong: "INVALID_ARGUMENT", Unauthorized: "UNAUTHENTICATED",
	}[f.Kind]
	if status == "" {
		status = "INTERNAL"
	}
	return object{"error": object{"code": f.status(), "message": f.message(), "status": status}}
}
