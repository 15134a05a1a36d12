package words_test

import (
	"testing"
	"time"

	"kedge/internal/text/words"
)

func TestAgo(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"just now": 59 * time.Second, "1 minute ago": 119 * time.Second, "3 minutes ago": 3 * time.Minute, "1 hour ago": time.Hour,
		"23 hours ago": 24*time.Hour - 1, "2 days ago": 71 * time.Hour,
	} {
		if got := words.Ago(d); got != want {
			t.Errorf("%s is %q, want %q", d, got, want)
		}
	}
}
