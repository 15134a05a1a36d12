package runs

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"kedge/internal/app/reports"
	"kedge/internal/app/runs"
	"kedge/internal/cli/frame"
	"kedge/internal/core/run"
	"kedge/internal/text/words"
)

// liveTable is a run on a terminal, redrawn in place. Every text that it shows
// goes through the one filter; the only escape codes are its own.
type liveTable struct {
	w     io.Writer
	size  func() (cols, rows int)
	now   func() time.Time
	say   func(reports.RunStep) string
	mu    sync.Mutex // of what follows: the clock draws too
	view  runs.RunView
	drawn []string // the last drawing
	step  string   // what happened last
}

// follow draws the table again whenever the clock ticks or the terminal has
// another size, until it is told to stop; stop returns when nothing draws.
func (t *liveTable) follow(ticks <-chan time.Time, resized <-chan os.Signal) (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-ticks:
			case <-resized:
			case <-quit:
				return
			}
			t.again()
		}
	}()
	return func() { close(quit); <-done }
}

func (t *liveTable) again() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.redraw()
}

func newLiveTable(env *frame.Env) *liveTable {
	return &liveTable{w: env.RawErr, size: env.ScreenSize, now: time.Now, say: func(st reports.RunStep) string { return stepLine(env, st) }}
}

// take remembers what happened last.
func (t *liveTable) take(l runs.RunLine) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l.Step != nil && l.Step.Text != "" {
		t.step = t.say(*l.Step)
	}
}

// draw puts the table over its last drawing.
func (t *liveTable) draw(v runs.RunView) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.view = v
	t.redraw()
}

// redraw draws what fits the terminal as it is now. Lines of the last drawing that
// the terminal has broken anew since, because it is narrower, are more than they were.
func (t *liveTable) redraw() {
	cols, rows := t.size()
	lines := layout(t.view, t.now(), t.step, cols, rows)
	var b strings.Builder
	if up := min(broken(t.drawn, cols), rows-1); up > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", up)
	}
	for _, l := range lines {
		b.WriteString("\r\x1b[2K" + l + "\n")
	}
	b.WriteString("\x1b[J") // what was longer before
	t.drawn = lines
	if rows <= 1 && !t.view.Resting { // there is no row below: the cursor stays, and nothing scrolls
		b.Reset()
		b.WriteString("\r\x1b[2K" + lines[0])
		t.drawn = nil
	}
	_, _ = io.WriteString(t.w, b.String()) // a terminal that is gone ends the command by itself
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

func spendLine(v runs.RunView) string {
	tokens, usd := "tokens unknown", "cost unknown"
	if v.Usage.Tokens != nil {
		tokens = frame.ShortNumber(*v.Usage.Tokens) + " tokens"
	}
	if v.Usage.USD != nil {
		usd = "$" + frame.USD(*v.Usage.USD)
	}
	if v.Limits.USD > 0 {
		usd += " of $" + frame.USD(v.Limits.USD)
	}
	if v.Limits.Tokens > 0 {
		tokens += " of " + frame.ShortNumber(v.Limits.Tokens)
	}
	sessions := words.Count(v.Sessions, "session")
	if v.Sessions == 0 && v.Usage.Tokens == nil && v.Usage.USD == nil {
		return "spent nothing, 0 sessions"
	}
	return fmt.Sprintf("spent %s, %s, %s", tokens, usd, sessions)
}

func gateLine(v runs.RunView) string {
	if v.Gate == nil {
		return "gate  no verdict yet"
	}
	s := "gate  " + frame.VerdictText(v.Gate.Verdict)
	if v.Gate.Feature != "" {
		s += " for " + string(v.Gate.Feature)
	}
	return s
}
