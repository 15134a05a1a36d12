package cli

import (
	"context"

	"github.com/spf13/cobra"

	"kedge/internal/app/sessions"
)

// sessionNames completes the names of sessions.
func sessionNames(env *Env) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		list, err := call[sessions.SessionListReply](c.Context(), env, "session.list", sessions.SessionList{})
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var names []cobra.Completion
		for _, s := range list.Sessions {
			names = append(names, s.Name)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

func findSession(ctx context.Context, env *Env, name string) (sessions.SessionFound, error) {
	return call[sessions.SessionFound](ctx, env, "session.find", sessions.SessionName{Name: name})
}
