package usage

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"kedge/internal/app/reports"
	"kedge/internal/cli/frame"
	"kedge/internal/insight/audit"
	"kedge/internal/text/plain"
)

// look is how an audit is shown.
type look struct {
	utf8, terminal bool
	rows           int // of the terminal
	all, long      bool
	everywhere     bool // sessions of every folder
}

// command is kedge audit with more flags, for the same sessions.
func (l look) command(flags string) string {
	if l.everywhere {
		return "kedge audit --everywhere " + flags
	}
	return "kedge audit " + flags
}

// auditText shows an answer: groups where they were asked for, one session with all that
// is known of it, or the sessions that cost most with what they have in common.
func auditText(w io.Writer, out reports.AuditReply, l look) {
	for _, u := range out.Unread {
		frame.Put(w, frame.Failed, "not read")
		frame.Put(w, frame.Plain, ": "+plain.Line(u.File)+": "+plain.Line(u.Why)+"\n")
	}
	rows := auditRows(out.Sessions)
	switch {
	case len(out.Sessions) == 0:
	case out.By != "":
		groupsText(w, out, l)
	case len(rows) == 1:
		oneText(w, out, rows[0], l)
	default:
		manyText(w, out, rows, l)
	}
}

// auditRow is a session with what its sub-agents cost.
type auditRow struct {
	audit.Figures
	usd    *float64
	lacks  bool // the cost of a part is unknown
	agents int  // sub-agents
}

// auditRows puts the sessions that cost most first, then those that were given most, then
// the oldest. A sub-agent is a part of its session, where that is there.
func auditRows(list []audit.Figures) []auditRow {
	at := map[string]int{}
	var rows []auditRow
	for _, f := range list {
		if f.Parent == "" {
			at[f.ID] = len(rows)
			rows = append(rows, auditRow{Figures: f, usd: f.USD, lacks: f.UnknownUSD > 0})
		}
	}
	for _, f := range list {
		if f.Parent == "" {
			continue
		}
		i, ok := at[f.Parent]
		if !ok {
			rows = append(rows, auditRow{Figures: f, usd: f.USD, lacks: f.UnknownUSD > 0})
			continue
		}
		rows[i].agents++
		rows[i].lacks = rows[i].lacks || f.UnknownUSD > 0
		if f.USD != nil {
			sum := *f.USD
			if rows[i].usd != nil {
				sum += *rows[i].usd
			}
			rows[i].usd = &sum
		}
	}
	slices.SortStableFunc(rows, func(a, b auditRow) int {
		return cmp.Or(cmp.Compare(amount(b.usd), amount(a.usd)), cmp.Compare(b.Given(), a.Given()))
	})
	return rows
}

// headText says what was looked at, and what it cost: in one line, or in two where the
// terminal is narrow.
func headText(w io.Writer, out reports.AuditReply) {
	what := sessionsText(out.Sessions)
	rest := plain.Line(ofAgents(out.Sessions)) + ", " + spanDays(out.Total.StartedAt, out.Total.EndedAt)
	frame.Put(w, frame.Name, what)
	frame.Put(w, frame.Plain, rest)
	money := moneyText(out.Total)
	if p, ok := w.(*frame.Page); ok && p.Cols() > 0 && frame.Cells(what+rest+", "+money) > p.Cols() {
		frame.Put(w, frame.Plain, "\n"+money+"\n")
		return
	}
	frame.Put(w, frame.Plain, ", "+money+"\n\n")
}

// ofAgents says whose sessions they are.
func ofAgents(list []audit.Figures) string {
	names := agents(list)
	if n := strings.Count(names, ", "); n > 0 {
		return fmt.Sprintf(" of %d agents", n+1)
	}
	return " of " + names
}

// amount orders costs, with unknown ones below nothing.
func amount(usd *float64) float64 {
	if usd == nil {
		return -1
	}
	return *usd
}

