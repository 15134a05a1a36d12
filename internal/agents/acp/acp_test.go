package acp_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"kedge/internal/agents"
	"kedge/internal/agents/acp"
	"kedge/internal/agents/copilot"
	"kedge/internal/agents/gemini"
	"kedge/internal/agents/qwen"
	"kedge/internal/core/watch"
	"kedge/internal/testkit/agenttest"
)

// Lines of the Agent Client Protocol that no recording has.
const (
	acpHello = `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentInfo":{"name":"x","version":"9.9.9"},"agentCapabilities":{"loadSession":true}}}` + "\n"
	acpBegun = acpHello + `{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s","modes":{"currentModeId":"default","availableModes":[{"id":"default"},{"id":"plan"}]},` +
		`"models":{"currentModelId":"m1","availableModels":[{"modelId":"m1","_meta":{"contextLimit":131072}},{"modelId":"m2"}]}}}` + "\n"
	acpGood = `{"jsonrpc":"2.0","id":5,"result":{"stopReason":"end_turn"}}` + "\n"
	acpAsks = `{"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"sessionId":"s","options":[{"optionId":"go","kind":"allow_once"},{"optionId":"no","kind":"reject_once"}],` +
		`"toolCall":{"toolCallId":"q","kind":"think","rawInput":{"questions":[{"question":"Which?","options":[{"label":"Blue"},{"label":"Red"}]}]}}}}` + "\n"
)

func acpUpdate(update string) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` + update + "}}\n"
}

func acpBad(code, message string) string {
	return `{"jsonrpc":"2.0","id":5,"error":{"code":` + code + `,"message":"` + message + `"}}` + "\n"
}

// acpMay asks whether a tool of a kind may be used.
func acpMay(kind string, options ...string) string {
	var all []string
	for _, o := range options {
		all = append(all, `{"optionId":"`+o+`-id","kind":"`+o+`"}`)
	}
	return `{"jsonrpc":"2.0","id":"p1","method":"session/request_permission","params":{"sessionId":"s","options":[` + strings.Join(all, ",") +
		`],"toolCall":{"toolCallId":"c","kind":"` + kind + `","title":"do it","locations":[{"path":"/w/a.txt"}]}}}` + "\n"
}

func newACP(t *testing.T) agents.Adapter {
	t.Helper()
	a, err := acp.New([]string{"bot", "--acp"})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestACPConformance(t *testing.T) {
	for _, a := range []agents.Adapter{newACP(t), gemini.New(nil), qwen.New(nil), copilot.New(nil)} {
		t.Run(a.Kind(), func(t *testing.T) {
			agenttest.Run(t, a, []agenttest.Sample{
				{Name: "gave up", Output: "\x1b[31mError\x1b[0m: no such option\n", Code: 2, Cause: "exited", Exit: agents.Failed, Text: "Error: no such option"},
				{Name: "killed", Output: acpBegun, Code: 137, Cause: "killed", Exit: agents.Failed, Text: "killed"},
				{Name: "finished", Output: acpBegun + acpGood, Exit: agents.Finished},
				{Name: "finished badly", Output: acpBegun + acpGood, Code: 3, Exit: agents.Failed, Text: "exit code 3"},
				{Name: "another version", Output: strings.Replace(acpHello, `"protocolVersion":1`, `"protocolVersion":2`, 1), Exit: agents.Failed, Text: "version 2"},
				{Name: "not logged in", Output: acpHello + `{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"Authentication required"}}` + "\n", Exit: agents.NoLogin, Text: "Authentication"},
				{Name: "limit", Output: acpBegun + acpBad("429", "Rate limit exceeded"), Exit: agents.Limited},
				{Name: "limit in words", Output: acpBegun + `{"jsonrpc":"2.0","id":5,"error":{"code":-32603,"message":"Internal error","data":{"details":"503 Overloaded"}}}` + "\n", Exit: agents.Limited, Text: "503 Overloaded"},
				{Name: "a login that is refused, in words", Output: acpBegun + `{"jsonrpc":"2.0","id":5,"error":{"code":-32603,"message":"Internal error","data":{"details":"401 invalid key"}}}` + "\n", Exit: agents.NoLogin},
				{Name: "a number that is no status", Output: acpBegun + `{"jsonrpc":"2.0","id":5,"error":{"code":-32603,"message":"Internal error","data":{"details":"line 401 of main.go: 429 lines are too many, 503 too"}}}` + "\n", Exit: agents.Failed, Text: "line 401"},
				{Name: "a status counts more than words", Output: acpBegun + acpBad("400", "the overloaded operator is not known"), Exit: agents.Failed},
				{Name: "too long", Output: acpBegun + acpBad("400", "prompt is too long"), Exit: agents.Failed, Text: "too long"},
				{Name: "refusal", Output: acpBegun + `{"jsonrpc":"2.0","id":5,"result":{"stopReason":"refusal"}}` + "\n", Exit: agents.Failed, Text: "refusal"},
				{
					Name: "asked in its text", Exit: agents.Asked, Text: "which?", Kinds: []watch.Kind{watch.Say, watch.Ask}, Output: acpBegun +
						acpUpdate(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"I ask.\nKEDGE {\"type\":\"ask\","}}`) +
						acpUpdate(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"\"question\":\"which?\"}\n"}}`) + acpGood,
				},
				{
					Name: "a call bit by bit", Exit: agents.Finished, Kinds: []watch.Kind{watch.Call, watch.Result, watch.Call, watch.Result}, Output: acpBegun +
						acpUpdate(`{"sessionUpdate":"tool_call","toolCallId":"c","status":"pending","kind":"edit","title":"x","rawInput":{}}`) +
						acpUpdate(`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"in_progress","rawInput":{"a":1}}`) +
						acpUpdate(`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed","content":[{"type":"content","content":{"type":"text","text":"ok"}}]}`) +
						acpUpdate(`{"sessionUpdate":"tool_call","toolCallId":"d","status":"in_progress","kind":"execute","title":"ls"}`) + acpGood,
				},
				{Name: "what was before is not told again", Exit: agents.Finished, Output: acpHello + acpUpdate(`{"sessionUpdate":"tool_call","toolCallId":"c","status":"completed","title":"x"}`) +
					strings.TrimPrefix(acpBegun, acpHello) + acpGood},
				{Name: "torn", Output: acpBegun + `{"jsonrpc":"2.0","id` + "\n" + `{"no":"method"}` + "\n", Code: 1, Exit: agents.Failed, Text: `{"no":"method"}`, Broken: 1},
			})
		})
	}
}

