package cli

import "github.com/spf13/cobra"

func gateCommands(env *Env) []*cobra.Command {
	return []*cobra.Command{newGate(env)}
}
