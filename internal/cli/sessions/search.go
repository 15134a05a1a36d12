package sessions

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kedge/internal/app/sessions"
	"kedge/internal/cli/frame"
	"kedge/internal/text/plain"
)

// Search is kedge search.
func Search(env *frame.Env) *cobra.Command {
	in := sessions.SessionSearch{}
	c := &cobra.Command{
		Use:   "search QUERY",
		Short: "Find text in the output of sessions",
		Long: `Find text in the output of sessions, running or ended.

QUERY is plain text, not a pattern. Kedge finds it even if there are escape
codes inside the text. The newest session comes first. Each hit has its
session, its time and its offset (place) in the output. To print the output
from there: kedge logs NAME --from OFFSET.`,
		Example: `  kedge search panic                          sessions of this project
  kedge search -i "out of memory" --all       every project, any case
  kedge search panic --session auth-refactor  every session of that name`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			in.Query = args[0]
			r, err := frame.Call[sessions.SessionSearchReply](c.Context(), env, "session.search", in)
			if err != nil {
				return err
			}
			if err := env.Show(r, func(w io.Writer) { printHits(w, r.Hits) }); err != nil {
				return err
			}
			switch {
			case len(r.Hits) == 0:
				env.Talk("no session has printed this text")
			case r.More:
				env.Talk("these are the first %d hits; to show more, add: --limit N", len(r.Hits))
			}
			return nil
		},
	}
	c.Flags().StringVar(&in.Session, "session", "", "only sessions with this `name` or id")
	frame.CompleteFlag(c, "session", frame.AfterArgs(frame.SessionNames(env)))
	c.Flags().BoolVar(&in.All, "all", false, "sessions of every project")
	c.Flags().BoolVarP(&in.IgnoreCase, "ignore-case", "i", false, "ignore upper and lower case")
	c.Flags().IntVar(&in.Limit, "limit", 1000, "print at most this `number` of lines")
	return c
}

// printHits writes a line for every hit: session, time, offset, what was
// printed.
func printHits(w io.Writer, hits []sessions.SearchHit) {
	for _, h := range hits {
		fmt.Fprintf(w, "%s  %s  %d  %s\n", plain.Line(h.Name), timeText(h.At), h.Offset, strings.TrimSpace(plain.Line(h.Line)))
	}
}

// timeText is a time for a person; unknown is said.
func timeText(at *time.Time) string {
	if at == nil {
		return "unknown time"
	}
	return at.Local().Format("2006-01-02 15:04:05")
}
