package cli

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/sessions"
)

func newSend(env *Env) *cobra.Command {
	var raw bool
	c := &cobra.Command{
		Use:     "send NAME TEXT…",
		Short:   "Type into a session",
		Example: "  kedge send auth-refactor \"run the tests again\"   types the text and Enter\n  kedge send auth-refactor --raw $'\\x03'              exactly these bytes: Ctrl-C",
		Args:    cobra.MinimumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			in := sessions.SessionSend{Name: args[0], Text: strings.Join(args[1:], " "), Enter: !raw}
			s, err := call[kedge.Session](c.Context(), env, "session.send", in)
			if err != nil {
				return err
			}
			return env.show(s, func(io.Writer) { env.talk("sent to %s", s.Name) })
		},
		ValidArgsFunction: sessionNames(env),
	}
	c.Flags().BoolVar(&raw, "raw", false, "send the text as it is, without Enter")
	return c
}
