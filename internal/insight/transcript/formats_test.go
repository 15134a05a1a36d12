package transcript_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"kedge/internal/agents/catalog"
	"kedge/internal/insight/audit"
)

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// hand is what was counted of a fixture by hand; -1 is unknown.
type hand struct {
	agent, file, id, model                     string
	calls, context, output, compactions        int64
	reads, stale, commands, failed, repeated   int64
	results, inputs, thinking, assistant, user int64
	rules, skipped                             int64
	usd                                        float64
}

var byHand = []hand{
	{
		agent: "codex", file: "codex.jsonl", id: "01a1dcbe", model: "gpt-5.5", calls: 2, context: 6000, output: 150, compactions: 1,
		commands: 2, failed: 1, repeated: 1, results: 32 + 4 + 15, inputs: 21 + 51 + 21, thinking: 3, assistant: 4, user: 41 + 6 + 7, rules: 41, skipped: 1, usd: -1,
	},
	{
		agent: "gemini", file: "gemini.jsonl", id: "9e711a00", model: "gemini-3-pro", calls: 1, context: 4000, output: 25,
		reads: 1, stale: 10, commands: 1, failed: 1, results: 10 + 2 + 7, inputs: 20 + 20 + 18, thinking: 3, assistant: 4, user: 6, skipped: 1, usd: -1,
	},
	{
		agent: "qwen", file: "qwen.jsonl", id: "9e9e0000", model: "qwen3-coder", calls: 1, context: 3000, output: 33, compactions: 1,
		reads: 1, results: 5, inputs: 25, thinking: 3, assistant: 2, user: 6, skipped: 1, usd: -1,
	},
	{
		agent: "pi", file: "pi.jsonl", id: "b1b1", model: "kimi", calls: 1, context: 2150, output: 10, compactions: 1,
		commands: 1, failed: 1, results: 7, inputs: 18, thinking: 3, assistant: 2, user: 6 + 5, skipped: 1, usd: 0.25,
	},
	{
		agent: "copilot", file: "copilot.jsonl", id: "c0c0", model: "gpt-5.5", calls: 1, context: -1, output: -1, compactions: 1,
		reads: 1, commands: 1, failed: 1, results: 5 + 2, inputs: 16 + 18, assistant: 2, user: 6, skipped: 1, usd: -1,
	},
	{
		agent: "aider", file: "aider.md", id: "aider", model: "sonnet", calls: 2, context: 12000, output: 1710,
		results: 13 + 40 + 20, assistant: 5, user: 6, usd: 0.01, // of one reply; what the other cost is unknown
	},
}

func TestFormatsByHand(t *testing.T) {
	for _, h := range byHand {
		t.Run(h.agent, func(t *testing.T) { h.check(t, counted(t, h.agent, fixture(t, h.file))) })
	}
}

func (h hand) check(t *testing.T, f audit.Figures) {
	t.Helper()
	unknown := func(n *int64) int64 {
		if n == nil {
			return -1
		}
		return *n
	}
	usd := -1.0
	if f.USD != nil {
		usd = *f.USD
	}
	got := hand{
		agent: f.Agent, file: h.file, id: f.ID, model: f.Model, calls: f.Calls, context: unknown(f.MaxContextTokens), output: unknown(f.OutputTokens),
		compactions: f.Compactions, reads: f.Reads, stale: f.StaleReadChars, commands: f.Commands, failed: f.FailedCommands, repeated: f.RepeatedCommands,
		results: f.Composition.ToolResult, inputs: f.Composition.ToolInput, thinking: f.Composition.Thinking, assistant: f.Composition.AssistantText,
		user: f.Composition.UserText, rules: f.Sources.Rules, skipped: f.SkippedLines, usd: usd,
	}
	if got != h {
		t.Errorf("counted\n%+v, by hand\n%+v", got, h)
	}
	if f.Composition.Sum() != f.Sources.Sum() {
		t.Errorf("composition %+v, sources %+v", f.Composition, f.Sources)
	}
}

