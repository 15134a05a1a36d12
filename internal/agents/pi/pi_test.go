package pi_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"kedge/internal/agents"
	"kedge/internal/agents/pi"
	"kedge/internal/core/watch"
	"kedge/internal/testkit/agenttest"
)

// Lines of Pi that no recording has.
const (
	piBegun = `{"id":"kedge-state","type":"response","command":"get_state","success":true,"data":{"sessionId":"s1","model":{"contextWindow":200000},"isStreaming":false}}` + "\n" +
		`{"id":"kedge-brief","type":"response","command":"prompt","success":true}` + "\n" + `{"type":"agent_start"}` + "\n"
	piStops = `{"type":"agent_end","messages":[]}` + "\n"
	piOver1 = `{"id":"kedge-end-1","type":"response","command":"get_state","success":true,"data":{"isStreaming":false,"isCompacting":false}}` + "\n"
)

func piSays(text, stop, more string) string {
	return `{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"` + text + `"}],"model":"m","stopReason":"` + stop + `"` + more + `}}` + "\n"
}

func piFails(why string) string {
	return `{"type":"message_end","message":{"role":"assistant","content":[],"model":"m","stopReason":"error","errorMessage":"` + why + `"}}` + "\n"
}

func TestPiConformance(t *testing.T) {
	agenttest.Run(t, pi.New(nil), []agenttest.Sample{
		{Name: "gave up", Output: "\x1b[31mError\x1b[0m: no such option\n", Code: 2, Cause: "exited", Exit: agents.Failed, Text: "Error: no such option"},
		{Name: "killed", Output: piBegun, Code: 137, Cause: "killed", Exit: agents.Failed, Text: "killed"},
		{Name: "finished", Output: piBegun + piSays("Done.", "stop", "") + piStops + piOver1, Kinds: []watch.Kind{watch.Say, watch.Turn}, Exit: agents.Finished},
		{Name: "not asked whether it is over", Output: piBegun + piSays("Done.", "stop", "") + piStops, Kinds: []watch.Kind{watch.Say, watch.Turn}, Exit: agents.Failed},
		{
			Name: "goes on after a pause", Exit: agents.Failed, Kinds: []watch.Kind{watch.Say, watch.Turn},
			Output: piBegun + piSays("Done.", "stop", "") + piStops + `{"type":"compaction_start","reason":"threshold"}` + "\n" + piOver1,
		},
		{
			Name: "shorter after its work", Exit: agents.Finished, Kinds: []watch.Kind{watch.Say, watch.Turn, watch.Compact},
			Output: piBegun + piSays("Done.", "stop", "") + piStops + `{"type":"compaction_start","reason":"threshold"}` + "\n" +
				`{"type":"compaction_end","reason":"threshold","aborted":false,"willRetry":false}` + "\n" + strings.Replace(piOver1, "end-1", "end-2", 1),
		},
		{Name: "no model", Output: `{"id":"kedge-brief","type":"response","command":"prompt","success":false,"error":"No API key found for x."}` + "\n", Exit: agents.NoLogin, Text: "No API key"},
		{Name: "overloaded", Output: piBegun + piFails("503 Overloaded") + piStops + piOver1, Exit: agents.Limited, Text: "503 Overloaded"},
		{Name: "no connection", Output: piBegun + piFails("Connection error.") + piStops + piOver1, Exit: agents.Limited},
		{Name: "not logged in", Output: piBegun + piFails("401 invalid key") + piStops + piOver1, Exit: agents.NoLogin},
		{Name: "too long", Output: piBegun + piFails("400 prompt is too long") + piStops + piOver1, Exit: agents.Failed, Text: "too long"},
		{
			Name: "tries again", Exit: agents.Finished, Kinds: []watch.Kind{watch.Limit, watch.Say, watch.Turn},
			Output: piBegun + piFails("429 slow down") + piStops + `{"type":"auto_retry_start","attempt":1,"delayMs":2000,"errorMessage":"429 slow down"}` + "\n" + piOver1 +
				`{"type":"agent_start"}` + "\n" + piSays("Done.", "stop", "") + piStops + strings.Replace(piOver1, "end-1", "end-2", 1),
		},
		{
			Name: "asked in its text", Exit: agents.Asked, Text: "which?", Kinds: []watch.Kind{watch.Say, watch.Ask, watch.Turn},
			Output: piBegun + piSays(`KEDGE {\"type\":\"ask\",\"question\":\"which?\"}`, "stop", "") + piStops + piOver1,
		},
		{Name: "torn", Output: piBegun + `{"type":"mess` + "\n" + `{"no":"type"}` + "\n", Code: 1, Exit: agents.Failed, Broken: 2},
	})
}

