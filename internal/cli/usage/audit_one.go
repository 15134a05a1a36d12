package usage

import (
	"fmt"
	"io"
	"strings"
	"time"

	"kedge/internal/app/reports"
	"kedge/internal/cli/frame"
	"kedge/internal/insight/audit"
	"kedge/internal/text/plain"
)

// oneText is all that is known of one session, and of its sub-agents.
func oneText(w io.Writer, out reports.AuditReply, r auditRow, l look) {
	const indent = 13
	label := func(name, text string) {
		if text != "" {
			frame.Labelled(w, indent, name, plain.Line(text))
		}
	}
	head := frame.Table{Columns: []frame.Column{{}, {Least: 20, Spare: true}}}
	head.Add(frame.Cell{Text: shortID(r.ID, l), Role: frame.Name}, frame.Cell{Text: oneHead(r)})
	head.Print(w)
	label("asked", frame.CutTo(r.Goal, 200))
	label("worked for", workedFor(r.Figures))
	label("in", r.Dir)
	fmt.Fprintln(w)
	curveText(w, r.Figures, l)
	costParts(w, out, r)
	largestText(w, r.Figures)
	againText(w, r.Figures)
	longText(w, out, l)
	fmt.Fprintln(w)
	changesText(w, out.Changes, out.Total.Composition.Sum())
}

func oneHead(r auditRow) string {
	list := []string{r.Agent}
	if r.Model != "" {
		list = append(list, r.Model)
	}
	list = append(list, spanDays(r.StartedAt, r.EndedAt))
	if length := lengthText(r.Figures); length != "" {
		list = append(list, length)
	}
	if r.agents > 0 {
		list = append(list, frame.Counted(r.agents, "sub-agent"))
	}
	return strings.Join(list, ", ")
}

// replies is a number of replies.
func replies(n int64) string {
	if n == 1 {
		return "1 reply"
	}
	return frame.Thousands(n) + " replies"
}

// workedFor names the session of Kedge, and the feature and the run that it worked for.
func workedFor(f audit.Figures) string {
	var list []string
	if f.Feature != "" {
		list = append(list, "feature "+f.Feature)
	}
	if f.Run != "" {
		list = append(list, f.Run)
	}
	if f.Session != "" {
		list = append(list, "session "+f.Session)
	}
	return strings.Join(list, ", ")
}

// The size of a curve in several lines.
const (
	curveCells = 60
	curveLines = 5
)

// curveText draws how a context filled, the tokens at the left and the time below.
func curveText(w io.Writer, f audit.Figures, l look) {
	if len(f.Curve) < 2 || f.MaxContextTokens == nil {
		return
	}
	heading(w, "Context over time", fmt.Sprintf("up to %s tokens, %s, %s", frame.Thousands(*f.MaxContextTokens), replies(f.Calls), frame.Counted(int(f.Compactions), "compaction")))
	values := stretched(f.Curve, curveCells)
	wall := "|"
	if l.utf8 {
		wall = "│"
	}
	step := max(*f.MaxContextTokens/curveLines, 1)
	for line := curveLines - 1; line >= 0; line-- {
		name := ""
		switch line {
		case curveLines - 1:
			name = shortTokens(*f.MaxContextTokens)
		case 0:
			name = "0"
		}
		var parts strings.Builder
		for _, v := range values {
			if above := v - int64(line)*step; above > 0 {
				parts.WriteString(frame.Spark([]int64{min(above, step)}, step, l.utf8))
			} else {
				parts.WriteByte(' ')
			}
		}
		frame.Put(w, frame.Quiet, fmt.Sprintf("%6s %s", name, wall))
		frame.Put(w, frame.Plain, strings.TrimRight(parts.String(), " ")+"\n")
	}
	last := len(values)
	if marks := compactedAt(f, last); marks != "" {
		frame.Put(w, frame.Quiet, "        "+marks+" compacted\n")
	}
	from, to := clocks(f)
	frame.Put(w, frame.Quiet, fmt.Sprintf("        %s%s%s\n\n", from, strings.Repeat(" ", max(last-frame.Cells(from)-frame.Cells(to), 1)), to))
}

// stretched brings a curve to so many figures, by its replies.
func stretched(curve []audit.Point, cells int) []int64 {
	out := make([]int64, cells)
	for i := range out {
		out[i] = curve[i*len(curve)/cells].Tokens
	}
	return out
}

