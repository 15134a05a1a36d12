package usage

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/app/reports"
)

func TestCostTable(t *testing.T) {
	tokens, few, usd := int64(1_500_000), int64(700), 2.5
	var b bytes.Buffer
	costTable(&b, reports.CostReply{By: "model", Rows: []reports.CostRow{
		{Key: "big", Sessions: 2, Tokens: &tokens, Kinds: &kedge.TokenKinds{CacheRead: 9e6}, USD: &usd, Estimated: true, UnknownUSD: 1, Unpriced: []string{"new"}},
		{Sessions: 1, UnknownUSD: 1},
		{Key: "mute", Sessions: 1, Guessed: &few, Estimated: true, UnknownTokens: 1, UnknownUSD: 1},
		{Key: "both", Sessions: 2, Tokens: &tokens, Guessed: &few, Estimated: true, UnknownTokens: 1, UnknownUSD: 2},
	}, Total: reports.CostRow{Sessions: 3, Tokens: &tokens, USD: &usd, UnknownUSD: 2}})
	want := []string{"MODEL SESSIONS TOKENS CACHE READ USD", "big 2 1.5M 9.0M 2.50 estimated, without 1 session of unknown cost, no price of new", "(none) 1 unknown unknown unknown", "mute 1 ~700 unknown unknown estimated", "both 2 1.5M + ~700 unknown unknown estimated", "total 3 1.5M unknown 2.50 without 2 sessions of unknown cost"}
	for i, l := range strings.Split(strings.TrimSpace(b.String()), "\n") {
		if got := strings.Join(strings.Fields(l), " "); got != want[i] {
			t.Errorf("line %d is %q", i, got)
		}
	}
}

// TestCostTableTellsSessionsOfOneNameApart: by their ids, which others do not need.
func TestCostTableTellsSessionsOfOneNameApart(t *testing.T) {
	var b bytes.Buffer
	costTable(&b, reports.CostReply{By: "session", Rows: []reports.CostRow{
		{Key: "ses-1", Name: "h", Sessions: 1}, {Key: "ses-2", Name: "h", Sessions: 1}, {Key: "ses-3", Name: "other", Sessions: 1},
	}})
	got := b.String()
	if !strings.Contains(got, "h (ses-1) ") || !strings.Contains(got, "h (ses-2) ") || !strings.Contains(got, "\nother  ") {
		t.Errorf("shown as\n%s", got)
	}
}

func TestSinceWhen(t *testing.T) {
	now := time.Date(2026, 5, 10, 12, 0, 0, 0, time.UTC)
	for in, want := range map[string]string{
		"": "0001-01-01T00:00:00Z", "7d": "2026-05-03T12:00:00Z", "12h": "2026-05-10T00:00:00Z", "1w": "2026-05-03T12:00:00Z",
		"2026-01-31": "2026-01-31T00:00:00Z", "2026-01-31T05:00:00Z": "2026-01-31T05:00:00Z",
	} {
		if got, err := when("--since", in, now); err != nil || got.Format(time.RFC3339) != want {
			t.Errorf("%q: %v, %v", in, got, err)
		}
	}
	if _, err := when("--since", "yesterday", now); !kedge.Invalid.Is(err) {
		t.Errorf("yesterday: %v", err)
	}
}
