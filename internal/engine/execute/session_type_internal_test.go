package execute

import (
	"testing"

	"kedge/internal/agents"
)

// What an owner before typed whole is not tried again, and the newest answer is:
// it may be half typed.
func TestOldAnswersAreNotTriedAgain(t *testing.T) {
	typed := newTypist()
	typed.past = 5
	for _, end := range []int64{3, 4, 5, 9} {
		typed.put(end, agents.Input{Text: []byte("yes\n")})
	}
	if n := len(typed.queue); n != 2 || typed.queue[0].Number != 5 || typed.queue[1].Number != 9 {
		t.Errorf("%d answers are to be typed: %+v", n, typed.queue)
	}
}
