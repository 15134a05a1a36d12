package hold

import (
	"errors"
	"testing"
	"time"
)

// What is to be typed is typed, however often the program does not read, as long
// as it lives.
func TestTypingIsNeverCutShort(t *testing.T) {
	tries, longest := 0, time.Duration(0)
	untilDone(func() error {
		if tries++; tries < 1000 {
			return errors.New("the session's program does not read its input, so Kedge cannot type into it")
		}
		return nil
	}, func(after time.Duration) bool { longest = max(longest, after); return true })
	if tries != 1000 || longest != typeLong {
		t.Errorf("%d tries, at most %s apart", tries, longest)
	}
	tries = 0
	untilDone(func() error { tries++; return errors.New("gone") }, func(time.Duration) bool { return tries < 3 })
	if tries != 3 {
		t.Errorf("%d tries at a session that is over", tries)
	}
}
