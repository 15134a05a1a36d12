package runs

import (
	"strconv"
	"strings"
	"time"

	"kedge"
	"kedge/internal/app/runs"
	"kedge/internal/cli/frame"
	"kedge/internal/core/run"
	"kedge/internal/text/plain"
	"kedge/internal/text/words"
)

// Below this many characters a line says what matters first, and shorter.
const narrow = 60

// sheet gives empty pages for a terminal of so many columns, on which no line is as wide
// as the terminal.
type sheet struct {
	cols int
	page func(cols int) *frame.Page
}

// line is one line, cut to the terminal.
func (s sheet) line(cells ...frame.Cell) string {
	p := s.page(s.cols)
	frame.PutLine(p, cells...)
	return p.Lines()[0]
}

// tiny is a terminal without room for columns.
const tiny = 24

// table are rows of a sign, a name, a state and a text.
func (s sheet) table(rows [][]frame.Cell) []string {
	if len(rows) == 0 {
		return nil
	}
	p := s.page(s.cols)
	t := &frame.Table{Indent: 2, Columns: []frame.Column{{Tight: true}, {Least: 4}, {}, {Least: 6, Drop: 1, Spare: true}}}
	for _, row := range rows {
		if s.cols < tiny { // what it does is not cut for its name
			name := frame.CutTo(plain.Line(row[1].Text), max(s.cols-frame.Cells(row[2].Text)-4, 3))
			frame.PutLine(p, row[0], frame.Cell{Text: " "}, frame.Cell{Text: name, Role: frame.Name}, frame.Cell{Text: " "}, row[2])
			continue
		}
		t.Add(row...)
	}
	t.Print(p)
	return p.Lines()
}

// layout is the table of a run as it fits a terminal: where it stands, what is done, who
// works on what, what it cost. One row is left for the cursor below. What there is no room
// for is left out: first what is done, the verdict and the costs, then of the work what rests.
// A run that does not work draws nothing: how it ended is printed instead.
func layout(s sheet, v runs.RunView, now time.Time, step string, rows int) []string {
	if v.Resting {
		return nil
	}
	room := max(rows-1, 1)
	parts := tableParts(s, v, now, step)
	kept := keptParts(parts, room, len(v.Jobs))
	var out []string
	for i, p := range parts {
		if p.jobs {
			out = append(out, workLines(s, v, room-len(kept))...)
		} else if kept[i] {
			out = append(out, p.text)
		}
	}
	return out
}

// part is a line of the table, or the place of the work. The higher its rank, the
// sooner it is left out.
type part struct {
	text string
	rank int
	jobs bool
}

func tableParts(s sheet, v runs.RunView, now time.Time, step string) []part {
	quiet := func(text string) string { return s.line(frame.Cell{Text: text, Role: frame.Quiet}) }
	var parts []part
	head, bar := headCells(v, now, s.cols), barCells(v, s.cols)
	if whole := append(append(head, frame.Cell{Text: "   "}), bar...); s.cols >= narrow && lengthOf(whole) < s.cols {
		parts = append(parts, part{text: s.line(whole...), rank: 0})
	} else {
		parts = append(parts, part{text: s.line(head...), rank: 0}, part{text: s.line(bar...), rank: 1})
	}
	if v.Reason != "" {
		parts = append(parts, part{text: s.line(frame.Cell{Text: v.Reason, Role: reasonRole(v)}), rank: 4})
	}
	parts = append(parts, part{jobs: true}, part{text: quiet(spendLine(v, s.cols)), rank: 5}, part{text: s.line(gateCells(v)...), rank: 6})
	if text := forecastLine(v); text != "" {
		parts = append(parts, part{text: quiet(text), rank: 7})
	}
	if step != "" {
		parts = append(parts, part{text: s.line(frame.Cell{Text: "last  ", Role: frame.Quiet}, frame.Cell{Text: step}), rank: 2})
	}
	return append(parts, part{text: quiet("Ctrl-C detaches; the run continues"), rank: 3})
}

// lengthOf is how many cells of a line texts take.
func lengthOf(cells []frame.Cell) (n int) {
	for _, c := range cells {
		n += frame.Cells(c.Text)
	}
	return n
}

// reasonRole is what the reason of a run that works means to you.
func reasonRole(v runs.RunView) frame.Role {
	if v.State == run.StatusRunning || v.State == run.StatusPlanning {
		return frame.Quiet
	}
	return frame.Waits
}