// TestForkOfCodexCountsItsOwn: the copy of another session with which older versions begin a
// fork is that session's; what the fork used is its own, cache writes too.
func TestForkOfCodexCountsItsOwn(t *testing.T) {
	used := func(at string, total, input, read, write, output int) string {
		return fmt.Sprintf(`{"timestamp":"2026-06-25T10:%s","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"total_tokens":%d},`+
			`"last_token_usage":{"input_tokens":%d,"cached_input_tokens":%d,"cache_write_input_tokens":%d,"output_tokens":%d}}}}`+"\n", at, total, input, read, write, output)
	}
	meta := func(at, id, forked string) string {
		return fmt.Sprintf(`{"timestamp":"2026-06-25T10:%s","type":"session_meta","payload":{"id":%q,"cwd":"/p","forked_from_id":%q}}`+"\n", at, id, forked)
	}
	older := meta("00:00.000Z", "child", "parent") + meta("00:00.010Z", "parent", "") +
		used("00:00.100Z", 100, 90, 0, 0, 10) + used("00:00.300Z", 200, 95, 0, 0, 5) + used("00:04.000Z", 330, 120, 60, 20, 10)
	f := counted(t, "codex", []byte(older))
	if f.ID != "child" || f.Calls != 1 || *f.OutputTokens != 10 || f.Models[0].InputTokens != 40 || f.Models[0].CacheReadTokens != 60 || f.Models[0].CacheWriteTokens != 20 {
		t.Errorf("a copy at the start: %+v", f)
	}
	newer := meta("00:00.000Z", "child", "parent") + used("00:00.100Z", 330, 120, 60, 0, 10) + used("00:00.200Z", 400, 60, 0, 0, 10)
	if f := counted(t, "codex", []byte(newer)); f.Calls != 2 || *f.OutputTokens != 20 {
		t.Errorf("no copy: %+v", f)
	}
}

// TestOlderGemini: a session that an older version wrote as one JSON text has the figures of
// the same session in lines, indented or not.
func TestOlderGemini(t *testing.T) {
	messages := map[string]json.RawMessage{}
	var order []string
	var head struct {
		Session  string            `json:"sessionId"`
		Project  string            `json:"projectHash"`
		Start    string            `json:"startTime"`
		Messages []json.RawMessage `json:"messages"`
	}
	for line := range bytes.Lines(fixture(t, "gemini.jsonl")) {
		var m struct{ ID, SessionID string }
		if json.Unmarshal(line, &m) != nil {
			continue
		}
		if m.ID == "" {
			if m.SessionID != "" {
				_ = json.Unmarshal(line, &head) // it was read
			}
			continue
		}
		if messages[m.ID] == nil {
			order = append(order, m.ID)
		}
		messages[m.ID] = slices.Clone(bytes.TrimSpace(line))
	}
	var list []json.RawMessage
	for _, id := range order {
		list = append(list, messages[id])
	}
	head.Messages = list
	want := counted(t, "gemini", fixture(t, "gemini.jsonl"))
	for _, indent := range []string{"", "  "} {
		b, err := json.MarshalIndent(head, "", indent)
		if err != nil {
			t.Fatal(err)
		}
		if indent == "" {
			b, _ = json.Marshal(head) // as above
		}
		path := filepath.Join(t.TempDir(), "session-2025-09-01T10-00-9e711a00.json")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		files, err := catalog.Transcripts().Open(t.Context(), path)
		if err != nil || len(files) != 1 || files[0].Agent != "gemini" {
			t.Fatalf("%v, %v", files, err)
		}
		f, err := catalog.Transcripts().CountFile(t.Context(), files[0], noPrice, nil)
		if err != nil || f.ID != want.ID || f.Calls != want.Calls || *f.OutputTokens != *want.OutputTokens || f.Composition != want.Composition || f.Reads != want.Reads {
			t.Errorf("counted %+v, %v", f, err)
		}
	}
}

