package cli

import "github.com/spf13/cobra"

func featureCommands(env *Env) []*cobra.Command {
	return []*cobra.Command{newNext(env), newReady(env), newFeatures(env), newFeature(env), newPlan(env)}
}