// shownJobs is how many jobs come before everything but where the run stands.
const shownJobs = 4

// keptParts are the places of the parts that there is room for beside the jobs: the
// first two always, the others by their rank.
func keptParts(parts []part, room, jobs int) map[int]bool {
	kept := map[int]bool{}
	free := max(room-min(jobs, shownJobs), min(room, 2))
	for rank := range 8 {
		for i, p := range parts {
			if !p.jobs && p.rank == rank && len(kept) < free {
				kept[i] = true
			}
		}
	}
	return kept
}

// workLines are what is done, what is worked on, and how much waits: a line each, as far as
// there is room. Jobs come before all others.
func workLines(s sheet, v runs.RunView, room int) []string {
	if room <= 0 {
		return nil
	}
	shown, rest := shownOf(v.Jobs, room)
	below := moreText(v, rest)
	done := v.Done
	if free := room - len(shown) - min(len(below), 1); len(done) > max(free, 0) {
		done = done[len(done)-max(free, 0):]
	}
	var rows [][]frame.Cell
	for _, d := range done {
		rows = append(rows, []frame.Cell{{Text: frame.SignVerified, Role: frame.Verified}, {Text: string(d.Feature), Role: frame.Name}, {Text: "verified"}, {Text: doneText(d), Role: frame.Quiet}})
	}
	for _, j := range shown {
		sign, role := jobSign(j)
		rows = append(rows, []frame.Cell{{Text: sign, Role: role}, {Text: jobName(j), Role: frame.Name}, {Text: phaseText(j), Role: role}, {Text: jobText(j)}})
	}
	out := s.table(rows)
	if below != "" {
		out = append(out, s.line(frame.Cell{Text: below, Role: frame.Quiet}))
	}
	return out[:min(len(out), room)]
}

// shownOf are the jobs that there is room for, in their order, and the others.
func shownOf(jobs []runs.RunJob, room int) (shown, rest []runs.RunJob) {
	is := map[int]bool{}
	for urgency := range 3 {
		for i, j := range jobs {
			if urgencyOf(j) == urgency && (len(jobs) <= room || len(is) < room-1) {
				is[i] = true
			}
		}
	}
	for i, j := range jobs {
		if is[i] {
			shown = append(shown, j)
		} else {
			rest = append(rest, j)
		}
	}
	return shown, rest
}

// urgencyOf orders jobs for a terminal that has no room for all: those at work, then
// those that want something of a person, then those that wait.
func urgencyOf(j runs.RunJob) int {
	switch j.Phase {
	case run.Asking, run.Reviewing, run.Stuck:
		return 1
	case run.Ready, run.Limited, run.Idle:
		return 2
	default:
		return 0
	}
}

// jobSign says with a sign and a colour whether a job works, waits for you or failed.
func jobSign(j runs.RunJob) (string, frame.Role) {
	switch j.Phase {
	case run.Asking, run.Reviewing:
		return frame.SignWaits, frame.Waits
	case run.Stuck, run.Reverting:
		return frame.SignFailed, frame.Failed
	case run.Ready, run.Limited, run.Idle:
		return frame.SignMore, frame.Quiet
	}
	return frame.SignRuns, frame.Plain
}

func jobName(j runs.RunJob) string {
	if j.Feature != "" {
		return string(j.Feature)
	}
	return map[run.JobKind]string{run.Fix: "the baseline fix", run.Plan: "the plan", run.Verify: "the merge to land"}[j.Kind]
}

// jobText is what is known of a job: its attempt, its context, what it asks or why it is so.
func jobText(j runs.RunJob) string {
	var parts []string
	if j.Attempt > 1 {
		parts = append(parts, "attempt "+strconv.Itoa(j.Attempt))
	}
	for _, text := range []string{j.Question, j.Reason, j.Notice} {
		if text != "" {
			return strings.Join(append(parts, text), "  ")
		}
	}
	if j.Session != "" {
		parts = append(parts, "context "+gauge(j.ContextTokens, j.ContextWindow))
	}
	return strings.Join(parts, "  ")
}

// doneText is what a feature took.
func doneText(d runs.RunDone) string {
	text := words.Count(d.Sessions, "session")
	if d.USD != nil {
		text += "  $" + frame.USD(*d.USD)
	}
	return text
}

