package sessions

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/sessions"
	"kedge/internal/cli/frame"
	"kedge/internal/text/plain"
	"kedge/internal/text/words"
)

// lsFlags are the flags of kedge ls.
type lsFlags struct{ all, ended, long, watch bool }

// Ls is kedge ls.
func Ls(env *frame.Env) *cobra.Command {
	var f lsFlags
	c := &cobra.Command{
		Use:   "ls",
		Short: "List sessions: which wait for you, which run",
		Long: `List sessions: first those that wait for you, then those that run. In each
group, pinned sessions come first, then the newest.

Each line shows the state and for how long, how full the context is, what the
session cost, and the last line on its screen. If Kedge noticed a problem, such
as a context that fills up, the line says so first. Below the list, Kedge
prints what you can do about the problem.

The list also has pinned sessions, and sessions that were interrupted during
the last day and that nobody has resumed. Of all other ended sessions, Kedge
prints only the number; --ended lists them too. --json always lists all
sessions of the project.`,
		Example: `  kedge ls           sessions that wait for you or run
  kedge ls --ended   the ended ones too
  kedge ls --all     every session of every project
  kedge ls --watch   kept up to date until Ctrl-C
  kedge ls --long    with start time, size of the output and whole ids`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			in := sessions.SessionList{All: f.all, Last: true}
			if f.watch {
				return watchSessions(c.Context(), env, in, f)
			}
			return frame.Ask(c.Context(), env, "session.list", in, func(w io.Writer, r sessions.SessionListReply) {
				printSessions(w, env, r, f, time.Now())
				for _, s := range r.Sessions {
					talkWarnings(env, s)
				}
			})
		},
	}
	c.Flags().BoolVar(&f.all, "all", false, "list the sessions of every project")
	c.Flags().BoolVar(&f.ended, "ended", false, "also list sessions that have ended")
	c.Flags().BoolVar(&f.long, "long", false, "also show start time, size of the output, whole ids")
	c.Flags().BoolVar(&f.watch, "watch", false, "keep the list up to date on the screen, until Ctrl-C")
	return c
}

// printSessions prints the sessions that are asked for, and how many there are of each kind.
func printSessions(w io.Writer, env *frame.Env, r sessions.SessionListReply, f lsFlags, now time.Time) {
	if len(r.Sessions) == 0 {
		env.Talk("no sessions; start one: kedge new NAME -- COMMAND")
		return
	}
	shown := r.Sessions
	if !f.all && !f.ended {
		shown = slices.DeleteFunc(slices.Clone(shown), func(s kedge.Session) bool { return isPast(s, r.Sessions, now) })
	}
	shown = slices.Clone(shown)
	slices.SortStableFunc(shown, func(a, b kedge.Session) int { return cmp.Compare(rank(a), rank(b)) })
	of := func(kedge.Session) string { return "" }
	if f.all {
		of = projectOf(r.Projects)
	}
	if f.long {
		longTable(shown, of).Print(w)
	} else if len(shown) > 0 {
		sessionTable(shown, of, now).Print(w)
	}
	frame.PutLine(w, frame.Cell{Text: countsOf(r.Sessions, len(shown)), Role: frame.Quiet})
}

// rank orders sessions by what they want of you.
func rank(s kedge.Session) int {
	return slices.Index([]kedge.SessionState{kedge.SessionWaiting, kedge.SessionRunning, kedge.SessionInterrupted, kedge.SessionExited}, s.State)
}

// recent is how long an interrupted session stays in the list.
const recent = 24 * time.Hour

// isPast tells whether a session is only counted: it ended, and nothing is left for you to do.
func isPast(s kedge.Session, all []kedge.Session, now time.Time) bool {
	if s.Live() || s.Pinned {
		return false
	}
	resumed := slices.ContainsFunc(all, func(o kedge.Session) bool {
		return o.Previous == s.ID || o.Name == s.Name && o.StartedAt.After(s.StartedAt)
	})
	return s.State != kedge.SessionInterrupted || s.Run != "" || resumed || now.Sub(*cmp.Or(s.LastAt, &s.StartedAt)) > recent
}

