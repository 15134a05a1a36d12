package execute

import (
	"slices"
	"testing"
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
	for look, want := range []bool{true, true, false} {
		if p.due(true) != want {
			t.Errorf("after a quiet time the distances do not begin anew: look %d", look)
		}
	}
}
