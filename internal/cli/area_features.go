package cli

import "github.com/spf13/cobra"

func featureCommands(_ *Env) []*cobra.Command {
	return nil
}
