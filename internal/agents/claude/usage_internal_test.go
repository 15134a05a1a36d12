package claude

import (
	"strconv"
	"testing"
)

// A reply that is in progress when the most are remembered is counted once, and
// no more of them are kept.
func TestClaudeRepliesAreForgottenByAge(t *testing.T) {
	var u usage
	for n := range 3 * maxMessages {
		m := message{ID: "m" + strconv.Itoa(n)}
		if _, counted := u.block(m, true); !counted {
			t.Fatalf("reply %d is not counted", n)
		}
		last := message{ID: "m" + strconv.Itoa(max(0, n-1))} // another block of it
		if _, counted := u.block(last, true); counted {
			t.Fatalf("reply %d is counted twice", n-1)
		}
	}
	if len(u.seen) != maxMessages || len(u.order) != maxMessages {
		t.Errorf("%d replies are remembered, want %d", len(u.seen), maxMessages)
	}
}
