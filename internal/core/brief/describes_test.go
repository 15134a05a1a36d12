package brief_test

import (
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/brief"
)

// TestRow97CommitThatSaysNothing: a message is descriptive when it says what was done, in
// its subject or its body.
func TestRow97CommitThatSaysNothing(t *testing.T) {
	for message, want := range map[string]bool{
		"wip": false, "": false, "fix": false, "WIP: fix stuff": false, "update": false, "fixes again!": false, ".": false, "login": false,
		"wip\n\nKedge-Feature: login-form\nSigned-off-by: Ann Example <ann@example.com>": false,
		"fix\n\nChecked by:\n- go test ./parser -run TestOptions":                        false,
		"login\n\nChecked by:\n- go test ./login":                                        true, "login\n\nKedge-Feature: login-form of the shop": false,
		"Fix login": true, "parser: refuse both flags": true, "Update README": true, "修复登录超时": true, "Исправлена ошибка входа": true,
		"wip\n\nThe parser refuses both flags now.":       true,
		"fix\n\nAccepted when:\n- the form shows the sum": true,
	} {
		if got := brief.Describes(message); got != want {
			t.Errorf("%q: %v", message, got)
		}
	}
}

// TestRow97CommitNamesItsFiles: the commit of a feature whose name says nothing says what
// changed.
func TestRow97CommitNamesItsFiles(t *testing.T) {
	asked := 0
	files := func() ([]string, error) { asked++; return []string{"a.go", "b.go", "c.go"}, nil }
	f := kedge.Feature{Definition: kedge.Definition{Checks: []kedge.Check{{Name: "x", Run: "go test ./..."}}}}
	got, err := brief.CommitText("wip", "Done.", &f, files)
	if err != nil || !strings.HasPrefix(got, "wip: change a.go, b.go and 1 more file\n\nChecked by:") || !brief.Describes(got) {
		t.Errorf("%q %v", got, err)
	}
	got, err = brief.CommitText("wip", "I wrote the parser.", &f, files)
	if err != nil || !strings.HasPrefix(got, "wip\n\nI wrote the parser.") || asked != 1 {
		t.Errorf("%q %v, asked %d times", got, err, asked)
	}
}

func FuzzDescribes(f *testing.F) {
	f.Add("wip\n\nKedge-Run: x")
	f.Add("Checked by:\n- make")
	f.Fuzz(func(t *testing.T, s string) {
		if brief.Describes(s) && strings.TrimSpace(s) == "" {
			t.Error("nothing describes")
		}
	})
}