// countsOf is how many sessions there are of each kind, and how you see the others.
func countsOf(all []kedge.Session, shown int) string {
	n := map[kedge.SessionState]int{}
	for _, s := range all {
		n[s.State]++
	}
	var parts []string
	if k := n[kedge.SessionWaiting]; k > 0 {
		parts = append(parts, plural(k, "waits", "wait")+" for you")
	}
	if k := n[kedge.SessionRunning]; k > 0 {
		parts = append(parts, plural(k, "runs", "run"))
	}
	if len(parts) == 0 {
		parts = append(parts, "none runs")
	}
	text := strings.Join(parts, ", ")
	if k := n[kedge.SessionInterrupted]; k > 0 {
		text += fmt.Sprintf("; %d interrupted", k)
	}
	if k := n[kedge.SessionExited]; k > 0 {
		text += fmt.Sprintf("; %d ended", k)
	}
	if shown < len(all) {
		text += " (kedge ls --ended)"
	}
	return text
}

func plural(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + several
}

// talkWarnings says what a living session is warned of, and what to do about it.
func talkWarnings(env *frame.Env, s kedge.Session) {
	if !s.Live() {
		return
	}
	for _, w := range s.Warnings {
		env.Talk("%s: %s", s.Name, plain.Line(w.Sentence(s.Name)))
	}
}

// projectOf names the project of a session; a dash for none.
func projectOf(projects []kedge.Project) func(kedge.Session) string {
	names := make(map[kedge.ProjectID]string, len(projects))
	for _, p := range projects {
		names[p.ID] = plain.Line(p.Name)
	}
	return func(s kedge.Session) string { return cmp.Or(names[s.Project], "-") }
}

// sessionTable is a row for each session: what matters, and the last line of its screen.
func sessionTable(list []kedge.Session, of func(kedge.Session) string, now time.Time) *frame.Table {
	t := &frame.Table{Columns: []frame.Column{{Tight: true}, {Title: "NAME", Least: 12}, {Title: "STATE", Tight: true}, {Right: true},
		{Title: "PROJECT", Least: 8, Drop: 2}, {Title: "AGENT", Drop: 5, Least: 8}, {Title: "CONTEXT", Drop: 6, Tight: true}, {Right: true, Drop: 3}, {Title: "COST", Right: true, Drop: 4}, {Title: "LAST", Least: 20, Spare: true, Drop: 1}}}
	for _, s := range list {
		role, context, percent, spent := stateRole(s), "", "", ""
		if s.ContextTokens != nil {
			context, percent = contextCells(s)
		}
		if s.USD != nil {
			spent = "$" + frame.USD(*s.USD)
		}
		t.Add(frame.Cell{Text: signOf(s), Role: role}, frame.Cell{Text: s.Name, Role: frame.Name}, frame.Cell{Text: stateWord(s), Role: role}, frame.Cell{Text: stateAge(s, now), Role: frame.Quiet},
			frame.Cell{Text: of(s)}, frame.Cell{Text: s.Agent}, frame.Cell{Text: context}, frame.Cell{Text: percent}, frame.Cell{Text: spent}, lastCell(s))
	}
	return t
}

// longTable is every figure of a session but what it printed.
func longTable(list []kedge.Session, of func(kedge.Session) string) *frame.Table {
	t := &frame.Table{Columns: []frame.Column{{Tight: true}, {Title: "NAME"}, {Title: "STATE"}, {Title: "PROJECT"}, {Title: "AGENT"},
		{Title: "STARTED"}, {Title: "OUTPUT", Right: true}, {Title: "CONTEXT", Right: true}, {Title: "COST", Right: true}, {Title: "ID"}}}
	for _, s := range list {
		spent := ""
		if s.USD != nil {
			spent = "$" + frame.USD(*s.USD)
		}
		t.Add(frame.Cell{Text: signOf(s), Role: stateRole(s)}, frame.Cell{Text: s.Name, Role: frame.Name}, frame.Cell{Text: s.Summary(), Role: stateRole(s)}, frame.Cell{Text: of(s)}, frame.Cell{Text: s.Agent},
			frame.Cell{Text: s.StartedAt.Local().Format("2006-01-02 15:04"), Role: frame.Quiet}, frame.Cell{Text: frame.Bytes(s.Bytes)}, frame.Cell{Text: contextText(s)},
			frame.Cell{Text: spent}, frame.Cell{Text: string(s.ID), Role: frame.Quiet})
	}
	return t
}

