package ledger

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"kedge/internal/app/memory"
	"kedge/internal/cli/frame"
	"kedge/internal/text/plain"
)

// Recall is kedge recall.
func Recall(env *frame.Env) *cobra.Command {
	var in memory.RecallRequest
	c := &cobra.Command{
		Use: "recall WORDS…", Short: "Search notes, decisions, risks, features and checkpoints", Args: cobra.MinimumNArgs(1),
		Example: "  kedge recall token refresh\n  kedge recall matching --json",
		RunE: func(c *cobra.Command, args []string) error {
			if err := frame.Positive(c, "limit", in.Limit, 20); err != nil {
				return err
			}
			in.Query = strings.Join(args, " ")
			out, err := frame.Call[memory.RecallReply](c.Context(), env, "recall", in)
			if err != nil {
				return err
			}
			if len(out.Hits) == 0 {
				env.Talk("nothing found")
			}
			return env.Show(out, func(w io.Writer) {
				for _, h := range out.Hits {
					fmt.Fprintf(w, "%-10s %s  %s%s%s\n", h.Kind, plain.Line(h.ID), plain.Line(h.Title), dead(h.State), alike(h.Like))
					if h.Snippet != "" {
						fmt.Fprintf(w, "           %s\n", plain.Line(h.Snippet))
					}
				}
			})
		},
	}
	c.Flags().IntVar(&in.Limit, "limit", 20, "show at most this `number` of hits")
	return c
}

// alike says how many older ones a hit stands for.
func alike(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (and %d older hits with the same text)", n)
}

// dead marks what was found but holds no longer.
func dead(state string) string {
	switch state {
	case "closed", "superseded", "withdrawn", "skipped":
		return " (" + state + ")"
	}
	return ""
}
