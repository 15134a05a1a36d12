package words_test

import (
	"testing"

	"kedge/internal/text/words"
)

func TestListed(t *testing.T) {
	for want, ids := range map[string][]string{
		`"a" waits`:     {"a"},
		`"a", "b" wait`: {"a", "b"},
	} {
		if got := words.Listed(ids, " waits", " wait"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