// What it is told step by step: its conversation, its mode, its brief.
func TestACPOpens(t *testing.T) {
	for _, tt := range []struct {
		name  string
		task  agents.Task
		hello string
		want  []string // of the answers, in order
	}{
		{"new", agents.Task{Dir: "/w"}, acpHello, []string{`"session/new"`, `"session/prompt"`}},
		{"plan", agents.Task{Dir: "/w", ReadOnly: true}, acpHello, []string{`"session/new"`, `"modeId":"plan"`}},
		{"model", agents.Task{Dir: "/w", Model: "m2"}, acpHello, []string{`"session/new"`, `"modelId":"m2"`}},
		{"unknown model", agents.Task{Dir: "/w", Model: "m3"}, acpHello, []string{`"session/new"`, `"session/prompt"`}},
		{"load", agents.Task{Dir: "/w", Resume: "old"}, acpHello, []string{`"session/load"`, `"session/prompt"`}},
		{"resume", agents.Task{Dir: "/w", Resume: "old"}, strings.Replace(acpHello, `"loadSession":true`, `"sessionCapabilities":{"resume":{}}`, 1), []string{`"session/resume"`, `"session/prompt"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newACP(t).Reader(tt.task)
			if in := r.Open([]byte("the brief")); !strings.Contains(string(in.Text), `"readTextFile":false`) || !strings.Contains(string(in.Text), `"terminal":false`) {
				t.Errorf("it offers %s", in.Text)
			}
			var got []string
			for _, line := range []string{tt.hello, strings.TrimPrefix(acpBegun, acpHello)} {
				_, in := r.Feed([]byte(line), time.Time{})
				got = append(got, string(in.Text))
			}
			for i, want := range tt.want {
				if !strings.Contains(got[i], want) {
					t.Errorf("answer %d is %s, want %s", i, got[i], want)
				}
			}
		})
	}
	r := newACP(t).Reader(agents.Task{ReadOnly: true, Model: "m2"})
	r.Open([]byte("the brief"))
	_, in := r.Feed([]byte(acpBegun+`{"jsonrpc":"2.0","id":3,"result":{}}`+"\n"+`{"jsonrpc":"2.0","id":4,"result":{}}`+"\n"), time.Time{})
	if text := string(in.Text); !strings.Contains(text, "the brief") || strings.Index(text, "set_mode") > strings.Index(text, "the brief") || strings.Index(text, "set_model") > strings.Index(text, "the brief") {
		t.Errorf("it is told %s", text)
	}
	bare := newACP(t).Reader(agents.Task{ReadOnly: true})
	bare.Open([]byte("the brief"))
	_, in = bare.Feed([]byte(strings.Replace(acpBegun, `{"id":"plan"}`, `{"id":"ask"}`, 1)), time.Time{})
	if e := bare.Exit(0, ""); !in.Close || strings.Contains(string(in.Text), "the brief") || e.Meaning != agents.Failed || !strings.Contains(e.Text, "no mode in which it only reads") {
		t.Errorf("one that may write anything plans: %s, %+v", in.Text, e)
	}
	alone := newACP(t).Reader(agents.Task{Resume: "old"})
	if _, in := alone.Feed([]byte(strings.Replace(acpHello, `"loadSession":true`, "", 1)), time.Time{}); !in.Close || alone.Exit(0, "").Meaning != agents.Failed {
		t.Errorf("one that cannot load is told %s", in.Text)
	}
}

// What it asks before it goes on is answered: allowed this once, never for always,
// and in a planning session only what reads.
func TestACPRequests(t *testing.T) {
	ask := func(task agents.Task, line string) string {
		r := newACP(t).Reader(task)
		r.Feed([]byte(acpBegun), time.Time{})
		_, in := r.Feed([]byte(line), time.Time{})
		return string(in.Text)
	}
	all := []string{"allow_always", "allow_once", "reject_once"}
	plans := agents.Task{ReadOnly: true}
	for _, tt := range []struct {
		name string
		task agents.Task
		line string
		want string
	}{
		{"once", agents.Task{}, acpMay("edit", all...), `"optionId":"allow_once-id"`},
		{"never for always", agents.Task{}, acpMay("edit", "allow_always", "reject_once"), `"optionId":"reject_once-id"`},
		{"nothing to choose", agents.Task{}, acpMay("edit", "allow_always"), `"outcome":"cancelled"`},
		{"planning reads", plans, acpMay("read", all...), `"optionId":"allow_once-id"`},
		{"planning writes", plans, acpMay("edit", all...), `"optionId":"reject_once-id"`},
		{"planning runs", plans, acpMay("execute", all...), `"optionId":"reject_once-id"`},
		{"planning does something", plans, acpMay("", all...), `"optionId":"reject_once-id"`},
		{"files", agents.Task{}, `{"jsonrpc":"2.0","id":9,"method":"fs/write_text_file","params":{"sessionId":"s","path":"/w/a","content":"x"}}` + "\n", `"code":-32601`},
		{"terminals", agents.Task{}, `{"jsonrpc":"2.0","id":9,"method":"terminal/create","params":{"sessionId":"s"}}` + "\n", `"code":-32601`},
	} {
		if got := ask(tt.task, tt.line); !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s", tt.name, got)
		}
	}
}

func TestACPQuestions(t *testing.T) {
	r := newACP(t).Reader(agents.Task{})
	if evs, in := r.Feed([]byte(acpBegun+acpAsks), time.Time{}); len(evs) != 1 || evs[0].Kind != watch.Ask || evs[0].Text != "Which? (Blue / Red)" || strings.Contains(string(in.Text), `"id":7`) || !r.Asks() {
		t.Errorf("%+v, answered %s", evs, in.Text)
	}
	if in, ok := r.Say(agents.Word{Kind: agents.Tell, Text: "blue"}); !ok || string(in.Text) != `{"id":7,"jsonrpc":"2.0","result":{"answers":{"0":"Blue"},"outcome":{"optionId":"go","outcome":"selected"}}}`+"\n" {
		t.Errorf("answered %s", in.Text)
	}
	if in, ok := r.Say(agents.Word{Kind: agents.Interrupt}); !ok || !strings.Contains(string(in.Text), "session/cancel") || !strings.Contains(string(in.Text), `"cancelled"`) {
		t.Errorf("interrupted by %s", in.Text)
	}
	r.Feed([]byte(acpUpdate(`{"sessionUpdate":"tool_call_update","toolCallId":"q","status":"completed"}`)), time.Time{})
	if r.Asks() {
		t.Error("it still asks")
	}
	plans := newACP(t).Reader(agents.Task{ReadOnly: true})
	if evs, in := plans.Feed([]byte(acpBegun+acpAsks), time.Time{}); len(evs) != 1 || evs[0].Kind != watch.Question || !strings.Contains(string(in.Text), `"optionId":"no"`) {
		t.Errorf("while planning %+v, answered %s", evs, in.Text)
	}
	handed := `{"jsonrpc":"2.0","id":8,"method":"session/request_permission","params":{"sessionId":"s","options":[{"optionId":"no","kind":"reject_once"}],` +
		`"toolCall":{"toolCallId":"x","kind":"switch_mode","rawInput":{"plan":"# A\nplan\n"}}}}` + "\n"
	if evs, in := plans.Feed([]byte(handed), time.Time{}); len(evs) != 1 || evs[0].Kind != watch.PlanText || evs[0].Text != "# A\nplan\n" || !strings.Contains(string(in.Text), `"optionId":"no"`) {
		t.Errorf("handed in %+v, answered %s", evs, in.Text)
	}
}

// A prompt that was cancelled is followed by what people say; while one runs,
// nothing is.
func TestACPInterrupt(t *testing.T) {
	r := newACP(t).Reader(agents.Task{})
	if _, ok := r.Say(agents.Word{Kind: agents.Interrupt}); ok {
		t.Error("nothing runs that could be interrupted")
	}
	r.Feed([]byte(acpBegun), time.Time{})
	if _, ok := r.Say(agents.Word{Kind: agents.Tell, Text: "x"}); ok {
		t.Error("a second prompt would end the first")
	}
	running := acpUpdate(`{"sessionUpdate":"tool_call","toolCallId":"c","status":"in_progress","kind":"execute","title":"sleep"}`)
	evs, in := r.Feed([]byte(running+`{"jsonrpc":"2.0","id":5,"result":{"stopReason":"cancelled"}}`+"\n"), time.Time{})
	if len(evs) != 2 || evs[1].Kind != watch.Result || !evs[1].Failed || !in.None() {
		t.Errorf("cancelled: %+v, %+v", evs, in)
	}
	in, ok := r.Say(agents.Word{Kind: agents.Tell, ID: "w", Text: "the other thing"})
	if !ok || !strings.Contains(string(in.Text), `"id":"w"`) || !strings.Contains(string(in.Text), "the other thing") {
		t.Errorf("told %s", in.Text)
	}
	r.Feed([]byte(acpUpdate(`{"sessionUpdate":"usage_update","used":1500,"size":9000}`)), time.Time{})
	if _, ok := r.Say(agents.Word{Kind: agents.Tell, ID: "w", Text: "the other thing"}); !ok {
		t.Error("figures of what was cancelled are no work")
	}
	r.Feed([]byte(acpUpdate(`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"hm"}}`)), time.Time{})
	if in, ok := r.Say(agents.Word{Kind: agents.Tell, ID: "v", Text: "one more"}); ok {
		t.Errorf("told beside a prompt that runs: %s", in.Text)
	}
	if in, ok := r.Say(agents.Word{Kind: agents.Interrupt}); !ok || !strings.Contains(string(in.Text), "session/cancel") {
		t.Errorf("a second interrupt: %s, %v", in.Text, ok)
	}
	if _, in := r.Feed([]byte(`{"jsonrpc":"2.0","id":"w","result":{"stopReason":"end_turn"}}`+"\n"), time.Time{}); !in.Close || r.Exit(0, "").Meaning != agents.Finished {
		t.Errorf("ended as %+v", r.Exit(0, ""))
	}
}

// Figures are those of each reply, and the sums at the end add only what is
// missing.
func TestACPUsage(t *testing.T) {
	r := newACP(t).Reader(agents.Task{})
	reply := `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":""},"_meta":{"usage":{"inputTokens":1200,"outputTokens":34,"cachedReadTokens":1000}}}`
	sub := strings.Replace(reply, `"_meta":{`, `"_meta":{"parentToolCallId":"x",`, 1)
	end := `{"jsonrpc":"2.0","id":5,"result":{"stopReason":"end_turn","usage":{"inputTokens":2500,"outputTokens":70,"cachedReadTokens":2000}}}` + "\n"
	evs, _ := r.Feed([]byte(acpBegun+acpUpdate(reply)+acpUpdate(sub)+acpUpdate(`{"sessionUpdate":"usage_update","used":1500,"size":9000,"cost":{"amount":0.5,"currency":"USD"}}`)+end), time.Time{})
	n := func(i int64) *int64 { return &i }
	usd := 0.5
	want := []watch.Act{
		{Kind: watch.Usage, Used: &watch.Used{Input: n(200), CacheRead: n(1000), Output: n(34), Context: n(1234), Window: n(131072), Model: "m1"}},
		{Kind: watch.Turn},
		{Kind: watch.Usage, Used: &watch.Used{Input: n(200), CacheRead: n(1000), Output: n(34), Model: "m1"}},
		{Kind: watch.Usage, Used: &watch.Used{Context: n(1500), Window: n(9000), USD: &usd, Model: "m1"}},
		{Kind: watch.Turn},
		{Kind: watch.Usage, Used: &watch.Used{Input: n(100), CacheRead: n(0), Output: n(2), Model: "m1"}},
	}
	if !reflect.DeepEqual(evs, want) {
		got, _ := json.Marshal(evs)
		t.Errorf("got %s", got)
	}
}

// Qwen names a model in its own way, and tells in a message of its own that it
// shortened its context.
func TestQwenOwn(t *testing.T) {
	r := qwen.New(nil).Reader(agents.Task{})
	begun := strings.ReplaceAll(acpBegun, `"m1"`, `"$runtime|openai|m1(openai)"`)
	evs, _ := r.Feed([]byte(begun+acpUpdate(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"IMPORTANT: This conversation approached the input token limit for m1. More."}}`)+
		acpUpdate(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":""},"_meta":{"usage":{"inputTokens":5,"outputTokens":1}}}`)), time.Time{})
	if len(evs) != 3 || evs[0].Kind != watch.Compact || evs[1].Used.Model != "m1" || *evs[1].Used.Window != 131072 {
		t.Errorf("got %+v", evs)
	}
}

