package cli

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kedge/internal/cli/frame"
	"kedge/internal/text/plain"
)

const referencePage = "../../docs/reference/commands.md"

var updateReference = flag.Bool("update", false, "write docs/reference/commands.md from the commands")

const referenceHead = `# Commands

<!-- Made from the help of the commands: go test ./internal/cli -run Reference -update -->

This page has the text of ` + "`kedge COMMAND --help`" + ` for every command. Other pages:
[--json](json.md), [exit codes](exit-codes.md), [environment](environment.md),
[figures](figures.md) of audit, cost and stats.

Later versions may add commands, JSON fields and exit codes, but never rename one. A command
prints its answer to stdout, and messages and progress to stderr. ` + "`--json`" + ` works on every command
that prints data. Kedge removes control characters from text that comes from a repository or an
agent.

`

// The page is the help, so it cannot say anything else than the program.
func TestReferencePage(t *testing.T) {
	want := referenceText(wholeRoot())
	if *updateReference {
		if err := os.WriteFile(referencePage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(referencePage)
	if err != nil {
		t.Fatal(err)
	}
	if line, differs := firstDifference(string(got), want); differs {
		t.Errorf("docs/reference/commands.md differs from the help in line %d; write it: go test ./internal/cli -run Reference -update", line)
	}
}

// TestReferenceHelp: each help says at once what the command does, fits a
// terminal of 80 columns, and has an example.
func TestReferenceHelp(t *testing.T) {
	for _, c := range ownCommands(wholeRoot()) {
		path := c.CommandPath()
		if n := len([]rune(c.Short)); n == 0 || n > 66 || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: its short help %q is empty, longer than 66 characters or ends with a full stop", path, c.Short)
		}
		for _, line := range strings.Split(c.Long, "\n") {
			if len([]rune(line)) > 82 {
				t.Errorf("%s: a line of its help is too wide: %q", path, line)
			}
		}
		if c.Runnable() && c.Example == "" {
			t.Errorf("%s has no example", path)
		}
	}
}

// TestReferenceExamples: an example names commands and flags that exist.
func TestReferenceExamples(t *testing.T) {
	root, n := wholeRoot(), 0
	for _, c := range ownCommands(root) {
		for _, words := range exampleCalls(c.Example) {
			n++
			if err := callable(root, words); err != nil {
				t.Errorf("%s: the example kedge %s: %v", c.CommandPath(), strings.Join(words, " "), err)
			}
		}
	}
	if n < 100 {
		t.Errorf("only %d examples", n)
	}
}

// wholeRoot is the command line with everything that cobra adds to it.
func wholeRoot() *cobra.Command {
	root := newRoot(&frame.Env{Args: []string{"help"}})
	root.InitDefaultCompletionCmd("completion")
	eachCommand(root, (*cobra.Command).InitDefaultHelpFlag) // so that the line of usage is that of the help
	return root
}

// ownCommands are those whose help is written here, not in cobra.
func ownCommands(root *cobra.Command) []*cobra.Command {
	var out []*cobra.Command
	eachCommand(root, func(c *cobra.Command) {
		if path := c.CommandPath(); c != root && !strings.HasPrefix(path, "kedge completion") {
			out = append(out, c)
		}
	})
	return out
}

// exampleCalls are the words after kedge of each line that calls it, without the
// remark that follows after two spaces.
func exampleCalls(example string) [][]string {
	var calls [][]string
	for _, line := range strings.Split(example, "\n") {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "  ")
		words := strings.Fields(line)
		if len(words) > 0 && words[0] == "kedge" {
			calls = append(calls, words[1:])
		}
	}
	return calls
}

func callable(root *cobra.Command, words []string) error {
	c, _, err := root.Find(words)
	if err != nil {
		return err
	}
	for _, w := range words {
		name, isFlag := strings.CutPrefix(w, "--")
		name, _, _ = strings.Cut(name, "=")
		switch {
		case w == "--", w == "|":
			return nil
		case isFlag && c.Flags().Lookup(name) == nil && root.PersistentFlags().Lookup(name) == nil:
			return fmt.Errorf("no flag %s", w)
		}
	}
	return nil
}

// firstDifference is the number of the first line in which two texts differ.
func firstDifference(a, b string) (int, bool) {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range max(len(x), len(y)) {
		if i >= len(x) || i >= len(y) || x[i] != y[i] {
			return i + 1, true
		}
	}
	return 0, false
}

// referenceText is the whole page: the list of commands, then a section for each.
func referenceText(root *cobra.Command) string {
	r := reference{root: root}
	r.WriteString(referenceHead)
	groups := root.Groups()
	for _, g := range groups {
		fmt.Fprintf(&r, "- %s", g.Title)
		for _, c := range grouped(root, g) {
			fmt.Fprintf(&r, " [%s](#%s)", c.Name(), anchor(heading(c)))
		}
		r.WriteString("\n")
	}
	for _, g := range groups {
		fmt.Fprintf(&r, "\n## %s\n", strings.TrimSuffix(g.Title, ":"))
		for _, c := range grouped(root, g) {
			r.section(c, "###")
		}
	}
	return strings.TrimRight(strings.ReplaceAll(r.String(), "\n\n\n", "\n\n"), "\n") + "\n"
}

// grouped are the commands of a group in the order of the table in commands.go,
// then those that are not in it.
func grouped(root *cobra.Command, g *cobra.Group) []*cobra.Command {
	var out, rest []*cobra.Command
	for _, a := range areas {
		for _, m := range a.commands {
			if c, _, err := root.Find([]string{m.name}); err == nil && c.GroupID == g.ID {
				out = append(out, c)
			}
		}
	}
	for _, c := range root.Commands() {
		if c.GroupID == g.ID && known(c.Name()) == "" {
			rest = append(rest, c)
		}
	}
	return append(out, rest...)
}

