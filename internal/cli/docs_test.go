package cli

import (
	"os"
	"regexp"
	"testing"

	"kedge/internal/cli/frame"
)

// Every command of the help, and every command below one, has its section in the
// documentation. The whole page is compared in TestReferencePage; this one does
// not use what makes the page.
func TestDocumentedCommands(t *testing.T) {
	page, err := os.ReadFile(referencePage)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, a := range areas {
		for _, m := range a.commands {
			c := m.make(&frame.Env{})
			n++
			documented(t, page, "kedge "+m.name)
			for _, sub := range c.Commands() {
				documented(t, page, "kedge "+m.name+" "+sub.Name())
			}
		}
	}
	if n < 30 {
		t.Errorf("only %d commands", n)
	}
}

func documented(t *testing.T, page []byte, path string) {
	t.Helper()
	if !regexp.MustCompile("(?m)^#{3,4} " + regexp.QuoteMeta(path) + "$").Match(page) {
		t.Errorf("docs/reference/commands.md has no section %s", path)
	}
}