// compactedAt marks the places of compactions below a curve of so many cells.
func compactedAt(f audit.Figures, cells int) string {
	marks := []byte(strings.Repeat(" ", cells))
	last := f.Curve[len(f.Curve)-1].Reply
	for _, c := range f.Compacted {
		marks[min(int(c.Reply*int64(cells)/max(last, 1)), cells-1)] = '^'
	}
	return strings.TrimRight(string(marks), " ")
}

// clocks are when a session began and ended, with the day where it is another one.
func clocks(f audit.Figures) (from, to string) {
	a, okA := timeOf(f.StartedAt)
	b, okB := timeOf(f.EndedAt)
	if !okA || !okB {
		return "", ""
	}
	form := "15:04"
	if a.Format(time.DateOnly) != b.Format(time.DateOnly) {
		form = "2 Jan 15:04"
	}
	return a.Format(form), b.Format(form) + " UTC"
}

// costParts says why a session cost what it cost.
func costParts(w io.Writer, out reports.AuditReply, r auditRow) {
	f := r.Figures
	if f.Kinds == nil || f.USD == nil || *f.USD <= 0 {
		return
	}
	heading(w, "Why it cost "+moneyText(f), "")
	var used audit.GroupSpent
	for _, m := range f.Models {
		used.Input += m.InputTokens
		used.CacheRead += m.CacheReadTokens
		used.CacheWrite += m.CacheWriteTokens
		used.Output += m.OutputTokens
	}
	t := frame.Table{Indent: 2, Columns: []frame.Column{{}, {Right: true}, {Right: true}, {Right: true}, {Least: 20, Spare: true}}}
	for _, p := range []struct {
		name   string
		tokens int64
		usd    float64
		note   string
	}{
		{"context sent again", used.CacheRead, f.Kinds.CacheRead, fmt.Sprintf("cache reads: %s × %s tokens", replies(f.Calls), shortTokens(f.Given()/max(f.Calls, 1)))},
		{"new context", used.CacheWrite, f.Kinds.CacheWrite, "cache writes, of a context of " + sizeText(f) + " at most"},
		{"not cached", used.Input, f.Kinds.Input, "input that was in no cache"},
		{"output", used.Output, f.Kinds.Output, "what the model wrote and thought"},
	} {
		if p.tokens > 0 {
			t.Add(frame.Cell{Text: p.name}, frame.Cell{Text: shortTokens(p.tokens) + " tokens"}, frame.Cell{Text: cents(p.usd)},
				frame.Cell{Text: frame.Percent(int64(p.usd*1e6), int64(*f.USD*1e6))}, frame.Cell{Text: p.note, Role: frame.Quiet})
		}
	}
	if r.agents > 0 && out.Total.USD != nil {
		t.Add(frame.Cell{Text: "sub-agents"}, frame.Cell{}, frame.Cell{Text: cents(*out.Total.USD - *f.USD)}, frame.Cell{}, frame.Cell{Text: "added to the cost above", Role: frame.Quiet})
	}
	t.Print(w)
	fmt.Fprintln(w)
}

// largestText lists what filled the context most, by name.
func largestText(w io.Writer, f audit.Figures) {
	if len(f.Largest) == 0 {
		return
	}
	heading(w, "What filled it most, by name", "")
	t := frame.Table{Indent: 2, Columns: []frame.Column{{Right: true}, {Right: true}, {}, {Least: 30, Spare: true, Ends: true}}}
	for _, x := range f.Largest[:min(8, len(f.Largest))] {
		t.Add(frame.Cell{Text: about(x.Chars) + " tokens"}, frame.Cell{Text: frame.Thousands(x.Times) + "×"}, frame.Cell{Text: x.Tool, Role: frame.Quiet}, frame.Cell{Text: x.Name})
	}
	t.Print(w)
	fmt.Fprintln(w)
}

// againText lists what was read and run again and again.
func againText(w io.Writer, f audit.Figures) {
	if len(f.FilesAgain)+len(f.CommandsAgain) == 0 {
		return
	}
	heading(w, "Again and again", "")
	for _, u := range f.FilesAgain {
		againLine(w, "  read  ", u.Reads, u.RereadChars, u.Path, "", true)
	}
	for _, u := range f.CommandsAgain {
		againLine(w, "  run   ", u.Runs, u.RepeatedChars, u.Command, failedText(u), false)
	}
	fmt.Fprintln(w)
}
