package transcript_test

import (
	"fmt"
	"testing"
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
