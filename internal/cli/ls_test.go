package cli

import (
	"bytes"
	"strings"
	"testing"

	"kedge"
)

// What sessions used is shown where anybody said it, and unknown is a dash.
func TestLsShowsUsage(t *testing.T) {
	n := func(i int64) *int64 { return &i }
	usd := 1.5
	var out bytes.Buffer
	printSessions(&out, &Env{}, []kedge.Session{
		{Name: "a", ContextTokens: n(50), ContextWindow: n(200), USD: &usd}, {Name: "b"}, {Name: "c", ContextTokens: n(7)},
	})
	lines := strings.Split(out.String(), "\n")
	for i, want := range []string{"CONTEXT", "25% of 200", " - ", " 7 "} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("line %d: %q lacks %q", i, lines[i], want)
		}
	}
	if !strings.Contains(lines[1], "1.50") {
		t.Errorf("no money in %q", lines[1])
	}
	out.Reset()
	printSessions(&out, &Env{}, []kedge.Session{{Name: "b"}})
	if strings.Contains(out.String(), "CONTEXT") {
		t.Errorf("a column of nothing:\n%s", out.String())
	}
}