// manyText is one screen of a terminal of 80x24.
func manyText(w io.Writer, out reports.AuditReply, rows []auditRow, l look) {
	headText(w, out)
	shown := rows
	if most := l.sessions(); len(rows) > most {
		shown = rows[:most]
	}
	sessionsTable(shown, l).Print(w)
	if more := len(rows) - len(shown); more > 0 {
		frame.Put(w, frame.Quiet, fmt.Sprintf("  … %d more: %s\n", more, l.command("--all")))
	}
	if l.long {
		fmt.Fprintln(w)
		longText(w, out, l)
		fmt.Fprintln(w)
		changesText(w, out.Changes, out.Total.Composition.Sum())
		return
	}
	summary(w, out, rows[0], l)
}

// sessions is how many sessions are shown: as many as fit with what comes below them.
func (l look) sessions() int {
	const least, below = 5, 19
	switch {
	case l.all || l.long:
		return 1 << 30
	case l.terminal:
		return max(least, l.rows-below)
	default:
		return 2 * least
	}
}

// sessionsTable is a row for each session.
func sessionsTable(rows []auditRow, l look) *frame.Table {
	t := &frame.Table{Indent: 2, Columns: []frame.Column{
		{Title: "SESSION"},
		{Title: "DAY", Right: true, Drop: 1},
		{Title: "LENGTH", Right: true, Drop: 4},
		{Title: "CONTEXT OVER TIME"},
		{Title: "COMPACTED", Right: true, Drop: 6},
		{Title: "STALE", Right: true, Drop: 2},
		{Title: "REREAD", Right: true, Drop: 5},
		{Title: "COST", Right: true},
		{Title: "ASK", Least: 24, Spare: true, Drop: 3},
	}}
	most := int64(1)
	for _, r := range rows {
		if r.MaxContextTokens != nil {
			most = max(most, *r.MaxContextTokens)
		}
	}
	for _, r := range rows {
		compacted := ""
		if r.Compactions > 0 {
			compacted = frame.Thousands(r.Compactions) + "×"
		}
		t.Add(frame.Cell{Text: shortID(r.ID, l), Role: frame.Name}, frame.Cell{Text: shortDay(r.StartedAt)}, frame.Cell{Text: lengthText(r.Figures)},
			frame.Cell{Text: contextOverTime(r.Figures, most, l)}, frame.Cell{Text: compacted},
			frame.Cell{Text: partText(r.StaleReadChars, r.Figures)}, frame.Cell{Text: partText(r.RereadChars, r.Figures)},
			frame.Cell{Text: rowCost(r)}, frame.Cell{Text: askText(r, l)})
	}
	return t
}

// partText is a part of a context; nothing of one that has no characters.
func partText(chars int64, f audit.Figures) string {
	if f.Composition.Sum() == 0 {
		return ""
	}
	return frame.Percent(chars, f.Composition.Sum())
}

// sparkCells is how wide a curve in a table is.
const sparkCells = 12

// contextOverTime is the curve of a context and its largest size.
func contextOverTime(f audit.Figures, most int64, l look) string {
	if f.MaxContextTokens == nil || len(f.Curve) == 0 {
		return ""
	}
	curve := frame.Spark(audit.Levels(f.Curve, sparkCells), most, l.utf8)
	return fmt.Sprintf("%s%s %4s", curve, strings.Repeat(" ", max(sparkCells-frame.Cells(curve), 0)), shortTokens(*f.MaxContextTokens))
}

// shortTokens is a number of tokens in at most four cells, up to a billion.
func shortTokens(n int64) string {
	switch {
	case n >= 9_950_000:
		return fmt.Sprintf("%dM", frame.Nearest(n, 1_000_000))
	case n >= 999_500:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	case n >= 1000:
		return fmt.Sprintf("%dk", frame.Nearest(n, 1000))
	default:
		return fmt.Sprint(n)
	}
}

// idCells is how much of an id is shown: as much as tells ids apart, as git does it.
const idCells = 8

func shortID(id string, l look) string {
	short := strings.TrimPrefix(id, "agent-")
	if l.long || len(short) <= idCells {
		return id
	}
	return short[:idCells]
}

