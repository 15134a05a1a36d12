package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/sessions"
)

func newResume(env *Env) *cobra.Command {
	var attach bool
	var in sessions.SessionResume
	c := &cobra.Command{
		Use:   "resume [NAME]",
		Short: "Start the command of an ended session again, or go on from a checkpoint",
		Long: `Start the command of an ended session again: in the same folder, with the same
name, as a new session that names the old one. What the old one printed stays
where it is; kedge search finds it under the same name.

Where its program left a transcript (Claude Code, Codex and others do), the new
session is told where the work stood: the ask in force, the next step, what was in
flight and which files are needed next, as kedge brief has it. The text lies in the
file that KEDGE_BRIEF names; a program that Kedge can drive, started with nothing but
options, begins by reading it. --bare leaves all that out. With --native the program
goes on with its own conversation instead of a fresh one, where that is known; kedge ls
--json says under "begun" which it was.

With --checkpoint a fresh session of the project's agent starts instead. Its first
message is the rules, then where the checkpoint left the work: what is done, what
comes next and which files to read again.`,
		Example: "  kedge resume auth-refactor            after a reboot, for example\n" +
			"  kedge resume auth-refactor --attach   and look at it at once\n" +
			"  kedge resume auth-refactor --native   in the agent's own conversation\n" +
			"  kedge resume --checkpoint latest      a fresh session goes on from there",
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := resumes(&in, args); err != nil {
				return err
			}
			in.Env, in.Cols, in.Rows = env.Environ, defaultCols, defaultRows
			if attach {
				in.Cols, in.Rows = env.size()
			}
			s, err := call[kedge.Session](c.Context(), env, "session.resume", in)
			if err != nil {
				return err
			}
			if attach {
				return attachTo(c.Context(), env, s.Name)
			}
			return env.show(s, func(w io.Writer) { fmt.Fprintf(w, "%s\n", s.ID) })
		},
		ValidArgsFunction: sessionNames(env),
	}
	c.Flags().BoolVar(&attach, "attach", false, "attach to it at once")
	c.Flags().StringVar(&in.Checkpoint, "checkpoint", "", "go on from a checkpoint: its id, or latest")
	c.Flags().BoolVar(&in.Bare, "bare", false, "start the command and nothing else")
	c.Flags().BoolVar(&in.Native, "native", false, "its program goes on with its own conversation")
	c.Flags().StringVar(&in.Agent, "agent", "", "with --checkpoint: this agent, not the project's")
	return c
}

// resumes says what is meant: a session by its name, or a checkpoint.
func resumes(in *sessions.SessionResume, args []string) error {
	if len(args) == 1 {
		in.Name = args[0]
	}
	if in.Checkpoint == "" && strings.HasPrefix(in.Name, "ckp-") {
		in.Checkpoint, in.Name = in.Name, ""
	}
	switch {
	case in.Checkpoint == "" && in.Name == "":
		return kedge.Errorf(kedge.Invalid, "no session is named").WithHint("kedge ls, then: kedge resume NAME; or: kedge resume --checkpoint latest")
	case in.Checkpoint != "" && in.Bare:
		return kedge.Errorf(kedge.Invalid, "--bare is for a session: a checkpoint is nothing but a brief").WithHint("kedge resume NAME --bare")
	case in.Native && (in.Bare || in.Checkpoint != ""):
		return kedge.Errorf(kedge.Invalid, "--native is for a session that goes on: not with --bare, nor --checkpoint").WithHint("kedge resume NAME --native")
	case in.Checkpoint == "" && in.Agent != "":
		return kedge.Errorf(kedge.Invalid, "--agent is for --checkpoint: a session is started with its own command").WithHint("kedge resume %s", in.Name)
	}
	return nil
}
