package words_test

import (
	"testing"
	"time"

	"kedge/internal/text/words"
)

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{"0s": 0, "90s": 90 * time.Second, "5m": 5 * time.Minute, "168h": 168 * time.Hour} {
		if got, err := words.ParseDuration(text); err != nil || got != want {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "5", "-5m", "200h", "168h1ns", "soon", "99999999999999999999h"} {
		if got, err := words.ParseDuration(text); err == nil || got != 0 {
			t.Errorf("%q gives %v", text, got)
		}
	}
}
