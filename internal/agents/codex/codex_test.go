package codex_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"kedge/internal/agents"
	"kedge/internal/agents/codex"
	"kedge/internal/core/watch"
	"kedge/internal/testkit/agenttest"
)

// Lines of Codex that no recording has.
const (
	codexBegun = `{"id":2,"result":{"thread":{"id":"th","cwd":"/w"},"model":"gpt-x"}}` + "\n"
	codexGood  = `{"method":"turn/completed","params":{"threadId":"th","turn":{"id":"t","status":"completed"}}}` + "\n"
	codexAsks  = `{"id":9,"method":"item/tool/requestUserInput","params":{"threadId":"th","itemId":"i","questions":[{"id":"a","question":"Which?","options":[{"label":"Blue"}]}]}}` + "\n"
)

func codexBad(info string) string {
	return `{"method":"turn/completed","params":{"threadId":"th","turn":{"id":"t","status":"failed","error":{"message":"no good","codexErrorInfo":` + info + "}}}}\n"
}

func TestCodexConformance(t *testing.T) {
	agenttest.Run(t, codex.New(nil), []agenttest.Sample{
		{Name: "gave up", Output: "\x1b[31mError\x1b[0m: no such option\n", Code: 2, Cause: "exited", Exit: agents.Failed, Text: "Error: no such option"},
		{Name: "killed", Output: codexBegun, Code: 137, Cause: "killed", Exit: agents.Failed, Text: "killed"},
		{Name: "finished", Output: codexBegun + codexGood, Exit: agents.Finished},
		{Name: "another thread's end", Output: codexBegun + strings.Replace(codexGood, `"th"`, `"other"`, 1), Code: 1, Exit: agents.Failed},
		{Name: "no thread", Output: `{"id":2,"error":{"code":-32600,"message":"no rollout found"}}` + "\n", Exit: agents.Failed, Text: "no rollout found"},
		{
			Name: "limit that says its end", Exit: agents.Limited, Output: codexBegun +
				`{"method":"account/rateLimits/updated","params":{"rateLimits":{"primary":{"usedPercent":100,"resetsAt":1800003600},"secondary":{"usedPercent":40,"resetsAt":1900000000}}}}` + "\n" +
				codexBad(`"usageLimitExceeded"`),
		},
		{Name: "overloaded", Output: codexBegun + codexBad(`{"responseTooManyFailedAttempts":{"httpStatusCode":503}}`), Exit: agents.Limited},
		{Name: "no connection", Output: codexBegun + codexBad(`{"httpConnectionFailed":{"httpStatusCode":null}}`), Exit: agents.Limited},
		{Name: "not logged in", Output: codexBegun + codexBad(`"unauthorized"`), Exit: agents.NoLogin, Text: "no good"},
		{Name: "window", Output: codexBegun + codexBad(`"contextWindowExceeded"`), Exit: agents.Failed, Text: "contextWindowExceeded: no good"},
		{
			Name: "asked in its text", Exit: agents.Asked, Text: "which?", Kinds: []watch.Kind{watch.Say, watch.Ask}, Output: codexBegun +
				`{"method":"item/completed","params":{"threadId":"th","item":{"type":"agentMessage","id":"m","text":"KEDGE {\"type\":\"ask\",\"question\":\"which?\"}"}}}` + "\n" + codexGood,
		},
		{
			Name: "a tool of a server", Exit: agents.Finished, Kinds: []watch.Kind{watch.Call, watch.Result, watch.Compact}, Output: codexBegun +
				`{"method":"item/started","params":{"threadId":"th","item":{"type":"mcpToolCall","id":"m","server":"s","tool":"t","arguments":{"a":1}}}}` + "\n" +
				`{"method":"item/completed","params":{"threadId":"th","item":{"type":"mcpToolCall","id":"m","status":"completed","result":{"content":[]}}}}` + "\n" +
				`{"method":"item/completed","params":{"threadId":"th","item":{"type":"contextCompaction","id":"c"}}}` + "\n" + codexGood,
		},
		{Name: "torn", Output: codexBegun + `{"method":"item` + "\n" + `{"no":"method"}` + "\n", Code: 1, Exit: agents.Failed, Broken: 2},
	})
}

// Figures are those of each reply: the sums are of the whole thread.
func TestCodexUsage(t *testing.T) {
	r := codex.New(nil).Reader(agents.Task{})
	line := `{"method":"thread/tokenUsage/updated","params":{"threadId":"th","tokenUsage":{"total":{"inputTokens":5000,"outputTokens":9},` +
		`"last":{"totalTokens":1234,"inputTokens":1200,"cachedInputTokens":1000,"cacheWriteInputTokens":50,"outputTokens":34},"modelContextWindow":258400}}}` + "\n"
	evs, _ := r.Feed([]byte(codexBegun+line+line), time.Time{})
	n := func(i int64) *int64 { return &i }
	want := []watch.Act{
		{Kind: watch.Usage, Used: &watch.Used{Input: n(150), CacheRead: n(1000), CacheWrite: n(50), Output: n(34), Context: n(1234), Window: n(258400), Model: "gpt-x"}},
		{Kind: watch.Turn},
	}
	if !reflect.DeepEqual(evs, want) {
		t.Errorf("got %+v", evs)
	}
	again := codex.New(nil).Reader(agents.Task{Resume: "th"})
	started := `{"method":"turn/started","params":{"threadId":"th","turn":{"id":"t"}}}` + "\n"
	evs, _ = again.Feed([]byte(codexBegun+line+started+line+strings.Replace(line, "5000", "6200", 1)), time.Time{})
	want = append([]watch.Act{{Kind: watch.Usage, Used: &watch.Used{Context: n(1234), Window: n(258400), Model: "gpt-x"}}}, want...)
	if !reflect.DeepEqual(evs, want) {
		t.Errorf("of a conversation that goes on: got %+v", evs)
	}
}

