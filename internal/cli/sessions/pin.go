package sessions

import (
	"io"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/sessions"
	"kedge/internal/cli/frame"
)

// Pin is kedge pin.
func Pin(env *frame.Env) *cobra.Command {
	return pinning(env, "session.pin", "session %s is pinned: it is first in kedge ls, and Kedge keeps it; to unpin it: kedge unpin %s", &cobra.Command{
		Use:   "pin SESSION",
		Short: "Keep a session, and list it first",
		Long: `Keep a session, and list it first.

A pinned session stays at the top of kedge ls. Kedge keeps its output and its
worktree, however old they are, until you unpin it. Agents may not pin.`,
		Example: "  kedge pin auth-refactor\n  kedge ls",
	})
}

// Unpin is kedge unpin.
func Unpin(env *frame.Env) *cobra.Command {
	return pinning(env, "session.unpin", "session %s is no longer pinned; to pin it again: kedge pin %s", &cobra.Command{
		Use:   "unpin SESSION",
		Short: "Treat a pinned session like any other again",
		Long: `Treat a pinned session like any other again: kedge ls lists it by its age, and
Kedge removes old output of the session ([sessions] in config.toml).`,
		Example: "  kedge unpin auth-refactor",
	})
}

// pinning completes a command whose call is about one session; done says what it did.
func pinning(env *frame.Env, call, done string, c *cobra.Command) *cobra.Command {
	c.Args, c.ValidArgsFunction = cobra.ExactArgs(1), frame.SessionNames(env)
	c.RunE = func(c *cobra.Command, args []string) error {
		s, err := frame.Call[kedge.Session](c.Context(), env, call, sessions.SessionName{Name: args[0]})
		if err != nil {
			return err
		}
		return env.Show(s, func(io.Writer) { env.Talk(done, s.Name, s.Name) })
	}
	return c
}
