package brief_test

import (
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/brief"
)

func TestRow97BodyOfAWorkCommit(t *testing.T) {
	f := kedge.Feature{Definition: kedge.Definition{ID: "a", Name: "A", Acceptance: []string{"POST /orders returns 201"}}}
	described := kedge.Feature{Definition: kedge.Definition{ID: "a", Name: "A", Description: "Orders belong to a user."}}
	checked := kedge.Feature{Definition: kedge.Definition{ID: "a", Name: "A", Checks: []kedge.Check{{Name: "unit", Run: "go test ./..."}}}}
	for _, tc := range []struct {
		name, closing string
		f             *kedge.Feature
		want          string
	}{
		{"what and why", "I added the order handler.\n\n- It checks the user.\nKedge-Feature: other", &f, "I added the order handler.\n- It checks the user.\nKedge-Feature: other\n\nAccepted when:\n- POST /orders returns 201"},
		{"a word says nothing", "done", &f, "Accepted when:\n- POST /orders returns 201"},
		{"described", "", &described, "Orders belong to a user."},
		{"checked", "", &checked, "Checked by:\n- go test ./..."},
		{"a fix", "The build had a missing import.", nil, "The build had a missing import.\n\nThe project's own checks were red before any new work."},
		{"a secret", "I used ghp_" + strings.Repeat("a1B2", 9) + " for it", &described, "I used [redacted:github] for it\n\nOrders belong to a user."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := brief.CommitBody(tc.closing, tc.f); got != tc.want {
				t.Errorf("got\n%s\nwant\n%s", got, tc.want)
			}
		})
	}
	long := brief.CommitBody(strings.Repeat("many words in a row ", 200), &f)
	for line := range strings.Lines(long) {
		if n := len(strings.TrimRight(line, "\n")); n > 75 {
			t.Errorf("a line of %d bytes: %q", n, line)
		}
	}
	if len(long) > 1000 {
		t.Errorf("%d bytes", len(long))
	}
}
