package frame

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/features"
	"kedge/internal/app/sessions"
	"kedge/internal/text/plain"
)

// FeatureIDs completes the ids of features, of those with one of the statuses
// where any are given.
func FeatureIDs(env *Env, statuses ...kedge.Status) cobra.CompletionFunc {
	return CompleteOne(func(ctx context.Context) (list []cobra.Completion, err error) {
		out, err := Call[features.ListReply](ctx, env, "features", features.ListRequest{})
		for _, f := range out.Features {
			if len(statuses) == 0 || slices.Contains(statuses, f.Status) {
				list = append(list, cobra.CompletionWithDesc(string(f.ID), plain.Line(f.Name)))
			}
		}
		return list, err
	})
}

// AfterArgs completes a flag whatever arguments the command has already.
func AfterArgs(values cobra.CompletionFunc) cobra.CompletionFunc {
	return func(c *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return values(c, nil, typed)
	}
}

// OneOf completes a flag that takes one of a few.
func OneOf(list ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp)
}

// SessionNames completes the names of sessions.
func SessionNames(env *Env) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		list, err := Call[sessions.SessionListReply](c.Context(), env, "session.list", sessions.SessionList{})
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

// CompleteFlag offers values for a flag.
func CompleteFlag(c *cobra.Command, flag string, values cobra.CompletionFunc) {
	_ = c.RegisterFlagCompletionFunc(flag, values) // refuses only what is no flag, or twice
}

// CompleteOne completes the one id that a command or a flag takes.
func CompleteOne(list func(context.Context) ([]cobra.Completion, error)) cobra.CompletionFunc {
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
