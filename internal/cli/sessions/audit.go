package sessions

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kedge/internal/agents/catalog"
	"kedge/internal/app/reports"
	"kedge/internal/cli/frame"
	"kedge/internal/insight/audit"
	"kedge/internal/text/plain"
	"kedge/internal/text/words"
)

// Audit is kedge audit.
func Audit(env *frame.Env) *cobra.Command {
	in := reports.AuditRequest{}
	c := &cobra.Command{
		Use:   "audit [FILE|SESSION…]",
		Short: "Show where context, time and money of past sessions went",
		Long: `Show what filled the context of past sessions, what repeated, what it cost and
what to change.

Kedge reads the transcripts that coding agents leave on disk. It needs no
set-up and no daemon, and it sends nothing anywhere. Without arguments it reads
every transcript of this project and its worktrees. It looks in:

` + transcriptPlaces("") + `A figure that is unknown is shown as unknown, never as 0. Codex reads files
with shell commands, so Kedge counts no reads for it. Copilot's usage and
Aider's times are unknown. A sub-agent with a transcript of its own is a
session of its own. Kedge names the changes that would have saved most. Their
savings overlap, so the sum can exceed the total.`,
		Example: `  kedge audit                       all sessions of this project
  kedge audit --since 7d --agent claude
  kedge audit 13da966e              one session, by the start of its id
  kedge audit session.jsonl --json  a file, for a script`,
		RunE: func(c *cobra.Command, args []string) error {
			in.What, in.Env = args, named(env.Environ, catalog.Transcripts().Variables())
			out, err := auditCall(c, env, in)
			if err != nil {
				return err
			}
			if err := env.Show(out, func(w io.Writer) { frame.Folded(env, 13, auditText)(w, out) }); err != nil {
				return err
			}
			if len(out.Sessions) == 0 {
				env.Talk("%s", noneText(out, in))
			}
			return nil
		},
	}
	c.Flags().StringVar(&in.Agent, "agent", "", "only transcripts of this `agent`")
	frame.CompleteFlag(c, "agent", frame.OneOf(catalog.Transcripts().Agents()...))
	c.Flags().StringVar(&in.Since, "since", "", "only sessions that ended after this `time`: an age (7d) or a date (2026-11-01)")
	return c
}

// noneText says why there is nothing to count: no transcript at all, or only older ones.
func noneText(out reports.AuditReply, in reports.AuditRequest) string {
	older := out.Older
	if older == nil {
		return "found no transcript of a session that worked in " + plain.Line(strings.Join(out.Folders, " or ")) + "; looked in:\n" +
			transcriptPlaces(in.Agent) + "to read a file: kedge audit FILE"
	}
	text := fmt.Sprintf("%s, none of them from --since %s or later", frame.Counted(older.Count, "transcript"), in.Since)
	if at, err := time.Parse(time.RFC3339, older.Newest); err == nil {
		text += "; the newest ended " + words.Ago(time.Since(at))
	}
	return text
}

// named gives the variables of an environment that are asked for.
func named(environ, names []string) map[string]string {
	out := map[string]string{}
	for _, name := range names {
		for _, kv := range environ {
			if value, ok := strings.CutPrefix(kv, name+"="); ok {
				out[name] = value
			}
		}
	}
	return out
}

// auditCall shows a bar on a terminal while transcripts are read.
func auditCall(c *cobra.Command, env *frame.Env, in reports.AuditRequest) (out reports.AuditReply, err error) {
	if !env.Redraws() {
		return frame.Call[reports.AuditReply](c.Context(), env, "audit", in)
	}
	err = env.Call.Call(c.Context(), "audit", in, &out, func(b json.RawMessage) {
		var p reports.AuditProgress
		if json.Unmarshal(b, &p) == nil {
			fmt.Fprint(env.RawErr, "\r\x1b[2K"+bar(p))
		}
	})
	fmt.Fprint(env.RawErr, "\r\x1b[2K")
	return out, err
}

// bar is how much was read, in cells of a twentieth.
func bar(p reports.AuditProgress) string {
	const cells = 20
	done := cells
	if p.Total > 0 {
		done = int(p.Bytes * cells / p.Total)
	}
	return fmt.Sprintf("reading transcripts [%s%s] %d of %d", strings.Repeat("=", done), strings.Repeat(" ", cells-done), p.Files, p.Of)
}

// auditText is one screen: what was looked at, what filled the context, what
// repeated, what it cost, what to change.
func auditText(w io.Writer, out reports.AuditReply) {
	for _, u := range out.Unread {
		fmt.Fprintf(w, "not read: %s: %s\n", plain.Line(u.File), plain.Line(u.Why))
	}
	if len(out.Sessions) == 0 {
		return
	}
	t := out.Total
	fmt.Fprintf(w, "%s, %s, %s\n\n", sessionsText(out.Sessions), days(t.StartedAt, t.EndedAt), agents(out.Sessions))
	filledText(w, t)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%-12s %s\n", name, plain.Line(fmt.Sprintf(format, args...)))
	}
	row("repeated", "%s of %s reads were of a file read before (%s), %s of %s commands were run before (%s); %s failed", frame.Thousands(t.Rereads), frame.Thousands(t.Reads), frame.Percent(t.Rereads, t.Reads),
		frame.Thousands(t.RepeatedCommands), frame.Thousands(t.Commands), frame.Percent(t.RepeatedCommands, t.Commands), frame.Counted(int(t.FailedCommands), "command"))
	row("tools", "%s", toolsText(t))
	row("never called", "%s", unusedText(out))
	row("context", "%s; %s; %s output in %s replies", largest(t), frame.Counted(int(t.Compactions), "compaction"), tokensText(t.OutputTokens), frame.Thousands(t.Calls))
	startText(row, out.Sessions)
	row("cost", "%s", costText(t))
	qualityText(row, t.Quality)
	if t.SkippedLines > 0 {
		row("skipped", "%s that could not be understood", frame.Counted(int(t.SkippedLines), "line"))
	}
	changesText(w, out.Changes, t.Composition.Sum())
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

