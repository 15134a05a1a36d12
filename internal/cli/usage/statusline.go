package usage

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"kedge/internal/agents/catalog"
	"kedge/internal/agents/hooks"
	"kedge/internal/app/reports"
	"kedge/internal/cli/frame"
	"kedge/internal/text/plain"
)

// Statusline is kedge statusline.
func Statusline(env *frame.Env) *cobra.Command {
	agent := ""
	c := &cobra.Command{
		Use:   "statusline",
		Short: "Print one line about an agent's session for its status line",
		Long: `Print one line for the status line of an agent: how full the context is, what the
session cost, and what the current block of five hours cost over all sessions.

The agent starts the command and describes its session in JSON on standard
input. Kedge reads only the transcripts of the last hours, and needs no daemon.

kedge hooks install adds this line to Claude Code's status line, after your own.
Without hooks, put it into ~/.claude/settings.json:

  "statusLine": {"type": "command", "command": "kedge statusline"}`,
		Example: "  kedge statusline   reads the JSON of the agent from standard input",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			const most = 1 << 20
			input, err := io.ReadAll(io.LimitReader(env.In, most))
			if err != nil {
				return err
			}
			s, err := hooks.ParseStatus(input)
			if err != nil {
				return err
			}
			block, err := reports.CurrentBlock(c.Context(), transcriptEnv(env), agent, time.Now())
			if err != nil {
				return err
			}
			s.Block = reports.StatusBlock(block)
			fmt.Fprintln(env.Out, plain.Line(s.Text(0)))
			return nil
		},
	}
	with := withStatusLine()
	c.Flags().StringVar(&agent, "agent", with[0], "the `agent` whose status line it is")
	frame.CompleteFlag(c, "agent", frame.OneOf(with...))
	return c
}

// withStatusLine are the agents that have a status line.
func withStatusLine() []string {
	var list []string
	for _, p := range catalog.All() {
		if p.Hooks != nil && p.Hooks.StatusLine {
			list = append(list, p.Name)
		}
	}
	return list
}

// transcriptEnv is what of the environment says where transcripts and prices are.
func transcriptEnv(env *frame.Env) []string {
	var list []string
	for name, value := range frame.Named(env.Environ, catalog.Transcripts().Variables()) {
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	return list
}
