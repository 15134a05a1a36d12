package maintenance

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/runs"
	"kedge/internal/cli/frame"
	"kedge/internal/text/plain"
)

// downReply is `down --json`. That none ran is what was asked for, not an error.
type downReply struct {
	PID     *int            `json:"pid"` // nil: none ran
	Stopped bool            `json:"stopped"`
	Runs    []runs.RunGoing `json:"runs"` // that stand still now
}

// Down is kedge down.
func Down(env *frame.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "down",
		Short: "Stop the daemon; sessions keep running",
		Long: `Stop the daemon and wait until it has ended.

Commands in progress get time to finish. Nothing is lost: the next command that
changes something starts the daemon again. Sessions keep running. Runs wait for
the daemon, and Kedge prints which runs wait.`,
		Example: "  kedge down",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			pid, err := env.Daemon.Stop(c.Context())
			if kedge.NotFound.Is(err) {
				return env.Show(downReply{Runs: []runs.RunGoing{}}, func(w io.Writer) { fmt.Fprintln(w, "the daemon is not running") })
			}
			if err != nil {
				return err
			}
			runs := standingStill(c.Context(), env)
			if err := env.Show(downReply{&pid, true, runs}, func(w io.Writer) {
				fmt.Fprintf(w, "stopped the daemon, pid %d\n", pid)
			}); err != nil || env.JSON {
				return err
			}
			for _, r := range runs {
				env.Talk("note: %s", stillText(r))
			}
			return nil
		},
	}
}

// standingStill are the runs that nobody takes further now. That they cannot be
// told is no reason to fail: the daemon is stopped.
func standingStill(ctx context.Context, env *frame.Env) []runs.RunGoing {
	out, err := frame.Call[runs.GoingReply](ctx, env, "run.going", runs.GoingRequest{})
	if err != nil || out.Runs == nil {
		return []runs.RunGoing{}
	}
	return out.Runs
}

func stillText(r runs.RunGoing) string {
	text := fmt.Sprintf("the run of project %q (%s) waits until the daemon runs again: kedge up", plain.Line(r.Project), plain.Line(r.Dir))
	switch r.Sessions {
	case 0:
		return text
	case 1:
		return text + "; its session keeps running"
	default:
		return text + fmt.Sprintf("; its %d sessions keep running", r.Sessions)
	}
}
