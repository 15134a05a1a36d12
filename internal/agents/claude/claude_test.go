package claude_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"kedge/internal/agents"
	"kedge/internal/agents/claude"
	"kedge/internal/core/watch"
	"kedge/internal/testkit/agenttest"
)

// Lines of Claude Code that no recording has.
const (
	claudeInit  = `{"type":"system","subtype":"init","cwd":"/w","session_id":"u-1","model":"claude-x[1m]","permissionMode":"default"}` + "\n"
	claudeGood  = `{"result_index":0,"total_cost_usd":0.5,"modelUsage":{"claude-x":{"inputTokens":3,"outputTokens":4}},"is_error":false,"subtype":"success","type":"result"}` + "\n"
	claudeAsks2 = `{"type":"control_request","request_id":"q","request":{"subtype":"can_use_tool","tool_name":"AskUserQuestion","tool_use_id":"t",` +
		`"input":{"questions":[{"question":"Which color?","options":[{"label":"Blue"}]},{"question":"How many?"}]}}}` + "\n"
)

func claudeBad(fields string) string {
	return `{"type":"result","subtype":"success","is_error":true,` + fields + "}\n"
}

func TestClaudeConformance(t *testing.T) {
	agenttest.Run(t, claude.New(nil), []agenttest.Sample{
		{Name: "nothing", Code: 0, Exit: agents.Failed, Text: "no result"},
		{Name: "gave up", Output: "Error: Session ID u is already in use.\n", Code: 1, Cause: "exited", Exit: agents.Failed, Text: "already in use"},
		{Name: "not logged in", Output: "Invalid API key · Please run /login\n", Code: 1, Exit: agents.NoLogin, Text: "/login"},
		{Name: "killed", Output: claudeInit, Code: 137, Cause: "killed", Exit: agents.Failed, Text: "killed"},
		{Name: "finished", Output: claudeInit + claudeGood, Exit: agents.Finished, Kinds: []watch.Kind{watch.Usage}},
		{
			Name: "limit that says its end", Code: 1, Exit: agents.Limited, Kinds: []watch.Kind{watch.Limit, watch.Usage}, Text: "out of extra usage",
			Output: claudeInit + `{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1800003600,"rateLimitType":"five_hour"}}` + "\n" +
				claudeBad(`"api_error_status":429,"result":"You're out of extra usage","total_cost_usd":0`),
		},
		{
			Name: "warning only", Exit: agents.Finished, Kinds: []watch.Kind{watch.Usage},
			Output: claudeInit + `{"type":"rate_limit_event","rate_limit_info":{"status":"allowed_warning","resetsAt":1800003600}}` + "\n" + claudeGood,
		},
		{
			Name: "limit in the text", Code: 1, Exit: agents.Limited, Kinds: []watch.Kind{watch.Usage},
			Output: claudeInit + claudeBad(`"result":"Claude AI usage limit reached|1800003600","total_cost_usd":0`),
		},
		{
			Name: "no connection", Code: 1, Exit: agents.Limited, Kinds: []watch.Kind{watch.Usage},
			Output: claudeInit + claudeBad(`"result":"API Error: Unable to connect to API (ECONNREFUSED)","total_cost_usd":0`),
		},
		{
			Name: "bad request", Code: 1, Exit: agents.Failed, Text: "model_error: API Error: 400", Kinds: []watch.Kind{watch.Usage},
			Output: claudeInit + claudeBad(`"api_error_status":400,"terminal_reason":"model_error","result":"API Error: 400 no","total_cost_usd":0`),
		},
		{
			Name: "too many turns", Code: 1, Exit: agents.Failed, Text: "max_turns", Kinds: []watch.Kind{watch.Usage},
			Output: claudeInit + `{"type":"result","subtype":"error_max_turns","is_error":true,"terminal_reason":"max_turns","errors":["Reached maximum number of turns (2)"],"total_cost_usd":0}` + "\n",
		},
		{
			Name: "asked in its text", Exit: agents.Asked, Text: "which?", Kinds: []watch.Kind{watch.Say, watch.Ask, watch.Usage, watch.Turn, watch.Usage}, Broken: 1,
			Output: claudeInit + `{"type":"assistant","parent_tool_use_id":null,"message":{"id":"m","model":"claude-x","usage":{"input_tokens":1,"output_tokens":2},` +
				`"content":[{"type":"text","text":"I ask.\nKEDGE {\"type\":\"ask\",\"question\":\"which?\"}\nKEDGE {\"type\":\"usage\",\"input_tokens\":9}\nKEDGE {]\n"}]}}` + "\n" + claudeGood,
		},
		{
			Name: "a field is something else", Exit: agents.Finished, Kinds: []watch.Kind{watch.Usage},
			Output: claudeInit + strings.Replace(claudeGood, `"is_error":false`, `"is_error":false,"errors":[{"a":1}],"api_error_status":"none"`, 1),
		},
		{Name: "torn", Output: claudeInit + `{"type":"assist` + "\n" + `{"no":"type"}` + "\n", Code: 1, Exit: agents.Failed, Broken: 2},
	})
}