func filledText(w io.Writer, t audit.Figures) {
	sum := t.Sources.Sum()
	fmt.Fprintf(w, "What filled the context: %s characters, %s tokens\n", frame.Thousands(sum), frame.AboutTokens(sum))
	for _, s := range []struct {
		name, note string
		n          int64
		unseen     string
	}{
		{"stale reads", "of files that were edited afterwards", t.Sources.StaleReads, ""},
		{"file reads", "of all other files", t.Sources.FileReads, "file_reads"},
		{"tool output", "of commands, searches and the rest", t.Sources.ToolOutput, ""},
		{"failed", "calls that failed: what was asked for, and the answer", t.Sources.FailedAttempts, ""},
		{"dialogue", "what you and the model wrote, tool input too", t.Sources.Dialogue, ""},
		{"rules", "put in by the program", t.Sources.Rules, "rules"},
		{"tool schemas", "", t.Sources.ToolSchemas, "tool_schemas"},
	} {
		sourceText(w, s.name, s.note, s.n, sum, slices.Contains(t.Unseen, s.unseen))
	}
	fmt.Fprintln(w)
}

// sourceText is one source with its share; what transcripts do not have is
// unknown, and not nothing.
func sourceText(w io.Writer, name, note string, n, sum int64, unseen bool) {
	if unseen && n == 0 {
		fmt.Fprintf(w, "  %-12s    ?  %-20s transcripts do not have them\n", name, "")
		return
	}
	if unseen {
		note += "; transcripts do not have all"
	}
	fmt.Fprintf(w, "  %-12s %4s  %-20s %s\n", name, frame.Percent(n, sum), strings.Repeat("#", int(frame.Nearest(frame.Share(n, sum), 5))), note)
}

func toolsText(t audit.Figures) string {
	var list []string
	for _, x := range t.Tools[:min(4, len(t.Tools))] {
		list = append(list, fmt.Sprintf("%s %s× %s chars", x.Name, frame.Thousands(x.Calls), frame.Thousands(x.ResultChars)))
	}
	return first(strings.Join(list, ", "), "none")
}

func costText(t audit.Figures) string {
	if t.Estimated && t.USD != nil {
		return usd(t.USD) + ", estimated from prices"
	}
	return usd(t.USD)
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
		cost = fmt.Sprintf("schemas %s tokens in each session", frame.AboutTokens(chars))
	}
	if known > 0 && known < len(names) {
		cost += fmt.Sprintf(", of %d unknown", len(names)-known)
	}
	const most = 8
	if more := len(names) - most; more > 0 {
		names = append(names[:most], fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("%s of %s offered: %s; %s", frame.Counted(len(out.Unused), "tool"), frame.Thousands(int64(len(out.Total.Offered))), strings.Join(names, ", "), cost+"; leave them out: [[tools]] in .kedge/config.toml")
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
	row("quality", "with %s tokens a model does %.0f–%.0f%% as well as with a short context; it stays above %.0f%% up to %s–%s tokens, a good budget for one feature", frame.Thousands(q.AtTokens),
		q.Low*100, q.High*100, audit.Enough*100, frame.Thousands(q.BudgetLow), frame.Thousands(q.BudgetHigh))
	row("", "estimated from published measurements: %s", q.Source)
}

func changesText(w io.Writer, changes []audit.Change, sum int64) {
	if len(changes) == 0 {
		return
	}
	fmt.Fprint(w, "\nWhat would have saved most (they overlap):\n")
	for i, c := range changes {
		fmt.Fprintf(w, "  %d. %-17s %s tokens, %s: %s\n", i+1, strings.ReplaceAll(c.Name, "_", " "), frame.AboutTokens(c.Chars), frame.Percent(c.Chars, sum), c.Do)
	}
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

// days is from when to when, or the one day.
func days(from, to *string) string {
	if a, b := day(from), day(to); a != b {
		return a + " to " + b
	}
	return day(from)
}

func day(at *string) string {
	if at == nil {
		return "unknown"
	}
	return (*at)[:10]
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

// transcriptPlaces is a line for each agent whose transcripts can be read; with a name,
// for that one.
func transcriptPlaces(agent string) string {
	var b strings.Builder
	for _, p := range catalog.All() {
		if p.Transcript != nil && (agent == "" || agent == p.Name) {
			fmt.Fprintf(&b, "  %-13s %s\n", p.Title, p.Transcript.Place)
		}
	}
	return b.String()
}
