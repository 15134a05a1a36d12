package runs

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"kedge/internal/app/runs"
	"kedge/internal/cli/frame"
	"kedge/internal/core/run"
	"kedge/internal/text/plain"
	"kedge/internal/text/words"
)

// Below this many characters a line says what matters first, and shorter.
const narrow = 60

// layout is the table of a run as it fits a terminal: where it stands, who works on
// what, what it cost. No line is as wide as the terminal, which some would answer with
// a line of their own, and one row is left for the cursor below. What there is no room
// for is left out: first the verdict and the costs, then of the work what rests.
func layout(v runs.RunView, now time.Time, step string, cols, rows int) []string {
	width, room := max(cols-1, 1), max(rows-1, 1)
	parts := tableParts(v, now, step, width)
	kept := keptParts(parts, room, len(v.Jobs))
	var out []string
	for i, p := range parts {
		if p.jobs {
			out = append(out, jobLines(v.Jobs, room-len(kept), width)...)
		} else if kept[i] {
			out = append(out, p.text)
		}
	}
	for i, l := range out {
		out[i] = frame.CutTo(strings.TrimRight(plain.Line(l), " "), width)
	}
	return out
}

// part is a line of the table, or the place of the jobs. The higher its rank, the
// sooner it is left out.
type part struct {
	text string
	rank int
	jobs bool
}

func tableParts(v runs.RunView, now time.Time, step string, width int) []part {
	parts := []part{{text: headLine(v, now, width), rank: 0}}
	if v.Reason != "" && !v.Resting { // the end is said below the table
		parts = append(parts, part{text: indented(v.Reason, width), rank: 4})
	}
	parts = append(parts, part{text: barLine(v, width), rank: 1}, part{jobs: true},
		part{text: spendLine(v), rank: 5}, part{text: gateLine(v), rank: 6})
	if text := forecastLine(v); text != "" {
		parts = append(parts, part{text: text, rank: 7})
	}
	if step != "" {
		parts = append(parts, part{text: "last  " + step, rank: 2})
	}
	if !v.Resting {
		parts = append(parts, part{text: "Ctrl-C leaves it running", rank: 3})
	}
	return parts
}

func indented(s string, width int) string {
	if width < narrow {
		return s
	}
	return "      " + s
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

// jobLines are the jobs, a line each, as far as there is room; of the others how many
// they are and what they do.
func jobLines(jobs []runs.RunJob, room, width int) []string {
	if room <= 0 {
		return nil
	}
	shown := map[int]bool{}
	for urgency := range 3 {
		for i, j := range jobs {
			if urgencyOf(j) == urgency && (len(jobs) <= room || len(shown) < room-1) {
				shown[i] = true
			}
		}
	}
	var out []string
	var more []runs.RunJob
	for i, j := range jobs {
		if shown[i] {
			out = append(out, jobLine(j, width))
		} else {
			more = append(more, j)
		}
	}
	if len(more) > 0 {
		out = append(out, moreLine(more))
	}
	return out
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

// moreLine tells of jobs that are not shown.
func moreLine(jobs []runs.RunJob) string {
	var words []string
	counts := map[string]int{}
	for _, j := range jobs {
		text := phaseText(j)
		if counts[text] == 0 {
			words = append(words, text)
		}
		counts[text]++
	}
	for i, w := range words {
		words[i] = strconv.Itoa(counts[w]) + " " + w
	}
	return "  " + strconv.Itoa(len(jobs)) + " more: " + strings.Join(words, ", ")
}

// headLine is where the run stands. Its id has no room in a narrow terminal before
// anything else.
func headLine(v runs.RunView, now time.Time, width int) string {
	s := words.Spaced(v.State) + "  " + frame.Span(now.Sub(v.StartedAt))
	if !v.Resting {
		s += "  ETA " + etaText(v.ETA)
	}
	if width < narrow {
		return s + "  " + string(v.ID)
	}
	return string(v.ID) + "  " + s
}

// barWidth is how many characters the progress bar has at most.
const barWidth = 24

func barLine(v runs.RunView, width int) string {
	n, total, bar := v.Features.Completed+v.Features.Skipped, v.Features.Total, barWidth
	if width < narrow {
		bar = width / 5
	}
	full := 0
	if total > 0 {
		full = n * bar / total
	}
	s := "[" + strings.Repeat("#", full) + strings.Repeat(".", bar-full) + "] " +
		strconv.Itoa(v.Features.Completed) + "/" + strconv.Itoa(total) + " verified"
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
	return s
}

// jobLine is a job: whose it is, what happens to it, how full its context is.
func jobLine(j runs.RunJob, width int) string {
	const column, phase = 24, 11
	name := plain.Line(string(j.Feature))
	if name == "" {
		name = map[run.JobKind]string{run.Fix: "the baseline", run.Plan: "the plan", run.Verify: "what is to land"}[j.Kind]
	}
	place := max(width-phase-3, 5) // what it does is not cut for its name
	name = frame.CutTo(name, place)
	s := fmt.Sprintf("  %s%s %-*s", name, strings.Repeat(" ", max(min(column, place)-frame.Cells(name), 0)), phase, phaseText(j))
	if j.Attempt > 1 {
		s += fmt.Sprintf(" attempt %d", j.Attempt)
	}
	if j.Session != "" {
		s += "  context " + gauge(j.ContextTokens, j.ContextWindow)
	}
	for _, text := range []string{j.Question, j.Reason, j.Notice} {
		if text != "" {
			return s + "  " + text
		}
	}
	return s
}

// broken is how many rows lines take in a terminal that breaks those anew which are
// wider than it.
func broken(lines []string, cols int) (rows int) {
	for _, l := range lines {
		rows += max((frame.Cells(l)+cols-1)/max(cols, 1), 1)
	}
	return rows
}