// askText is what a session was for.
func askText(r auditRow, l look) string {
	text := r.Goal
	if r.Feature != "" {
		text = "feature " + r.Feature
	}
	if r.agents > 0 {
		text = fmt.Sprintf("(+%s) %s", frame.Counted(r.agents, "sub-agent"), text)
	}
	if r.Parent != "" {
		text = "(sub-agent) " + text
	}
	if l.terminal || l.long {
		return text
	}
	return frame.CutTo(text, 100)
}

// rowCost is a cost in a table: ? is unknown, and + says that it is more.
func rowCost(r auditRow) string {
	switch {
	case r.usd == nil:
		return "?"
	case r.lacks:
		return cents(*r.usd) + "+"
	default:
		return cents(*r.usd)
	}
}

// cents is an amount in a table.
func cents(v float64) string {
	if v > 0 && v < 0.005 {
		return "<$0.01"
	}
	return fmt.Sprintf("$%.2f", v)
}

func dollar(v float64) string { return "$" + frame.USD(v) }

// moneyText is what sessions cost, and how sure that is.
func moneyText(t audit.Figures) string {
	if t.USD == nil {
		return "cost unknown"
	}
	text := dollar(*t.USD)
	if t.UnknownUSD > 0 {
		text = "at least " + text
	}
	var notes []string
	if t.Estimated {
		notes = append(notes, "estimated")
	}
	switch {
	case t.UnknownUSD > 0 && !t.PartialUsage:
		notes = append(notes, frame.Counted(t.UnknownUSD, "session")+" without a price")
	case t.UnknownUSD > 0:
		notes = append(notes, frame.Counted(t.UnknownUSD, "session")+" not known in full")
	}
	if len(notes) > 0 {
		text += " (" + strings.Join(notes, "; ") + ")"
	}
	return text
}

// summary is what sessions have in common, in few lines.
func summary(w io.Writer, out reports.AuditReply, first auditRow, l look) {
	const indent = 14
	label := func(name, text string) { frame.Labelled(w, indent, name, plain.Line(text)) }
	if why := whyText(first.Figures); why != "" {
		label("costs most", shortID(first.ID, l)+": "+why)
	}
	fmt.Fprintln(w)
	filled(w, out.Total, l)
	for i, u := range out.Total.FilesAgain[:min(2, len(out.Total.FilesAgain))] {
		againLine(w, fmt.Sprintf("%-*s", indent, onlyFirst(i, "read again")), u.Reads, u.RereadChars, u.Path, "", true)
	}
	for i, u := range out.Total.CommandsAgain[:min(1, len(out.Total.CommandsAgain))] {
		againLine(w, fmt.Sprintf("%-*s", indent, onlyFirst(i, "run again")), u.Runs, u.RepeatedChars, u.Command, failedText(u), false)
	}
	for i, c := range out.Changes {
		label(onlyFirst(i, "would save"), fmt.Sprintf("%5s tokens  %s", about(c.Chars), c.Do))
	}
	fmt.Fprintln(w)
	frame.Put(w, frame.Quiet, fmt.Sprintf("why %s cost so much: kedge audit %[1]s   page: kedge audit --html FILE\n", shortID(first.ID, l)))
}

func onlyFirst(i int, label string) string {
	if i > 0 {
		return ""
	}
	return label
}

// failedText is how often a command failed, and how often in the same way.
func failedText(u audit.CommandUse) string {
	switch {
	case u.SameWay > 1:
		return fmt.Sprintf("%s failed the same way", frame.Thousands(u.SameWay))
	case u.Failed > 0:
		return fmt.Sprintf("%s failed", frame.Thousands(u.Failed))
	}
	return ""
}

// againLine is what was read or run again: how often, what it put into contexts, and its name:
// of a path the end counts, of a command the beginning.
func againLine(w io.Writer, label string, times, chars int64, name, note string, path bool) {
	t := &frame.Table{Columns: []frame.Column{{}, {Least: 20, Spare: true, Ends: path}, {}}}
	if note != "" {
		note = "(" + note + ")"
	}
	t.Add(frame.Cell{Text: fmt.Sprintf("%4s  %5s tokens", frame.Thousands(times)+"×", about(chars))}, frame.Cell{Text: name}, frame.Cell{Text: note, Role: frame.Quiet})
	frame.Put(w, frame.Quiet, label)
	t.PrintWithin(w, frame.Cells(label))
}

