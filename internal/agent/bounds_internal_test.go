package agent

import (
	"encoding/json"
	"strconv"
	"testing"
)

// A reply that is in progress when the most are remembered is counted once, and
// no more of them are kept.
func TestClaudeRepliesAreForgottenByAge(t *testing.T) {
	var u claudeUsage
	for n := range 3 * maxMessages {
		m := claudeMessage{ID: "m" + strconv.Itoa(n)}
		if _, counted := u.block(m, true); !counted {
			t.Fatalf("reply %d is not counted", n)
		}
		last := claudeMessage{ID: "m" + strconv.Itoa(max(0, n-1))} // another block of it
		if _, counted := u.block(last, true); counted {
			t.Fatalf("reply %d is counted twice", n-1)
		}
	}
	if len(u.seen) != maxMessages || len(u.order) != maxMessages {
		t.Errorf("%d replies are remembered, want %d", len(u.seen), maxMessages)
	}
}

// An error of two names has the same one for everybody who reads it.
func TestCodexErrorHasOneName(t *testing.T) {
	e := &codexError{Info: json.RawMessage(`{"c":{"httpStatusCode":3},"a":{"httpStatusCode":1},"b":{"httpStatusCode":2},"d":{}}`)}
	for range 100 {
		if name, status := e.name(); name != "a" || status != 1 {
			t.Fatalf("it is %q, %d", name, status)
		}
	}
	if name, status := (&codexError{Info: json.RawMessage(`{}`)}).name(); name != "" || status != 0 {
		t.Errorf("without a name it is %q, %d", name, status)
	}
}
