package failure

import (
	"slices"
	"strings"
	"testing"
)

// TestCleanLeavesOutTheMiddle shows the bound on lines with a small one.
func TestCleanLeavesOutTheMiddle(t *testing.T) {
	for _, c := range []struct {
		out  string
		most int
		want string
	}{
		{"a\nb\nc\nd\ne\nf", 4, "a b e f"},
		{"a\nb\nc\nd", 4, "a b c d"},
		{"a\nb\nc\nd\n", 4, "a b d"}, // the last line is the empty one
		{"", 4, ""},
	} {
		if got := clean(c.out, c.most); !slices.Equal(got, strings.Fields(c.want)) {
			t.Errorf("clean(%q, %d) = %q, want %q", c.out, c.most, got, c.want)
		}
	}
}
