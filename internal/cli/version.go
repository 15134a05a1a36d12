package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kedge"
)

func newVersion(env *Env) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		Example: "  kedge version\n  kedge version --json",
		RunE:    func(*cobra.Command, []string) error { return showVersion(env) },
	}
}

func showVersion(env *Env) error {
	v := struct {
		Version string `json:"version"`
	}{kedge.Version}
	return env.show(v, func(w io.Writer) { fmt.Fprintf(w, "kedge %s\n", v.Version) })
}
