package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// act is one step of the sample: a tool that the agent calls, and how much it gives.
type act struct {
	tool, arg string
	chars     int
	failed    bool
}

// acts are an afternoon as many have it: files are read, edited and read again, the
// same tests run again and again, and a long output comes twice.
var acts = []act{
	{"Bash", "git log --oneline -20", 1400, false},
	{"Bash", "rg -n coupon", 5200, false},
	{"Read", "internal/order/order.go", 21000, false},
	{"Read", "internal/order/order_test.go", 17500, false},
	{"Read", "internal/price/price.go", 14800, false},
	{"Bash", "go test ./...", 9800, true},
	{"Edit", "internal/order/order.go", 900, false},
	{"Bash", "go test ./...", 9800, true},
	{"Read", "internal/order/order.go", 21400, false},
	{"Edit", "internal/order/order.go", 1200, false},
	{"Bash", "go test ./internal/order", 2600, false},
	{"Read", "internal/api/server.go", 33000, false},
	{"Read", "internal/api/routes.go", 12600, false},
	{"Edit", "internal/api/routes.go", 1100, false},
	{"Bash", "go vet ./...", 1900, true},
	{"Bash", "npm run e2e", 18200, true},
	{"Read", "internal/api/server.go", 33000, false},
	{"Edit", "internal/api/server.go", 2100, false},
	{"Bash", "npm run e2e", 18200, true},
	{"Read", "internal/price/price.go", 14800, false},
	{"Edit", "internal/price/price.go", 800, false},
	{"Bash", "go test ./...", 3100, false},
	{"Bash", "npm run e2e", 6900, false},
	{"Bash", "git commit -am 'coupons for orders'", 300, false},
}

// talk is one session of the sample.
type talk struct {
	id, ask string
	begins  time.Time
	acts    []act
	half    int // after so many acts its context is compacted; 0: never
}

// talks are the sessions of a week.
func talks() []talk {
	day := func(d, h int) time.Time { return time.Date(2026, 3, d, h, 3, 0, 0, time.UTC) }
	return []talk{
		{"c0ffee12-4a5b", "Add coupons to orders, with tests", day(4, 14), append(acts[:len(acts):len(acts)], acts...), len(acts) + 2},
		{"7a11bead-90c1", "Round tax per line, not per order", day(2, 9), acts[:16], 0},
		{"5ca1ab1e-77d0", "Why is the checkout test flaky on CI?", day(5, 10), acts[6:20], 0},
		{"0dd5eed5-1f2e", "Move price rules out of the order package", day(6, 16), acts[2:9], 0},
	}
}

// sample is a made-up transcript in the form of Claude Code.
func sample(t talk) []byte {
	s := sampler{id: t.id, at: t.begins, context: 18_400}
	s.line("user", map[string]any{"role": "user", "content": t.ask})
	for i, a := range t.acts {
		s.call(i, a)
		if i+1 == t.half {
			s.write("system", "compact_boundary", nil)
			s.context = 24_000
		}
	}
	s.reply("last", []any{map[string]any{"type": "text", "text": "Done, and all tests are green."}})
	return s.out.Bytes()
}

type sampler struct {
	out     bytes.Buffer
	id      string
	at      time.Time
	context int
}

func (s *sampler) line(kind string, message map[string]any) { s.write(kind, "", message) }

func (s *sampler) write(kind, subtype string, message map[string]any) {
	s.at = s.at.Add(47 * time.Second)
	line := map[string]any{
		"type": kind, "sessionId": s.id, "cwd": "/home/me/shop", "isSidechain": false, "timestamp": s.at.Format("2006-01-02T15:04:05.000Z"),
	}
	if message != nil {
		line["message"] = message
	}
	if subtype != "" {
		line["subtype"] = subtype
	}
	b, _ := json.Marshal(line) // plain strings and numbers always encode
	s.out.Write(append(b, '\n'))
}

// reply is what the model answers; it reads everything before it.
func (s *sampler) reply(id string, content []any) {
	s.line("assistant", map[string]any{
		"role": "assistant", "model": "claude-sonnet-4-6", "id": "msg_" + s.id + id, "content": content,
		"usage": map[string]any{"input_tokens": 12, "cache_creation_input_tokens": 1800, "cache_read_input_tokens": s.context, "output_tokens": 420},
	})
}

func (s *sampler) call(i int, a act) {
	id, key := fmt.Sprintf("toolu_%s%02d", s.id, i), "file_path"
	input := map[string]any{}
	switch a.tool {
	case "Bash":
		key = "command"
	case "Edit":
		input["old_string"], input["new_string"] = filler(a.chars/2), filler(a.chars)
	}
	input[key] = a.arg
	s.reply(fmt.Sprintf("%02d", i), []any{
		map[string]any{"type": "text", "text": filler(240)},
		map[string]any{"type": "tool_use", "id": id, "name": a.tool, "input": input},
	})
	s.line("user", map[string]any{"role": "user", "content": []any{
		map[string]any{"type": "tool_result", "tool_use_id": id, "content": filler(a.chars), "is_error": a.failed},
	}})
	s.context += a.chars/4 + 300
}

// filler is a text of so many characters.
func filler(n int) string {
	return strings.Repeat("if err != nil { return fmt.Errorf(\"order: %w\", err) }\n", n/54+1)[:n]
}
