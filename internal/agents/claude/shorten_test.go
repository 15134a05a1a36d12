package claude_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"kedge/internal/agents"
	"kedge/internal/agents/claude"
	"kedge/internal/core/watch"
)

// Lines of a session that is told to compact its context.
const (
	tookIt      = `{"type":"control_response","response":{"subtype":"success","request_id":"kedge-shorten-w","response":{}}}` + "\n"
	turnStopped = `{"type":"result","subtype":"error_during_execution","is_error":true,"terminal_reason":"aborted_streaming"}` + "\n"
	shortens    = `{"type":"system","subtype":"status","status":"compacting"}` + "\n"
	couldNot    = `{"type":"system","subtype":"status","status":null,"compact_result":"failed","compact_error":"no summary"}` + "\n"
	shortened   = `{"type":"system","subtype":"compact_boundary","compact_metadata":{"trigger":"manual"}}` + "\n"
	itsEnd      = `{"type":"result","subtype":"success","is_error":false,"num_turns":0,"result":"Not enough messages to compact."}` + "\n"
	itsBadEnd   = `{"type":"result","subtype":"success","is_error":true,"num_turns":0,"result":"Unknown command: /compact"}` + "\n"
	claudeWorks = `{"type":"assistant","message":{"id":"m","model":"claude-x","content":[{"type":"text","text":"On it."}]}}` + "\n"
	claudeLimit = `{"type":"assistant","message":{"model":"<synthetic>","content":[]},"error":"overloaded"}` + "\n" +
		`{"type":"result","subtype":"success","is_error":true,"api_error_status":529,"result":"API Error: 529"}` + "\n"
)

// A compaction that it was told is known from its own ones, and its outcome is told
// once. Nothing is said before that turn is over, and a refusal, also one that comes
// without a word of a beginning, is not the end of the session.
func TestClaudeToldToShorten(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		told  string
		at    int // the line with which it comes
	}{
		{"done", []string{tookIt, turnStopped, shortens, shortened, itsEnd}, "compacted manual", 3},
		{"answered late", []string{turnStopped, tookIt, shortens, shortened, itsEnd}, "compacted manual", 3},
		{"could not", []string{tookIt, turnStopped, shortens, couldNot, itsEnd}, "not_compacted no summary", 3},
		{"too few messages", []string{tookIt, turnStopped, itsEnd}, "not_compacted Not enough messages to compact.", 2},
		{"unknown", []string{tookIt, turnStopped, itsBadEnd}, "not_compacted Unknown command: /compact", 2},
		{"began and ended", []string{tookIt, turnStopped, shortens, itsEnd}, "not_compacted Not enough messages to compact.", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := claude.New(nil).Reader(agents.Task{})
			r.Feed([]byte(claudeInit), time.Time{})
			if in, ok := r.Say(agents.Word{Kind: agents.Shorten, ID: "w"}); !ok || !strings.Contains(string(in.Text), `"request_id":"kedge-shorten-w"`) {
				t.Fatalf("it is told %q", in.Text)
			}
			for i, line := range c.lines {
				evs, in := r.Feed([]byte(line), time.Time{})
				if in.Close {
					t.Errorf("line %d ends the session", i)
				}
				if _, ok := r.Say(agents.Word{Kind: agents.Tell, Text: "go on"}); ok != (i == len(c.lines)-1) && line != turnStopped {
					t.Errorf("after line %d it can be told: %v", i, ok)
				}
				evs = slices.DeleteFunc(evs, func(ev watch.Act) bool { return ev.Kind == watch.Usage })
				if len(evs) != 1 && i == c.at || len(evs) > 0 && i != c.at {
					t.Errorf("line %d means %+v", i, evs)
				}
				for _, ev := range evs {
					if got := strings.TrimSpace(string(ev.Kind) + " " + ev.Text); got != c.told || !ev.Asked {
						t.Errorf("it tells %q, asked %v", got, ev.Asked)
					}
				}
			}
			ends(t, r)
		})
	}
}

// ends: the turn after it is a session's as any other, also one that comes to nothing.
func ends(t *testing.T, r agents.Reader) {
	t.Helper()
	if _, in := r.Feed([]byte(claudeLimit), time.Time{}); !in.Close {
		t.Error("a turn that fails at once does not end it")
	}
	if e := r.Exit(0, ""); e.Meaning != agents.Limited {
		t.Errorf("it ended as %+v", e)
	}
}

// A turn that was over before it could be stopped is the end, whatever becomes of the
// compaction.
func TestClaudeToldTooLate(t *testing.T) {
	r := claude.New(nil).Reader(agents.Task{})
	r.Feed([]byte(claudeInit+claudeWorks+tookIt), time.Time{})
	if _, in := r.Feed([]byte(claudeGood), time.Time{}); !in.Close {
		t.Error("its input is not ended after its work")
	}
	r.Feed([]byte(itsBadEnd), time.Time{})
	if e := r.Exit(0, ""); e.Meaning != agents.Finished {
		t.Errorf("it ended as %+v", e)
	}
}

// One that it does by itself was not asked for.
func TestClaudeShortensByItself(t *testing.T) {
	r := claude.New(nil).Reader(agents.Task{})
	evs, _ := r.Feed([]byte(claudeInit+claudeWorks+shortens+shortened), time.Time{})
	if ev := evs[len(evs)-1]; ev.Kind != watch.Compact || ev.Asked {
		t.Errorf("it tells %+v", evs)
	}
}