// TestDetect: whose a transcript is is told from its lines.
func TestDetect(t *testing.T) {
	for _, h := range append(byHand, hand{agent: "claude", file: "claude.jsonl"}) {
		list, err := catalog.Transcripts().Open(t.Context(), filepath.Join("testdata", h.file))
		if err != nil || len(list) != 1 || list[0].Agent != h.agent {
			t.Errorf("%s: %+v, %v", h.file, list, err)
		}
	}
	other := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(other, []byte("hello\n{\"a\":1}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if list, err := catalog.Transcripts().Open(t.Context(), other); err == nil {
		t.Errorf("notes are taken for %+v", list)
	}
}

// database makes one in the form of OpenCode.
func database(t testing.TB, path, dir string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	const ms = int64(1790848800000)
	for _, q := range []struct {
		text string
		args []any
	}{
		{"CREATE TABLE session (id text, directory text, time_created integer)", nil},
		{"CREATE TABLE message (id text, session_id text, time_created integer, data text)", nil},
		{"CREATE TABLE part (id text, message_id text, session_id text, time_created integer, data text)", nil},
		{"INSERT INTO session VALUES ('ses_1', ?, ?), ('ses_2', '/elsewhere', ?)", []any{dir, ms, ms}},
		{"INSERT INTO message VALUES ('msg_1','ses_1',?,?), ('msg_2','ses_1',?,?)", []any{ms, `{"role":"user"}`, ms, `{"role":"assistant","modelID":"glm"}`}},
		{"INSERT INTO part VALUES ('prt_1','msg_1','ses_1',?,?)", []any{ms, `{"type":"text","text":"fix it"}`}},
		{"INSERT INTO part VALUES ('prt_2','msg_2','ses_1',?,?)", []any{ms, `{"type":"reasoning","text":"hmm"}`}},
		{"INSERT INTO part VALUES ('prt_3','msg_2','ses_1',?,?)", []any{ms, `{"type":"tool","tool":"read","callID":"t1","state":{"status":"completed","input":{"filePath":"a.go"},"output":"01234"}}`}},
		{"INSERT INTO part VALUES ('prt_4','msg_2','ses_1',?,?)", []any{ms, `{"type":"tool","tool":"edit","callID":"t2","state":{"status":"completed","input":{"filePath":"a.go"},"output":"ok"}}`}},
		{"INSERT INTO part VALUES ('prt_5','msg_2','ses_1',?,?)", []any{ms, `{"type":"step-finish","tokens":{"input":234,"output":20,"reasoning":2,"cache":{"read":1000,"write":10}},"cost":0.5}`}},
		{"INSERT INTO part VALUES ('prt_6','msg_2','ses_1',?,?)", []any{ms, `{"type":`}},
	} {
		if _, err := db.Exec(q.text, q.args...); err != nil {
			t.Fatalf("%s: %v", q.text, err)
		}
	}
}

func TestOpenCodeByHand(t *testing.T) {
	path := filepath.Join(t.TempDir(), "open code.db")
	database(t, path, "/home/u/shop")
	list, err := catalog.Transcripts().Open(t.Context(), path)
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	f, err := catalog.Transcripts().CountFile(t.Context(), list[0], noPrice, nil)
	if err != nil {
		t.Fatal(err)
	}
	hand{
		agent: "opencode", id: "ses_1", model: "glm", calls: 1, context: 1244, output: 22, reads: 1, stale: 5,
		results: 7, inputs: 19 + 19, thinking: 3, user: 6, skipped: 1, usd: 0.5,
	}.check(t, f)
	broken := filepath.Join(t.TempDir(), "broken.db")
	if err := os.WriteFile(broken, []byte("SQLite format 3\x00 and nothing else\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := catalog.Transcripts().Open(t.Context(), broken); err == nil {
		t.Error("a broken database has sessions")
	}
}

func FuzzFormats(f *testing.F) {
	for _, h := range byHand {
		f.Add(h.agent, fixture(f, h.file))
	}
	f.Add("codex", []byte(`{"type":"response_item","payload":{"type":"function_call","arguments":"{\"a\\"}}`))
	f.Add("claude", sample(f))
	f.Fuzz(func(t *testing.T, agent string, b []byte) {
		if agent == "opencode" || !slices.Contains(catalog.Transcripts().Agents(), agent) {
			return
		}
		g, _, err := catalog.Transcripts().Count(t.Context(), agent, bytes.NewReader(b), noPrice)
		if err == nil && g.Composition.Sum() != g.Sources.Sum() {
			t.Errorf("composition %+v, sources %+v", g.Composition, g.Sources)
		}
	})
}
