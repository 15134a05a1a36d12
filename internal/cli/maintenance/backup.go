package maintenance

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kedge/internal/app/maintenance"
	"kedge/internal/cli/frame"
	"kedge/internal/text/plain"
	"kedge/internal/text/words"
)

// Backup is kedge backup.
func Backup(env *frame.Env) *cobra.Command {
	return &cobra.Command{
		Use: "backup [FOLDER]", Short: "Copy this project's journal to a folder", Args: cobra.MaximumNArgs(1),
		Long: `Copy this project's journal to a folder, and verify the copy.

FOLDER must not exist yet. Without FOLDER, Kedge makes a folder under
KEDGE_HOME/backups. The journal is the file in which Kedge records everything
that happens in a project. The backup also contains the key with which Kedge
recognises its own entries in the journal. To restore a backup: kedge restore
--from FOLDER.`,
		Example: "  kedge backup\n  kedge backup ~/backups/shop-monday",
		RunE: func(c *cobra.Command, args []string) error {
			var in maintenance.BackupRequest
			if len(args) == 1 {
				in.Path = frame.Abs(env.Dir, args[0])
			}
			return frame.Ask(c.Context(), env, "backup", in, func(w io.Writer, out maintenance.BackupReply) {
				fmt.Fprintf(w, "%s\n", plain.Line(out.Path))
				env.Talk("copied and verified the journal: %s, %s", words.Count(int(out.Events), "event"), frame.Bytes(out.Bytes))
			})
		},
	}
}
