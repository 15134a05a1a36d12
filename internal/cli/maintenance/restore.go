package maintenance

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/maintenance"
	"kedge/internal/cli/frame"
	"kedge/internal/journal"
	"kedge/internal/text/plain"
	"kedge/internal/text/words"
)

// Restore is kedge restore.
func Restore(env *frame.Env) *cobra.Command {
	var in maintenance.RestoreRequest
	c := &cobra.Command{
		Use: "restore [--from FOLDER] [--project ID] [--unverified]", Short: "Make a damaged journal whole again", Args: cobra.NoArgs,
		Long: `Make the damaged journal of this project whole again, and print what is
missing.

Kedge keeps every event up to the first one that is damaged, or that somebody
else wrote. Later events depend on that one, so Kedge leaves them out and lists
them. With --from, Kedge replaces the journal by a backup (kedge backup) and
lists the newer events.

Kedge keeps the damaged files in a folder and prints the path of that folder.
Kedge changes no file of your repository and no session output. Then Kedge
restarts the daemon. Sessions keep running, and runs continue. If kedge restore
is interrupted, run the command again.`,
		Example: "  kedge restore\n  kedge restore --from ~/backups/shop-monday",
		RunE: func(c *cobra.Command, _ []string) error {
			if in.From != "" {
				in.From = frame.Abs(env.Dir, in.From)
			}
			err := frame.Ask(c.Context(), env, "restore", in, func(w io.Writer, out maintenance.RestoreReply) {
				showRestored(w, out)
				env.Talk("the damaged files are now in %s", plain.Line(out.Aside))
			})
			if err != nil {
				return err
			}
			return reopen(c.Context(), env)
		},
	}
	c.Flags().StringVar(&in.Project, "project", "", "restore the journal of the project with this `ID` (kedge project ls)")
	c.Flags().StringVar(&in.From, "from", "", "restore the backup in this folder")
	c.Flags().BoolVar(&in.Unverified, "unverified", false, "also keep events that Kedge cannot verify, because the key is lost or somebody else wrote them")
	return c
}

// reopen restarts the daemon: what it had open of the old journal is of no use.
func reopen(ctx context.Context, env *frame.Env) error {
	if env.Daemon == nil { // a test has none
		return nil
	}
	if _, err := env.Daemon.Stop(ctx); err != nil && !kedge.NotFound.Is(err) {
		return err
	}
	if _, _, err := env.Daemon.Start(ctx); err != nil {
		return err
	}
	env.Talk("next: kedge status")
	return nil
}

func showRestored(w io.Writer, out maintenance.RestoreReply) {
	fmt.Fprintf(w, "kept %s\n", words.Count(int(out.Kept), "event"))
	if out.Unverified > 0 {
		fmt.Fprintf(w, "not verified: %d of them\n", out.Unverified)
	}
	if len(out.Missing) == 0 {
		fmt.Fprintln(w, "missing: no saved event")
	}
	for _, m := range out.Missing {
		fmt.Fprintln(w, "missing: "+missingLine(m))
	}
	if out.More > 0 {
		fmt.Fprintf(w, "missing: %d more\n", out.More)
	}
}

func missingLine(m journal.Missing) string {
	line := fmt.Sprintf("event %d", m.Seq)
	if m.Type != "" {
		line += fmt.Sprintf(", %s, by %s, %s", plain.Line(string(m.Type)), plain.Line(string(m.Actor)), m.At.Format("2006-01-02 15:04"))
	}
	return line + ": " + plain.Line(m.Why)
}
