package sessions

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"kedge/internal/app/sessions"
	"kedge/internal/cli/frame"
)

// Fresh is kedge fresh.
func Fresh(env *frame.Env) *cobra.Command {
	var (
		attach bool
		grace  time.Duration
	)
	c := &cobra.Command{
		Use:   "fresh NAME",
		Short: "End a session and start it afresh, with a brief of its work",
		Long: `End a session and start a fresh one in its place, with a brief of its work.

Kedge writes a handoff and a checkpoint, ends the session, and starts the same
command again: with the same name and options, in the same folder, and with an
empty context. The fresh session receives the rules, the state of the work, and
the brief that kedge resume would give. If Kedge can save nothing, it does not
end the session.

Use this command when kedge ls says that the context fills up or is old, or
that the agent repeats itself. The command does not ask for confirmation.
Agents may not use it.`,
		Example: `  kedge fresh auth-refactor            hand over and start afresh
  kedge fresh auth-refactor --attach   and look at it at once`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			in := sessions.SessionFresh{Name: args[0], GraceMS: int(grace.Milliseconds()), Env: env.Environ, Cols: frame.DefaultCols, Rows: frame.DefaultRows}
			if attach {
				in.Cols, in.Rows = env.Size()
			}
			env.Running(fmt.Sprintf("saving a handoff of session %s, then ending the session", in.Name))
			r, err := frame.Call[sessions.SessionFreshReply](c.Context(), env, "session.fresh", in)
			env.Running("")
			if err != nil {
				return err
			}
			if r.Handoff != "" {
				env.Talk("saved handoff %s and checkpoint %s", r.Handoff, r.Checkpoint)
			}
			if attach {
				return attachTo(c.Context(), env, r.Name)
			}
			return env.Show(r, func(w io.Writer) { fmt.Fprintf(w, "%s\n", r.ID) })
		},
		ValidArgsFunction: frame.SessionNames(env),
	}
	c.Flags().BoolVar(&attach, "attach", false, "attach to the fresh session at once")
	c.Flags().DurationVar(&grace, "grace", 3*time.Second, "how much `time` the old session gets to end by itself")
	return c
}
