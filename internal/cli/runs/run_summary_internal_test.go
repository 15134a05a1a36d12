package runs

import (
	"slices"
	"testing"
)

// TestCounted: what was there several times is shown once, with how often.
func TestCounted(t *testing.T) {
	got := counted([]string{"a: red", "b: red", "a: red", "c: red"})
	if want := []string{"a: red (2 times)", "b: red", "c: red"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
