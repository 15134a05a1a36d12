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
		{"opencode|run|fix it", "", "", true},
		{"opencode|--model|x/y|.", "opencode --model x/y .", "", false},
		{"codex|exec|fix it", "", "", true},
		{"codex|fix the login", "codex", "fix the login", false},
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

// TestResumedAsTyped: a command with a subcommand is started again as it was typed.
func TestResumedAsTyped(t *testing.T) {
	for _, command := range []string{"opencode|run|fix it", "opencode|serve", "opencode|attach|http://localhost:4096", "kilo|run|fix it"} {
		words := strings.Split(command, "|")
		ses := kedge.Session{ID: "ses-01ARZ3NDEKTSV4RRFFQ69G5FAV", Agent: words[0], Command: words}
		if start, ok := reading(ses, SessionResume{}.of(ses), "/x/brief.md", ""); ok {
			t.Errorf("%s is started as %q", command, start.Command)
		}
	}
}
