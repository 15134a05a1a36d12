package cli

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Every command of the help is in the table of the documentation.
func TestDocumentedCommands(t *testing.T) {
	b, err := os.ReadFile("../../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(b), "\n## Commands\n")
	if !ok {
		t.Fatal("docs/cli.md has no part Commands")
	}
	table, _, _ = strings.Cut(table, "\n## ")
	n := 0
	for _, a := range areas {
		for _, m := range a.commands {
			n++
			if !regexp.MustCompile("(?m)^\\|.*`" + regexp.QuoteMeta(m.name) + "[` ]").MatchString(table) {
				t.Errorf("docs/cli.md does not tell of kedge %s", m.name)
			}
		}
	}
	if n < 30 {
		t.Errorf("only %d commands", n)
	}
}
