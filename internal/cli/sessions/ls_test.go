package sessions

import (
	"bytes"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/app/sessions"
	"kedge/internal/cli/frame"
)

// What sessions used is shown where anybody said it, and unknown is a dash.
func TestLsShowsUsage(t *testing.T) {
	n := func(i int64) *int64 { return &i }
	usd := 1.5
	var out bytes.Buffer
	printSessions(&out, &frame.Env{}, sessions.SessionListReply{Sessions: []kedge.Session{
		{Name: "a", ContextTokens: n(50), ContextWindow: n(200), USD: &usd}, {Name: "b"}, {Name: "c", ContextTokens: n(7)},
	}}, false)
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
	printSessions(&out, &frame.Env{}, sessions.SessionListReply{Sessions: []kedge.Session{{Name: "b"}}}, false)
	if strings.Contains(out.String(), "CONTEXT") {
		t.Errorf("a column of nothing:\n%s", out.String())
	}
}

// Of every project, each session stands with its own; one of a folder that is none has
// a dash.
func TestLsShowsProjects(t *testing.T) {
	var out bytes.Buffer
	printSessions(&out, &frame.Env{}, sessions.SessionListReply{
		Sessions: []kedge.Session{{Name: "a", Project: "prj-1"}, {Name: "b", Project: "prj-0"}},
		Projects: []kedge.Project{{ID: "prj-1", Name: "shop"}},
	}, true)
	for i, want := range []string{"PROJECT  NAME", "shop     a", "-        b"} {
		if line := strings.Split(out.String(), "\n")[i]; !strings.HasPrefix(line, want+" ") {
			t.Errorf("line %d: %q lacks %q", i, line, want)
		}
	}
}