// A limit's end is the one that was told.
func TestClaudeLimitEnd(t *testing.T) {
	for _, line := range []string{
		`{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1800003600}}` + "\n" + claudeBad(`"api_error_status":429,"result":"x"`),
		claudeBad(`"result":"Claude AI usage limit reached|1800003600"`),
	} {
		r := claude.New(nil).Reader(agents.Task{})
		r.Feed([]byte(line), time.Unix(1, 0))
		if e := r.Exit(1, "exited"); !e.Until.Equal(time.Unix(1_800_003_600, 0)) {
			t.Errorf("%s ends %s", line, e.Until)
		}
	}
}

// A reply that breaks off counts by what it told when it began, whether the sums have
// it or not: those of some versions have what was cut, and not what somebody stopped.
func TestClaudeBrokenReplies(t *testing.T) {
	begins := func(id string) string {
		return `{"type":"stream_event","event":{"type":"message_start","message":{"id":"` + id + `","model":"claude-x","usage":{"input_tokens":10,"output_tokens":1}}}}` + "\n"
	}
	ends := `{"type":"stream_event","event":{"type":"message_delta","usage":{"output_tokens":5}}}` + "\n"
	endsAllTheSame := strings.Replace(ends, `:5}`, `:1}`, 1)
	breaks := `{"type":"stream_event","event":{"type":"message_stop"},"abandoned_blocks":{"from_block_index":0}}` + "\n"
	whole := `{"type":"assistant","message":{"id":"w","model":"claude-x","usage":{"input_tokens":10,"output_tokens":5},"content":[{"type":"text","text":"x"}]}}` + "\n"
	sums := func(input, output, reason string) string {
		return `{"type":"result","subtype":"success","terminal_reason":"` + reason + `","modelUsage":{"claude-x":{"inputTokens":` + input + `,"outputTokens":` + output + "}}}\n"
	}
	for _, tt := range []struct {
		name, tape    string
		input, output int64
	}{
		{"cut, summed, asked again", begins("a") + breaks + begins("b") + ends + sums("20", "6", "completed"), 20, 6},
		{"cut, summed, and a whole one in its place", begins("a") + breaks + whole + sums("20", "6", "completed"), 20, 6},
		{"cut, not summed, and a whole one in its place", begins("a") + whole + sums("10", "5", "completed"), 20, 6},
		{"cut, not summed, beside a sub-agent", begins("a") + whole + sums("17", "8", "completed"), 27, 9},
		{"stopped, not summed, then a summary", begins("a") + endsAllTheSame + breaks + sums("0", "0", "aborted_streaming") + begins("b") + ends + sums("17", "8", "completed"), 27, 9},
		{"stopped without a word", begins("a") + sums("0", "0", "aborted_streaming") + begins("b") + ends + sums("10", "5", "completed"), 20, 6},
		{"killed", begins("a") + ends + begins("b"), 20, 6},
	} {
		t.Run(tt.name, func(t *testing.T) {
			evs, _ := claude.New(nil).Reader(agents.Task{}).Feed([]byte(claudeInit+tt.tape), time.Time{})
			var input, output int64
			for _, ev := range evs {
				if u := ev.Used; u != nil && u.Input != nil {
					input += *u.Input
				}
				if u := ev.Used; u != nil && u.Output != nil {
					output += *u.Output
				}
			}
			if input != tt.input || output != tt.output {
				t.Errorf("used %d and %d, want %d and %d", input, output, tt.input, tt.output)
			}
		})
	}
}

