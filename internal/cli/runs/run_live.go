package runs

import (
	"strconv"
	"strings"
	"time"

	"kedge/internal/app/runs"
	"kedge/internal/cli/frame"
	"kedge/internal/core/run"
	"kedge/internal/text/words"
)

// liveTable is a run on a terminal, redrawn in place. Every text that it shows
// goes through the one filter; the only escape codes are Kedge's own.
type liveTable struct {
	live *frame.Live
	view runs.RunView
	step string // what happened last
}

func newLiveTable(env *frame.Env, v runs.RunView) *liveTable {
	t := &liveTable{view: v}
	t.live = frame.NewLive(env, func(cols, rows int) []string {
		return layout(sheet{cols, env.LivePage}, t.view, time.Now(), t.step, rows)
	})
	return t
}

// take shows one more line of progress.
func (t *liveTable) take(env *frame.Env, l runs.RunLine, v runs.RunView) {
	t.live.Update(func() {
		t.view = v
		if l.Step != nil && l.Step.Text != "" {
			t.step = stepLine(env, *l.Step)
		}
	})
}

// end shows the run as it rests; later lines are printed below it.
func (t *liveTable) end(v runs.RunView) {
	t.live.Update(func() { t.view = v })
	t.live.Over()
}

// etaText is unknown as long as nothing was completed by this run.
func etaText(eta *int64) string {
	if eta == nil {
		return "unknown"
	}
	return frame.Span(time.Duration(*eta) * time.Second)
}

func phaseText(j runs.RunJob) string {
	if j.Repair && j.Phase == run.Working {
		return "repairing"
	}
	if text, ok := phaseWords[j.Phase]; ok {
		return text
	}
	return string(j.Phase)
}

// phaseWords say what happens to a piece of work now.
var phaseWords = map[run.Phase]string{
	run.Preparing: "preparing", run.Baselining: "checking", run.Proving: "proving", run.Briefing: "briefing",
	run.Working: "working", run.Saving: "saving", run.Ending: "ending", run.Gating: "checking", run.Inspecting: "inspecting",
	run.Integrating: "merging", run.Committing: "committing", run.Rechecking: "rechecking", run.Recording: "recording",
	run.Ledgering: "recording", run.Ready: "waits", run.Stuck: "stuck", run.Idle: "rests", run.Asking: "asks",
	run.Reviewing: "in review", run.Limited: "waits", run.Reverting: "set aside",
}

// gauge is how full a context is; what was not reported is unknown.
func gauge(used, window *int64) string {
	switch {
	case used == nil:
		return "unknown"
	case window == nil || *window <= 0:
		return frame.ShortNumber(*used)
	default:
		return strconv.FormatInt(*used*100 / *window, 10) + "% of " + frame.ShortNumber(*window)
	}
}

// spendLine is what a run used; what it cost stands in the head, where that has room.
func spendLine(v runs.RunView, cols int) string {
	parts := []string{"tokens unknown"}
	if v.Usage.Tokens != nil {
		parts[0] = frame.ShortNumber(*v.Usage.Tokens) + " tokens"
	}
	if v.Limits.Tokens > 0 {
		parts[0] += " of " + frame.ShortNumber(v.Limits.Tokens)
	}
	switch {
	case v.Sessions == 0 && v.Usage.Tokens == nil && v.Usage.USD == nil:
		return "spent nothing, 0 sessions"
	case v.Usage.USD == nil && v.Limits.USD > 0:
		parts = append(parts, "cost unknown, budget $"+frame.USD(v.Limits.USD))
	case v.Usage.USD == nil:
		parts = append(parts, "cost unknown")
	case cols < narrow:
		parts = append(parts, strings.TrimSpace(moneyText(v)))
	}
	return "spent " + strings.Join(append(parts, words.Count(v.Sessions, "session")), ", ")
}
