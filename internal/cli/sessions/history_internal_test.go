package sessions

import (
	"bytes"
	"strings"
	"testing"

	"kedge/internal/app/reports"
	"kedge/internal/cli/frame"
	"kedge/internal/insight/history"
)

// TestPassageIsWhole: a passage that is marked and broken into lines has lost nothing.
func TestPassageIsWhole(t *testing.T) {
	m := reports.Message{Who: "you", Passage: "…we put the Pools per file, 日本語 too", Marks: [][2]int{{14, 19}, {20, 28}}}
	var b bytes.Buffer
	passageText(&b, &frame.Env{}, m)
	if got := strings.TrimPrefix(strings.TrimSpace(b.String()), "you: "); got != m.Passage {
		t.Errorf("%q is shown as %q", m.Passage, got)
	}
}

func TestShortID(t *testing.T) {
	for id, want := range map[string]string{
		"13da966e-1111-4111-8111-111111111111": "13da966e",
		"01a1dcbe-1111-7111-8111-111111111111": "01a1dcbe-1111-7111-8111-111111111111", // it begins with the time
		"agent-a1":                             "agent-a1",
		"":                                     "",
	} {
		if got := shortID(id); got != want {
			t.Errorf("%q is shown as %q, want %q", id, got, want)
		}
	}
}

// TestAtIsWhereTheMessageBegins: the text that --at prints begins with the message.
func TestAtIsWhereTheMessageBegins(t *testing.T) {
	out := reports.ConversationReply{Talk: reports.Talk{Title: "T"}, Messages: []history.Message{
		{Line: 2, Who: history.You, Text: "one\ntwo"},
		{Line: 4, Who: history.Tool, Call: &history.Call{Tool: "Edit", Diff: []history.DiffLine{{Kind: '-', Text: "a"}, {Kind: '+', Text: "b"}}}},
		{Line: 7, Who: history.Agent, Text: "three"},
	}}
	for at, want := range map[int]string{1: "you", 2: "you", 3: "  > Edit", 4: "  > Edit", 5: "agent", 7: "agent"} {
		var b bytes.Buffer
		line := talkText(&b, &frame.Env{}, out, []string{"x", "y"}, at)
		if got := string(fromLine(b.Bytes(), line)); !strings.HasPrefix(got, want) {
			t.Errorf("from line %d on: %q, want %q", at, got, want)
		}
	}
	if got := string(fromLine([]byte("a\nb"), 9)); got != "b" {
		t.Errorf("behind the end: %q", got)
	}
}
