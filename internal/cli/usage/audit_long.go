package usage

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"kedge/internal/app/reports"
	"kedge/internal/cli/frame"
	"kedge/internal/insight/audit"
	"kedge/internal/text/plain"
)

// longText is every figure of sessions in words.
func longText(w io.Writer, out reports.AuditReply, l look) {
	t := out.Total
	filledText(w, t, l)
	row := func(name, format string, args ...any) {
		frame.Labelled(w, 13, name, plain.Line(fmt.Sprintf(format, args...)))
	}
	row("repeated", "%s of %s reads were of a file that was read before (%s); %s of %s commands had run before (%s); %s failed", frame.Thousands(t.Rereads), frame.Thousands(t.Reads), frame.Percent(t.Rereads, t.Reads),
		frame.Thousands(t.RepeatedCommands), frame.Thousands(t.Commands), frame.Percent(t.RepeatedCommands, t.Commands), frame.Counted(int(t.FailedCommands), "command"))
	row("tools", "%s", toolsText(t))
	row("never called", "%s", unusedText(out))
	row("context", "%s; %s; %s output in %s replies", largest(t), frame.Counted(int(t.Compactions), "compaction"), tokensText(t.OutputTokens), frame.Thousands(t.Calls))
	startText(row, out.Sessions)
	row("cost", "%s", costText(t))
	qualityText(row, t.Quality)
	if t.SkippedLines > 0 {
		row("skipped", "%s that Kedge does not understand", frame.Counted(int(t.SkippedLines), "line"))
	}
}

// sessionsText counts sub-agents by themselves: nobody began a session for them.
func sessionsText(list []audit.Figures) string {
	side := 0
	for _, f := range list {
		if f.Parent != "" {
			side++
		}
	}
	if side == 0 {
		return frame.Counted(len(list), "session")
	}
	return frame.Counted(len(list)-side, "session") + " and " + frame.Counted(side, "sub-agent")
}

// startText tells what sessions had before they did anything, and what they did
// before the first edit, of those that have such a figure.
func startText(row func(name, format string, args ...any), list []audit.Figures) {
	var starts, tokens, edits, actions, chars int64
	for _, f := range list {
		if f.StartTokens != nil {
			starts, tokens = starts+1, tokens+*f.StartTokens
		}
		if f.ActionsToEdit != nil && f.CharsToEdit != nil {
			edits, actions, chars = edits+1, actions+*f.ActionsToEdit, chars+*f.CharsToEdit
		}
	}
	if starts > 0 {
		row("start", "%s tokens%s at the first reply: instructions, tool schemas, rules and the first request; in a resumed session, also everything before it", frame.Thousands(frame.Nearest(tokens, starts)), onAverage(starts))
	}
	if edits > 0 {
		row("first edit", "after %s and %s tokens of reading%s", frame.Counted(int(frame.Nearest(actions, edits)), "action"), frame.AboutTokens(frame.Nearest(chars, edits)), onAverage(edits))
	}
}

func onAverage(n int64) string {
	if n == 1 {
		return ""
	}
	return " on average"
}

func filledText(w io.Writer, t audit.Figures, l look) {
	sum := t.Sources.Sum()
	heading(w, "What filled the context", fmt.Sprintf("%s characters, %s tokens", frame.Thousands(sum), frame.AboutTokens(sum)))
	table := frame.Table{Indent: 2, Columns: []frame.Column{{}, {Right: true}, {}, {Least: 12, Spare: true}}}
	for _, s := range sourcesOf(t) {
		share, bar, note := frame.Percent(s.chars, sum), frame.Bar(s.chars, sum, 20, l.utf8), s.note
		if s.unseen && s.chars == 0 { // unknown, and not nothing
			share, bar, note = "?", "", "transcripts do not have them"
		} else if s.unseen {
			note += "; not all in transcripts"
		}
		table.Add(frame.Cell{Text: s.name}, frame.Cell{Text: share}, frame.Cell{Text: fmt.Sprintf("%-20s", bar)}, frame.Cell{Text: note, Role: frame.Quiet})
	}
	table.Print(w)
	fmt.Fprintln(w)
}

// source is a part of what filled a context.
type source struct {
	name, note, class string
	chars             int64
	unseen            bool // transcripts do not have it, or not all
}

func sourcesOf(t audit.Figures) []source {
	has := func(name string) bool { return slices.Contains(t.Unseen, name) }
	return []source{
		{"stale reads", "of files that were edited afterwards", "stale", t.Sources.StaleReads, false},
		{"file reads", "of all other files", "reads", t.Sources.FileReads, has("file_reads")},
		{"tool output", "of commands, searches and the rest", "output", t.Sources.ToolOutput, false},
		{"failed", "calls that failed: what was asked for, and the answer", "failed", t.Sources.FailedAttempts, false},
		{"dialogue", "what you and the model wrote, tool input too", "talk", t.Sources.Dialogue, false},
		{"rules", "added by the agent's program", "rules", t.Sources.Rules, has("rules")},
		{"tool schemas", "of the tools that were offered", "schemas", t.Sources.ToolSchemas, has("tool_schemas")},
	}
}

