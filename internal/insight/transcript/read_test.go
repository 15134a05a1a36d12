package transcript_test

import (
	"context"
	"strings"
	"testing"

	"kedge/internal/agents/catalog"
	"kedge/internal/insight/audit"
	"kedge/internal/insight/transcript"
)

// TestBefore: no entry of a later line is given, and the lines are counted.
func TestBefore(t *testing.T) {
	const line = `{"type":"user","uuid":"u","message":{"content":"x"}}` + "\n"
	for before, want := range map[int]int{1: 0, 3: 2, 5: 4, 9: 4} {
		said := 0
		m, err := catalog.Transcripts().Read(context.Background(), "claude", strings.NewReader(strings.Repeat(line, 4)), transcript.Options{Before: before}, func(e *audit.Entry) {
			if e.Kind == audit.UserText {
				said++
			}
		})
		if err != nil || said != want || m.Lines != want {
			t.Errorf("before %d: %d texts of %d lines (%v)", before, said, m.Lines, err)
		}
	}
}

// TestQueuedText: what was typed while the model worked is given, and not
// counted as text of the conversation.
func TestQueuedText(t *testing.T) {
	in := `{"type":"queue-operation","operation":"enqueue","timestamp":"2026-02-10T03:27:08.380Z","sessionId":"s","content":"not the \"docs\""}
{"type":"queue-operation","operation":"remove","timestamp":"2026-02-10T03:27:08.380Z","sessionId":"s"}
`
	var got []string
	c := audit.NewCounter("claude", audit.Names{})
	_, err := catalog.Transcripts().Read(context.Background(), "claude", strings.NewReader(in), transcript.Options{Text: true}, func(e *audit.Entry) {
		c.Add(e)
		if e.Kind == audit.Queued {
			got = append(got, e.Text)
		}
	})
	if err != nil || len(got) != 1 || got[0] != `not the "docs"` {
		t.Errorf("%q (%v)", got, err)
	}
	if n := c.Figures(noPrice).Composition.Sum(); n != 0 {
		t.Errorf("%d characters are counted", n)
	}
}
