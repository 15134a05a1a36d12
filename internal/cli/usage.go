package cli

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"kedge/internal/text/lazyre"

	"github.com/spf13/cobra"
)

// setHelp gives a command and those below it their help. It is made by
// functions: a template would keep text/template in the program, and with it the
// methods of every type that it might call, an eighth of the whole.
func setHelp(root *cobra.Command) {
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		text := []byte(overviewText)
		if c != root {
			text = helpText(c)
		}
		_, _ = c.OutOrStdout().Write(text) // nobody is left to tell
	})
	root.SetUsageFunc(func(c *cobra.Command) error {
		_, err := c.OutOrStderr().Write(usageText(c))
		return err
	})
}

// helpText puts examples before everything but the purpose.
func helpText(c *cobra.Command) []byte {
	var b bytes.Buffer
	purpose := c.Long
	if purpose == "" {
		purpose = c.Short
	}
	if purpose != "" {
		fmt.Fprintf(&b, "%s\n", trimRight(purpose))
	}
	if c.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", trimRight(c.Example))
	}
	if c.Runnable() || c.HasSubCommands() {
		fmt.Fprintf(&b, "\n%s", usageText(c))
	}
	return b.Bytes()
}

// usageText is how a command is called, what is below it, and its flags.
func usageText(c *cobra.Command) []byte {
	var b bytes.Buffer
	b.WriteString("Usage:")
	if c.Runnable() && c.Annotations["group"] == "" {
		fmt.Fprintf(&b, "\n  %s", c.UseLine())
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n  %s COMMAND", c.CommandPath())
		listCommands(&b, c)
	}
	if c.HasAvailableLocalFlags() {
		fmt.Fprintf(&b, "\n\nFlags:\n%s", trimRight(flagUsages(c)))
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n\nRun \"%s COMMAND --help\" for more about a command.", c.CommandPath())
	}
	b.WriteString("\n")
	return b.Bytes()
}

// optional finds a flag whose value may be left out, as pflag writes it.
var optional = lazyre.New(`--(\S+) (\S+)\[="[^"]*"\]`)

// flagUsages lists the flags. A value that may be left out is written as it is typed: with
// an equals sign.
func flagUsages(c *cobra.Command) string {
	text := c.LocalFlags().FlagUsages()
	for _, m := range optional.FindAllStringSubmatch(text, -1) {
		text = strings.Replace(text, m[0], fmt.Sprintf("%-*s", len(m[0]), "--"+m[1]+"[="+m[2]+"]"), 1)
	}
	return text
}

// listCommands lists what is below c, by group where there are groups.
func listCommands(b *bytes.Buffer, c *cobra.Command) {
	groups := c.Groups()
	if len(groups) == 0 {
		groups = []*cobra.Group{{Title: "Commands:"}}
	}
	for _, g := range groups {
		fmt.Fprintf(b, "\n\n%s", g.Title)
		for _, sub := range c.Commands() {
			if sub.GroupID != g.ID {
				continue
			}
			if sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand() { // a page of its own is called: kedge help TOPIC
				fmt.Fprintf(b, "\n  %-*s %s", sub.NamePadding(), sub.Name(), sub.Short)
			}
		}
	}
}

func trimRight(s string) string { return strings.TrimRightFunc(s, unicode.IsSpace) }
