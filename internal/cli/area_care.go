package cli

import "github.com/spf13/cobra"

func careCommands(_ *Env) []*cobra.Command {
	return nil
}
