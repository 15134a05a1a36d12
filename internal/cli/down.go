package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kedge"
)

// downReply is `down --json`. That none ran is what was asked for, not an error.
type downReply struct {
	PID     *int `json:"pid"` // nil: none ran
	Stopped bool `json:"stopped"`
}

func newDown(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:   "down",
		Short: "Stop the daemon",
		Long: `Stop the daemon and wait until it is gone.

Commands under way get time to end. Nothing is lost: the next writing command
starts a daemon again.`,
		Example: "  kedge down",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			pid, err := env.Daemon.Stop(c.Context())
			if kedge.NotFound.Is(err) {
				return env.show(downReply{}, func(w io.Writer) { fmt.Fprintln(w, "no daemon runs") })
			}
			if err != nil {
				return err
			}
			return env.show(downReply{&pid, true}, func(w io.Writer) {
				fmt.Fprintf(w, "stopped the daemon, pid %d\n", pid)
			})
		},
	}
}