// What it asks before it goes on is answered: allowed, and in a planning session
// declined.
func TestCodexRequests(t *testing.T) {
	ask := func(method string, readOnly bool) string {
		r := codex.New(nil).Reader(agents.Task{ReadOnly: readOnly})
		_, in := r.Feed([]byte(`{"id":"x","method":"`+method+`","params":{"threadId":"th"}}`+"\n"), time.Time{})
		return string(in.Text)
	}
	for _, method := range []string{"item/commandExecution/requestApproval", "item/fileChange/requestApproval"} {
		if got := ask(method, false); got != `{"id":"x","result":{"decision":"accept"}}`+"\n" {
			t.Errorf("%s while working: %s", method, got)
		}
		if got := ask(method, true); got != `{"id":"x","result":{"decision":"decline"}}`+"\n" {
			t.Errorf("%s while planning: %s", method, got)
		}
	}
	for method, want := range map[string]string{"mcpServer/elicitation/request": `"decline"`, "item/unheard/of": `"error"`} {
		if got := ask(method, false); !strings.Contains(got, want) {
			t.Errorf("%s: %s", method, got)
		}
	}
	for readOnly, want := range map[bool]string{false: `{"action":"accept","content":{}}`, true: `{"action":"decline"}`} {
		r := codex.New(nil).Reader(agents.Task{ReadOnly: readOnly})
		_, in := r.Feed([]byte(`{"id":3,"method":"mcpServer/elicitation/request","params":{"threadId":"th","_meta":{"codex_approval_kind":"mcp_tool_call"}}}`+"\n"), time.Time{})
		if got := string(in.Text); got != `{"id":3,"result":`+want+"}\n" {
			t.Errorf("a tool of an MCP server, planning %v: %s", readOnly, got)
		}
	}
	r := codex.New(nil).Reader(agents.Task{})
	if evs, in := r.Feed([]byte(codexBegun+codexAsks), time.Time{}); len(evs) != 1 || evs[0].Kind != watch.Ask || evs[0].ID != "i" || strings.Count(string(in.Text), "\n") != 1 {
		t.Errorf("%+v, answered %s", evs, in.Text)
	}
	if in, ok := r.Say(agents.Word{Kind: agents.Tell, Text: "blue"}); !ok || string(in.Text) != `{"id":9,"result":{"answers":{"a":{"answers":["Blue"]}}}}`+"\n" {
		t.Errorf("answered %s", in.Text)
	}
	plans := codex.New(nil).Reader(agents.Task{ReadOnly: true})
	if evs, in := plans.Feed([]byte(codexBegun+codexAsks), time.Time{}); len(evs) != 1 || evs[0].Kind != watch.Question || !strings.Contains(string(in.Text), `"answers"`) {
		t.Errorf("while planning %+v, answered %s", evs, in.Text)
	}
}

func TestCodexStart(t *testing.T) {
	c := codex.New(nil)
	s, err := c.Start(agents.Task{Session: "ses-1"})
	if err != nil || !s.Pipes || s.Command[0] != "codex" || !slices.Contains(s.Command, "app-server") {
		t.Errorf("started as %+v, %v", s, err)
	}
	s, _ = c.Start(agents.Task{Attended: true, Brief: "/b", Model: "m", Resume: "th"})
	if s.Pipes || !slices.Contains(s.Command, "resume") || slices.Contains(s.Command, "app-server") {
		t.Errorf("attended as %+v", s)
	}
	for _, tt := range []struct {
		task agents.Task
		want []string
	}{
		{agents.Task{}, []string{`"thread/start"`, `"workspace-write"`, `"on-request"`}},
		{agents.Task{ReadOnly: true, Model: "m"}, []string{`"read-only"`, `"model":"m"`}},
		{agents.Task{Resume: "th"}, []string{`"thread/resume"`, `"threadId":"th"`}},
	} {
		in := c.Reader(tt.task).Open([]byte("x"))
		for _, w := range tt.want {
			if !strings.Contains(string(in.Text), w) {
				t.Errorf("%+v opens with %s", tt.task, in.Text)
			}
		}
	}
}

func FuzzCodexReader(f *testing.F) {
	f.Add(codexBegun+codexAsks+codexGood, 7, false)
	f.Add(codexBegun+`{"method":"item/started","params":{"item":{"type":"fileChange","id":"c","changes":[{"path":"/w/a"}]}}}`+"\n"+codexBad(`"other"`), 50, true)
	f.Add(`{"method":"error","params":{"error":null}}`+"\n"+`{"id":{},"method":"x"}`+"\n", 3, false)
	f.Fuzz(func(t *testing.T, text string, size int, readOnly bool) {
		agenttest.Pieces(t, codex.New(nil), text, size, readOnly)
	})
}
