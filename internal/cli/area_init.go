package cli

import "github.com/spf13/cobra"

func initCommands(env *Env) []*cobra.Command {
	return []*cobra.Command{newInit(env), newUp(env), newDown(env)}
}
