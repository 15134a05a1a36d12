package process_test

import (
	"testing"

	"kedge/internal/process"
)

func TestLastOfEqualNamesWins(t *testing.T) {
	env := []string{"A=1", "AB=2", "A=3", "EMPTY=", "C"}
	for name, want := range map[string]string{"A": "3", "AB": "2", "EMPTY": "", "C": "", "D": ""} {
		if got := process.Getenv(env, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]bool{"A": true, "EMPTY": true, "C": false, "D": false} {
		if _, has := process.LookupEnv(env, name); has != want {
			t.Errorf("%s is there: %v, want %v", name, has, want)
		}
	}
}
