package transcript_test

import (
	"fmt"
	"testing"

	"kedge/internal/insight/audit"
)

// TestRow23OfferedTools: what transcripts say of the tools that the model could
// call, with schemas where they have them.
func TestRow23OfferedTools(t *testing.T) {
	for _, c := range []struct{ name, agent, lines, want string }{
		{
			"Claude Code, tools to load later", "claude",
			`{"type":"attachment","sessionId":"s","attachment":{"type":"deferred_tools_delta","addedNames":["WebFetch","mcp__db__query"],"addedLines":["WebFetch"],"removedNames":[]}}
{"type":"attachment","sessionId":"s","attachment":{"type":"todo","addedNames":["no"]}}
{"type":"assistant","sessionId":"s","message":{"id":"m","model":"x","content":[{"type":"tool_use","id":"t","name":"WebFetch","input":{}}]}}
`, "WebFetch 1 ?; mcp__db__query 0 ?; ",
		},
		{
			"Claude Code, its stream of events", "claude",
			`{"type":"system","subtype":"init","session_id":"s","tools":["Read","Bash",7]}` + "\n", "Bash 0 ?; Read 0 ?; ",
		},
		{
			"Codex, tools of a client", "codex",
			`{"timestamp":"2026-10-01T10:00:00.000Z","type":"session_meta","payload":{"id":"s","dynamic_tools":[{"name":"lookup","description":"four","inputSchema":{"type": "object"}},{"name":"long","description":"` + "0123456789" + `","inputSchema":{"type":"object"}}]}}
{"timestamp":"2026-10-01T10:00:04.000Z","type":"response_item","payload":{"type":"function_call","name":"lookup","arguments":"{}","call_id":"c"}}
`, "long 0 27; lookup 1 21; ",
		},
		{"nothing said", "claude", `{"type":"user","sessionId":"s","message":{"role":"user","content":"x"}}` + "\n", "unknown"},
		{"strange attachments", "claude", `{"type":"attachment","attachment":7}` + "\n" + `{"type":"attachment","attachment":{"type":"deferred_tools_delta","addedNames":"x"}}` + "\n", "unknown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := counted(t, c.agent, []byte(c.lines))
			got := ""
			for _, o := range f.Offered {
				size := "?"
				if o.SchemaChars != nil {
					size = fmt.Sprint(*o.SchemaChars)
				}
				got += fmt.Sprintf("%s %d %s; ", o.Name, o.Calls, size)
			}
			if f.Offered == nil {
				got = "unknown"
			}
			if got != c.want || f.SkippedLines != 0 {
				t.Errorf("%q, want %q; %d lines skipped", got, c.want, f.SkippedLines)
			}
		})
	}
}

// TestRow111WhatToolsCost: newer versions of Claude Code write down the system prompt, the
// tools with their schemas, the skills and what hooks added. Each counts once, however often
// the prompt is written again.
func TestRow111WhatToolsCost(t *testing.T) {
	line := func(attachment string) string {
		return `{"type":"attachment","sessionId":"s","cwd":"/p","uuid":"u","attachment":` + attachment + "}\n"
	}
	tools := `"tools":[{"name":"Read","description":"reads","schema":{"type": "object"}},{"name":"Browse","description":"browses the web","schema":{}}]`
	text := line(`{"type":"prompt_snapshot","systemPrompt":["You are","Grüße"]}`) +
		line(`{"type":"prompt_snapshot","systemPrompt":["You are","Grüße","long"],`+tools+`}`) +
		line(`{"type":"prompt_snapshot","systemPrompt":["You are"],`+tools+`}`) +
		line(`{"type":"skill_listing","content":"- x: does x","names":["x"]}`) +
		line(`{"type":"hook_additional_context","content":["one","two"]}`) +
		line(`{"type":"session_context","context":{"gitStatus":"clean"}}`) +
		line(`{"type":"hook_success","content":"not in the context"}`) +
		`{"type":"assistant","uuid":"v","sessionId":"s","message":{"id":"m","model":"claude-opus-5","content":[{"type":"tool_use","id":"1","name":"Read","input":{}}],"usage":{"input_tokens":5}}}` + "\n"
	f := counted(t, "claude", []byte(text))
	read := int64(len(`"Read"` + `"reads"` + `{"type":"object"}`))
	browse := int64(len(`"Browse"` + `"browses the web"` + `{}`))
	if f.Sources.ToolSchemas != read+browse {
		t.Errorf("schemas of %d characters, want %d", f.Sources.ToolSchemas, read+browse)
	}
	if want := int64(7 + 5 + 4 + 11 + 6 + 5); f.Sources.Rules != want || f.Composition.System != want+read+browse {
		t.Errorf("rules of %d characters and %d in all, want %d and %d", f.Sources.Rules, f.Composition.System, want, want+read+browse)
	}
	if f.Sources.Sum() != f.Composition.Sum() || len(f.Unseen) != 0 {
		t.Errorf("sources %+v, composition %+v, unseen %v", f.Sources, f.Composition, f.Unseen)
	}
	unused := audit.Unused(audit.Total([]audit.Figures{f}))
	if len(unused) != 1 || unused[0].Name != "Browse" || *unused[0].SchemaChars != browse {
		t.Errorf("never called: %+v", unused)
	}
}
