package sessions

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/runs"
	"kedge/internal/app/sessions"
	"kedge/internal/cli/frame"
	"kedge/internal/text/plain"
)

// Kill is kedge kill.
func Kill(env *frame.Env) *cobra.Command {
	var grace time.Duration
	c := &cobra.Command{
		Use:   "kill NAME",
		Short: "End a session and everything it started",
		Long: `End a session and everything it started.

Kedge asks the session twice to end, and then kills it. If you end a session of
a run, the run starts another one. To hold the run, use kedge run --pause. To
end it, use kedge run --stop.`,
		Example: `  kedge kill auth-refactor              ask first, then force
  kedge kill auth-refactor --grace 30s  give it more time to end by itself`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			in := sessions.SessionKill{Name: args[0], GraceMS: int(grace.Milliseconds())}
			env.Running(fmt.Sprintf("asking session %s to end; if it does not, Kedge kills it after %v", in.Name, 2*grace))
			s, err := frame.Call[kedge.Session](c.Context(), env, "session.kill", in)
			env.Running("")
			if err != nil {
				return err
			}
			err = env.Show(s, func(io.Writer) { fmt.Fprintf(env.Err, "session %s: %s\n", s.Name, plain.Line(s.Summary())) })
			runKeeps(c.Context(), env, s)
			return err
		},
		ValidArgsFunction: frame.SessionNames(env),
	}
	c.Flags().DurationVar(&grace, "grace", 3*time.Second, "how much `time` the session gets to end by itself")
	return c
}

// runKeeps says that the run whose session was killed goes on with its work, and what
// ends that.
func runKeeps(ctx context.Context, env *frame.Env, s kedge.Session) {
	if s.Run == "" || env.JSON {
		return
	}
	out, err := frame.Call[runs.RunReply](ctx, env, "run.show", runs.RunRequest{})
	if err != nil || out.Run.ID != s.Run || out.Run.Resting && out.Run.Halt == "" {
		return
	}
	what := "the plan"
	if s.Feature != "" {
		what = string(s.Feature)
	}
	if out.Run.Halt != "" {
		env.Talk("note: the session worked on %s for %s; when you continue the run, it starts another session: kedge run --continue", plain.Line(what), s.Run)
		return
	}
	env.Talk("note: the session worked on %s for %s; the run now starts another session; to prevent this, pause the run, stop it or block the feature:", plain.Line(what), s.Run)
	env.Next(kedge.Step("kedge", "run", "--pause"), kedge.Step("kedge", "run", "--stop"))
	if s.Feature != "" {
		env.Next(kedge.Step("kedge", "feature", "block", what, "--reason", "WHY"))
	}
}
