package sessions

import (
	"strings"
	"testing"

	"kedge"
)

// TestFreshReadsItsBrief: what a session was asked gives way to its brief; a command
// without a screen cannot be given one, and a program that Kedge does not know finds it.
func TestFreshReadsItsBrief(t *testing.T) {
	for _, c := range []struct {
		command, want, asked string
		refused              bool
	}{
		{"claude", "claude", "", false},
		{"claude|--verbose|implement login", "claude --verbose", "implement login", false},
		{"claude|--resume|abc|go on with it", "claude", "go on with it", false},
		{"claude|-p|implement login", "", "implement login", true},
		{"sh|-c|echo hello there", "", "", false},
	} {
		command := strings.Split(c.command, "|")
		old := kedge.Session{ID: "ses-01ARZ3NDEKTSV4RRFFQ69G5FAV", Agent: command[0], Command: command}
		again := SessionResume{asked: true}.of(old)
		if err := readable(old, again); (err != nil) != c.refused {
			t.Errorf("%s: %v", c.command, err)
		}
		start, ok := reading(old, again, "/x/brief.md", "")
		got := strings.Join(start.Command, " ")
		if ok != (c.want != "") || ok && (!strings.HasPrefix(got, c.want+" ") || !strings.Contains(got, "/x/brief.md") || strings.Contains(got, "login")) {
			t.Errorf("%s: started as %q", c.command, got)
		}
		if got := askedOf(old); got != c.asked {
			t.Errorf("%s: asked %q", c.command, got)
		}
	}
}
