package cli

import (
	"fmt"
	"io"
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
			r, err := call[service.SessionListReply](c.Context(), env, "session.list", service.SessionList{All: all})
			if err != nil {
				return err
			}
			return env.show(r, func(w io.Writer) { printSessions(w, env, r.Sessions) })
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
	fmt.Fprintln(t, "NAME\tSTATE\tAGENT\tSTARTED\tOUTPUT\tID")
	for _, s := range sessions {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", plain.Line(s.Name), stateText(s), plain.Line(s.Agent),
			s.StartedAt.Local().Format("2006-01-02 15:04"), bytesText(s.Bytes), s.ID)
	}
	_ = t.Flush() // a closed pipe is the reader's choice
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
