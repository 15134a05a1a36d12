package stats

import (
	"slices"
	"testing"
)

// TestSumsAreExact: adding up leaves nothing behind a figure, whatever its size.
func TestSumsAreExact(t *testing.T) {
	list := add(nil, 0.1, dataPoint{})
	for _, v := range []float64{0.2, 0.049203} {
		list = add(list, v, dataPoint{})
	}
	if got := list[0].Value; len(list) != 1 || got != 0.349203 {
		t.Errorf("%v in %d points", got, len(list))
	}
	if got := millionths(9_123_456_789_013); got != 9_123_456_789_013 {
		t.Errorf("a large number became %v", got)
	}
}

// TestRow117EachCauseHasACure: every cause that an interruption can have comes with the
// cheapest thing to do about it.
func TestRow117EachCauseHasACure(t *testing.T) {
	all := []Cause{
		Timeout, Stalled, ClosedTerminal, Reconnect, Crash, Killed, OutOfMemory, Reboot, PromptDrift, FullContext, Circling, ProviderLimit, Budget, NoAgent, Unknown,
	}
	for _, cause := range all {
		if cures[cause] == "" {
			t.Errorf("no cure for %s", cause)
		}
	}
	for _, cause := range signals {
		if !slices.Contains(all, cause) {
			t.Errorf("%s is not looked at here", cause)
		}
	}
	if len(cures) != len(all) {
		t.Errorf("%d cures for %d causes", len(cures), len(all))
	}
}
