package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kedge/internal/cli/frame"
)

// TestEveryCommandToPasteParses: a command that a message, a hint or an example gives to
// paste is one of Kedge's, has all the arguments that it needs, and no flag that it does
// not know. A placeholder in it is a word of that command's own usage.
func TestEveryCommandToPasteParses(t *testing.T) {
	root := newRoot(&frame.Env{Args: []string{"help"}})
	n := 0
	for at, text := range messagesOfKedge(t) {
		for _, line := range toPaste(text) {
			n++
			if why := wrongCall(root, line); why != "" {
				t.Errorf("%s: %q: %s", at, line, why)
			}
		}
	}
	if n < 400 {
		t.Errorf("only %d commands were found", n)
	}
}

// TestWrongCall: what the test above finds, and what it lets pass.
func TestWrongCall(t *testing.T) {
	root := newRoot(&frame.Env{Args: []string{"help"}})
	for line, ok := range map[string]bool{
		"kedge run":                                       true,
		"kedge feature skip ID --reason WHY":              true,
		"kedge feature skip something --reason something": true,
		"kedge new NAME -- COMMAND":                       true,
		"kedge run --max-sessions something":              true,
		"kedge decide --help":                             true,
		"kedge feature accept ID":                         false, // it needs a reason
		"kedge feature skip --reason WHY":                 false,
		"kedge feature skip FEATURE --reason WHY":         false, // usage calls it ID
		"kedge resume --again NAME":                       false,
		"kedge features reopen ID --reason WHY":           false,
		"kedge runs":                                      false,
		"kedge feature":                                   false, // only holds others
		"kedge decide TITLE --why WHY":                    true,
		"kedge decide TITLE --supersedes ID --why ID":     true,
	} {
		if why := wrongCall(root, line); (why == "") != ok {
			t.Errorf("%s: %q", line, why)
		}
	}
	got := strings.Join(toPaste("no: kedge status; or, for all of it: kedge logs something --follow (it waits), then: kedge run. Kedge runs: kedge run --stop"), "|")
	if want := "kedge status|kedge logs something --follow|kedge run|kedge run --stop"; got != want {
		t.Errorf("found %q, want %q", got, want)
	}
}

var (
	// beginsPaste is where a text gives a command to paste: at its beginning, on an indented
	// line, behind a colon, or behind another command.
	beginsPaste = regexp.MustCompile(`(?m)(?:\A|^  +|: |&& |\| )(kedge [a-z-][^\n]*)`)
	// endsPaste is where prose follows a command.
	endsPaste = regexp.MustCompile(` \(|\)|; |;$|, |[.,:]$|\. |: |  | && | \|\|? | > |\\$| (?:and|in|with) `)
	// mentions is a sentence about a command.
	mentions = regexp.MustCompile(`^kedge [a-z]+( [a-z]+)? (lists|prints|shows|will|writes) `)
)

// toPaste gives the commands of Kedge that a text says to paste.
func toPaste(text string) []string {
	var out []string
	if strings.Contains(text, "\n\n") { // a page of help: commands to paste are on lines of their own
		text = strings.Join(indented.FindAllString(text, -1), "\n")
	}
	for _, at := range beginsPaste.FindAllStringSubmatchIndex(text, -1) {
		for rest := text[at[2]:at[3]]; ; {
			line, more := untilProse(rest)
			if !mentions.MatchString(rest) {
				out = append(out, line)
			}
			next := beginsPaste.FindStringSubmatch(more)
			if next == nil {
				break
			}
			rest = next[1]
		}
	}
	return out
}

// untilProse cuts a command off what follows it. What is in quotes belongs to it.
func untilProse(s string) (command, more string) {
	hidden := quotedText.ReplaceAllStringFunc(s, func(q string) string { return strings.Repeat("Q", len(q)) })
	if at := endsPaste.FindStringIndex(hidden); at != nil {
		return strings.TrimSpace(s[:at[0]]), s[at[0]:]
	}
	return strings.TrimSpace(s), ""
}

var indented = regexp.MustCompile(`(?m)^  +kedge .*`)

var quotedText = regexp.MustCompile(`"[^"]*"|'[^']*'`)

// wrongCall says why a command line does not work, or nothing.
func wrongCall(root *cobra.Command, line string) string {
	words := strings.Fields(quotedText.ReplaceAllString(line, value))[1:]
	if len(words) == 0 || elsewhere[words[0]] || words[0] == value {
		return "" // another program's, or a command that is filled in
	}
	if len(words) > 1 && words[1] == value {
		if c, _, err := root.Find(words[:1]); err == nil && c.HasSubCommands() {
			return "" // one of its commands, filled in
		}
	}
	c, rest, err := root.Find(words)
	if err != nil || c == root {
		return "there is no such command"
	}
	own, behind := rest, []string(nil)
	for i, w := range rest {
		if w == "--" {
			own, behind = rest[:i], rest[i+1:]
			break
		}
	}
	args, flags, why := split(c, own)
	switch {
	case why != "" || flags["help"]:
		return why
	case c.Annotations["group"] != "":
		return "it only holds other commands"
	}
	given := append(args, behind...)
	if n := len(given); n > 0 && given[n-1] == value && c.Args(c, given) != nil {
		given = slices.DeleteFunc(given, func(w string) bool { return w == value }) // flags that are filled in
	}
	if err := c.Args(c, given); err != nil {
		return err.Error()
	}
	return unknownWords(c, args, flags)
}

