package acp_test

import (
	"slices"
	"testing"

	"kedge/internal/agents"
	"kedge/internal/agents/copilot"
	"kedge/internal/core/watch"
	"kedge/internal/testkit/agenttest"
)

func copilotSays(text string) string {
	return acpUpdate(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"` + text + `"}}`)
}

// What Copilot tells of itself comes as a message, and a prompt that came to
// nothing ends like any other.
func TestCopilotNotices(t *testing.T) {
	tool := acpUpdate(`{"sessionUpdate":"tool_call","toolCallId":"c","kind":"execute","status":"pending","rawInput":{"command":"false"}}`)
	ran := func(code string) string {
		return acpUpdate(`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed","content":[{"type":"content","content":{"type":"text","text":"x\n<shellId: 1 completed with exit code ` + code + `>"}}]}`)
	}
	agenttest.Run(t, copilot.New(nil), []agenttest.Sample{
		{Name: "overloaded", Output: acpBegun + copilotSays("Info: Retrying...") + copilotSays("Error: Failed to get response; Last error: 503 Overloaded") + acpGood, Exit: agents.Limited, Text: "503"},
		{Name: "no connection", Output: acpBegun + copilotSays("Error: Could not connect to local model provider at http://127.0.0.1:1/v1.") + acpGood, Exit: agents.Limited},
		{Name: "not logged in", Output: acpBegun + copilotSays("Error: Authentication failed with provider (HTTP 401).") + acpGood, Exit: agents.NoLogin},
		{
			Name: "too long", Output: acpBegun + copilotSays("Info: The conversation exceeded the limit. Compacting history and retrying...") + copilotSays("Error: the prompt is too long") + acpGood,
			Kinds: []watch.Kind{watch.Compact}, Exit: agents.Failed, Text: "too long",
		},
		{
			Name: "overcame it", Output: acpBegun + copilotSays("Error: something") + copilotSays("All is well.") + acpGood,
			Kinds: []watch.Kind{watch.Say}, Exit: agents.Finished,
		},
		{
			Name: "went on with a tool", Output: acpBegun + copilotSays("Error: something") + tool + ran("0") + acpGood,
			Kinds: []watch.Kind{watch.Call, watch.Result}, Exit: agents.Finished,
		},
		{
			Name: "a message that is cut in two by a notice", Output: acpBegun + copilotSays("One.") + copilotSays("Info: /w/x") + copilotSays("Two.") + acpGood,
			Kinds: []watch.Kind{watch.Say, watch.Say}, Exit: agents.Finished,
		},
	})
	for code, failed := range map[string]bool{"0": false, "3": true} {
		r := copilot.New(nil).Reader(agents.Task{})
		evs, _ := r.Feed([]byte(acpBegun+tool+ran(code)), agents.Time{})
		if len(evs) != 2 || evs[1].Failed != failed {
			t.Errorf("a command that ends with %s is %+v", code, evs)
		}
	}
}

func TestCopilotStart(t *testing.T) {
	c := copilot.New(nil)
	if s, err := c.Start(agents.Task{Model: "m"}); err != nil || !s.Pipes || !slices.Equal(s.Command, []string{"copilot", "--acp", "--no-auto-update", "--model", "m"}) {
		t.Errorf("started as %+v, %v", s, err)
	}
	if s, _ := c.Start(agents.Task{ReadOnly: true}); !slices.Contains(s.Command, "--available-tools=view,grep,glob") {
		t.Errorf("plans as %+v", s)
	}
	if s, _ := c.Start(agents.Task{Attended: true, Brief: "/b", Resume: "s"}); s.Pipes || slices.Contains(s.Command, "--acp") {
		t.Errorf("attended as %+v", s)
	}
}

func FuzzCopilotReader(f *testing.F) {
	f.Add(acpBegun+copilotSays("Error: x")+acpGood, 7, false)
	f.Add(acpBegun+copilotSays("Info: x")+copilotSays("y")+acpAsks, 50, true)
	f.Fuzz(func(t *testing.T, text string, size int, readOnly bool) {
		agenttest.Pieces(t, copilot.New(nil), text, size, readOnly)
	})
}