func TestPiUsage(t *testing.T) {
	r := pi.New(nil).Reader(agents.Task{})
	evs, _ := r.Feed([]byte(piBegun+piSays("", "toolUse", `,"usage":{"input":234,"output":20,"cacheRead":1000,"cacheWrite":5,"cost":{"total":0.25}}`)), time.Time{})
	n := func(i int64) *int64 { return &i }
	usd := 0.25
	want := []watch.Act{
		{Kind: watch.Usage, Used: &watch.Used{Input: n(234), Output: n(20), CacheRead: n(1000), CacheWrite: n(5), Context: n(1259), Window: n(200000), USD: &usd, Model: "m"}},
		{Kind: watch.Turn},
	}
	if !reflect.DeepEqual(evs, want) {
		t.Errorf("got %+v", evs)
	}
}

// Who stopped a turn says what comes next: the session waits for it.
func TestPiHeld(t *testing.T) {
	r := pi.New(nil).Reader(agents.Task{})
	_, in := r.Feed([]byte(piBegun+piSays("", "aborted", "")+piStops), time.Time{})
	if !in.None() {
		t.Errorf("it is told %q", in.Text)
	}
	if in, ok := r.Say(agents.Word{Kind: agents.Tell, ID: "w", Text: "go on"}); !ok || !strings.Contains(string(in.Text), `"prompt"`) {
		t.Errorf("it cannot be told more: %q", in.Text)
	}
	if in, ok := r.Say(agents.Word{Kind: agents.Interrupt, ID: "w"}); !ok || !strings.Contains(string(in.Text), `"abort"`) {
		t.Errorf("it cannot be stopped: %q", in.Text)
	}
}

// Told to shorten its context it stops its turn without a word, and waits for what
// comes next, also when it did not shorten it.
func TestPiShortens(t *testing.T) {
	starts := `{"type":"compaction_start","reason":"manual"}` + "\n"
	for end, want := range map[string]watch.Kind{
		`{"type":"compaction_end","reason":"manual","result":{},"aborted":false,"willRetry":false}` + "\n":                                             watch.Compact,
		`{"type":"compaction_end","reason":"manual","aborted":false,"willRetry":false,"errorMessage":"Nothing to compact (session too small)"}` + "\n": watch.Spared,
		`{"type":"compaction_end","reason":"manual","aborted":true,"willRetry":false}` + "\n":                                                          watch.Spared,
	} {
		r := pi.New(nil).Reader(agents.Task{})
		if _, ok := r.Say(agents.Word{Kind: agents.Shorten, ID: "e"}); ok {
			t.Error("it is told before it works")
		}
		r.Feed([]byte(piBegun), time.Time{})
		if in, ok := r.Say(agents.Word{Kind: agents.Shorten, ID: "e", Text: "the blue one"}); !ok || !strings.Contains(string(in.Text), `"customInstructions":"the blue one"`) {
			t.Errorf("it is told %q, %v", in.Text, ok)
		}
		r.Feed([]byte(starts), time.Time{})
		if in, ok := r.Say(agents.Word{Kind: agents.Tell, ID: "g", Text: "hello"}); ok {
			t.Errorf("while it shortens it is told %q", in.Text)
		}
		evs, in := r.Feed([]byte(end+`{"id":"e","type":"response","command":"compact","success":false,"error":"x"}`+"\n"), time.Time{})
		if len(evs) != 1 || evs[0].Kind != want || !evs[0].Asked || !in.None() {
			t.Errorf("%s is %+v, answered %q", end, evs, in.Text)
		}
		if in, ok := r.Say(agents.Word{Kind: agents.Tell, ID: "f", Text: "go on"}); !ok || !strings.Contains(string(in.Text), `"prompt"`) {
			t.Errorf("it cannot be told to go on: %q", in.Text)
		}
		_, in = r.Feed([]byte(`{"type":"agent_start"}`+"\n"+piSays("Done.", "stop", "")+piStops+piOver1), time.Time{})
		if !in.Close || r.Exit(0, "exited").Meaning != agents.Finished {
			t.Errorf("ended as %+v, answered %q", r.Exit(0, "exited"), in.Text)
		}
	}
}

