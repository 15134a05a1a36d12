package stream_test

import (
	"testing"
	"time"

	"kedge/internal/agents/stream"
)

// TestLimitEnd: the end of a limit as programs say it, in UTC.
func TestLimitEnd(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"Claude AI usage limit reached|1772373600":               "2026-03-01T14:00:00Z",
		"5-hour limit reached ∙ resets 3pm (UTC)":                "2026-03-01T15:00:00Z",
		"You've hit your limit · resets 10am (America/New_York)": "2026-03-01T15:00:00Z",
		"limit; resets 10:30am (UTC)":                            "2026-03-02T10:30:00Z",
		"limit; resets 11:30am (UTC)":                            "",
		"limit; resets 12pm (UTC)":                               "",
		"limit; try again at 23:05 (UTC)":                        "2026-03-01T23:05:00Z",
		"Rate limit: please try again in 20s":                    "2026-03-01T12:00:20Z",
		"usage limit. Try again in 2 hours 5 minutes.":           "2026-03-01T14:05:00Z",
		"retry after 1.5 min":                                    "2026-03-01T12:01:30Z",
		"overloaded":                                             "",
		"resets 25:00 (UTC)":                                     "",
		"resets 3":                                               "",
		"usage limit reached|soon":                               "",
	} {
		got := ""
		if end := stream.LimitEnd(text, at); !end.IsZero() {
			got = end.UTC().Format(time.RFC3339)
		}
		if got != want {
			t.Errorf("%q ends at %q, want %q", text, got, want)
		}
	}
}

// TestLimitEndJustOver: a limit that refuses seconds after the time that it names is not
// waited for a day more, at midnight neither.
func TestLimitEndJustOver(t *testing.T) {
	for text, at := range map[string]time.Time{
		"resets 3pm (UTC)":     time.Date(2026, 3, 1, 15, 0, 3, 0, time.UTC),
		"resets 11:59pm (UTC)": time.Date(2026, 3, 2, 0, 0, 10, 0, time.UTC),
		"resets 12am (UTC)":    time.Date(2026, 3, 2, 0, 0, 10, 0, time.UTC),
	} {
		if end := stream.LimitEnd(text, at); !end.IsZero() {
			t.Errorf("%q at %s ends at %s", text, at, end)
		}
	}
}

// FuzzLimitEnd: whatever a message says, its end is within bounds and not before it,
// unless it names seconds since 1970.
func FuzzLimitEnd(f *testing.F) {
	f.Add("resets 3pm (Europe/Berlin)")
	f.Add("try again in 99999999999999999999 days 3 hours")
	f.Add("limit reached|99")
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text string) {
		end := stream.LimitEnd(text, at)
		if end.IsZero() || end.Sub(at) <= 32*24*time.Hour && !end.Before(at) {
			return
		}
		for _, c := range text {
			if c == '|' {
				return
			}
		}
		t.Errorf("%q ends at %s", text, end)
	})
}
