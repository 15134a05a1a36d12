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

// sample is a made-up transcript in the form of Claude Code.
func sample() []byte {
	s := sampler{at: time.Date(2026, 3, 4, 14, 3, 0, 0, time.UTC), context: 18_400}
	s.line("user", map[string]any{"role": "user", "content": "Add coupons to orders: a percentage or an amount, checked in the API, with tests."})
	for i, a := range acts {
		s.call(i, a)
	}
	s.reply("last", []any{map[string]any{"type": "text", "text": "Coupons work: percentage and amount, checked in the API. All tests are green."}})
	return s.out.Bytes()
}

type sampler struct {
	out     bytes.Buffer
	at      time.Time
	context int
}

func (s *sampler) line(kind string, message map[string]any) {
	s.at = s.at.Add(47 * time.Second)
	b, _ := json.Marshal(map[string]any{ // plain strings and numbers always encode
		"type": kind, "sessionId": "c0ffee12-4a5b", "cwd": "/home/me/shop", "isSidechain": false,
		"timestamp": s.at.Format("2006-01-02T15:04:05.000Z"), "message": message,
	})
	s.out.Write(append(b, '\n'))
}

// reply is what the model answers; it reads everything before it.
func (s *sampler) reply(id string, content []any) {
	s.line("assistant", map[string]any{
		"role": "assistant", "model": "claude-sonnet-4-6", "id": "msg_" + id, "content": content,
		"usage": map[string]any{"input_tokens": 12, "cache_creation_input_tokens": 1800, "cache_read_input_tokens": s.context, "output_tokens": 420},
	})
}

func (s *sampler) call(i int, a act) {
	id, key := fmt.Sprintf("toolu_%02d", i), "file_path"
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
