package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"kedge/internal/cli/frame"
)

// commandLine is a command line of Kedge in a text: at most two words and the flags
// behind them.
var commandLine = regexp.MustCompile("(^|[^A-Za-z0-9_/.-])kedge ([a-z]+)( [a-z]+)?((?: [A-Z][A-Z|]*| %[sqd])*)((?: --[a-z-]+)*)")

// inText is where a text says a command line rather than a word about Kedge.
var inText = regexp.MustCompile("\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`")

// TestEveryNamedCommandExists: whatever Kedge tells people to do next, in its
// messages and its documents, is a command that it has.
func TestEveryNamedCommandExists(t *testing.T) {
	root := newRoot(&frame.Env{Args: []string{"help"}})
	n := 0
	for file, texts := range textsOfKedge(t) {
		for _, text := range texts {
			for _, m := range commandLine.FindAllStringSubmatch(text, -1) {
				if elsewhere[m[2]] || m[3] == "" && strings.HasPrefix(m[4], " %") {
					continue // or a command that is filled in
				}
				n++
				if why := missing(root, m[2], strings.TrimSpace(m[3]), strings.Fields(m[5])); why != "" {
					t.Errorf("%s: %q: %s", file, strings.TrimSpace(m[0]), why)
				}
			}
		}
	}
	if n < 150 {
		t.Errorf("only %d commands were found", n)
	}
}

// elsewhere are words behind the name of the program that are no command of this
// package: those that main adds, cobra's own, and prose.
var elsewhere = map[string]bool{"hold": true, "hook": true, "limit": true, "fakeagent": true, "completion": true, "help": true, "or": true}

// missing says what of a command line there is not.
func missing(root *cobra.Command, name, sub string, flags []string) string {
	c, _, err := root.Find([]string{name})
	if err != nil || c == root {
		return "there is no such command"
	}
	if sub != "" && c.HasSubCommands() {
		if under, _, err := root.Find([]string{name, sub}); err == nil && under != c {
			c = under
		}
	}
	for _, f := range flags {
		if f = strings.TrimPrefix(f, "--"); c.Flags().Lookup(f) == nil && root.PersistentFlags().Lookup(f) == nil && f != "help" {
			return "there is no --" + f
		}
	}
	return ""
}

// advises is a line of the program that says what to do next.
var advises = regexp.MustCompile(`WithHint\(|Fix:|fix|add\(|[nN]ext|Example|[tT]alk\(|return \[\]string`)

// textsOfKedge are the texts that people read: literals of the program, and the
// code in its documents.
func textsOfKedge(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".." && d.Name() != "../.." || d.Name() == "testdata") {
			if err == nil {
				err = fs.SkipDir
			}
			return err
		}
		isGo := strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go")
		if !isGo && !strings.HasSuffix(path, ".md") {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, line := range strings.Split(string(b), "\n") {
			if !isGo || advises.MatchString(line) && !strings.HasPrefix(strings.TrimSpace(line), "//") {
				out[path] = append(out[path], inText.FindAllString(line, -1)...)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
