package maintenance

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/sessions"
	"kedge/internal/cli/frame"
)

// upReply is `up --json`.
type upReply struct {
	PID       int                         `json:"pid"`
	Started   bool                        `json:"started"` // false: it was there
	Retention sessions.SessionRetainReply `json:"retention"`
}

// Up is kedge up.
func Up(env *frame.Env) *cobra.Command {
	var foreground, install, printed bool
	c := &cobra.Command{
		Use:   "up",
		Short: "Start the daemon, unless it is running",
		Long: `Start the daemon, unless it is running.

You rarely need this: commands that change something start the daemon by
themselves. Each KEDGE_HOME has one daemon. The daemon runs until kedge down,
and never listens on the network. When it starts, it deletes old output of
ended sessions and old files that checks left. You set these limits under
[sessions] in your own config.toml.

With --install, Kedge starts nothing. It writes a unit (a settings file for
systemd or launchd) that starts the daemon when you log in. Then it prints the
commands that enable the unit.`,
		Example: `  kedge up                    make sure that the daemon runs
  kedge up --foreground       run the daemon in this terminal, until Ctrl-C
  kedge up --install          start the daemon at every log-in
  kedge up --install --print  only show what would be written`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			env.Damage = nil // the daemon runs all the same; commands that read a damaged journal say so
			switch {
			case install && foreground:
				return kedge.Errorf(kedge.Invalid, "--install and --foreground cannot be combined").WithHint("kedge up --install")
			case install:
				return installUnit(env, printed)
			case printed:
				return kedge.Errorf(kedge.Invalid, "--print works only with --install").WithHint("kedge up --install --print")
			case foreground:
				return env.Daemon.Foreground(c.Context())
			}
			pid, started, err := env.Daemon.Start(c.Context())
			if err != nil {
				return err
			}
			gone, err := retain(c.Context(), env)
			if err != nil {
				return err
			}
			return env.Show(upReply{pid, started, gone}, func(w io.Writer) { printUp(w, pid, started, gone) })
		},
	}
	c.Flags().BoolVar(&foreground, "foreground", false, "run the daemon in this terminal, until Ctrl-C")
	c.Flags().BoolVar(&install, "install", false, "write a unit for systemd or launchd that starts the daemon when you log in")
	c.Flags().BoolVar(&printed, "print", false, "with --install: only show the unit, and write nothing")
	return c
}

// retain has old output taken away. Inside a session that is not for us to ask.
func retain(ctx context.Context, env *frame.Env) (sessions.SessionRetainReply, error) {
	if env.Getenv("KEDGE_SESSION") != "" {
		return sessions.SessionRetainReply{}, nil
	}
	in := sessions.SessionRetain{Env: []string{"HOME=" + env.Getenv("HOME"), "XDG_CONFIG_HOME=" + env.Getenv("XDG_CONFIG_HOME")}}
	return frame.Call[sessions.SessionRetainReply](ctx, env, "session.retain", in)
}

func printUp(w io.Writer, pid int, started bool, gone sessions.SessionRetainReply) {
	if started {
		fmt.Fprintf(w, "started the daemon, pid %d\n", pid)
	} else {
		fmt.Fprintf(w, "the daemon is already running, pid %d\n", pid)
	}
	if gone.Sessions > 0 {
		fmt.Fprintf(w, "deleted old output of %s, %s\n", frame.Counted(gone.Sessions, "session"), frame.Bytes(gone.Bytes))
	}
	if gone.Kept > 0 {
		fmt.Fprintf(w, "deleted old files that %s left\n", frame.Counted(gone.Kept, "check"))
	}
}
