package command_test

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"kedge/internal/agents"
	"kedge/internal/agents/command"
	"kedge/internal/core/watch"
	"kedge/internal/testkit/agenttest"
)

func TestCommandConformance(t *testing.T) {
	a, err := command.New([]string{"./bot.sh", "-x"})
	if err != nil {
		t.Fatal(err)
	}
	agenttest.Run(t, a, []agenttest.Sample{
		{Name: "nothing said", Output: "hello\nworld", Exit: agents.Finished},
		{Name: "failed", Output: "oh no\n", Code: 3, Cause: "exited", Exit: agents.Failed, Text: "exit code 3"},
		{Name: "killed", Code: 137, Cause: "killed", Exit: agents.Failed, Text: "killed"},
		{
			Name: "usage and talk", Exit: agents.Finished, Kinds: []watch.Kind{watch.Usage, watch.Say},
			Output: "KEDGE {\"type\":\"usage\",\"input_tokens\":3,\"usd\":0.1}\r\nnoise\nKEDGE {\"type\":\"say\",\"text\":\"hi\"}\n",
		},
		{
			Name: "asked", Exit: agents.Asked, Text: "which one", Kinds: []watch.Kind{watch.Ask, watch.Usage},
			Output: "KEDGE {\"type\":\"ask\",\"question\":\"which one?\"}\nKEDGE {\"type\":\"usage\",\"output_tokens\":1}\n",
		},
		{
			Name: "asked and failed", Code: 1, Exit: agents.Failed, Kinds: []watch.Kind{watch.Ask},
			Output: "KEDGE {\"type\":\"ask\",\"question\":\"which one?\"}\n",
		},
		{
			Name: "limit", Code: 1, Exit: agents.Limited, Kinds: []watch.Kind{watch.Limit},
			Output: "KEDGE {\"type\":\"limit\",\"until\":\"2026-01-02T03:04:05Z\"}\n",
		},
		{
			Name: "limit overcome", Code: 0, Exit: agents.Finished, Kinds: []watch.Kind{watch.Limit, watch.Turn},
			Output: "KEDGE {\"type\":\"limit\"}\nKEDGE {\"type\":\"turn\"}\n",
		},
		{
			Name: "not logged in", Code: 1, Exit: agents.NoLogin, Text: "please log in", Kinds: []watch.Kind{watch.NoLogin},
			Output: "KEDGE {\"type\":\"no_login\",\"text\":\"please log in\\nsecond line\"}\n",
		},
		{
			Name: "calls", Exit: agents.Finished, Kinds: []watch.Kind{watch.Call, watch.Result, watch.Step, watch.Compact}, Broken: 2,
			Output: "KEDGE {\"type\":\"call\",\"id\":\"1\",\"tool\":\"Bash\",\"input\":{\"a\": 1},\"paths\":[\"./a.go\"]}\n" +
				"KEDGE {\"type\":\"call\"\nKEDGE {\"type\":\"result\",\"id\":\"1\",\"failed\":true}\nKEDGE {\"type\":\"usage\"}\n" +
				"KEDGE {\"type\":\"step\",\"text\":\"verify\"}\nKEDGE {\"type\":\"compacted\"}\n",
		},
		{
			Name: "planning", Exit: agents.Finished, Kinds: []watch.Kind{watch.Question, watch.PlanText, watch.PlanText},
			Output: "KEDGE {\"type\":\"question\",\"text\":\"why?\"}\nKEDGE {\"type\":\"plan\",\"markdown\":\"# p\"}\n```kedge-plan\n# q\nKEDGE {\n```\n",
		},
	})
}

