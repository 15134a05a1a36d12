package cli

import "github.com/spf13/cobra"

func gateCommands(_ *Env) []*cobra.Command {
	return nil
}
