package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// upReply is `up --json`.
type upReply struct {
	PID     int  `json:"pid"`
	Started bool `json:"started"` // false: it was there
}

func newUp(env *Env) *cobra.Command {
	foreground := false
	c := &cobra.Command{
		Use:   "up",
		Short: "Start the daemon, unless it runs",
		Long: `Start the daemon, unless it runs.

Writing commands start it by themselves. There is one daemon for each KEDGE_HOME;
it runs until kedge down, and never listens on the network.`,
		Example: `  kedge up                    make sure that a daemon runs
  kedge up --foreground       be the daemon, until Ctrl-C`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if foreground {
				return env.Daemon.Foreground(c.Context())
			}
			pid, started, err := env.Daemon.Start(c.Context())
			if err != nil {
				return err
			}
			return env.show(upReply{pid, started}, func(w io.Writer) {
				if started {
					fmt.Fprintf(w, "started the daemon, pid %d\n", pid)
					return
				}
				fmt.Fprintf(w, "the daemon runs, pid %d\n", pid)
			})
		},
	}
	c.Flags().BoolVar(&foreground, "foreground", false, "run the daemon itself, in this process")
	return c
}
