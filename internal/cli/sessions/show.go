package sessions

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/sessions"
	"kedge/internal/cli/frame"
	"kedge/internal/text/plain"
)

// Show is kedge show.
func Show(env *frame.Env) *cobra.Command {
	var read reading
	c := &cobra.Command{
		Use:   "show SESSION",
		Short: "Show what Kedge knows of a session, or read a past conversation",
		Long: `Show everything that Kedge knows of a session: what runs and where, how it
began and ended, its run and feature, its tokens and cost, its compactions, and
the last message of its agent. Kedge leaves out what it does not know.

SESSION is a name or an id. If several sessions have this name, Kedge shows
the running one, or else the newest.

To read a past conversation, give its id as kedge history prints it, the first
characters of this id, or the file of its transcript. Kedge shows the messages,
one line for each tool call, and edits as diffs. On a terminal, Kedge opens your
pager ($PAGER, or less). To read the conversation of a session that Kedge
started, add --at, --markdown or --html.

Kedge removes secrets. To see the unchanged text, open the file of the
transcript; Kedge prints its path first.`,
		Example: `  kedge show auth-refactor
  kedge show 13da966e --at 120          a past conversation, from line 120
  kedge show 13da966e --markdown > talk.md
  kedge show 13da966e --html talk.html  a page for the browser`,
		Args: cobra.ExactArgs(1), ValidArgsFunction: frame.SessionNames(env),
		RunE: func(c *cobra.Command, args []string) error {
			if err := read.check(c); err != nil {
				return err
			}
			if read.asked() {
				return read.show(c.Context(), env, args[0])
			}
			err := frame.Ask(c.Context(), env, "session.find", sessions.SessionName{Name: args[0]}, func(w io.Writer, out sessions.SessionFound) {
				for _, f := range factsOf(env, out) {
					if f.text != "" {
						fmt.Fprintf(w, "%-13s %s\n", f.name, plain.Line(f.text))
					}
				}
			})
			if kedge.NotFound.Is(err) {
				err = read.show(c.Context(), env, args[0])
			}
			if kedge.NotFound.Is(err) {
				err = kedge.Errorf(kedge.NotFound, "there is no session %q, and no past conversation with this id", args[0]).
					WithHint("see the sessions: kedge ls; find a conversation by its words: kedge history WORDS")
			}
			return err
		},
	}
	read.flags(c)
	return c
}

// fact is one line about a session; one without text is unknown.
type fact struct{ name, text string }

func factsOf(env *frame.Env, found sessions.SessionFound) []fact {
	s := found.Session
	out := []fact{
		{"session", string(s.ID)},
		{"name", s.Name},
		{"agent", s.Agent},
		{"model", s.Model},
		{"command", strings.Join(s.Command, " ")},
		{"folder", s.Dir},
		{"worktree", worktreeText(s.Worktree)},
		{"state", stateText(s)},
		{"started", s.StartedAt.UTC().Format("2006-01-02 15:04:05 UTC")},
		{"run", string(s.Run)},
		{"feature", string(s.Feature)},
	}
	if b := s.Begun; b != nil {
		out = append(out, fact{"begun", string(b.How) + ": " + b.Why})
	}
	if r := s.Route; r != nil {
		out = append(out, fact{"route", r.Name() + " by " + r.Row + ": " + r.Why})
	}
	out = append(out, fact{"resumes", string(s.Previous)}, fact{"started by", string(s.Parent)}, fact{"conversation", s.Conversation})
	out = append(out, usedFacts(s)...)
	for _, c := range s.Compactions {
		out = append(out, fact{"compacted", env.Clock(c.At) + " " + compactedText(c)})
	}
	for _, w := range s.Warnings {
		out = append(out, fact{"warning", w.Signal + ": " + w.Reason})
	}
	if s.Pinned {
		out = append(out, fact{"pinned", "yes"})
	}
	return append(out, fact{"said last", s.Closing}, fact{"output", frame.Bytes(s.Bytes) + " in " + found.Folder})
}

// worktreeText says what the worktree of a session is on, and how it is; empty without
// one.
func worktreeText(w *kedge.SessionWorktree) string {
	if w == nil {
		return ""
	}
	state := "changes unknown"
	switch {
	case w.Gone:
		state = "removed"
	case w.Changed != nil && *w.Changed:
		state = "uncommitted changes"
	case w.Changed != nil:
		state = "no uncommitted changes"
	}
	return fmt.Sprintf("branch %s, KEDGE_SLOT %s, KEDGE_PORT %d, %s", w.Branch, w.Slot, w.Port, state)
}

// stateText is what the program does, or how it ended.
func stateText(s kedge.Session) string {
	text := string(s.State)
	if s.Cause != "" {
		text += ": " + s.Cause
	}
	if s.ExitCode != nil {
		text += fmt.Sprintf(" (exit code %d)", *s.ExitCode)
	}
	if s.Live() && s.PID > 0 {
		text += fmt.Sprintf(", pid %d", s.PID)
	}
	return text
}

// usedFacts are the figures that the session reported.
func usedFacts(s kedge.Session) []fact {
	var out []fact
	if s.ContextTokens != nil {
		text := frame.Thousands(*s.ContextTokens) + " tokens"
		if s.ContextWindow != nil {
			text = frame.Thousands(*s.ContextTokens) + " of " + frame.Thousands(*s.ContextWindow) + " tokens"
		}
		out = append(out, fact{"context", text})
	}
	if s.Tokens != nil {
		out = append(out, fact{"used", frame.Thousands(*s.Tokens) + " tokens"})
	}
	if s.USD != nil {
		out = append(out, fact{"cost", "$" + frame.USD(*s.USD)})
	}
	return out
}

// compactedText says what became of a context.
func compactedText(c kedge.Compaction) string {
	switch {
	case c.Failed != "":
		return "not done: " + c.Failed
	case c.Before != nil && c.After != nil:
		return "from " + frame.Thousands(*c.Before) + " to " + frame.Thousands(*c.After) + " tokens"
	default:
		return "from and to an unknown size"
	}
}