// stateRole is what a session's state means to you.
func stateRole(s kedge.Session) frame.Role {
	switch s.State {
	case kedge.SessionWaiting:
		return frame.Waits
	case kedge.SessionInterrupted:
		return frame.Failed
	case kedge.SessionExited:
		return frame.Quiet
	}
	return frame.Plain
}

// signOf says with one sign what stateRole says with a colour.
func signOf(s kedge.Session) string {
	switch s.State {
	case kedge.SessionWaiting:
		return frame.SignWaits
	case kedge.SessionInterrupted:
		return frame.SignFailed
	case kedge.SessionExited:
		return frame.SignOver
	}
	return frame.SignRuns
}

// stateWord is the state in a word; of one that failed, with its exit code.
func stateWord(s kedge.Session) string {
	switch {
	case s.State == kedge.SessionWaiting:
		return "waits"
	case s.State == kedge.SessionExited && s.ExitCode != nil && *s.ExitCode != 0:
		return "exited (" + strconv.Itoa(*s.ExitCode) + ")"
	}
	return string(s.State)
}

// stateAge is for how long the state is so, as far as it is known: a session waits, or is
// over, since it printed something last.
func stateAge(s kedge.Session, now time.Time) string {
	since := s.LastAt
	if s.State == kedge.SessionRunning {
		since = &s.StartedAt
	}
	if since == nil {
		return ""
	}
	return words.Age(now.Sub(*since))
}

// lastCell is what was noticed of a session, else why it ended, or what its screen shows last.
func lastCell(s kedge.Session) frame.Cell {
	role, last := frame.Plain, s.Last
	switch {
	case s.State == kedge.SessionInterrupted:
		last = s.Cause
	case s.Feature != "":
		last = "works on " + string(s.Feature)
		if !s.Live() {
			last = "worked on " + string(s.Feature)
		}
	}
	notes := strings.Join(s.Notes(), ", ")
	if notes != "" && last != "" {
		notes += ": "
	}
	if s.Live() && len(s.Warnings) > 0 || s.Limit != nil && s.Live() {
		role = frame.Waits
	}
	return frame.Cell{Text: notes + last, Role: role}
}

// gaugeCells is how wide the picture of a context is.
const gaugeCells = 8

// contextCells are how full a context is: as a picture, and in percent. Without its size it
// is a number of tokens.
func contextCells(s kedge.Session) (picture, share string) {
	if s.ContextWindow == nil || *s.ContextWindow <= 0 {
		return "", frame.ShortNumber(*s.ContextTokens)
	}
	return frame.Gauge(*s.ContextTokens, *s.ContextWindow, gaugeCells), frame.Percent(*s.ContextTokens, *s.ContextWindow)
}

// contextText is how full a session's context is; nothing when nobody said.
func contextText(s kedge.Session) string {
	switch {
	case s.ContextTokens == nil:
		return ""
	case s.ContextWindow == nil || *s.ContextWindow <= 0:
		return strconv.FormatInt(*s.ContextTokens, 10)
	default:
		return fmt.Sprintf("%d%% of %d", *s.ContextTokens*100 / *s.ContextWindow, *s.ContextWindow)
	}
}

// sessionsNow asks for the list.
func sessionsNow(ctx context.Context, env *frame.Env, in sessions.SessionList) (sessions.SessionListReply, error) {
	return frame.Call[sessions.SessionListReply](ctx, env, "session.list", in)
}
