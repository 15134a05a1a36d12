package maintenance

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"kedge/internal/app/maintenance"
	"kedge/internal/cli/frame"
	"kedge/internal/text/plain"
)

// Project is kedge project.
func Project(env *frame.Env) *cobra.Command {
	c := frame.Group("project", "List the projects that Kedge knows, or forget one", newProjectLs(env), newProjectRm(env))
	c.Example = "  kedge project ls\n  kedge project rm shop"
	return c
}

func newProjectLs(env *frame.Env) *cobra.Command {
	return &cobra.Command{
		Use: "ls", Short: "List the projects that Kedge knows", Args: cobra.NoArgs,
		Example: "  kedge project ls\n  kedge project ls --json",
		RunE: func(c *cobra.Command, _ []string) error {
			out, err := frame.Call[maintenance.ProjectListReply](c.Context(), env, "project.list", maintenance.ProjectListRequest{})
			if err != nil {
				return err
			}
			if len(out.Projects) == 0 {
				env.Talk("Kedge knows no projects; set up this folder: kedge init")
			}
			return env.Show(out, func(w io.Writer) { projectsText(w, out.Projects) })
		},
	}
}

func projectsText(w io.Writer, projects []maintenance.ProjectInfo) {
	if len(projects) == 0 {
		return
	}
	t := frame.Table{Columns: []frame.Column{{Title: "NAME", Least: 12}, {Title: "STATE"}, {Title: "EVENTS", Right: true, Drop: 2}, {Title: "SIZE", Right: true, Drop: 1}, {Title: "ID"}, {Title: "FOLDER"}}}
	for _, p := range projects {
		t.Row(p.Name, string(p.State), strconv.FormatInt(int64(p.Events), 10), frame.Bytes(p.Bytes), string(p.ID), cmp.Or(p.Problem, p.Dir))
	}
	t.Print(w)
}

func newProjectRm(env *frame.Env) *cobra.Command {
	return &cobra.Command{
		Use: "rm PROJECT", Short: "Forget a project; its folder is not touched", Args: cobra.ExactArgs(1),
		Long: `Forget a project, named by its id, its name or its folder.

Kedge moves everything that it recorded of the project to KEDGE_HOME/attic. To
undo this, move the folder back. Nothing in the project's own folder changes.`,
		Example: "  kedge project rm shop\n  kedge project rm ~/src/shop",
		RunE: func(c *cobra.Command, args []string) error {
			in := maintenance.ProjectRemoveRequest{Project: args[0]}
			if strings.ContainsRune(args[0], os.PathSeparator) || args[0] == "." {
				in.Project = frame.Abs(env.Dir, args[0])
			}
			return frame.Ask(c.Context(), env, "project.remove", in, func(w io.Writer, out maintenance.ProjectRemoveReply) {
				fmt.Fprintf(w, "forgot project %s (%s)\n", plain.Line(out.Project.Name), out.Project.ID)
				env.Talk("what Kedge recorded of the project is now in %s", plain.Line(out.MovedTo))
			})
		},
	}
}
