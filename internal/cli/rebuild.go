package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kedge/internal/app/ledger"
	"kedge/internal/app/maintenance"
)

func newRebuild(env *Env) *cobra.Command {
	return &cobra.Command{
		Use: "rebuild", Short: "Make everything that follows from the journal anew", Args: cobra.NoArgs,
		Long: "Make everything that follows from the journal anew: the documents it is read\n" +
			"by, the search index, and the files under .kedge/ that Kedge writes. The journal\n" +
			"itself is only read.",
		Example: "  kedge rebuild\n  kedge rebuild --json",
		RunE: func(c *cobra.Command, _ []string) error {
			out, err := call[maintenance.RebuildReply](c.Context(), env, "rebuild", maintenance.RebuildRequest{})
			if err != nil {
				return err
			}
			env.aside(ledger.Notices{Edits: out.Edits, Warnings: out.Warnings})
			return env.show(out, func(w io.Writer) {
				what := "the same as before"
				if out.Changed {
					what = "they were not what the journal says, and are now"
				}
				fmt.Fprintf(w, "%s from %s: %s\n", plural(out.Documents, "document"), plural(int(out.Events), "event"), what)
			})
		},
	}
}
