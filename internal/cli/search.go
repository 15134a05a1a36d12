package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kedge/internal/app/sessions"
	"kedge/internal/text/plain"
)

func newSearch(env *Env) *cobra.Command {
	in := sessions.SessionSearch{}
	c := &cobra.Command{
		Use:   "search QUERY",
		Short: "Find a text in what sessions printed",
		Long: `Find a text in what sessions printed, also in sessions that ended. The text is
taken as it is, and found whatever escape codes stand in between. The newest
session comes first; each line has its session, its time and the offset from
which kedge logs NAME --from OFFSET goes on.`,
		Example: `  kedge search panic                          in the sessions of this project
  kedge search -i "out of memory" --all       of every project, in capitals too
  kedge search panic --session auth-refactor  in every session that had the name`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			in.Query = args[0]
			r, err := call[sessions.SessionSearchReply](c.Context(), env, "session.search", in)
			if err != nil {
				return err
			}
			if err := env.show(r, func(w io.Writer) { printHits(w, r.Hits) }); err != nil {
				return err
			}
			switch {
			case len(r.Hits) == 0:
				env.talk("nothing found")
			case r.More:
				env.talk("there is more; the first %d are shown: --limit N shows more", len(r.Hits))
			}
			return nil
		},
	}
	c.Flags().StringVar(&in.Session, "session", "", "only in sessions with this name or id")
	complete(c, "session", alsoAfterArgs(sessionNames(env)))
	c.Flags().BoolVar(&in.All, "all", false, "in the sessions of every project")
	c.Flags().BoolVarP(&in.IgnoreCase, "ignore-case", "i", false, "upper and lower case are the same")
	c.Flags().IntVar(&in.Limit, "limit", 1000, "at most this many lines")
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
