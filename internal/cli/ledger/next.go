package ledger

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/features"
	"kedge/internal/cli/frame"
	"kedge/internal/text/plain"
)

// Next is kedge next.
func Next(env *frame.Env) *cobra.Command {
	return &cobra.Command{
		Use:     "next",
		Short:   "Show which feature is next, and why",
		Example: "  kedge next\n  kedge next --json",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return frame.Ask(c.Context(), env, "next", features.NextRequest{}, nextText)
		},
	}
}

func nextText(w io.Writer, n kedge.Next) {
	if n.Feature == nil {
		fmt.Fprintf(w, "nothing: %s\n", plain.Line(n.Why))
		return
	}
	fmt.Fprintf(w, "%s  %s\n", n.Feature.ID, plain.Line(n.Feature.Name))
	fmt.Fprintf(w, "why:    %s\n", plain.Line(n.Why))
	if n.Phase != "" {
		fmt.Fprintf(w, "phase:  %s\n", plain.Line(n.Phase))
	}
	if n.Item != "" {
		fmt.Fprintf(w, "item:   %s\n", plain.Line(n.Item))
	}
	if n.Branch != "" {
		fmt.Fprintf(w, "branch: %s\n", plain.Line(n.Branch))
	}
	if n.Commit != "" {
		fmt.Fprintf(w, "commit: %s\n", plain.Line(n.Commit))
	}
	fmt.Fprintf(w, "first:  %s\n", plain.Line(n.Command))
	fmt.Fprintf(w, "then:   do the work, then run kedge feature submit %s", n.Feature.ID)
	if n.Commit != "" {
		fmt.Fprint(w, ", then git commit")
	}
	fmt.Fprintln(w)
}