// A version that was never driven is known for one; who says none is not.
func TestUntried(t *testing.T) {
	known := claude.Profile().Versions
	r := claude.New(nil).Reader(agents.Task{})
	r.Feed([]byte(strings.Replace(claudeInit, `"cwd"`, `"claude_code_version":"9.9.9","cwd"`, 1)), time.Time{})
	if v := r.Exit(0, "").Version; v != "9.9.9" || !known.Untried(v) || known.Untried("2.1.197") || known.Untried("") || (agents.Versions{}).Untried("1") {
		t.Errorf("version %q", v)
	}
}

// The start says everything, and asks for nothing that root may not have.
func TestClaudeStart(t *testing.T) {
	c := claude.New([]string{"/opt/claude", "--settings", "x"})
	for _, tt := range []struct {
		name       string
		task       agents.Task
		want, lack []string
		pipes      bool
	}{
		{"work", agents.Task{Session: "ses-1"}, []string{"stream-json", "stdio", "acceptEdits", "--session-id"}, []string{"plan", "--resume", "--model", "bypassPermissions"}, true},
		{"planning", agents.Task{Session: "ses-1", ReadOnly: true, Model: "opus"}, []string{"plan", "--model", "opus"}, []string{"acceptEdits"}, true},
		{"resumed", agents.Task{Session: "ses-1", Resume: "u-1"}, []string{"--resume", "u-1"}, []string{"--session-id"}, true},
		{"attended", agents.Task{Session: "ses-1", Attended: true, Brief: "/b"}, []string{"--session-id"}, []string{"-p", "stdio"}, false},
	} {
		s, err := c.Start(tt.task)
		if err != nil || s.Pipes != tt.pipes || !slices.Equal(s.Command[:3], []string{"/opt/claude", "--settings", "x"}) {
			t.Errorf("%s: %+v, %v", tt.name, s, err)
		}
		for _, w := range tt.want {
			if !slices.Contains(s.Command, w) {
				t.Errorf("%s: %q is not in %q", tt.name, w, s.Command)
			}
		}
		for _, w := range tt.lack {
			if slices.Contains(s.Command, w) {
				t.Errorf("%s: %q is in %q", tt.name, w, s.Command)
			}
		}
		if slices.ContainsFunc(s.Env, func(kv string) bool { return strings.HasPrefix(kv, "IS_SANDBOX") }) {
			t.Errorf("%s: it is told that it is in a sandbox: %q", tt.name, s.Env)
		}
	}
	one, _ := c.Start(agents.Task{Session: "ses-1"})
	two, _ := c.Start(agents.Task{Session: "ses-2"})
	if reflect.DeepEqual(one, two) {
		t.Error("two sessions are one conversation")
	}
}

