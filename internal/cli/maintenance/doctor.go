package maintenance

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/maintenance"
	"kedge/internal/cli/frame"
	"kedge/internal/text/plain"
	"kedge/internal/text/words"
)

// Doctor is kedge doctor.
func Doctor(env *frame.Env) *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Find what is wrong, and print what to do", Args: cobra.NoArgs,
		Long: `Find what is wrong, and print what to do. The exit code is 2 if something is
wrong.

The doctor checks the folder of Kedge (KEDGE_HOME), the journal (its record of
the project), and the repository. It also checks the format of every file under
.kedge/. Features must not depend on each other in a circle or on an unknown
id. The doctor changes nothing.`,
		Example: "  kedge doctor\n  kedge doctor --json",
		RunE: func(c *cobra.Command, _ []string) error {
			out, err := frame.Call[maintenance.DoctorReply](c.Context(), env, "doctor", maintenance.DoctorRequest{Env: env.Environ})
			if kedge.Invalid.Is(err) && homeIsOpen(env) {
				out, err = maintenance.DoctorReply{Findings: []kedge.Finding{
					{Level: kedge.LevelError, What: "other users can read Kedge's state folder, so no command uses it", Where: env.Home, Fix: kedge.HintOf(err)},
				}}, nil
			}
			if err != nil {
				return err
			}
			err = env.Show(out, func(w io.Writer) { doctorText(w, out) })
			if err != nil || out.OK {
				return err
			}
			return frame.Printed(kedge.Invalid)
		},
	}
}

// homeIsOpen tells whether others may read the state folder. Then no command
// uses it, and the doctor can only say so.
func homeIsOpen(env *frame.Env) bool {
	fi, err := os.Stat(env.Home)
	return err == nil && fi.Mode().Perm()&0o077 != 0
}

func doctorText(w io.Writer, out maintenance.DoctorReply) {
	count := map[kedge.Level]int{}
	for _, f := range out.Findings {
		count[f.Level]++
		fmt.Fprintf(w, "%s: %s: %s\n", f.Level, plain.Line(f.Where), plain.Line(f.What))
		if f.Fix != "" {
			fmt.Fprintf(w, "  fix: %s\n", plain.Line(f.Fix))
		}
	}
	if len(out.Findings) == 0 {
		fmt.Fprintln(w, "everything is ok")
		return
	}
	fmt.Fprintf(w, "%s, %s\n", words.Count(count[kedge.LevelError], "error"), words.Count(count[kedge.LevelWarning], "warning"))
}
