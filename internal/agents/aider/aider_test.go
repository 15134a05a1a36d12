package aider_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"kedge/internal/agents"
	"kedge/internal/agents/aider"
	"kedge/internal/core/watch"
	"kedge/internal/testkit/agenttest"
)

// What Aider prints, by its source.
const (
	aiderBegins = "Aider v0.86.1\nModel: gpt-4o with diff edit format\nGit repo: .git with 3 files\n\n"
	aiderReply  = "I change it.\n\nTokens: 812 sent, 21 received. Cost: $0.0031 message, $0.0031 session.\nApplied edit to greet.sh\n"
)

func TestAiderConformance(t *testing.T) {
	agenttest.Run(t, aider.New(nil), []agenttest.Sample{
		{Name: "gave up", Output: "usage: aider\naider: error: unrecognized arguments: --x\n", Code: 2, Cause: "exited", Exit: agents.Failed, Text: "unrecognized arguments"},
		{Name: "killed", Output: aiderBegins, Code: 137, Cause: "killed", Exit: agents.Failed, Text: "killed"},
		{Name: "finished", Output: aiderBegins + aiderReply, Kinds: []watch.Kind{watch.Usage, watch.Turn, watch.Call, watch.Result}, Exit: agents.Finished},
		{Name: "nothing came of it", Output: aiderBegins + "Empty response received from LLM.\n", Exit: agents.Failed, Text: "Empty response"},
		{
			Name: "not logged in", Output: aiderBegins + "litellm.AuthenticationError: AuthenticationError: OpenAIException - invalid x-api-key\n" +
				"The API provider is not able to authenticate you. Check your API key.\n", Exit: agents.NoLogin, Text: "not able to authenticate",
		},
		{
			Name: "limit", Output: aiderBegins + strings.Repeat("litellm.RateLimitError: RateLimitError: OpenAIException - slow\n"+
				"The API provider has rate limited you. Try again later or check your quotas.\nRetrying in 0.2 seconds...\n", 2), Kinds: []watch.Kind{watch.Limit, watch.Limit}, Exit: agents.Limited,
		},
		{
			Name: "limit that passed", Kinds: []watch.Kind{watch.Limit, watch.Usage, watch.Turn, watch.Call, watch.Result}, Exit: agents.Finished,
			Output: aiderBegins + "litellm.APIConnectionError: no route\nRetrying in 0.2 seconds...\n" + aiderReply,
		},
		{Name: "window", Output: aiderBegins + "Model gpt-4o has hit a token limit!\n", Exit: agents.Failed, Text: "token limit"},
		{
			Name: "asked in its text", Output: aiderBegins + "KEDGE {\"type\":\"ask\",\"question\":\"which?\"}\n" + aiderReply,
			Kinds: []watch.Kind{watch.Ask, watch.Usage, watch.Turn, watch.Call, watch.Result}, Exit: agents.Asked, Text: "which?",
		},
		{
			Name: "the model tells no figures", Output: aiderBegins + "KEDGE {\"type\":\"usage\",\"input_tokens\":5}\n" + aiderReply,
			Kinds: []watch.Kind{watch.Usage, watch.Turn, watch.Call, watch.Result}, Exit: agents.Finished,
		},
		{
			Name: "plan", Output: aiderBegins + "```kedge-plan\n# A plan\nTokens: 1 sent, 1 received.\n```\nTokens: 2 sent, 2 received.\n",
			Kinds: []watch.Kind{watch.PlanText, watch.Usage, watch.Turn}, Exit: agents.Finished,
		},
	})
}

// Figures count where they are exact: a sum with a rounded part in it is unknown.
func TestAiderUsage(t *testing.T) {
	n := func(i int64) *int64 { return &i }
	usd := func(f float64) *float64 { return &f }
	r := aider.New(nil).Reader(agents.Task{})
	for _, tt := range []struct {
		line string
		want *watch.Used
	}{
		{"Tokens: 812 sent, 21 received.", &watch.Used{Input: n(812), Output: n(21), CacheRead: n(0), CacheWrite: n(0), Context: n(833), Model: "gpt-4o"}},
		{"Tokens: 900 sent, 9 received. Cost: $0.25 message, $0.25 session.", &watch.Used{Input: n(900), Output: n(9), CacheRead: n(0), CacheWrite: n(0), Context: n(909), Model: "gpt-4o", USD: usd(0.25)}},
		{"Tokens: 2.1k sent, 210 received. Cost: $0.50 message, $0.75 session.", &watch.Used{Model: "gpt-4o", USD: usd(0.5)}},
		{"Tokens: 12k sent, 210 received.", nil},
		{"Tokens: 812 sent, 21 received.", nil},
		{"Tokens: 812 sent, 3 cache write, 4 cache hit, 21 received.", nil},
		{"Cost: $0.25 message, $1.00 session.", &watch.Used{Model: "gpt-4o", USD: usd(0.25)}},
		{"Tokens: unknown, Cost: unknown for llm-command", nil},
	} {
		evs, _ := r.Feed([]byte(aiderBegins+tt.line+"\n"), time.Time{})
		var got *watch.Used
		if len(evs) > 0 {
			got = evs[0].Used
		}
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s became %+v", tt.line, evs)
		}
	}
	if e := r.Exit(0, "exited"); e.Version != "0.86.1" {
		t.Errorf("its version is %q", e.Version)
	}
}

func TestAiderStart(t *testing.T) {
	a := aider.New(nil)
	work, err := a.Start(agents.Task{Model: "m"})
	if err != nil || !work.Pipes || !slices.Contains(work.Command, "--yes-always") || !slices.Contains(work.Command, "--no-auto-commits") || slices.Contains(work.Command, "--dry-run") {
		t.Errorf("started as %+v, %v", work, err)
	}
	for _, task := range []agents.Task{{}, {ReadOnly: true}, {Attended: true, Brief: "/b"}} {
		if s, _ := a.Start(task); !slices.Contains(s.Command, "--no-auto-lint") || !slices.Contains(s.Command, "--no-auto-test") {
			t.Errorf("commands of the repository would run: %+v", s)
		}
	}
	if plan, _ := a.Start(agents.Task{ReadOnly: true}); !slices.Contains(plan.Command, "ask") || !slices.Contains(plan.Command, "--dry-run") {
		t.Errorf("plans as %+v", plan)
	}
	if s, _ := a.Start(agents.Task{Attended: true, Brief: "/b"}); s.Pipes || slices.Contains(s.Command, "--yes-always") || !slices.Contains(s.Command, "/b") {
		t.Errorf("attended as %+v", s)
	}
}

func FuzzAiderReader(f *testing.F) {
	f.Add(aiderBegins+aiderReply, 7, false)
	f.Add("Tokens: -1 sent, 99999999999999999999 received. Cost: $1e400 message, $NaN session.\nRetrying in NaN seconds\n", 50, true)
	f.Add("```kedge-plan\nApplied edit to x\n```\nApplied edit to \n", 3, false)
	f.Fuzz(func(t *testing.T, text string, size int, readOnly bool) {
		agenttest.Pieces(t, aider.New(nil), text, size, readOnly)
	})
}
