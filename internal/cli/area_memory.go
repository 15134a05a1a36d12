package cli

import "github.com/spf13/cobra"

func memoryCommands(env *Env) []*cobra.Command {
	return []*cobra.Command{
		newDecide(env), newRisk(env), newRemember(env), newRecall(env), newNotes(env), newRules(env),
	}
}
