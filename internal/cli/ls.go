package cli

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/plain"
	"kedge/internal/service"
)

func newLs(env *Env) *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use:     "ls",
		Short:   "List sessions, the newest first",
		Example: "  kedge ls         those of this project\n  kedge ls --all   of every project",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return ask(c.Context(), env, "session.list", service.SessionList{All: all}, func(w io.Writer, r service.SessionListReply) { printSessions(w, env, r.Sessions) })
		},
	}
	c.Flags().BoolVar(&all, "all", false, "sessions of every project")
	return c
}

func printSessions(w io.Writer, env *Env, sessions []kedge.Session) {
	if len(sessions) == 0 {
		env.talk("no sessions; start one: kedge new NAME -- COMMAND")
		return
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	used := slices.ContainsFunc(sessions, func(s kedge.Session) bool { return s.ContextTokens != nil || s.USD != nil })
	more := func(text string) string { // columns that are there when anything is known for them
		if used {
			return text
		}
		return ""
	}
	fmt.Fprintln(t, "NAME\tSTATE\tAGENT\tSTARTED\tOUTPUT\t"+more("CONTEXT\tUSD\t")+"ID")
	for _, s := range sessions {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s%s\n", plain.Line(s.Name), stateText(s), plain.Line(s.Agent),
			s.StartedAt.Local().Format("2006-01-02 15:04"), bytesText(s.Bytes), more(contextText(s)+"\t"+usdText(s)+"\t"), s.ID)
	}
	_ = t.Flush() // a closed pipe is the reader's choice
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
	return fmt.Sprintf("%.2f", *s.USD)
}

func stateText(s kedge.Session) string {
	switch {
	case s.State == kedge.SessionExited && s.ExitCode != nil && *s.ExitCode != 0:
		return "exited (" + strconv.Itoa(*s.ExitCode) + ")"
	case s.State == kedge.SessionInterrupted && s.Cause != "":
		return "interrupted (" + plain.Line(s.Cause) + ")"
	}
	return string(s.State)
}

func bytesText(n int64) string {
	const unit = 1024
	if n < unit {
		return strconv.FormatInt(n, 10) + " B"
	}
	value, suffix := float64(n)/unit, "KMGT"
	for value >= unit && len(suffix) > 1 {
		value, suffix = value/unit, suffix[1:]
	}
	return fmt.Sprintf("%.1f %cB", value, suffix[0])
}