// split parts the words behind a command into its arguments and the names of its flags.
func split(c *cobra.Command, words []string) (args []string, flags map[string]bool, why string) {
	flags = map[string]bool{"help": false}
	for i := 0; i < len(words); i++ {
		name, isFlag := strings.CutPrefix(words[i], "--")
		if !isFlag && len(words[i]) == 2 && words[i][0] == '-' {
			if f := c.Flags().ShorthandLookup(words[i][1:]); f != nil {
				name, isFlag = f.Name, true
			}
		}
		if !isFlag {
			args = append(args, words[i])
			continue
		}
		name, given, has := strings.Cut(name, "=")
		f := lookup(c, name)
		if f == nil && name != "help" {
			return nil, nil, "there is no --" + name
		}
		flags[name] = true
		if f != nil && f.NoOptDefVal == "" && !has {
			i++
			if i == len(words) {
				return nil, nil, "--" + name + " has no value"
			}
			given = words[i]
		}
		if placeholder.MatchString(given) && !strings.Contains(c.Use, "--"+name+" "+given) && given != strings.ToUpper(unquoted(f)) && !usualWords[given] {
			return nil, nil, "the usage does not say what " + given + " of --" + name + " is"
		}
	}
	return args, flags, ""
}

// usualWords are placeholders of flags that need no explanation.
var usualWords = map[string]bool{"WHY": true, "TEXT": true, "ID": true, "N": true}

func lookup(c *cobra.Command, name string) *pflag.Flag {
	if f := c.Flags().Lookup(name); f != nil {
		return f
	}
	return c.Root().PersistentFlags().Lookup(name)
}

// unquoted is what a flag's help calls its value.
func unquoted(f *pflag.Flag) string {
	if f == nil {
		return ""
	}
	name, _ := pflag.UnquoteUsage(f)
	return name
}

var (
	placeholder = regexp.MustCompile(`^[A-Z]{1,}$`)
	inBrackets  = regexp.MustCompile(`\[[^\]]*\]`)
	flagInUse   = regexp.MustCompile(`--([a-z-]+)`)
)

// unknownWords says which argument the usage of a command does not name, and which flag
// that it needs is missing.
func unknownWords(c *cobra.Command, args []string, flags map[string]bool) string {
	use, _, _ := strings.Cut(c.Use, " | ")
	for _, w := range args {
		if w != "HEAD" && placeholder.MatchString(w) && !regexp.MustCompile(`\b`+w+`\b`).MatchString(use) {
			return "the usage (" + c.Use + ") does not say what " + w + " is"
		}
	}
	for _, m := range flagInUse.FindAllStringSubmatch(inBrackets.ReplaceAllString(use, ""), -1) {
		if !flags[m[1]] {
			return "it needs --" + m[1]
		}
	}
	return ""
}

// value stands for what the program fills in.
const value = "something"

// messagesOfKedge are the texts of the program, by their place. Texts that are put
// together are one text, with value for what only the program knows.
func messagesOfKedge(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "testkit" || d.Name() == "tools" || len(d.Name()) > 2 && strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			switch n.(type) {
			case *ast.BinaryExpr:
			case *ast.BasicLit: // one that ends in a blank is compared, or joined by a call
				if strings.HasSuffix(e.(*ast.BasicLit).Value, " \"") {
					return true
				}
			default:
				return true
			}
			text, ok := textOf(e)
			if ok && strings.Contains(text, "kedge ") {
				at := set.Position(e.Pos())
				out[path+":"+strconv.Itoa(at.Line)+":"+strconv.Itoa(at.Column)] = text
			}
			return !ok
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var verb = regexp.MustCompile(`%[-+#0-9.*]*[a-zA-Z]`)

// textOf is a text as it is printed. One that ends in a blank is a beginning: the program
// writes something behind it.
func textOf(e ast.Expr) (string, bool) {
	text, ok := joined(e)
	if !ok {
		return "", false
	}
	if strings.HasSuffix(text, " ") {
		text += value
	}
	return text, true
}

func joined(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		if e.Kind != token.STRING || err != nil {
			return "", false
		}
		return verb.ReplaceAllString(s, value), true
	case *ast.BinaryExpr:
		a, isText := joined(e.X)
		b, also := joined(e.Y)
		switch {
		case e.Op != token.ADD || !isText && !also:
			return "", false
		case !isText:
			a = value
		case !also:
			b = value
		}
		return a + b, true
	default:
		return "", false
	}
}
