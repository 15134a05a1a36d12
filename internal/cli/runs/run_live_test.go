package runs

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/app/reports"
	"kedge/internal/app/runs"
	"kedge/internal/app/status"
	"kedge/internal/cli/frame"
	"kedge/internal/core/run"
)

// TestLiveTable: the table is redrawn over itself, cut to the terminal, and shows
// what is unknown as unknown; no text of a repository or an agent brings an
// escape code of its own.
func TestLiveTable(t *testing.T) {
	var b bytes.Buffer
	start := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	table := &liveTable{w: &b, size: func() (int, int) { return 70, 24 }, now: func() time.Time { return start.Add(90 * time.Minute) }, say: func(st reports.RunStep) string { return stepLine(&frame.Env{}, st) }}
	used, size, eta := int64(30_000), int64(200_000), int64(600)
	v := runs.RunView{
		ID: "run-1", State: run.StatusRunning, Reason: "a reason", StartedAt: start, Sessions: 3, ETA: &eta,
		Features: status.FeatureCounts{Total: 4, Completed: 2, Blocked: 1},
		Limits:   runs.RunLimits{USD: 5},
		Jobs: []runs.RunJob{
			{Feature: "evil\x1b[2J", Phase: run.Working, Attempt: 2, Session: "ses-1", ContextTokens: &used, ContextWindow: &size, Repair: true},
			{Kind: run.Fix, Phase: run.Working, Attempt: 1, Session: "ses-2"},
		},
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	table.take(runs.RunLine{Type: "step", Step: &reports.RunStep{N: 9, At: at, Feature: "a", Text: "\x1b]0;title\a" + strings.Repeat("long ", 30)}})
	table.draw(v)
	want := []string{
		"run-1  running  1h30m  ETA 10m",
		"      a reason",
		"[############............] 2/4 verified, 1 blocked",
		"  evil[2J                  repairing   attempt 2  context 15% of 200k",
		"  the baseline             working      context unknown",
		"spent tokens unknown, cost unknown of $5.00, 3 sessions",
		"gate  no verdict yet",
		"last  03:04:05  a: ]0;titlelong long long long long long long long l…",
		"Ctrl-C leaves it running",
	}
	for i, line := range strings.Split(strings.TrimSuffix(b.String(), "\n\x1b[J"), "\n") {
		if got := strings.TrimPrefix(line, "\r\x1b[2K"); i >= len(want) || got != want[i] {
			t.Errorf("line %d is %q", i, got)
		}
	}
	b.Reset()
	v.Jobs, v.Resting = nil, true
	table.draw(v)
	if got := b.String(); !strings.HasPrefix(got, "\x1b[9A") || strings.Count(got, "\n") != 5 || !strings.HasSuffix(got, "\n\x1b[J") {
		t.Errorf("redrawn as %q", got)
	}
}

// TestLiveTableGoesOn: without a step the clock of the table goes on, and another
// size of the terminal shows.
func TestLiveTableGoesOn(t *testing.T) {
	var b bytes.Buffer
	start := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	now, cols := start.Add(2*time.Second), 70
	table := &liveTable{w: &b, size: func() (int, int) { return cols, 24 }, now: func() time.Time { return now }}
	table.draw(runs.RunView{ID: "run-1", State: run.StatusRunning, StartedAt: start, Sessions: 1, Features: status.FeatureCounts{Total: 2, NeedsReview: 1}})
	if got := b.String(); !strings.Contains(got, "running  2s") || !strings.Contains(got, "1 session\n") || !strings.Contains(got, "1 waits for review") {
		t.Errorf("drawn as %q", got)
	}
	b.Reset()
	now = start.Add(3 * time.Second)
	ticks, resized := make(chan time.Time), make(chan os.Signal)
	stop := table.follow(ticks, resized)
	ticks <- now
	stop()
	if got := b.String(); !strings.Contains(got, "running  3s") {
		t.Errorf("after a second %q", got)
	}
	b.Reset()
	cols = 30
	stop = table.follow(ticks, resized)
	resized <- os.Interrupt
	stop()
	if got := b.String(); !strings.Contains(got, "…") || strings.Contains(got, "waits for review") {
		t.Errorf("in a narrow terminal %q", got)
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
				lines := layout(view(jobs), start.Add(time.Minute), "03:04:05  feature-01: 界界界 happened to it, at length", cols, rows)
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
		{80, 24, "run-1  running  2s  ETA unknown\n" +
			"[########................] 3/9 verified\n" +
			"  part-0                   in review\n  part-1                   in review\n  part-2                   in review\n" +
			"  part-3                   in review\n  part-4                   working\n  part-5                   waits\n" +
			"spent nothing, 0 sessions\ngate  no verdict yet\nlast  that\nCtrl-C leaves it running"},
		{40, 10, "running  2s  ETA unknown  run-1\n[##.....] 3/9 verified\n" +
			"  part-0                   in review\n  part-1                   in review\n  part-4                   working\n  3 more: 2 in review, 1 waits\n" +
			"spent nothing, 0 sessions\nlast  that\nCtrl-C leaves it running"},
		{20, 5, "running  2s  ETA u…\n[#..] 3/9 verified\n  part… working\n  5 more: 4 in rev…"},
		{80, 4, "run-1  running  2s  ETA unknown\n[########................] 3/9 verified\n  6 more: 4 in review, 1 working, 1 waits"},
		{80, 1, "run-1  running  2s  ETA unknown"},
	} {
		if got := strings.Join(layout(v, start.Add(2*time.Second), "that", c.cols, c.rows), "\n"); got != c.want {
			t.Errorf("%dx%d:\n%s\nwant\n%s", c.cols, c.rows, got, c.want)
		}
	}
}

// TestLiveTableInOneRow: with no row below it the line is drawn over itself, and
// nothing scrolls; the last one makes way for what is said after it.
func TestLiveTableInOneRow(t *testing.T) {
	var b bytes.Buffer
	table := &liveTable{w: &b, size: func() (int, int) { return 80, 1 }, now: func() time.Time { return time.Time{} }}
	table.draw(runs.RunView{ID: "run-1", State: run.StatusRunning})
	table.again()
	if got := b.String(); strings.Contains(got, "\n") || strings.Count(got, "\r\x1b[2Krun-1  running") != 2 {
		t.Errorf("drawn as %q", got)
	}
	table.draw(runs.RunView{ID: "run-1", State: run.StatusDone, Resting: true})
	if got := b.String(); strings.Count(got, "\n") != 1 {
		t.Errorf("the end is drawn as %q", got)
	}
}

// TestLiveTableInANarrowerTerminal: lines that the terminal broke when it became
// narrower are drawn over, too; what was below is taken away.
func TestLiveTableInANarrowerTerminal(t *testing.T) {
	var b bytes.Buffer
	cols, rows := 80, 24
	table := &liveTable{w: &b, size: func() (int, int) { return cols, rows }, now: func() time.Time { return time.Time{} }}
	table.draw(runs.RunView{ID: "run-1", State: run.StatusDone, Resting: true, Sessions: 3}) // of 17, 39, 46 and 20 characters
	b.Reset()
	cols = 30
	table.again()
	if got := b.String(); !strings.HasPrefix(got, "\x1b[6A") || !strings.HasSuffix(got, "\n\x1b[J") {
		t.Errorf("redrawn as %q", got)
	}
	b.Reset()
	rows = 3
	table.again()
	if got := b.String(); !strings.HasPrefix(got, "\x1b[2A") || strings.Count(got, "\n") != 2 {
		t.Errorf("in three rows %q", got)
	}
}