// about is a number of tokens, estimated from characters.
func about(chars int64) string { return "~" + shortTokens(frame.Nearest(chars, 4)) }

// filled is what filled contexts: the three largest parts, and the rest.
func filled(w io.Writer, t audit.Figures, l look) {
	list := slices.DeleteFunc(sourcesOf(t), func(s source) bool { return s.chars == 0 })
	slices.SortStableFunc(list, func(a, b source) int { return cmp.Compare(b.chars, a.chars) })
	const shown = 3
	if len(list) > shown+1 {
		rest := source{name: "the rest"}
		for _, s := range list[shown:] {
			rest.chars += s.chars
			rest.note += ", " + s.name
		}
		rest.note = strings.TrimPrefix(rest.note, ", ")
		list = append(list[:shown:shown], rest)
	}
	table := frame.Table{Columns: []frame.Column{{}, {}, {Right: true}, {}, {Least: 12, Spare: true}}}
	for i, s := range list {
		table.Add(frame.Cell{Text: fmt.Sprintf("%-12s", onlyFirst(i, "filled by")), Role: frame.Quiet}, frame.Cell{Text: s.name}, frame.Cell{Text: frame.Percent(s.chars, t.Sources.Sum())},
			frame.Cell{Text: frame.Bar(s.chars, list[0].chars, 12, l.utf8)}, frame.Cell{Text: s.note, Role: frame.Quiet})
	}
	table.Print(w)
}

// whyText says in one line why a session cost what it cost.
func whyText(f audit.Figures) string {
	k := f.Kinds
	if k == nil || f.USD == nil || *f.USD <= 0 || f.Calls == 0 {
		return ""
	}
	share := func(part float64) string { return frame.Percent(int64(part*1e6), int64(*f.USD*1e6)) }
	each := shortTokens(f.Given() / f.Calls)
	switch most := max(k.Input, k.CacheRead, k.CacheWrite, k.Output); most {
	case k.CacheRead:
		return fmt.Sprintf("%s for sending its context again, %s × %s tokens", share(most), frame.Thousands(f.Calls), each)
	case k.CacheWrite:
		return fmt.Sprintf("%s for new context, %s tokens written to the cache", share(most), shortTokens(written(f)))
	case k.Input:
		return fmt.Sprintf("%s for context that was in no cache, %s × %s tokens", share(most), frame.Thousands(f.Calls), each)
	default:
		return fmt.Sprintf("%s for what the model wrote, %s output", share(most), tokensText(f.OutputTokens))
	}
}

func written(f audit.Figures) (n int64) {
	for _, m := range f.Models {
		n += m.CacheWriteTokens
	}
	return n
}

// lengthText is how long a session took, from its first word to its last.
func lengthText(f audit.Figures) string {
	a, okA := timeOf(f.StartedAt)
	b, okB := timeOf(f.EndedAt)
	if !okA || !okB {
		return ""
	}
	return frame.Span(b.Sub(a))
}

func timeOf(at *string) (time.Time, bool) {
	if at == nil {
		return time.Time{}, false
	}
	t, err := time.Parse(time.RFC3339, *at)
	return t, err == nil
}

func shortDay(at *string) string {
	t, ok := timeOf(at)
	if !ok {
		return ""
	}
	return t.Format("2 Jan")
}

// spanDays is from when to when, or the one day.
func spanDays(from, to *string) string {
	a, okA := timeOf(from)
	b, okB := timeOf(to)
	switch {
	case !okA || !okB:
		return "time unknown"
	case a.Format(time.DateOnly) == b.Format(time.DateOnly):
		return a.Format("2 Jan 2006")
	case a.Year() == b.Year():
		return a.Format("2 Jan") + " to " + b.Format("2 Jan 2006")
	default:
		return a.Format("2 Jan 2006") + " to " + b.Format("2 Jan 2006")
	}
}
