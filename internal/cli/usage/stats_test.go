package usage

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"kedge/internal/app/reports"
	"kedge/internal/insight/stats"
)

// TestStatsText: one screen, in which what nobody knows is unknown.
func TestStatsText(t *testing.T) {
	tokens, guessed, lines, usd, rate, few := int64(2_000_000), int64(110), int64(1234), 8.0, 0.125, 0.25
	f := stats.Figures{
		Sessions: 5, Interrupted: 3, RecoveryMinutes: 12.5, ProductiveMinutes: 100, OverheadRate: &rate,
		Interruptions:    []stats.Interruption{{Cause: stats.ClosedTerminal, Count: 2, Minutes: 12.5, Open: 1}, {Cause: stats.Unknown, Count: 1, Open: 1}},
		VerifiedFeatures: 2, VerifiedLines: &lines, Tokens: &tokens, Guessed: &guessed, USD: &usd, Estimated: true, FeaturesPerUSD: &few,
		SilentSessions: 1, UnknownTokens: 1, UnknownUSD: 2, UnknownLines: 1,
	}
	var b bytes.Buffer
	reply := reports.StatsReply{By: "week", Figures: f, Rows: []stats.Row{{Key: "2026-W03", Figures: f}, {Figures: stats.Figures{Sessions: 1}}}}
	statsText(&b, reply, 0)
	var got []string
	for l := range strings.Lines(b.String()) {
		got = append(got, strings.Join(strings.Fields(l), " "))
	}
	want := []string{
		"sessions 5, 3 interrupted",
		"overhead 12.5%: 12.5 min of recovery, 100.0 min of productive time",
		"verified 2 features, 1,234 changed lines (unknown for 1 feature)",
		"per Mtok unknown features, unknown lines (2,000,000 + ~110 tokens, unknown read from caches)",
		"per USD 0.25 features, unknown lines (8.00 USD, estimated)",
		"unknown the tokens of 1 session, the cost of 2 sessions",
		"silent 1 session reported no activity, so Kedge counts the time in which they printed",
		"",
		"WEEK SESSIONS INTERRUPTED RECOVERY PRODUCTIVE OVERHEAD FEATURES LINES TOKENS USD PER MTOK PER USD",
		"2026-W03 5 3 12.5 min 100.0 min 12.5% 2 1,234 2,000,000 + ~110 8.00 unknown 0.25",
		"(none) 1 0 0 min 0 min unknown 0 unknown unknown unknown unknown unknown",
		"",
		"What interrupted sessions, by the minutes lost:",
		"closed terminal 12.5 min, 2×, 1 not continued",
		"unknown unknown, 1×, 1 not continued",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s", b.String())
	}
	b.Reset()
	statsTable(&b, reply, 80)
	if n := slices.MaxFunc(strings.Split(b.String(), "\n"), func(a, b string) int { return len(a) - len(b) }); len(n) > 80 || strings.Count(b.String(), "2026-W03") != 2 || !strings.Contains(b.String(), "PER USD") {
		t.Errorf("a line of %d characters for 80:\n%s", len(n), b.String())
	}
}

func TestTimesAndRates(t *testing.T) {
	for m, want := range map[float64]string{0: "0 min", 0.006: "0.4 s", 1: "1.0 min", 119: "119.0 min", 120: "2.0 h"} {
		if got := minutesText(m); got != want {
			t.Errorf("%v minutes are %q", m, got)
		}
	}
	for v, want := range map[float64]string{0: "0.00", 0.00004: "<0.0001", 0.0031: "0.0031", 0.1: "0.10", 12.345: "12.35"} {
		if got := dollars(&v); got != want {
			t.Errorf("%v USD are %q", v, got)
		}
	}
	for v, want := range map[float64]string{0.125: "12.5%", 9.99: "999.0%", 174.19: "174×"} {
		if got := percentOf(&v); got != want {
			t.Errorf("a rate of %v is %q", v, got)
		}
	}
	for v, want := range map[float64]string{0: "0", 0.0625: "0.0625", 99.94: "99.9", 19181.3: "19,181"} {
		if got := rateText(&v); got != want {
			t.Errorf("%v is %q", v, got)
		}
	}
}