func heading(c *cobra.Command) string {
	if c.IsAdditionalHelpTopicCommand() {
		return "kedge help " + c.Name()
	}
	return c.CommandPath()
}

func anchor(heading string) string { return strings.ReplaceAll(heading, " ", "-") }

// reference is the page as it grows.
type reference struct {
	strings.Builder
	root *cobra.Command
}

func (r *reference) section(c *cobra.Command, level string) {
	fmt.Fprintf(r, "\n%s %s\n\n", level, heading(c))
	purpose := c.Long
	if purpose == "" {
		purpose = c.Short + "."
	}
	r.prose(purpose)
	if c.Runnable() && c.Annotations["group"] == "" {
		r.block("    " + c.UseLine())
	}
	if c.HasExample() {
		r.WriteString("Examples:\n\n")
		r.block(c.Example)
	}
	r.below(c)
	r.flags(c)
	for _, sub := range c.Commands() {
		r.section(sub, "####")
	}
}

// below links the commands below c.
func (r *reference) below(c *cobra.Command) {
	if !c.HasSubCommands() {
		return
	}
	for _, sub := range c.Commands() {
		fmt.Fprintf(r, "- [%s](#%s): %s\n", sub.CommandPath(), anchor(heading(sub)), r.inline(sub.Short))
	}
	r.WriteString("\n")
}

// flags are a table; --help, which every command has, is left out.
func (r *reference) flags(c *cobra.Command) {
	rows := ""
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" || f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		rows += fmt.Sprintf("| `%s` | %s |\n", flagName(f, value), strings.ReplaceAll(r.inline(usage+usualValue(f)), "|", "\\|"))
	})
	if rows != "" {
		fmt.Fprintf(r, "| flag | does |\n|---|---|\n%s\n", rows)
	}
}

func flagName(f *pflag.Flag, value string) string {
	name := strings.TrimSpace("--" + f.Name + " " + value)
	if f.NoOptDefVal != "" && value != "" {
		name = "--" + f.Name + "[=" + value + "]"
	}
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	return name
}

func usualValue(f *pflag.Flag) string {
	switch f.DefValue {
	case "", "0", "false", "[]":
		return ""
	default:
		return " (default " + f.DefValue + ")"
	}
}

// prose writes a help text: what is indented there is a list or a block of its own.
func (r *reference) prose(text string) {
	for _, part := range strings.Split(strings.TrimSpace(text), "\n\n") {
		switch {
		case strings.HasPrefix(part, "  - "):
			r.WriteString(r.inline(strings.ReplaceAll(part, "\n  ", "\n")[2:]) + "\n\n")
		case strings.HasPrefix(part, "  "), strings.HasPrefix(part, "\t"):
			r.block(part)
		default:
			r.WriteString(r.inline(strings.TrimLeft(part, "# ")) + "\n\n")
		}
	}
}

// block writes lines as they are in the help, without their common indent.
func (r *reference) block(text string) {
	indent := len(text) - len(strings.TrimLeft(text, " \t"))
	r.WriteString("```text\n")
	for _, line := range strings.Split(trimRight(text), "\n") {
		r.WriteString(line[min(indent, len(line)-len(strings.TrimLeft(line, " \t"))):] + "\n")
	}
	r.WriteString("```\n\n")
}

// codeLike finds what a reader types or sees as it is written: calls of kedge,
// flags, variables and files.
var codeLike = regexp.MustCompile(`kedge( [a-z]+)+( [A-Z]+\b| --[a-z0-9-]+)*|--[a-z][a-z0-9-]*|\$?\b[A-Z0-9]+_[A-Z_]+(/[a-z]+(\.[a-z]+)?)*|(~/)?\.[a-z]+/([a-z./-]*[a-z])?|\b[a-z_][a-z_-]*(/[a-z_-]+)*\.(toml|md|json|jsonl)\b`)

// inline marks code in a line of text, and keeps the rest from being markup.
func (r *reference) inline(text string) string {
	var b strings.Builder
	at := 0
	for _, m := range codeLike.FindAllStringIndex(text, -1) {
		code := text[m[0]:m[1]]
		if strings.HasPrefix(code, "kedge ") {
			code = r.call(code)
		}
		if code == "" {
			continue
		}
		b.WriteString(escaper.Replace(text[at:m[0]]) + "`" + code + "`")
		at = m[0] + len(code)
	}
	return b.String() + escaper.Replace(text[at:])
}

var escaper = strings.NewReplacer("*", "\\*", "<", "\\<", "~", "\\~", "`", "\\`")

// call is the part of "kedge WORDS NAME --flag" that calls a command, empty without
// one.
func (r *reference) call(text string) string {
	words := strings.Fields(text)
	c, _, err := r.root.Find(words[1:])
	if err != nil || c == r.root {
		return ""
	}
	n := len(strings.Fields(c.CommandPath()))
	for n < len(words) && (strings.HasPrefix(words[n], "--") || words[n] == strings.ToUpper(words[n])) {
		n++
	}
	return strings.Join(words[:n], " ")
}

// TestOverviewIsOneScreen: the help of the whole fits a terminal of 80 columns and 24 rows.
func TestOverviewIsOneScreen(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(overviewText, "\n"), "\n")
	if len(lines) > 23 {
		t.Errorf("%d lines", len(lines))
	}
	for _, line := range lines {
		if n := plain.Cells(line); n > 80 {
			t.Errorf("a line of %d cells: %q", n, line)
		}
	}
}
