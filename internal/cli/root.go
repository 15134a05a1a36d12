package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/cli/frame"
	"kedge/internal/cli/maintenance"
	"kedge/internal/git"
	"kedge/internal/text/words"
)

func newRoot(env *frame.Env) *cobra.Command {
	var version bool
	root := &cobra.Command{
		Use:           "kedge",
		Short:         "Keeps long-running AI coding work from losing its place",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		Annotations:   map[string]string{"group": "only holds others"},
		RunE: func(c *cobra.Command, _ []string) error {
			if version {
				return maintenance.ShowVersion(env)
			}
			if len(env.Args) == 0 && inProject(env.Dir) {
				return statusOf(c)
			}
			return c.Help()
		},
	}
	root.Flags().BoolVarP(&version, "version", "v", false, "print the version")
	setHelp(root)
	root.SetFlagErrorFunc(flagError)
	root.PersistentFlags().BoolVar(&env.JSON, "json", false, "print JSON")
	addCommands(root, env)
	root.AddGroup(&cobra.Group{ID: "help", Title: "Help:"})
	root.SetHelpCommandGroupID("help")
	root.SetCompletionCommandGroupID("help")
	root.AddCommand(helpTopics()...)
	eachCommand(root, func(c *cobra.Command) { c.Args = kindly(c.Args) })
	return root
}

// inProject tells whether the folder belongs to a project of Kedge.
func inProject(dir string) bool {
	pl, ok := git.Locate(dir)
	if !ok {
		return false
	}
	_, err := git.ReadID(pl)
	return err == nil
}

// statusOf runs kedge status: in a project, kedge alone asks how it stands.
func statusOf(root *cobra.Command) error {
	c, _, err := root.Find([]string{"status"})
	if err != nil {
		return err
	}
	c.SetContext(root.Context())
	return c.RunE(c, nil)
}

// namedShells makes cobra's completion command, when it is called, refuse a
// shell that it does not know, instead of showing its help as if all were well.
func namedShells(root *cobra.Command, args []string) {
	if len(args) == 0 || args[0] != "completion" {
		return
	}
	root.InitDefaultCompletionCmd(args...)
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args = kindly(cobra.NoArgs)
			c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		}
	}
}

// namedTopics makes cobra's help command, when it is called, refuse what it has no
// help for, instead of showing that of the whole as if it were meant. With --all it lists
// every command.
func namedTopics(root *cobra.Command, args []string) {
	if len(args) == 0 || args[0] != "help" {
		return
	}
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() != "help" {
			continue
		}
		all := c.Flags().Bool("all", false, "list every command")
		page := c.Run
		c.Run = func(c *cobra.Command, topics []string) {
			if *all && len(topics) == 0 {
				_, _ = c.OutOrStdout().Write(helpText(root)) // nobody is left to tell
				return
			}
			page(c, topics)
		}
		c.Args = func(_ *cobra.Command, topics []string) error {
			of, rest, err := root.Find(topics)
			if err == nil && len(rest) > 0 {
				return frame.UnknownCommand(of, rest[0])
			}
			return err
		}
	}
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
		err := check(c, args)
		switch {
		case err == nil:
			return nil
		case strings.Contains(err.Error(), " arg(s)"):
			return wrongArguments(c, args)
		case len(args) == 0 || !strings.HasPrefix(err.Error(), "unknown command"):
			return frame.UsageError(c, err)
		case !c.HasAvailableSubCommands():
			return frame.UsageError(c, kedge.Errorf(kedge.Invalid, "%s takes no argument, but got %q", c.CommandPath(), args[0]))
		default:
			return frame.UnknownCommand(c, args[0])
		}
	}
}

// wrongArguments says what a command takes, what it got, and how it is called.
func wrongArguments(c *cobra.Command, args []string) error {
	_, takes, _ := strings.Cut(c.Use, " ")
	takes, _, _ = strings.Cut(takes, " --")
	got := "nothing"
	if len(args) > 0 {
		got = fmt.Sprintf("%q", args)
		got = strings.Trim(got, "[]")
	}
	hint := c.CommandPath() + " --help"
	if e := firstExample(c); e != "" {
		hint = "write it like this: " + e + "; see more examples: " + hint
	}
	return kedge.Errorf(kedge.Invalid, "%s takes %s, but got %s", c.CommandPath(), takes, got).WithHint("%s", hint)
}

// firstExample is the first command line of the examples, without what is said of
// it.
func firstExample(c *cobra.Command) string {
	lines := strings.Split(strings.TrimSpace(c.Example), "\n")
	line := lines[0]
	for _, next := range lines[1:] {
		head, goesOn := strings.CutSuffix(line, "\\")
		if !goesOn {
			break
		}
		line = head + strings.TrimSpace(next)
	}
	line, _, _ = strings.Cut(line, "  ")
	return line
}

// flagError is usageError for flags; one that is nearly another is named.
func flagError(c *cobra.Command, err error) error {
	name, unknown := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !unknown {
		return frame.UsageError(c, err)
	}
	var near []string
	for _, f := range strings.Fields(c.LocalFlags().FlagUsages()) {
		if f, is := strings.CutPrefix(f, "--"); is && words.Distance(f, name) <= frame.Typo {
			near = append(near, "--"+f)
		}
	}
	meant := ""
	if len(near) > 0 {
		meant = "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return kedge.Errorf(kedge.Invalid, "%s has no flag --%s%s", c.CommandPath(), name, meant).WithHint("see its flags: %s --help", c.CommandPath())
}
