package cli

import "github.com/spf13/cobra"

func briefCommands(_ *Env) []*cobra.Command {
	return nil
}