// moreText tells of jobs that are not shown and of features that no job works on yet.
func moreText(v runs.RunView, jobs []runs.RunJob) string {
	var parts []string
	if len(jobs) > 0 {
		parts = append(parts, strconv.Itoa(len(jobs))+" more: "+phasesOf(jobs))
	}
	if n := v.Features.Pending; n > 0 {
		parts = append(parts, strconv.Itoa(n)+" not begun")
	}
	if len(parts) == 0 {
		return ""
	}
	return "  " + frame.SignMore + " " + strings.Join(parts, "; ")
}

// phasesOf counts jobs by what happens to them.
func phasesOf(jobs []runs.RunJob) string {
	var names []string
	counts := map[string]int{}
	for _, j := range jobs {
		text := phaseText(j)
		if counts[text] == 0 {
			names = append(names, text)
		}
		counts[text]++
	}
	for i, w := range names {
		names[i] = strconv.Itoa(counts[w]) + " " + w
	}
	return strings.Join(names, ", ")
}

// headCells are which run it is and where it stands. Its id has no room in a narrow terminal
// before anything else.
func headCells(v runs.RunView, now time.Time, cols int) []frame.Cell {
	state := frame.Cell{Text: words.Spaced(v.State) + " " + frame.Span(now.Sub(v.StartedAt)), Role: stateRole(v)}
	id := frame.Cell{Text: "run " + kedge.ShortID(v.ID), Role: frame.Name}
	eta := ""
	if v.ETA != nil {
		eta = "  ETA " + etaText(v.ETA)
	}
	if cols < narrow {
		return []frame.Cell{state, {Text: eta + "  "}, id}
	}
	return []frame.Cell{id, {Text: "  "}, state, {Text: eta + moneyText(v)}}
}

// stateRole is what the state of a run means to you.
func stateRole(v runs.RunView) frame.Role {
	switch v.State {
	case run.StatusRunning, run.StatusPlanning:
		return frame.Plain
	case run.StatusDone:
		if v.Kind == "" {
			return frame.Verified
		}
	case run.StatusStopped, run.StatusOverBudget:
		return frame.Failed
	}
	return frame.Waits
}

// moneyText is what a run cost, as far as it is known.
func moneyText(v runs.RunView) string {
	if v.Usage.USD == nil {
		return ""
	}
	text := "  $" + frame.USD(*v.Usage.USD)
	if v.Limits.USD > 0 {
		text += " of $" + frame.USD(v.Limits.USD)
	}
	return text
}

// barWidth is how many characters the progress bar has at most.
const barWidth = 12

// barCells are how much is verified, as a picture and in words.
func barCells(v runs.RunView, cols int) []frame.Cell {
	n, total, bar := v.Features.Completed+v.Features.Skipped, v.Features.Total, barWidth
	if cols < narrow {
		bar = min(bar, cols/5)
	}
	s := " " + strconv.Itoa(v.Features.Completed) + " of " + strconv.Itoa(total) + " verified"
	for _, c := range []struct {
		n    int
		what string
	}{
		{v.Features.Blocked, "blocked"},
		{v.Features.NeedsReview, map[bool]string{true: "waits for review", false: "wait for review"}[v.Features.NeedsReview == 1]},
		{v.Features.Regressed, "regressed"},
		{v.Features.Skipped, "skipped"},
	} {
		if c.n > 0 {
			s += ", " + strconv.Itoa(c.n) + " " + c.what
		}
	}
	return []frame.Cell{{Text: frame.Gauge(int64(n), int64(total), bar), Role: frame.Verified}, {Text: s}}
}

// gateCells are the last verdict.
func gateCells(v runs.RunView) []frame.Cell {
	label := frame.Cell{Text: "gate  ", Role: frame.Quiet}
	if v.Gate == nil {
		return []frame.Cell{label, {Text: "no verdict yet", Role: frame.Quiet}}
	}
	role := frame.Failed
	if v.Gate.Verdict == kedge.ValidationOK {
		role = frame.Verified
	}
	out := []frame.Cell{label, {Text: frame.VerdictText(v.Gate.Verdict), Role: role}}
	if v.Gate.Feature != "" {
		out = append(out, frame.Cell{Text: " for " + plain.Line(string(v.Gate.Feature))})
	}
	return out
}
