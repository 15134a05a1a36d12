package exec

import (
	"errors"
	"slices"
	"testing"
	"time"
)

// A session that goes on and on is saved at growing distances; one that was quiet
// is saved soon again.
func TestRow68PaceOfCheckpoints(t *testing.T) {
	var p pace
	var saved []int
	for look := range 200 {
		if p.due(true) {
			saved = append(saved, look)
		}
	}
	if want := []int{0, 1, 3, 7, 15, 31, 61, 91, 121, 151, 181}; !slices.Equal(saved, want) {
		t.Errorf("a busy session is saved at the looks %v, want %v", saved, want)
	}
	for range longestPace {
		if p.due(false) {
			t.Fatal("a quiet session is saved")
		}
	}
	if !p.due(true) || !p.due(true) || p.due(true) {
		t.Error("after a quiet time the distances do not begin anew")
	}
}

// What is to be typed is typed, however often the program does not read, as long
// as it lives.
func TestTypingIsNeverCutShort(t *testing.T) {
	tries, longest := 0, time.Duration(0)
	untilDone(func() error {
		if tries++; tries < 1000 {
			return errors.New("the program does not read its input")
		}
		return nil
	}, func(after time.Duration) bool { longest = max(longest, after); return true })
	if tries != 1000 || longest != longPause {
		t.Errorf("%d tries, at most %s apart", tries, longest)
	}
	tries = 0
	untilDone(func() error { tries++; return errors.New("gone") }, func(time.Duration) bool { return tries < 3 })
	if tries != 3 {
		t.Errorf("%d tries at a session that is over", tries)
	}
}
