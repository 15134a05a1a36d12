package transcript_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge/internal/agents/catalog"
	"kedge/internal/insight/audit"
	"kedge/internal/insight/transcript"
)

// TestSubAgentsThatLeftNothing: what a sub-agent used is in the lines of its session, or in a
// transcript of its own. Where it is in neither, the session used more than is known, and the
// figures say so, those of costs too.
func TestSubAgentsThatLeftNothing(t *testing.T) {
	const (
		head     = `{"type":"user","uuid":"u","sessionId":"s","cwd":"/w","timestamp":"2026-01-02T03:04:05.000Z","message":{"content":"go"}}` + "\n"
		call     = `{"type":"assistant","uuid":"a","sessionId":"s","message":{"id":"m1","model":"claude-opus-4-6","usage":{"input_tokens":1,"output_tokens":2},"content":[{"type":"tool_use","id":"c1","name":"Task","input":{"prompt":"look"}}]}}` + "\n"
		again    = `{"type":"assistant","uuid":"a","sessionId":"s","message":{"id":"m2","model":"claude-opus-4-6","usage":{"input_tokens":1,"output_tokens":2},"content":[{"type":"tool_use","id":"c2","name":"Agent","input":{"prompt":"look"}}]}}` + "\n"
		ended    = `{"type":"user","uuid":"r","sessionId":"s","toolUseResult":{"status":"completed","prompt":"look","agentId":"abc","totalTokens":9,"usage":{"input_tokens":9}},"message":{"content":[{"type":"tool_result","tool_use_id":"c1","content":"found"}]}}` + "\n"
		launched = `{"type":"user","uuid":"r","sessionId":"s","message":{"content":[{"type":"tool_result","tool_use_id":"c1","content":"it works"}]},"toolUseResult":{"isAsync":true,"status":"async_launched","agentId":"abc"}}` + "\n"
		refused  = `{"type":"user","uuid":"r","sessionId":"s","toolUseResult":"User rejected tool use","message":{"content":[{"type":"tool_result","is_error":true,"tool_use_id":"c1","content":"The tool use was rejected"}]}}` + "\n"
		stopped  = `{"type":"user","uuid":"r","sessionId":"s","toolUseResult":"Error: [Request interrupted by user for tool use]","message":{"content":[{"type":"tool_result","is_error":true,"tool_use_id":"c1","content":"[Request interrupted by user for tool use]"}]}}` + "\n"
		other    = `{"type":"user","uuid":"r","sessionId":"s","toolUseResult":{"agentId":"no","stdout":"x"},"message":{"content":[{"type":"tool_result","tool_use_id":"c9","content":"x"}]}}` + "\n"
		news     = `{"type":"progress","uuid":"p","sessionId":"s","parentToolUseID":"c1","data":{"type":"agent_progress","message":{"type":"assistant","message":{"id":"n1","model":"claude-opus-4-6","usage":{"input_tokens":5,"output_tokens":5}}},"agentId":"abc"}}` + "\n"
		side     = `{"type":"assistant","uuid":"x","sessionId":"s","isSidechain":true,"message":{"id":"n2","model":"claude-opus-4-6","usage":{"input_tokens":5,"output_tokens":5}}}` + "\n"
	)
	for name, c := range map[string]struct {
		text    string
		files   []string // that stand there, too
		partial bool
	}{
		"none":                        {head, nil, false},
		"nothing of it":               {head + call + ended, nil, true},
		"told in the session":         {head + call + news + ended, nil, false},
		"told, and ended without end": {head + call + news, nil, false},
		"told, and stopped":           {head + call + news + stopped, nil, false},
		"in lines of its own":         {head + call + side + ended, nil, false},
		"a transcript of its own":     {head + call + ended, []string{"s/subagents/agent-abc.jsonl"}, false},
		"of an older version":         {head + call + ended, []string{"agent-abc.jsonl"}, false},
		"another's transcript":        {head + call + ended, []string{"agent-abcd.jsonl", "t/subagents/agent-abc.jsonl"}, true},
		"in the background":           {head + call + launched, nil, true},
		"in the background, told":     {head + call + launched, []string{"s/subagents/agent-abc.jsonl"}, false},
		"refused":                     {head + call + refused, nil, false},
		"stopped":                     {head + call + stopped, nil, true},
		"killed":                      {head + call, nil, true},
		"killed, told":                {head + call, []string{"s/subagents/agent-xyz.jsonl"}, false},
		"two, one transcript":         {head + call + ended + again, []string{"s/subagents/agent-abc.jsonl"}, true},
		"another tool's result":       {head + other, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, f := range append(c.files, "s.jsonl") {
				path := filepath.Join(dir, filepath.FromSlash(f))
				text := ""
				if f == "s.jsonl" {
					text = c.text
				}
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			f := transcript.File{Agent: "claude", Path: filepath.Join(dir, "s.jsonl")}
			all := catalog.Transcripts()
			for what, count := range map[string]func() (audit.Figures, error){
				"audit": func() (audit.Figures, error) { return all.CountFile(t.Context(), f, noPrice, nil) },
				"cost":  func() (audit.Figures, error) { return all.SpentIn(t.Context(), f, noPrice, nil) },
			} {
				g, err := count()
				if err != nil || g.PartialUsage != c.partial || strings.Contains(c.text, call) != (g.Calls > 0) {
					t.Errorf("%s: partial %v, want %v; %d replies, %v", what, g.PartialUsage, c.partial, g.Calls, err)
				}
			}
		})
	}
}

// TestOpenCodeKilledInATool: a step says what it used when its tools are over. Of one that
// never ended nobody knows it, unless the provider refused it.
func TestOpenCodeKilledInATool(t *testing.T) {
	const (
		start  = `{"type":"step-start"}`
		tool   = `{"type":"tool","tool":"bash","callID":"t9","state":{"status":"running","input":{"command":"sleep 9"}}}`
		finish = `{"type":"step-finish","tokens":{"input":1,"output":2,"cache":{}},"cost":0}`
		reply  = `{"role":"assistant","modelID":"glm"}`
		no     = `{"role":"assistant","modelID":"glm","error":{"name":"APIError","data":{"statusCode":429}}}`
	)
	for name, c := range map[string]struct {
		message string
		parts   []string
		partial bool
	}{
		"ended":        {reply, []string{start, tool, finish}, false},
		"killed":       {reply, []string{start, finish, start, tool}, true},
		"went on":      {reply, []string{start, tool, start, finish}, true},
		"was refused":  {no, []string{start}, false},
		"no step ever": {reply, []string{tool}, false},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "opencode.db")
			database(t, path, "/w")
			db, err := sql.Open("sqlite", path)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = db.Close() }()
			if _, err := db.Exec(`DELETE FROM part`); err != nil {
				t.Fatal(err)
			}
			if _, err := db.Exec(`UPDATE message SET data = ? WHERE id = 'msg_2'`, c.message); err != nil {
				t.Fatal(err)
			}
			for i, p := range c.parts {
				if _, err := db.Exec(`INSERT INTO part VALUES (?,'msg_2','ses_1',?,?)`, "prt_"+string(rune('a'+i)), 1767225600000, p); err != nil {
					t.Fatal(err)
				}
			}
			g, err := catalog.Transcripts().SpentIn(t.Context(), transcript.File{Agent: "opencode", Path: path, Session: "ses_1"}, noPrice, nil)
			if err != nil || g.PartialUsage != c.partial {
				t.Errorf("partial %v, want %v: %v", g.PartialUsage, c.partial, err)
			}
		})
	}
}
