package maintenance

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kedge/internal/app/ledger"
	"kedge/internal/app/maintenance"
	"kedge/internal/cli/frame"
	"kedge/internal/text/words"
)

// Rebuild is kedge rebuild.
func Rebuild(env *frame.Env) *cobra.Command {
	return &cobra.Command{
		Use: "rebuild", Short: "Rebuild everything that Kedge computes from its journal", Args: cobra.NoArgs,
		Long: `Rebuild everything that Kedge computes from its journal: its tables, the
search index, and the files that it writes under .kedge/. The journal is
Kedge's record of everything that happened in the project. This command only
reads it.`,
		Example: "  kedge rebuild\n  kedge rebuild --json",
		RunE: func(c *cobra.Command, _ []string) error {
			out, err := frame.Call[maintenance.RebuildReply](c.Context(), env, "rebuild", maintenance.RebuildRequest{})
			if err != nil {
				return err
			}
			env.Aside(ledger.Notices{Edits: out.Edits, Warnings: out.Warnings})
			return env.Show(out, func(w io.Writer) {
				what := "nothing has changed"
				if out.Changed {
					what = "Kedge corrected those that differed from the journal"
				}
				fmt.Fprintf(w, "rebuilt %s from the %s of the journal: %s\n", words.Count(out.Documents, "stored document"), words.Count(int(out.Events), "event"), what)
			})
		},
	}
}
