package sessions

import (
	"fmt"
	"testing"
	"time"

	"kedge/internal/insight/audit"
)

// TestRow115WhatAnAgentDidMeanwhile: edits count from the moment on at which somebody left;
// tests stand as the last ones before it, and change from there.
func TestRow115WhatAnAgentDidMeanwhile(t *testing.T) {
	at := func(minute int) string { return fmt.Sprintf("2026-11-19T10:%02d:00.000Z", minute) }
	edit := func(minute int) *audit.Entry {
		return &audit.Entry{Kind: audit.ToolCall, At: at(minute), Act: audit.Edit, Path: "a.go"}
	}
	n := 0
	run := func(minute int, command string, failed bool) []*audit.Entry {
		n++
		call := fmt.Sprint(n)
		return []*audit.Entry{
			{Kind: audit.ToolCall, At: at(minute), Act: audit.Shell, Command: command, Call: call},
			{Kind: audit.ToolResult, At: at(minute), Call: call, Failed: failed},
		}
	}
	list := func(parts ...[]*audit.Entry) (all []*audit.Entry) {
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	for name, c := range map[string]struct {
		entries []*audit.Entry
		edits   int
		tests   string
	}{
		"nothing":        {nil, 0, "[]"},
		"before":         {list([]*audit.Entry{edit(1)}, run(2, "go test ./...", false)), 0, "[green]"},
		"red to green":   {list(run(1, "go test ./...", false), run(2, "go test ./...", true), []*audit.Entry{edit(11), edit(12)}, run(13, "go test ./x", false)), 2, "[red green]"},
		"no tests":       {list(run(11, "ls", true), []*audit.Entry{edit(12)}), 1, "[]"},
		"began before":   {list(run(9, "go test ./...", false)[:1], run(11, "make", true)), 0, "[]"},
		"there and back": {list(run(11, "npm test", true), run(12, "npm test", true), run(13, "npm test", false), run(14, "pytest", true)), 0, "[red green red]"},
		"without a time": {list([]*audit.Entry{edit(11), {Kind: audit.ToolCall, Act: audit.Edit, Path: "b"}}), 2, "[]"},
	} {
		since, err := time.Parse(time.RFC3339, at(10))
		if err != nil {
			t.Fatal(err)
		}
		d := &doings{since: since, tests: []string{}, runs: map[string]bool{}}
		for _, e := range c.entries {
			d.take(e)
		}
		if d.edits != c.edits || fmt.Sprint(d.tests) != c.tests {
			t.Errorf("%s: %d edits, tests %v; want %d, %s", name, d.edits, d.tests, c.edits, c.tests)
		}
	}
}
