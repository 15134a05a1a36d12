package words_test

import (
	"testing"

	"kedge/internal/text/words"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		n    int
	}{{"", "", 0}, {"agent", "agnt", 1}, {"agent", "agent", 0}, {"abc", "", 3}, {"stop", "step", 1}, {"ab", "ba", 2}, {"kitten", "sitting", 3}} {
		if got := words.Distance(c.a, c.b); got != c.n {
			t.Errorf("%q and %q differ by %d, want %d", c.a, c.b, got, c.n)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"agent", "parallel", "land"}
	for word, want := range map[string]string{"agnet": "agent", "paralle": "parallel", "lamd": "land", "threads": "", "x": ""} {
		if got := words.Nearest(word, names); got != want {
			t.Errorf("%q is near %q, want %q", word, got, want)
		}
	}
}