// One that does not know how is not waited for, and one that does it by itself was not
// told to.
func TestPiDoesNotShortenWhenTold(t *testing.T) {
	r := pi.New(nil).Reader(agents.Task{})
	evs, _ := r.Feed([]byte(piBegun+`{"id":"e","type":"response","command":"compact","success":false,"error":"Unknown command: compact"}`+"\n"), time.Time{})
	if len(evs) != 1 || evs[0].Kind != watch.Spared || !evs[0].Asked || evs[0].Text != "Unknown command: compact" {
		t.Errorf("it tells %+v", evs)
	}
	if _, ok := r.Say(agents.Word{Kind: agents.Tell, ID: "f", Text: "go on"}); !ok {
		t.Error("it cannot be told to go on")
	}
	evs, _ = r.Feed([]byte(`{"type":"compaction_start","reason":"threshold"}`+"\n"+`{"type":"compaction_end","reason":"threshold","aborted":false}`+"\n"), time.Time{})
	if len(evs) != 1 || evs[0].Kind != watch.Compact || evs[0].Asked {
		t.Errorf("it tells %+v", evs)
	}
}

// An extension that wants to ask people is answered: nobody sits there.
func TestPiDeclines(t *testing.T) {
	for method, want := range map[string]bool{"confirm": true, "select": true, "notify": false} {
		r := pi.New(nil).Reader(agents.Task{})
		_, in := r.Feed([]byte(`{"type":"extension_ui_request","id":"u1","method":"`+method+`"}`+"\n"), time.Time{})
		if got := strings.Contains(string(in.Text), `"u1"`); got != want {
			t.Errorf("%s is answered %q", method, in.Text)
		}
	}
}

func TestPiStart(t *testing.T) {
	p := pi.New(nil)
	for _, tt := range []struct {
		task  agents.Task
		pipes bool
		want  []string
	}{
		{agents.Task{}, true, []string{"pi", "--mode", "rpc"}},
		{agents.Task{ReadOnly: true, Model: "a/b"}, true, []string{"pi", "--model", "a/b", "--mode", "rpc", "--tools", "read,grep,find,ls"}},
		{agents.Task{Resume: "s1"}, true, []string{"pi", "--session", "s1", "--mode", "rpc"}},
	} {
		if s, err := p.Start(tt.task); err != nil || s.Pipes != tt.pipes || !slices.Equal(s.Command, tt.want) {
			t.Errorf("%+v starts as %+v, %v", tt.task, s, err)
		}
	}
	if s, _ := p.Start(agents.Task{Attended: true, Brief: "/b"}); s.Pipes || slices.Contains(s.Command, "rpc") {
		t.Errorf("attended as %+v", s)
	}
}

func FuzzPiReader(f *testing.F) {
	f.Add(piBegun+piSays("x", "stop", "")+piStops+piOver1, 7, false)
	f.Add(piBegun+piFails("500 x")+piStops+`{"type":"auto_retry_start","delayMs":1e300}`+"\n", 50, true)
	f.Add(`{"type":"tool_execution_start","toolCallId":"c","toolName":"write","args":{"path":7}}`+"\n"+`{"type":"response","id":{}}`+"\n", 3, false)
	f.Fuzz(func(t *testing.T, text string, size int, readOnly bool) {
		agenttest.Pieces(t, pi.New(nil), text, size, readOnly)
	})
}
