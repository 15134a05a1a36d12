package sessions

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/app/reports"
	"kedge/internal/app/sessions"
	"kedge/internal/cli/frame"
)

// Resume is kedge resume.
func Resume(env *frame.Env) *cobra.Command {
	var attach bool
	var in sessions.SessionResume
	c := &cobra.Command{
		Use:   "resume [NAME]",
		Short: "Start an ended session again, and tell the agent where it stopped",
		Long: `Restart the command of an ended session, and tell its agent where it stopped.

The new session has the same folder and name, and records which session it
continues. The output of the old session stays. kedge search finds it under
the same name.

If the program left a transcript (Claude Code, Codex and others do), the new
session receives the text that kedge brief prints: the request, the next step,
what was in progress and which files it needs next. KEDGE_BRIEF is the path of
the file with this brief. An agent that Kedge can drive reads the brief first,
if its command contains no prompt. With --bare there is no brief. With --native
the program resumes its own conversation instead, if it can. In kedge ls
--json, "begun" says how the session started.

NAME can also be the id of a past conversation that kedge history finds, or the
first characters of this id. Then a fresh session of the same agent starts in
the folder of the conversation, and receives its brief. With --agent, a fresh
session of another agent starts.

With --checkpoint, a fresh session of the project's agent starts instead. It
receives the rules, then the checkpoint: what is done, what is next and which
files to read again.`,
		Example: `  kedge resume auth-refactor            after a reboot, for example
  kedge resume auth-refactor --attach   and show its terminal at once
  kedge resume auth-refactor --native   continue the agent's own conversation
  kedge resume 13da966e                 a past conversation, of any agent
  kedge resume --checkpoint latest      a fresh session, from the checkpoint`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := resumes(&in, args); err != nil {
				return err
			}
			in.Env, in.Cols, in.Rows = env.Environ, frame.DefaultCols, frame.DefaultRows
			if attach {
				in.Cols, in.Rows = env.Size()
			}
			s, err := frame.Call[kedge.Session](c.Context(), env, "session.resume", in)
			if kedge.NotFound.Is(err) && in.Checkpoint == "" && !in.Native {
				s, err = resumePast(c.Context(), env, in, err)
			}
			if err != nil {
				return err
			}
			if attach {
				return attachTo(c.Context(), env, s.Name)
			}
			return env.Show(s, func(w io.Writer) { fmt.Fprintf(w, "%s\n", s.ID) })
		},
		ValidArgsFunction: frame.SessionNames(env),
	}
	c.Flags().BoolVar(&attach, "attach", false, "attach to the session at once")
	c.Flags().StringVar(&in.Checkpoint, "checkpoint", "", "start from the checkpoint with this `id`; latest means the newest one")
	c.Flags().BoolVar(&in.Bare, "bare", false, "start the command without a brief")
	c.Flags().BoolVar(&in.Native, "native", false, "let the program resume its own conversation")
	c.Flags().StringVar(&in.Agent, "agent", "", "start this `agent`; only with --checkpoint or a past conversation")
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
		return kedge.Errorf(kedge.Invalid, "the name of a session is missing").WithHint("see the sessions: kedge ls; to resume a session: kedge resume NAME; to start from the newest checkpoint: kedge resume --checkpoint latest")
	case in.Checkpoint != "" && in.Bare:
		return kedge.Errorf(kedge.Invalid, "--bare works only with a session, not with a checkpoint").WithHint("kedge resume %s --bare", cmp.Or(in.Name, "NAME"))
	case in.Native && (in.Bare || in.Checkpoint != ""):
		return kedge.Errorf(kedge.Invalid, "--native cannot be combined with --bare or --checkpoint").WithHint("kedge resume %s --native", cmp.Or(in.Name, "NAME"))
	}
	return nil
}

// resumePast continues a past conversation, where Kedge knows no session of the name;
// unknown is what is wrong where there is no conversation either.
func resumePast(ctx context.Context, env *frame.Env, in sessions.SessionResume, unknown error) (kedge.Session, error) {
	var out reports.ConversationReply
	ask := reports.ConversationRequest{What: in.Name, Head: true, Env: frame.Named(env.Environ, catalog.Transcripts().Variables())}
	if err := awaited(ctx, env, "conversation", ask, &out); err != nil {
		if kedge.NotFound.Is(err) {
			err = unknown
		}
		return kedge.Session{}, err
	}
	in.Past = &sessions.PastTalk{ID: out.ID, Agent: out.Agent, File: out.File, Session: out.Session, Folder: out.Folder}
	return frame.Call[kedge.Session](ctx, env, "session.resume", in)
}
