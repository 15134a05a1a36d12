package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/gitx"
	"kedge/internal/plain"
	"kedge/internal/service"
)

func newApprove(env *Env) *cobra.Command {
	return &cobra.Command{
		Use: "approve [ID | filter:NAME@HASH]", Short: "Let the work on a feature in, or a git filter run", Args: cobra.MaximumNArgs(1),
		Long: "Lets the work on a feature be integrated that a run holds back because it changed\n" +
			"paths outside its plan; or lets Kedge run a git filter that the repository uses.\n\n" +
			"Kedge runs nothing that a repository brings along. Where files need a filter\n" +
			"(Git LFS, an encryption), a person approves exactly its commands; changed\n" +
			"commands ask again. Without an argument the filters are listed.",
		Example: "  kedge approve order-entity                                   the work may go in\n  kedge approve                                                the filters and their commands\n  kedge approve filter:lfs@4f1c2ab09d3e7712c05be9d186a4f3b0    this one may run",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listFilters(c, env)
			}
			name, ok := strings.CutPrefix(args[0], "filter:")
			if !ok && kedge.ValidName(args[0]) {
				return approveWork(c, env, kedge.FeatureID(args[0]))
			}
			at := strings.LastIndexByte(name, '@')
			if !ok || at < 1 {
				return usageError(c, kedge.Errorf(kedge.Invalid, "%q does not say what to approve: filter:NAME@HASH", args[0]))
			}
			in := service.FilterApproveRequest{Name: name[:at], Hash: name[at+1:]}
			return ask(c.Context(), env, "filter.approve", in, func(w io.Writer, out service.FilterApproveReply) {
				fmt.Fprintf(w, "approved filter:%s\n", plain.Line(out.Filter.Name))
			})
		},
		ValidArgsFunction: featureIDs(env, kedge.NeedsReview),
	}
}

func approveWork(c *cobra.Command, env *Env, id kedge.FeatureID) error {
	out, err := call[service.RunReply](c.Context(), env, "run.approve", service.RunDecideRequest{ID: id})
	if err != nil {
		return err
	}
	return env.showRun(out)
}

func listFilters(c *cobra.Command, env *Env) error {
	out, err := call[service.FilterListReply](c.Context(), env, "filter.list", service.FilterListRequest{})
	if err != nil {
		return err
	}
	if len(out.Filters) == 0 {
		env.talk("no git filters are defined")
	}
	return env.show(out, func(w io.Writer) {
		for _, f := range out.Filters {
			filterLines(w, f)
		}
	})
}

func filterLines(w io.Writer, f gitx.Filter) {
	state := "not approved"
	if f.Approved {
		state = "approved"
	}
	fmt.Fprintf(w, "filter:%s@%s  %s\n", plain.Line(f.Name), f.Hash[:gitx.FilterDigits], state)
	for _, c := range []struct{ name, command string }{{"clean", f.Clean}, {"smudge", f.Smudge}, {"process", f.Process}} {
		if c.command != "" {
			fmt.Fprintf(w, "  %-8s %s\n", c.name, plain.Line(c.command))
		}
	}
}
