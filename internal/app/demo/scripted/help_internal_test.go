package scripted

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the list of actions into docs/reference/agents.md")

// TestDocsListTheActions: the list of actions in the documentation is the one that is
// played.
func TestDocsListTheActions(t *testing.T) {
	const file, from, to = "../../../../docs/reference/agents.md", "made by the tests of internal/app/demo/scripted -->\n", "<!-- /actions -->"
	table := "| action | fields | does |\n|---|---|---|\n"
	for _, v := range verbList() {
		table += fmt.Sprintf("| `%s` | %s | %s |\n", v.name, v.takes, v.how)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, begins := strings.Cut(string(b), from)
	has, tail, ends := strings.Cut(rest, to)
	if !begins || !ends {
		t.Fatalf("%s has no place for the actions", file)
	}
	if *update {
		if err := os.WriteFile(file, []byte(head+from+table+to+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if has != table {
		t.Errorf("%s lists\n%s\nwant\n%s\ngo test ./internal/app/demo/scripted -update", file, has, table)
	}
}
