package runs

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/app/runs"
	"kedge/internal/app/status"
	"kedge/internal/cli/frame"
	"kedge/internal/core/run"
)

// sheetOf is a terminal of so many columns, without colours.
func sheetOf(cols int) sheet {
	return sheet{cols, func(cols int) *frame.Page { return frame.NewPage(max(cols-1, 1), false) }}
}

// TestLiveTable: the table shows what is done, who works and who waits for you, each with
// a sign and in the colour of its role; what is unknown is unknown. No text of a repository
// or an agent brings an escape code of its own.
func TestLiveTable(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	used, size, eta, usd, tokens := int64(30_000), int64(200_000), int64(600), 4.2, int64(310_000)
	v := runs.RunView{
		ID: "run-01m7j3bvhjy22sa06441ydg9zb", State: run.StatusRunning, Reason: "a reason", StartedAt: start, Sessions: 3, ETA: &eta,
		Features: status.FeatureCounts{Total: 8, Completed: 2, Blocked: 1, Pending: 4},
		Limits:   runs.RunLimits{USD: 50}, Usage: status.Usage{USD: &usd, Tokens: &tokens},
		Done: []runs.RunDone{{Feature: "cart-totals", Sessions: 1, USD: &usd}, {Feature: "coupon-model", Sessions: 2}},
		Jobs: []runs.RunJob{
			{Feature: "evil\x1b[2J", Phase: run.Working, Attempt: 2, Session: "ses-1", ContextTokens: &used, ContextWindow: &size, Repair: true},
			{Feature: "tax-rules", Phase: run.Asking, Question: "Round per line or per order?\x1b]0;title\a" + strings.Repeat(" long", 30)},
			{Kind: run.Fix, Phase: run.Working, Attempt: 1, Session: "ses-2"},
		},
	}
	want := `run dg9zb  running 1h30m  ETA 10m  $4.20 of $50.00
▆▆▆▁▁▁▁▁▁▁▁▁ 2 of 8 verified, 1 blocked
a reason
  ✓ cart-totals       verified   1 session  $4.20
  ✓ coupon-model      verified   2 sessions
  ● evil[2J           repairing  attempt 2  context 15% of 200k
  ◐ tax-rules         asks       Round per line or per order?]0;title long lon…
  ● the baseline fix  working    context unknown
  · 4 not begun
spent 310k tokens, 3 sessions
gate  no verdict yet
last  03:04:05  a: that
Ctrl-C detaches; the run continues`
	if got := strings.Join(layout(sheetOf(80), v, start.Add(90*time.Minute), "03:04:05  a: that", 24), "\n"); got != want {
		t.Errorf("drawn as\n%s", got)
	}
	coloured := sheet{80, func(cols int) *frame.Page { return frame.NewPage(cols-1, true) }}
	got := strings.Join(layout(coloured, v, start, "", 24), "\n")
	for _, want := range []string{"\x1b[32m✓\x1b[0m \x1b[1mcart-totals\x1b[0m", "\x1b[33m◐\x1b[0m", "\x1b[33masks\x1b[0m", "\n  ● \x1b[1mthe baseline fix\x1b[0m"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%q", want, got)
		}
	}
}

// TestLayoutFits: at any size no line is as wide as the terminal, one row is left, and
// where the run stands and who works is the last to go.
func TestLayoutFits(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	view := func(jobs int) runs.RunView {
		v := runs.RunView{
			ID: "run-01m5x8c2v4q7w9e1r3t5y7z2k4", State: run.StatusRunning, Reason: "a long reason for which something is so, and not otherwise",
			StartedAt: start, Features: status.FeatureCounts{Total: 30, Completed: 7, Blocked: 1, NeedsReview: 2},
		}
		for i := range jobs {
			j := runs.RunJob{Feature: kedge.FeatureID(fmt.Sprintf("feature-%02d-界界界", i)), Phase: run.Reviewing, Reason: "it changed files outside of its plan"}
			if i%5 == 4 {
				j.Phase, j.Session = run.Working, "ses-1"
			}
			v.Jobs = append(v.Jobs, j)
		}
		return v
	}
	for _, cols := range []int{1, 5, 20, 40, 59, 60, 80, 200} {
		for _, rows := range []int{1, 2, 3, 5, 8, 10, 24, 60} {
			for _, jobs := range []int{0, 1, 2, 5, 30} {
				lines := layout(sheetOf(cols), view(jobs), start.Add(time.Minute), "03:04:05  feature-01: 界界界 happened to it, at length", rows)
				if len(lines) > max(rows-1, 1) || len(lines) == 0 {
					t.Errorf("%dx%d, %d jobs: %d lines", cols, rows, jobs, len(lines))
				}
				for _, l := range lines {
					if frame.Cells(l) >= max(cols, 2) {
						t.Errorf("%dx%d, %d jobs: a line of %d: %q", cols, rows, jobs, frame.Cells(l), l)
					}
				}
			}
		}
	}
}

// TestLayout: what is shown where there is no room for all of it.
func TestLayout(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	v := runs.RunView{ID: "run-1", State: run.StatusRunning, StartedAt: start, Features: status.FeatureCounts{Total: 9, Completed: 3}}
	for i := range 6 {
		v.Jobs = append(v.Jobs, runs.RunJob{Feature: kedge.FeatureID(fmt.Sprint("part-", i)), Phase: run.Reviewing})
	}
	v.Jobs[4].Phase, v.Jobs[5].Phase = run.Working, run.Ready
	for _, c := range []struct {
		cols, rows int
		want       string
	}{
		{80, 24, "run run-1  running 2s   ▆▆▆▆▁▁▁▁▁▁▁▁ 3 of 9 verified\n" +
			"  ◐ part-0  in review\n  ◐ part-1  in review\n  ◐ part-2  in review\n" +
			"  ◐ part-3  in review\n  ● part-4  working\n  · part-5  waits\n" +
			"spent nothing, 0 sessions\ngate  no verdict yet\nlast  that\nCtrl-C detaches; the run continues"},
		{40, 10, "running 2s  run run-1\n▆▆▁▁▁▁▁▁ 3 of 9 verified\n" +
			"  ◐ part-0  in review\n  ◐ part-1  in review\n  ● part-4  working\n  · 3 more: 2 in review, 1 waits\n" +
			"spent nothing, 0 sessions\nlast  that\nCtrl-C detaches; the run continues"},
		{20, 5, "running 2s  run ru…\n▆▁▁▁ 3 of 9 verifi…\n● part-4 working\n  · 5 more: 4 in r…"},
		{80, 4, "run run-1  running 2s   ▆▆▆▆▁▁▁▁▁▁▁▁ 3 of 9 verified\n  · 6 more: 4 in review, 1 working, 1 waits\nlast  that"},
		{80, 1, "run run-1  running 2s   ▆▆▆▆▁▁▁▁▁▁▁▁ 3 of 9 verified"},
	} {
		if got := strings.Join(layout(sheetOf(c.cols), v, start.Add(2*time.Second), "that", c.rows), "\n"); got != c.want {
			t.Errorf("%dx%d:\n%s\nwant\n%s", c.cols, c.rows, got, c.want)
		}
	}
}
