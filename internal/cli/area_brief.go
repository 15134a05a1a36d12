package cli

import "github.com/spf13/cobra"

func briefCommands(env *Env) []*cobra.Command {
	return []*cobra.Command{newStatus(env), newPrime(env), newCheckpoint(env), newHandoff(env)}
}
