package cli

import "github.com/spf13/cobra"

func gitCommands(env *Env) []*cobra.Command {
	return []*cobra.Command{newSalvage(env), newWorktree(env), newApprove(env)}
}
