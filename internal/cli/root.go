package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"kedge"
)

// helpTemplate puts examples before everything but the one-line purpose.
const helpTemplate = `{{with (or .Long .Short)}}{{. | trimTrailingWhitespaces}}
{{end}}{{if .HasExample}}
Examples:
{{.Example | trimTrailingWhitespaces}}
{{end}}{{if or .Runnable .HasSubCommands}}
{{.UsageString}}{{end}}`

// usageTemplate is cobra's without the examples, which stand above.
const usageTemplate = `Usage:{{if and .Runnable (not (index .Annotations "group"))}}
  {{.UseLine}}{{end}}{{if .HasAvailableSubCommands}}
  {{.CommandPath}} COMMAND{{end}}{{if .HasAvailableSubCommands}}{{$cmds := .Commands}}{{if eq (len .Groups) 0}}

Commands:{{range $cmds}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding }} {{.Short}}{{end}}{{end}}{{else}}{{range $group := .Groups}}

{{.Title}}{{range $cmds}}{{if (and (eq .GroupID $group.ID) .IsAvailableCommand)}}
  {{rpad .Name .NamePadding }} {{.Short}}{{end}}{{end}}{{end}}{{end}}{{end}}{{if .HasAvailableLocalFlags}}

Flags:
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableSubCommands}}

Run "{{.CommandPath}} COMMAND --help" for more about a command.{{end}}
`

func newRoot(env *Env) *cobra.Command {
	root := &cobra.Command{
		Use:           "kedge",
		Short:         "Keeps long-running AI coding work from losing its place",
		Example:       "  kedge init                          set Kedge up in this repository\n  kedge status                        where the work stands, and what comes next\n  kedge gate                          run the checks, get one verdict",
		Version:       kedge.Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		Annotations:   map[string]string{"group": "only holds others"},
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetVersionTemplate("kedge {{.Version}}\n")
	root.SetHelpTemplate(helpTemplate)
	root.SetUsageTemplate(usageTemplate)
	root.SetFlagErrorFunc(usageError)
	root.PersistentFlags().BoolVar(&env.json, "json", false, "print JSON")
	addCommands(root, env)
	root.AddGroup(&cobra.Group{ID: "help", Title: "Help:"})
	root.SetHelpCommandGroupID("help")
	root.SetCompletionCommandGroupID("help")
	root.AddCommand(helpTopics()...)
	eachCommand(root, func(c *cobra.Command) { c.Args = kindly(c.Args) })
	return root
}

func eachCommand(c *cobra.Command, do func(*cobra.Command)) {
	do(c)
	for _, sub := range c.Commands() {
		eachCommand(sub, do)
	}
}

// kindly turns cobra's complaints about arguments into our error with a hint.
func kindly(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if check == nil {
			return nil
		}
		if err := check(c, args); err != nil {
			return usageError(c, err)
		}
		return nil
	}
}

func usageError(c *cobra.Command, err error) error {
	msg, _, _ := strings.Cut(err.Error(), "\n") // cobra appends suggestions on lines of their own
	return kedge.Errorf(kedge.Invalid, "%s", msg).WithHint("%s --help", c.CommandPath())
}