// Qwen is asked something before it is left: it writes its last reply down meanwhile.
func TestQwenIsAskedBeforeItIsLeft(t *testing.T) {
	r := qwen.New(nil).Reader(agents.Task{Dir: "/w"})
	r.Open([]byte("x"))
	r.Feed([]byte(acpBegun), time.Time{})
	_, in := r.Feed([]byte(acpGood), time.Time{})
	if in.Close || !strings.Contains(string(in.Text), `"session/list"`) {
		t.Errorf("after its work it is answered %q, ended: %v", in.Text, in.Close)
	}
	if _, in = r.Feed([]byte(`{"jsonrpc":"2.0","id":6,"error":{"code":-32601,"message":"no such method"}}`+"\n"), time.Time{}); !in.Close || r.Exit(0, "exited").Meaning != agents.Finished {
		t.Errorf("it is not left: %+v", r.Exit(0, "exited"))
	}
}

// What Copilot sums up at the end is what this process used, also where the
// conversation goes on; of other programs that is not known.
func TestCopilotSumsUpItsProcess(t *testing.T) {
	end := `{"jsonrpc":"2.0","id":5,"result":{"stopReason":"end_turn","usage":{"inputTokens":10,"outputTokens":2}}}` + "\n"
	for _, tt := range []struct {
		a    agents.Adapter
		want int
	}{{copilot.New(nil), 1}, {newACP(t), 0}} {
		r := tt.a.Reader(agents.Task{Resume: "s1"})
		r.Open([]byte("x"))
		evs, _ := r.Feed([]byte(acpBegun+end), time.Time{})
		if n := len(slices.DeleteFunc(evs, func(ev watch.Act) bool { return ev.Kind != watch.Usage })); n != tt.want {
			t.Errorf("%s: %d figures, want %d", tt.a.Kind(), n, tt.want)
		}
	}
}

