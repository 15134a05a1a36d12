package opencode_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"kedge/internal/agents"
	"kedge/internal/agents/opencode"
	"kedge/internal/core/watch"
	"kedge/internal/testkit/agenttest"
)

// Lines of OpenCode that no recording has.
const (
	ocBegins = `{"type":"step_start","timestamp":1,"sessionID":"ses_1","part":{"type":"step-start"}}` + "\n"
	ocStops  = `{"type":"step_finish","timestamp":1,"sessionID":"ses_1","part":{"reason":"stop","tokens":{"input":234,"output":20,"reasoning":3,"cache":{"read":1000,"write":0}},"cost":0}}` + "\n"
)

func ocFails(status, message string) string {
	return `{"type":"error","timestamp":1,"sessionID":"ses_1","error":{"name":"APIError","data":{"message":"` + message + `","statusCode":` + status + `}}}` + "\n"
}

func ocTool(tool, input, state string) string {
	return `{"type":"tool_use","timestamp":1,"sessionID":"ses_1","part":{"tool":"` + tool + `","callID":"c1","state":{"input":` + input + `,` + state + `}}}` + "\n"
}

func TestOpenCodeConformance(t *testing.T) {
	agenttest.Run(t, opencode.New(nil), []agenttest.Sample{
		{Name: "gave up", Output: "\x1b[91m\x1b[1mError: \x1b[0mSession not found\n", Code: 1, Cause: "exited", Exit: agents.Failed, Text: "Session not found"},
		{Name: "killed", Output: ocBegins, Kinds: []watch.Kind{watch.Usage}, Code: 137, Cause: "killed", Exit: agents.Failed, Text: "killed"},
		{Name: "finished", Output: ocBegins + ocStops, Kinds: []watch.Kind{watch.Usage, watch.Usage, watch.Turn}, Exit: agents.Finished},
		{Name: "nothing said", Output: "", Exit: agents.Failed, Text: "exit code 0"},
		{Name: "stopped in the middle", Output: ocBegins + strings.Replace(ocStops, `"stop"`, `"tool-calls"`, 1), Kinds: []watch.Kind{watch.Usage, watch.Usage, watch.Turn}, Exit: agents.Failed, Text: "middle"},
		{Name: "overloaded", Output: ocBegins + ocFails("503", "Overloaded"), Kinds: []watch.Kind{watch.Usage, watch.Usage}, Code: 1, Exit: agents.Limited, Text: "Overloaded"},
		{Name: "not logged in", Output: ocBegins + ocFails("401", "no"), Kinds: []watch.Kind{watch.Usage, watch.Usage}, Code: 1, Exit: agents.NoLogin},
		{Name: "too long", Output: ocBegins + ocFails("400", "prompt is too long"), Kinds: []watch.Kind{watch.Usage, watch.Usage}, Code: 1, Exit: agents.Failed, Text: "too long"},
		{Name: "no connection", Output: ocFails("0", "Unable to connect. Is the computer able to access the url?"), Code: 1, Exit: agents.Limited},
		{Name: "an error without a word", Output: `{"type":"error","sessionID":"s"}` + "\n", Exit: agents.Failed, Text: "gave no reason"},
		{
			Name: "asked in its text", Exit: agents.Asked, Text: "which?", Kinds: []watch.Kind{watch.Usage, watch.Say, watch.Ask, watch.Usage, watch.Turn},
			Output: ocBegins + `{"type":"text","sessionID":"ses_1","part":{"text":"KEDGE {\"type\":\"ask\",\"question\":\"which?\"}"}}` + "\n" + ocStops,
		},
		{
			Name: "shortened its context", Kinds: []watch.Kind{watch.Compact, watch.Usage, watch.Usage, watch.Turn}, Code: 1, Exit: agents.Finished,
			Output: ocFails("400", "too long") + `{"type":"text","sessionID":"ses_1","part":{"metadata":{"compaction_continue":true},"synthetic":true,"text":"Continue"}}` + "\n" + ocBegins + ocStops,
		},
		{Name: "torn", Output: ocBegins + `{"type":"te` + "\n" + `{"no":"type"}` + "\n", Kinds: []watch.Kind{watch.Usage}, Code: 1, Exit: agents.Failed, Broken: 2},
	})
}

