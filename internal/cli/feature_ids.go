package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/features"
	"kedge/internal/text/plain"
)

// featureIDs completes the ids of features, of those with one of the statuses
// where any are given.
func featureIDs(env *Env, statuses ...kedge.Status) cobra.CompletionFunc {
	return offered(func(ctx context.Context) (list []cobra.Completion, err error) {
		out, err := call[features.FeaturesReply](ctx, env, "features", features.FeaturesRequest{})
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
