package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kedge/internal/app/maintenance"
	"kedge/internal/text/plain"
)

func newBackup(env *Env) *cobra.Command {
	return &cobra.Command{
		Use: "backup [FOLDER]", Short: "Copy the journal of this project", Args: cobra.MaximumNArgs(1),
		Long: "Copy the journal of this project, as it is at one moment and checked whole, to a\n" +
			"folder that does not exist yet (default: one under KEDGE_HOME/backups). To go back\n" +
			"to it, stop the daemon and copy its two files over those of the project.",
		Example: "  kedge backup\n  kedge backup ~/backups/shop-monday",
		RunE: func(c *cobra.Command, args []string) error {
			var in maintenance.BackupRequest
			if len(args) == 1 {
				in.Path = abs(env.Dir, args[0])
			}
			return ask(c.Context(), env, "backup", in, func(w io.Writer, out maintenance.BackupReply) {
				fmt.Fprintf(w, "%s\n", plain.Line(out.Path))
				env.talk("%s, %s", plural(int(out.Events), "event"), bytesText(out.Bytes))
			})
		},
	}
}
