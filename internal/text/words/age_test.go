package words_test

import (
	"testing"
	"time"

	"kedge"
	"kedge/internal/text/words"
)

func TestParseAge(t *testing.T) {
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{
		"0d": 0, "30d": 30 * day, "2w": 14 * day, "12h": 12 * time.Hour, "90m": 90 * time.Minute, "36500d": 36500 * day,
	} {
		if got, err := words.ParseAge(text); err != nil || got != want {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "d", "-1d", "-1h", "36501d", "1y", "99999999999999999999d", "3", "soon"} {
		if got, err := words.ParseAge(text); !kedge.Invalid.Is(err) {
			t.Errorf("%q: %v, %v; want Invalid", text, got, err)
		}
	}
}

// FuzzParse: what is read is an age, and nothing brings it down.
func FuzzParseAge(f *testing.F) {
	f.Add("30d")
	f.Add("106751d")
	f.Fuzz(func(t *testing.T, text string) {
		if d, err := words.ParseAge(text); err == nil && d < 0 {
			t.Errorf("%q is %v", text, d)
		}
	})
}
