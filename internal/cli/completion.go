package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/clerk"
	"kedge/internal/app/sessions"
	"kedge/internal/text/plain"
)

// featureIDs completes the ids of features, of those with one of the statuses
// where any are given.
func featureIDs(env *Env, statuses ...kedge.Status) cobra.CompletionFunc {
	return offered(func(ctx context.Context) (list []cobra.Completion, err error) {
		out, err := call[clerk.FeaturesReply](ctx, env, "features", clerk.FeaturesRequest{})
		for _, f := range out.Features {
			if len(statuses) == 0 || slices.Contains(statuses, f.Status) {
				list = append(list, cobra.CompletionWithDesc(string(f.ID), plain.Line(f.Name)))
			}
		}
		return list, err
	})
}

// alsoAfterArgs completes a flag whatever arguments the command has already.
func alsoAfterArgs(values cobra.CompletionFunc) cobra.CompletionFunc {
	return func(c *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return values(c, nil, typed)
	}
}

// words completes a flag that takes one of a few.
func words(list ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp)
}

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

// complete offers values for a flag.
func complete(c *cobra.Command, flag string, values cobra.CompletionFunc) {
	_ = c.RegisterFlagCompletionFunc(flag, values) // refuses only what is no flag, or twice
}

// offered completes the one id that a command or a flag takes.
func offered(list func(context.Context) ([]cobra.Completion, error)) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		found, err := list(c.Context())
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return found, cobra.ShellCompDirectiveNoFileComp
	}
}