// Copilot does not tell its model: it is the one that it was started with.
func TestCopilotModel(t *testing.T) {
	r := copilot.New(nil).Reader(agents.Task{Model: "gpt-9"})
	r.Open([]byte("x"))
	evs, _ := r.Feed([]byte(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}`+"\n"+`{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}`+"\n"+
		acpUpdate(`{"sessionUpdate":"usage_update","used":1500,"size":9000}`)), time.Time{})
	if len(evs) == 0 || evs[0].Used == nil || evs[0].Used.Model != "gpt-9" {
		t.Errorf("got %+v", evs)
	}
}

func TestACPStart(t *testing.T) {
	if _, err := acp.New(nil); err == nil {
		t.Error("an agent without a command was made")
	}
	if _, err := newACP(t).Start(agents.Task{Attended: true}); err == nil {
		t.Error("a screen was found")
	}
	for _, tt := range []struct {
		a    agents.Adapter
		task agents.Task
		want []string
	}{
		{newACP(t), agents.Task{Model: "m"}, []string{"bot", "--acp"}},
		{gemini.New([]string{"/opt/gemini", "--debug"}), agents.Task{Model: "m"}, []string{"/opt/gemini", "--debug", "--acp", "--skip-trust", "--model", "m"}},
		{qwen.New(nil), agents.Task{Model: "m"}, []string{"qwen", "--acp", "--approval-mode=default", "--model", "m"}},
		{gemini.New(nil), agents.Task{Attended: true, Brief: "/b", Resume: "r"}, []string{"gemini", "--resume", "r", "--prompt-interactive", "Read /b: it says where the work stands. Then continue from there."}},
		{qwen.New(nil), agents.Task{Attended: true, Brief: "/b"}, []string{"qwen", "--prompt-interactive", "Read /b: it says where the work stands. Then continue from there."}},
	} {
		s, err := tt.a.Start(tt.task)
		if err != nil || s.Pipes == tt.task.Attended || len(s.Command) < len(tt.want) || !slices.Equal(s.Command[len(s.Command)-len(tt.want):], tt.want) {
			t.Errorf("%s started as %q, %v", tt.a.Kind(), s.Command, err)
		}
	}
}

func FuzzACPReader(f *testing.F) {
	f.Add(acpBegun+acpAsks+acpGood, 7, false)
	f.Add(acpBegun+acpMay("edit", "allow_once")+acpBad("500", "x"), 50, true)
	f.Add(acpBegun+acpUpdate(`{"sessionUpdate":"usage_update","used":-1}`)+`{"id":{},"method":"x"}`+"\n", 3, false)
	f.Add(acpBegun+"\x1e{\"event.name\": \"gemini_cli.api_response\", \"input_token_count\": 5, \"end\": 0}\n"+acpGood, 11, false)
	f.Fuzz(func(t *testing.T, text string, size int, readOnly bool) {
		for _, a := range []agents.Adapter{gemini.New(nil), qwen.New(nil), copilot.New(nil)} {
			agenttest.Pieces(t, a, text, size, readOnly)
		}
	})
}
