package sessions

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/sessions"
	"kedge/internal/cli/frame"
)

// Send is kedge send.
func Send(env *frame.Env) *cobra.Command {
	var raw bool
	c := &cobra.Command{
		Use:   "send NAME TEXT…",
		Short: "Type text into a session",
		Long: `Type text and Enter into a session, without attaching to it.

The command succeeds when the session's terminal has accepted the text.`,
		Example: `  kedge send auth-refactor "run the tests again"   the text, then Enter
  kedge send auth-refactor --raw $'\x03'           exactly these bytes: Ctrl-C`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			in := sessions.SessionSend{Name: args[0], Text: strings.Join(args[1:], " "), Enter: !raw}
			s, err := frame.Call[kedge.Session](c.Context(), env, "session.send", in)
			if err != nil {
				return err
			}
			return env.Show(s, func(io.Writer) { env.Talk("sent to session %s", s.Name) })
		},
		ValidArgsFunction: frame.SessionNames(env),
	}
	c.Flags().BoolVar(&raw, "raw", false, "send exactly the text, without Enter")
	return c
}