func toolsText(t audit.Figures) string {
	var list []string
	for _, x := range t.Tools[:min(4, len(t.Tools))] {
		list = append(list, fmt.Sprintf("%s %s× %s chars", x.Name, frame.Thousands(x.Calls), frame.Thousands(x.ResultChars)))
	}
	return first(strings.Join(list, ", "), "none")
}

func costText(t audit.Figures) string {
	text := usd(t.USD)
	if t.USD == nil && t.Calls > 0 {
		text = "unknown: Kedge has no price of " + plain.Line(strings.Join(unpricedModels(t), ", ")) + "; to add one: kedge cost --help"
	}
	if t.Estimated && t.USD != nil {
		text += ", estimated from prices"
	}
	if list := unpricedModels(t); t.USD != nil && len(list) > 0 {
		text += fmt.Sprintf("; without %s, because Kedge has no price of %s", frame.Counted(t.UnknownUSD, "session"), strings.Join(list, ", "))
	}
	if t.PartialUsage {
		text += "; the true cost may be higher: " + partialUsage
	}
	return text
}

// partialUsage is why a transcript has not all that a session used.
const partialUsage = "some calls of a model are in no transcript"

// unpricedModels are the models of which a call has no price.
func unpricedModels(t audit.Figures) []string {
	var list []string
	for _, m := range t.Models {
		if m.UnpricedCalls > 0 {
			list = append(list, first(m.Model, "an unnamed model"))
		}
	}
	return list
}

// unusedText names the tools that cost context and were never called.
func unusedText(out reports.AuditReply) string {
	if out.Unused == nil {
		return "unknown: the transcripts do not say which tools were offered"
	}
	var names []string
	known, chars := 0, int64(0)
	for _, x := range out.Unused {
		names = append(names, x.Name)
		if x.SchemaChars != nil {
			known, chars = known+1, chars+*x.SchemaChars
		}
	}
	if len(names) == 0 {
		return "none"
	}
	cost := "the cost of their schemas is unknown"
	if known > 0 {
		cost = fmt.Sprintf("their schemas take %s tokens in each session", frame.AboutTokens(chars))
	}
	if known > 0 && known < len(names) {
		cost += fmt.Sprintf(" (unknown for %d of them)", len(names)-known)
	}
	const most = 8
	if more := len(names) - most; more > 0 {
		names = append(names[:most], fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("%s of %s offered: %s; %s", frame.Counted(len(out.Unused), "tool"), frame.Thousands(int64(len(out.Total.Offered))), strings.Join(names, ", "), cost+"; to leave them out, add [[tools]] to .kedge/config.toml")
}

func first(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func largest(t audit.Figures) string {
	if t.MaxContextTokens == nil {
		return "size unknown"
	}
	return "largest " + frame.Thousands(*t.MaxContextTokens) + " tokens"
}

func qualityText(row func(name, format string, args ...any), q *audit.Quality) {
	if q == nil {
		row("quality", "unknown")
		return
	}
	row("quality", "with %s tokens of context a model does %.0f–%.0f%% as well as with a short context; it stays above %.0f%% up to %s–%s tokens, a good budget for one feature", frame.Thousands(q.AtTokens),
		q.Low*100, q.High*100, audit.Enough*100, frame.Thousands(q.BudgetLow), frame.Thousands(q.BudgetHigh))
	row("", "estimated from published measurements: %s", q.Source)
}

func changesText(w io.Writer, changes []audit.Change, sum int64) {
	if len(changes) == 0 {
		return
	}
	heading(w, "What would have saved most", "these overlap")
	for i, c := range changes {
		frame.Labelled(w, 24, fmt.Sprintf("  %d. %s", i+1, strings.ReplaceAll(c.Name, "_", " ")), fmt.Sprintf("%s tokens, %s: %s", frame.AboutTokens(c.Chars), frame.Percent(c.Chars, sum), c.Do))
	}
}

// heading begins a part of an answer.
func heading(w io.Writer, title, note string) {
	frame.Put(w, frame.Name, title)
	if note != "" {
		frame.Put(w, frame.Quiet, " ("+note+")")
	}
	frame.Put(w, frame.Plain, "\n")
}

func agents(list []audit.Figures) string {
	var names []string
	count := map[string]int{}
	for _, f := range list {
		if count[f.Agent] == 0 {
			names = append(names, f.Agent)
		}
		count[f.Agent]++
	}
	if len(names) > 1 {
		for i, n := range names {
			names[i] = fmt.Sprintf("%s %d", n, count[n])
		}
	}
	return strings.Join(names, ", ")
}

func usd(v *float64) string {
	if v == nil {
		return "unknown"
	}
	return frame.USD(*v) + " USD"
}

func tokensText(n *int64) string {
	if n == nil {
		return "unknown tokens of"
	}
	return frame.Thousands(*n) + " tokens of"
}
