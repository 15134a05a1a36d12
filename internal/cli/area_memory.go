package cli

import "github.com/spf13/cobra"

func memoryCommands(_ *Env) []*cobra.Command {
	return nil
}
