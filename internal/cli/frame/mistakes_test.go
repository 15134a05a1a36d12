package frame

import "testing"

func TestLetters(t *testing.T) {
	for _, c := range []struct {
		a, b string
		n    int
	}{{"", "", 0}, {"agent", "agnt", 1}, {"agent", "agent", 0}, {"abc", "", 3}, {"stop", "step", 1}, {"ab", "ba", 2}, {"kitten", "sitting", 3}} {
		if got := Distance(c.a, c.b); got != c.n {
			t.Errorf("%q and %q differ by %d, want %d", c.a, c.b, got, c.n)
		}
	}
}
