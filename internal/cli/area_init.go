package cli

import "github.com/spf13/cobra"

func initCommands(_ *Env) []*cobra.Command {
	return nil
}
