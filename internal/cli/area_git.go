package cli

import "github.com/spf13/cobra"

func gitCommands(_ *Env) []*cobra.Command {
	return nil
}
