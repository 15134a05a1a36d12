package maintenance

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/cli/frame"
)

// Version is kedge version.
func Version(env *frame.Env) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		Example: "  kedge version\n  kedge version --json",
		RunE:    func(*cobra.Command, []string) error { return ShowVersion(env) },
	}
}

// ShowVersion prints the version, as kedge --version does too.
func ShowVersion(env *frame.Env) error {
	v := struct {
		Version string `json:"version"`
	}{kedge.Version}
	return env.Show(v, func(w io.Writer) { fmt.Fprintf(w, "kedge %s\n", v.Version) })
}
