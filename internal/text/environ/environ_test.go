package environ_test

import (
	"testing"

	"kedge/internal/text/environ"
)

func TestLastOfEqualNamesWins(t *testing.T) {
	env := []string{"A=1", "AB=2", "A=3", "EMPTY=", "C"}
	for name, want := range map[string]string{"A": "3", "AB": "2", "EMPTY": "", "C": "", "D": ""} {
		if got := environ.Get(env, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]bool{"A": true, "EMPTY": true, "C": false, "D": false} {
		if _, has := environ.Lookup(env, name); has != want {
			t.Errorf("%s is there: %v, want %v", name, has, want)
		}
	}
}
