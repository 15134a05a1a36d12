package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/plain"
	"kedge/internal/service"
)

func newLand(env *Env) *cobra.Command {
	var pr bool
	c := &cobra.Command{
		Use:   "land",
		Short: "Move your branch to what the run has verified",
		Long: "Fast-forwards your branch to what the newest run has integrated that has not landed;\n" +
			"what earlier ones left is said, and comes with the next call. A checkout with changes\n" +
			"of your own, or a branch that has moved on, is left as it is (exit code 4).",
		Example: "  kedge land",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			out, err := call[service.RunLandReply](c.Context(), env, "run.land", service.RunLandRequest{PR: pr})
			if err != nil {
				return err
			}
			if err := env.show(out, func(w io.Writer) { landText(w, out) }); err != nil {
				return err
			}
			env.notes(out.Notes)
			if out.Refused != "" {
				env.talk("not landed: %s", plain.Line(out.Refused))
				return errSaid{kedge.Conflict}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&pr, "pr", false, "open a pull request instead")
	return c
}

func landText(w io.Writer, out service.RunLandReply) {
	switch {
	case out.Refused != "":
	case out.Already:
		fmt.Fprintf(w, "nothing to land: your branch has %s already\n", out.Commit)
	default:
		fmt.Fprintf(w, "landed %s\n", out.Commit)
	}
}