func TestOpenCodeUsage(t *testing.T) {
	r := opencode.New(nil).Reader(agents.Task{Model: "acme/m-1"})
	evs, _ := r.Feed([]byte(ocBegins+strings.Replace(ocStops, `"cost":0`, `"cost":0.5`, 1)), time.Time{})
	n := func(i int64) *int64 { return &i }
	usd := 0.5
	want := []watch.Act{
		{Kind: watch.Usage, Used: &watch.Used{Begun: true}},
		{Kind: watch.Usage, Used: &watch.Used{Input: n(234), Output: n(23), CacheRead: n(1000), CacheWrite: n(0), Context: n(1257), USD: &usd, Model: "m-1"}},
		{Kind: watch.Turn},
	}
	if !reflect.DeepEqual(evs, want) {
		t.Errorf("got %+v", evs)
	}
	if evs, _ := r.Feed([]byte(ocStops), time.Time{}); evs[0].Used.USD != nil {
		t.Error("a price that is not known is told as 0")
	}
}

// What a tool changes is told by its arguments, and a command that ends with
// another code than 0 has failed.
func TestOpenCodeTools(t *testing.T) {
	patch := "*** Begin Patch\n*** Add File: a.txt\n+x\n*** Update File: /w/b.txt\n*** Move to: c.txt\n*** Delete File: /elsewhere/d\n*** End Patch"
	quoted, _ := json.Marshal(patch)
	for _, tt := range []struct {
		line   string
		paths  []string
		failed bool
	}{
		{ocTool("write", `{"filePath":"/w/x/a.go","content":""}`, `"status":"completed","output":"ok"`), []string{"x/a.go"}, false},
		{ocTool("edit", `{"filePath":"/elsewhere/a.go"}`, `"status":"error","error":"no"`), nil, true},
		{ocTool("read", `{"filePath":"/w/a.go"}`, `"status":"completed"`), nil, false},
		{ocTool("apply_patch", `{"patchText":`+string(quoted)+`}`, `"status":"completed"`), []string{"a.txt", "b.txt", "c.txt"}, false},
		{ocTool("bash", `{"command":"false"}`, `"status":"completed","metadata":{"exit":1}`), nil, true},
		{ocTool("bash", `{"command":"true"}`, `"status":"completed","metadata":{"exit":0}`), nil, false},
		{ocTool("other", `7`, `"status":"completed","metadata":[]`), nil, false},
	} {
		evs, _ := opencode.New(nil).Reader(agents.Task{Dir: "/w"}).Feed([]byte(tt.line), time.Time{})
		if len(evs) != 2 || !slices.Equal(evs[0].Paths, tt.paths) || evs[1].Failed != tt.failed || evs[0].ID != evs[1].ID {
			t.Errorf("%s became %+v", tt.line, evs)
		}
	}
}

func TestOpenCodeStart(t *testing.T) {
	o := opencode.New(nil)
	work, err := o.Start(agents.Task{Session: "ses-1", Model: "a/b"})
	if err != nil || !work.Pipes || !slices.Equal(work.Command, []string{"opencode", "run", "--format", "json", "--model", "a/b", "--title", "kedge ses-1", "--auto"}) {
		t.Errorf("started as %+v, %v", work, err)
	}
	plan, _ := o.Start(agents.Task{ReadOnly: true, Resume: "ses_1"})
	if !slices.Contains(plan.Command, "plan") || slices.Contains(plan.Command, "--auto") || slices.Contains(plan.Command, "--title") || !slices.Contains(plan.Command, "ses_1") {
		t.Errorf("plans as %+v", plan)
	}
	for name, s := range map[string]agents.Start{"work": work, "plan": plan} {
		i := slices.IndexFunc(s.Env, func(v string) bool { return strings.HasPrefix(v, "OPENCODE_PERMISSION=") })
		if i < 0 || !json.Valid([]byte(strings.TrimPrefix(s.Env[i], "OPENCODE_PERMISSION="))) {
			t.Errorf("%s is started with %q", name, s.Env)
		}
	}
	if s, _ := o.Start(agents.Task{Attended: true, Brief: "/b"}); s.Pipes || slices.Contains(s.Command, "run") {
		t.Errorf("attended as %+v", s)
	}
}

func FuzzOpenCodeReader(f *testing.F) {
	f.Add(ocBegins+ocStops, 7, false)
	f.Add(ocTool("apply_patch", `{"patchText":"*** Add File: x"}`, `"status":"completed"`)+ocFails("429", "x"), 50, true)
	f.Add(`{"type":"tool_use","part":{"state":7}}`+"\n", 3, false)
	f.Fuzz(func(t *testing.T, text string, size int, readOnly bool) {
		agenttest.Pieces(t, opencode.New(nil), text, size, readOnly)
	})
}
