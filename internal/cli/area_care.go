package cli

import "github.com/spf13/cobra"

func careCommands(env *Env) []*cobra.Command {
	return []*cobra.Command{newDoctor(env), newRebuild(env), newBackup(env), newProject(env)}
}