// What is read of an event is what was said.
func TestCommandEvents(t *testing.T) {
	a, _ := command.New([]string{"bot"})
	at := time.Unix(5, 0)
	r := a.Reader(agents.Task{})
	evs, _ := r.Feed([]byte(`KEDGE {"type":"usage","input_tokens":1,"cache_read_tokens":2,"cache_write_tokens":3,"output_tokens":4,"context_tokens":5,"context_window":6,"model":"m","usd":0.5,"new_key":1}
KEDGE {"type":"limit","until":1800000000}
KEDGE {"type":"call","id":"c","tool":"Edit","input":"text","paths":["./a/../b.go"," "]}
`+"```kedge-plan\n# plan\n\ntext\n```\n"), at)
	n := func(i int64) *int64 { return &i }
	usd := 0.5
	want := []watch.Act{
		{Kind: watch.Usage, At: at, Used: &watch.Used{Input: n(1), CacheRead: n(2), CacheWrite: n(3), Output: n(4), Context: n(5), Window: n(6), USD: &usd, Model: "m"}},
		{Kind: watch.Limit, At: at, Until: time.Unix(1800000000, 0).UTC()},
		{Kind: watch.Call, At: at, ID: "c", Tool: "Edit", Input: "text", Paths: []string{"b.go"}},
		{Kind: watch.PlanText, At: at, Text: "# plan\n\ntext\n"},
	}
	if !reflect.DeepEqual(evs, want) {
		t.Errorf("got %+v\nwant %+v", evs, want)
	}
}

func TestCommandStart(t *testing.T) {
	a, _ := command.New([]string{"bot", "-x"})
	s, err := a.Start(agents.Task{Session: "ses-1", Run: "run-1", Feature: "f", Attempt: 2, Purpose: "fix", Number: 4, Brief: "/b", Model: "m"})
	if err != nil || !s.Pipes || !slices.Equal(s.Command, []string{"bot", "-x"}) {
		t.Errorf("started as %+v, %v", s, err)
	}
	for _, want := range []string{
		"KEDGE_BRIEF=/b", "KEDGE_SESSION=ses-1", "KEDGE_RUN=run-1", "KEDGE_FEATURE=f", "KEDGE_ATTEMPT=2",
		"KEDGE_PURPOSE=fix", "KEDGE_NUMBER=4", "KEDGE_MODEL=m",
	} {
		if !slices.Contains(s.Env, want) {
			t.Errorf("%s is not in its environment: %q", want, s.Env)
		}
	}
	plan, err := a.Start(agents.Task{Purpose: "plan", ReadOnly: true})
	if asked := "KEDGE_READ_ONLY=1"; err != nil || !slices.Contains(plan.Env, asked) || slices.Contains(s.Env, asked) {
		t.Errorf("planning is started with %q, work with %q, %v", plan.Env, s.Env, err)
	}
}

// What is kept is bounded, whatever is printed.
func TestCommandBounds(t *testing.T) {
	a, _ := command.New([]string{"bot"})
	r := a.Reader(agents.Task{})
	long := "KEDGE {\"type\":\"say\",\"text\":\"" + strings.Repeat("a", 3<<20)
	if evs, _ := r.Feed([]byte(long+"\"}\nKEDGE {\"type\":\"turn\"}\n"), time.Time{}); len(evs) != 1 || evs[0].Kind != watch.Turn || r.Broken() != 1 {
		t.Errorf("after a line that is too long: %d events, %d broken", len(evs), r.Broken())
	}
	ask := "KEDGE {\"type\":\"ask\",\"question\":\"" + strings.Repeat("ä", 100_000) + "\"}\n"
	evs, _ := r.Feed([]byte(ask), time.Time{})
	if len(evs) != 1 || len(evs[0].Text) > 64<<10 || !bytes.HasSuffix([]byte(evs[0].Text), []byte("ä")) {
		t.Errorf("a long question has %d bytes", len(evs[0].Text))
	}
}

func FuzzCommandReader(f *testing.F) {
	f.Add("KEDGE {\"type\":\"usage\",\"input_tokens\":3}\n", 1)
	f.Add("a\nKEDGE {\"type\":\"call\",\"input\":[1]}\r\n```kedge-plan\nx\n```\n", 5)
	f.Add("KEDGE {\"type\":\"limit\",\"until\":7}\nKEDGE {", 3)
	f.Fuzz(func(t *testing.T, text string, size int) {
		a, _ := command.New([]string{"bot"})
		agenttest.Pieces(t, a, text, size, false)
	})
}
