package codex_test

import (
	"strings"
	"testing"
	"time"

	"kedge/internal/agents"
	"kedge/internal/agents/codex"
	"kedge/internal/core/watch"
)

// Lines of a session that is told to compact its context.
const (
	turnBegins  = `{"method":"turn/started","params":{"threadId":"th","turn":{"id":"t1"}}}` + "\n"
	turnStopped = `{"method":"turn/completed","params":{"threadId":"th","turn":{"id":"t1","status":"interrupted"}}}` + "\n"
	tookIt      = `{"id":"kedge-shorten-w","result":{}}` + "\n"
	refusedIt   = `{"id":"kedge-shorten-w","error":{"code":-32601,"message":"unknown variant"}}` + "\n"
	itsTurn     = `{"method":"turn/started","params":{"threadId":"th","turn":{"id":"t2"}}}` + "\n"
	shortens    = `{"method":"item/started","params":{"threadId":"th","item":{"type":"contextCompaction","id":"c"}}}` + "\n"
	shortened   = `{"method":"item/completed","params":{"threadId":"th","item":{"type":"contextCompaction","id":"c"}}}` + "\n"
	itFailed    = `{"method":"turn/completed","params":{"threadId":"th","turn":{"id":"t2","status":"failed","error":{"message":"no summary"}}}}` + "\n"
	itEnded     = `{"method":"turn/completed","params":{"threadId":"th","turn":{"id":"t2","status":"completed"}}}` + "\n"
)

// A compaction that it was told is known from its own ones, its outcome is told once,
// and nothing can be said before a turn can be started with it; a refusal is not the
// end of the session.
func TestCodexToldToShorten(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		told  string // the event, empty: none
		at    int    // the line with which it comes
	}{
		{"done", []string{tookIt, turnStopped, itsTurn, shortens, shortened, itEnded}, "compacted", 4},
		{"refused before the end of the turn", []string{refusedIt, turnStopped}, "not_compacted unknown variant", 1},
		{"refused after it", []string{turnStopped, refusedIt}, "not_compacted unknown variant", 1},
		{"failed", []string{tookIt, turnStopped, itsTurn, shortens, itFailed}, "not_compacted no summary", 4},
		{"failed before it began", []string{turnStopped, tookIt, itsTurn, itFailed}, "not_compacted no summary", 3},
		{"ended before it began", []string{tookIt, turnStopped, itsTurn, itEnded}, "not_compacted its turn is completed", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := codex.New(nil).Reader(agents.Task{})
			r.Feed([]byte(codexBegun+turnBegins), time.Time{})
			if _, ok := r.Say(agents.Word{Kind: agents.Shorten, ID: "w"}); !ok {
				t.Fatal("it cannot be told")
			}
			for i, line := range c.lines {
				evs, in := r.Feed([]byte(line), time.Time{})
				if in.Close {
					t.Errorf("line %d ends the session", i)
				}
				said, ok := r.Say(agents.Word{Kind: agents.Tell, ID: "x", Text: "go on"})
				switch {
				case i == len(c.lines)-1 && (!ok || !strings.Contains(string(said.Text), `"turn/start"`)):
					t.Errorf("at last it is told %q", said.Text)
				case i < len(c.lines)-1 && ok && strings.Contains(string(said.Text), `"turn/steer"`):
					t.Errorf("after line %d it is told %q", i, said.Text)
				}
				if len(evs) != 1 && i == c.at || len(evs) > 0 && i != c.at {
					t.Errorf("line %d means %+v", i, evs)
				}
				for _, ev := range evs {
					if got := strings.TrimSpace(string(ev.Kind) + " " + ev.Text); got != c.told || !ev.Asked {
						t.Errorf("it tells %q, asked %v", got, ev.Asked)
					}
				}
			}
		})
	}
}

// One that it does by itself was not asked for.
func TestCodexShortensByItself(t *testing.T) {
	r := codex.New(nil).Reader(agents.Task{})
	evs, _ := r.Feed([]byte(codexBegun+turnBegins+shortens+shortened), time.Time{})
	if len(evs) != 1 || evs[0].Kind != watch.Compact || evs[0].Asked {
		t.Errorf("it tells %+v", evs)
	}
}
