package usage

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"
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
	in, l := reports.AuditRequest{}, look{}
	html := ""
	c := &cobra.Command{
		Use:   "audit [FILE|SESSION…]",
		Short: "Show where context, time and money of past sessions went",
		Long: `Show what filled the context of past sessions, what the agents did twice, what
the sessions cost, and what to change. The sessions that cost most come first.
If you name one session, Kedge shows why it cost so much.

Kedge reads the transcripts that coding agents leave on disk. It needs no
set-up and no daemon, and it sends nothing anywhere. Without arguments it reads
every transcript of this project, of its worktrees and of its runs. With
--everywhere, and in a folder in which no agent worked, it reads every
transcript of this machine. It looks in:

` + frame.TranscriptPlaces("") + `
Kedge shows an unknown figure as unknown, never as 0. Codex reads files with
shell commands, so Kedge counts no reads for it. Copilot's usage and Aider's
times are unknown. A sub-agent with its own transcript counts as a session, and
the table adds its cost to the session that started it. Kedge also lists the
changes that would have saved most. Their savings overlap, so their sum can
exceed the total.

--html writes one page with charts. The page has no script and loads nothing
from the network. It shows names of files, commands and first requests: read it
before you give it away.`,
		Example: `  kedge audit                       all sessions of this project
  kedge audit --since 7d --agent claude
  kedge audit 13da966e              one session, by the start of its id
  kedge audit --everywhere          all sessions of this machine
  kedge audit --by tool             what tools cost; also day, model, agent, file
  kedge audit --html audit.html     a page with charts, for a browser
  kedge audit session.jsonl --json  a file, for a script`,
		RunE: func(c *cobra.Command, args []string) error {
			in.What, in.Env = args, frame.Named(env.Environ, catalog.Transcripts().Variables())
			if err := frame.HTMLPlace(env, html, "kedge audit", "audit.html"); err != nil {
				return err
			}
			if env.JSON && html == "" {
				return printed(c, env, in)
			}
			out, err := audited(c, env, &in, html != "")
			if err != nil {
				return err
			}
			if len(out.Sessions) == 0 {
				defer env.Talk("%s", noneText(out, in))
			} else if html != "" {
				return writeHTML(env, html, out)
			}
			_, l.rows = env.Size()
			l.everywhere, l.utf8, l.terminal = in.Everywhere, env.UTF8(), env.Term != nil
			return env.Show(out, func(w io.Writer) { auditText(w, out, l) })
		},
	}
	c.Flags().StringVar(&in.Agent, "agent", "", "only transcripts of this `agent`")
	frame.CompleteFlag(c, "agent", frame.OneOf(catalog.Transcripts().Agents()...))
	c.Flags().StringVar(&in.Since, "since", "", "only sessions that ended after this `time`: an age (7d) or a date (2026-11-01)")
	c.Flags().StringVar(&in.By, "by", "", "group by `what`: day, model, agent, file or tool")
	frame.CompleteFlag(c, "by", frame.OneOf(audit.GroupedBy...))
	c.Flags().BoolVar(&l.all, "all", false, "show every session, and every row of a table")
	c.Flags().BoolVar(&l.long, "long", false, "show every figure, and whole ids")
	c.Flags().BoolVar(&in.Everywhere, "everywhere", false, "show sessions of every folder of this machine")
	c.Flags().StringVar(&html, "html", "", "write a page with charts to this `file`; - is standard output")
	return c
}

// printed prints the figures as JSON, session by session.
func printed(c *cobra.Command, env *frame.Env, in reports.AuditRequest) error {
	out := env.Printing()
	if err := reading(c, env, "audit", in, out); err != nil {
		return err
	}
	return out.Close()
}

// audited gives the figures. Where no agent worked in the folder, a person gets those of every
// folder, and is told so.
func audited(c *cobra.Command, env *frame.Env, in *reports.AuditRequest, page bool) (reports.AuditReply, error) {
	out, err := readingCall[reports.AuditReply](c, env, "audit", in)
	if err != nil || len(out.Sessions) > 0 || out.Elsewhere == 0 || len(in.What) > 0 || page {
		return out, err
	}
	env.Talk("no session with a transcript worked in %s, so Kedge shows all sessions of this machine", plain.Line(strings.Join(out.Folders, " or ")))
	in.Everywhere = true
	return readingCall[reports.AuditReply](c, env, "audit", in)
}

// noneText says why there is nothing to count: no transcript at all, or only older ones.
func noneText(out reports.AuditReply, in reports.AuditRequest) string {
	older := out.Older
	if older == nil {
		return "Kedge found no transcript of a session that worked in " + plain.Line(strings.Join(out.Folders, " or ")) + "; it looked in:\n" +
			frame.TranscriptPlaces(in.Agent) + elsewhereText(out.Elsewhere, "kedge audit --everywhere") + "to read another transcript: kedge audit FILE"
	}
	return olderText(older, "none of them matches --since "+in.Since)
}

// elsewhereText tells of transcripts of other folders, and how to see them.
func elsewhereText(n int, command string) string {
	if n == 0 {
		return ""
	}
	return "to read " + frame.Counted(n, "transcript") + " of other folders: " + command + "\n"
}

// olderText tells of transcripts that are too old, and when the newest ended.
func olderText(older *reports.OlderFiles, none string) string {
	text := frame.Counted(older.Count, "transcript") + ", " + none
	if at, err := time.Parse(time.RFC3339, older.Newest); err == nil {
		text += "; the newest ended " + words.Ago(time.Since(at))
	}
	return text
}

// thrifty is how much garbage there may be, in percent, while transcripts are read: most of
// the time goes into reading, and the garbage would take more memory than the figures.
const thrifty = 35

// readingCall gives the answer to a call that reads transcripts.
func readingCall[Out any](c *cobra.Command, env *frame.Env, call string, in any) (out Out, err error) {
	err = reading(c, env, call, in, &out)
	return out, err
}

// reading shows a bar on a terminal while transcripts are read.
func reading(c *cobra.Command, env *frame.Env, call string, in, out any) error {
	defer debug.SetGCPercent(debug.SetGCPercent(thrifty))
	if !env.Redraws() {
		return env.Call.Call(c.Context(), call, in, out, nil)
	}
	err := env.Call.Call(c.Context(), call, in, out, func(b json.RawMessage) {
		var p reports.AuditProgress
		if json.Unmarshal(b, &p) == nil {
			fmt.Fprint(env.RawErr, "\r\x1b[2K"+frame.ReadingBar(p.Files, p.Of, p.Bytes, p.Total))
		}
	})
	fmt.Fprint(env.RawErr, "\r\x1b[2K")
	return err
}
