package attend

import (
	"testing"
	"time"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/core/config"
	"kedge/internal/core/watch"
)

// TestHistoryIsNoNews: what stands in a resumed conversation from before the session is
// not told; what is still so when it continues is.
func TestHistoryIsNoNews(t *testing.T) {
	start := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	conf := config.Default(catalog.Kinds())
	w := &watched{ses: kedge.Session{ID: "ses-1", StartedAt: start}, limits: watch.Configured(conf).Attended()}
	w.eye = watch.New(w.limits)
	full, window := int64(190_000), int64(200_000)
	used := &watch.Used{Context: &full, Window: &window}
	day := start.Add(-24 * time.Hour)
	old := []watch.Act{
		{Kind: watch.Compact, At: day},
		{Kind: watch.Usage, Used: used, At: day.Add(time.Minute)},
		{Kind: watch.Turn, At: day.Add(time.Hour)},
		{Kind: watch.Limit, Text: "limit", At: day.Add(2 * time.Hour)},
	}
	if got := w.feed("k", old); len(got) != 0 || w.limited {
		t.Fatalf("history is told: %+v, at a limit: %v", got, w.limited)
	}
	kinds := map[watch.SignalKind]int{}
	for _, n := range w.feed("k2", []watch.Act{{Kind: watch.Usage, Used: used, At: start.Add(time.Minute)}, {Kind: watch.Limit, Text: "limit", At: start.Add(2 * time.Minute)}}) {
		kinds[n.sig.Kind]++
	}
	if kinds[watch.Pressure] != 1 || kinds[watch.Provider] != 1 || kinds[watch.Periodic] != 0 || !w.limited {
		t.Errorf("when it continues: %v", kinds)
	}
}