// TestClaudePlanningChangesNothing: in a planning session every tool that could change
// something is denied by Kedge itself, whatever mode the program believes it is in;
// what is asked otherwise is answered too, so that nothing waits for ever.
func TestClaudePlanningChangesNothing(t *testing.T) {
	ask := func(tool string, task agents.Task) string {
		r := claude.New(nil).Reader(task)
		_, in := r.Feed([]byte(`{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"`+tool+`","input":{"a":"b"}}}`+"\n"), time.Time{})
		var line struct {
			Response struct {
				ID       string `json:"request_id"`
				Response struct {
					Behavior string         `json:"behavior"`
					Input    map[string]any `json:"updatedInput"`
				} `json:"response"`
			} `json:"response"`
		}
		if err := json.Unmarshal(in.Text, &line); err != nil || line.Response.ID != "r" {
			t.Errorf("%s is answered %s", tool, in.Text)
		}
		if b := line.Response.Response; b.Behavior == "allow" && b.Input["a"] != "b" {
			t.Errorf("%s is allowed with %v", tool, b.Input)
		}
		return line.Response.Response.Behavior
	}
	for _, tool := range []string{"Write", "Edit", "MultiEdit", "NotebookEdit", "Bash", "mcp__x__y", "Workflow", "Unheard", ""} {
		if got := ask(tool, agents.Task{ReadOnly: true}); got != "deny" {
			t.Errorf("%s while planning: %q", tool, got)
		}
		if got := ask(tool, agents.Task{}); got != "allow" {
			t.Errorf("%s while working: %q", tool, got)
		}
	}
	for _, tool := range []string{"Read", "Grep", "WebFetch"} {
		if got := ask(tool, agents.Task{ReadOnly: true}); got != "allow" {
			t.Errorf("%s while planning: %q", tool, got)
		}
	}
	r := claude.New(nil).Reader(agents.Task{})
	if _, in := r.Feed([]byte(`{"type":"control_request","request_id":"h","request":{"subtype":"hook_callback"}}`+"\n"), time.Time{}); !strings.Contains(string(in.Text), `"error"`) {
		t.Errorf("something unheard of is answered %q", in.Text)
	}
}

// Several questions get an answer each; one that is not understood is denied.
func TestClaudeQuestions(t *testing.T) {
	r := claude.New(nil).Reader(agents.Task{})
	evs, in := r.Feed([]byte(claudeInit+claudeAsks2), time.Time{})
	if len(evs) != 1 || evs[0].Kind != watch.Ask || evs[0].Text != "1. Which color? (Blue)\n2. How many?" || len(in.Text) > 0 {
		t.Fatalf("%+v, answered %q", evs, in.Text)
	}
	for text, want := range map[string]string{
		"1. blue\n2. three": `"answers":{"How many?":"three","Which color?":"Blue"}`,
		"as you like":       `"answers":{"How many?":"as you like","Which color?":"as you like"}`,
	} {
		if in, ok := r.Say(agents.Word{Kind: agents.Tell, Text: text}); !ok || !strings.Contains(string(in.Text), want) || !strings.Contains(string(in.Text), `"request_id":"q"`) {
			t.Errorf("%q is said as %s", text, in.Text)
		}
	}
	r.Feed([]byte(`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}]}}`+"\n"), time.Time{})
	if in, ok := r.Say(agents.Word{Kind: agents.Tell, Text: "hello"}); !ok || !strings.Contains(string(in.Text), `"type":"user"`) {
		t.Errorf("after the answer it is told %s", in.Text)
	}
	if _, in := r.Feed([]byte(claudeGood), time.Time{}); !in.Close {
		t.Error("its input is not ended after its work")
	}
	if _, ok := r.Say(agents.Word{Kind: agents.Tell, Text: "late"}); ok {
		t.Error("it is told something after its work")
	}
	_, in = r.Feed([]byte(strings.Replace(claudeAsks2, `"questions"`, `"other"`, 1)), time.Time{})
	if !strings.Contains(string(in.Text), `"deny"`) {
		t.Errorf("no question is answered %s", in.Text)
	}
}

func FuzzClaudeReader(f *testing.F) {
	f.Add(claudeInit+claudeAsks2+claudeGood, 7, false)
	f.Add(claudeInit+`{"type":"stream_event","event":{"type":"message_start","message":{"id":"m","usage":{"input_tokens":4}}}}`+"\n"+
		`{"type":"stream_event","event":{"type":"message_delta","usage":{"output_tokens":4}}}`+"\n", 50, true)
	f.Add(`{"type":"user","message":{"content":"x"}}`+"\n"+`{"type":"assistant","message":7}`+"\n", 3, false)
	f.Fuzz(func(t *testing.T, text string, size int, readOnly bool) {
		agenttest.Pieces(t, claude.New(nil), text, size, readOnly)
	})
}
