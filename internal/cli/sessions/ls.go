package sessions

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/sessions"
	"kedge/internal/cli/frame"
	"kedge/internal/text/plain"
)

// Ls is kedge ls.
func Ls(env *frame.Env) *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use:   "ls",
		Short: "List sessions and their state, pinned and newest first",
		Long: `List sessions and their state: the pinned ones first, then the newest.

The state is running, waiting (for you), exited, or interrupted with its
cause. For a session that you drive, the list also shows what Kedge noticed:
the context fills up, the context is old, or the agent repeats itself. Below
the list, Kedge prints what you can do about it. With --all, it lists the
sessions of every project, each with its project's name.`,
		Example: `  kedge ls         sessions of this project
  kedge ls --all   sessions of every project`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return frame.Ask(c.Context(), env, "session.list", sessions.SessionList{All: all}, func(w io.Writer, r sessions.SessionListReply) { printSessions(w, env, r, all) })
		},
	}
	c.Flags().BoolVar(&all, "all", false, "sessions of every project")
	return c
}

func printSessions(w io.Writer, env *frame.Env, r sessions.SessionListReply, all bool) {
	sessions := r.Sessions
	if len(sessions) == 0 {
		env.Talk("no sessions; start one: kedge new NAME -- COMMAND")
		return
	}
	of := func(kedge.Session) string { return "" }
	if all {
		of = projectOf(r.Projects)
	}
	table := sessionTable(sessions, of, true)
	if cols := env.Width(); cols > 0 && widest(table) > cols {
		table = sessionTable(sessions, of, false)
		env.Talk("the terminal is too narrow for session ids; to see them: kedge ls --json")
	}
	_, _ = io.WriteString(w, table) // to the filter, whose errors show at its end
	for _, s := range sessions {
		talkWarnings(env, s)
	}
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

// widest is how many characters the longest line has.
func widest(text string) (n int) {
	for line := range strings.Lines(text) {
		n = max(n, utf8.RuneCountInString(strings.TrimRight(line, " \n")))
	}
	return n
}

// sessionTable is a line for each session, with the project that it is of where one is
// named, and with their ids or, for a terminal that is too narrow, without.
func sessionTable(sessions []kedge.Session, of func(kedge.Session) string, ids bool) string {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	id := func(text string) string {
		if ids {
			return "\t" + text
		}
		return ""
	}
	used := slices.ContainsFunc(sessions, func(s kedge.Session) bool { return s.ContextTokens != nil || s.USD != nil })
	more := func(text string) string { // columns that are there when anything is known for them
		if used {
			return "\t" + text
		}
		return ""
	}
	in := func(text, project string) string {
		if project == "" {
			return text
		}
		return project + "\t" + text
	}
	fmt.Fprintln(t, in("NAME", map[bool]string{true: "PROJECT"}[of(sessions[0]) != ""])+"\tSTATE\tAGENT\tSTARTED\tOUTPUT"+more("CONTEXT\tUSD")+id("ID"))
	for _, s := range sessions {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s%s%s\n", in(plain.Line(s.Name), of(s)), plain.Line(s.Summary()), plain.Line(s.Agent),
			s.StartedAt.Local().Format("2006-01-02 15:04"), frame.Bytes(s.Bytes), more(contextText(s)+"\t"+usdText(s)), id(string(s.ID)))
	}
	_ = t.Flush() // to memory
	return b.String()
}

// contextText is how full a session's context is; a dash when nobody said.
func contextText(s kedge.Session) string {
	switch {
	case s.ContextTokens == nil:
		return "-"
	case s.ContextWindow == nil || *s.ContextWindow <= 0:
		return strconv.FormatInt(*s.ContextTokens, 10)
	default:
		return fmt.Sprintf("%d%% of %d", *s.ContextTokens*100 / *s.ContextWindow, *s.ContextWindow)
	}
}

func usdText(s kedge.Session) string {
	if s.USD == nil {
		return "-"
	}
	return frame.USD(*s.USD)
}
