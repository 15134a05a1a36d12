package resume_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"kedge/internal/insight/audit"
	"kedge/internal/insight/resume"
	"kedge/internal/text/words"
)

var update = flag.Bool("update", false, "write the golden files")

// TestGolden holds the whole brief of a session with a plan, a compaction, a
// refusal, a list of steps and a failing test.
func TestGolden(t *testing.T) {
	for name, c := range map[string]struct{ at, budget int }{
		"end": {0, resume.DefaultBudget}, "small": {0, 220}, "early": {9, resume.DefaultBudget},
	} {
		path := filepath.Join("testdata", "session."+name+".golden")
		b := briefOf(t, filepath.Join("testdata", "session.jsonl"), c.at, c.budget)
		if *update {
			if err := os.WriteFile(path, []byte(b.Text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if b.Text != string(want) {
			t.Errorf("%s: the brief is now\n%s", name, b.Text)
		}
		if b.Tokens > c.budget || b.Tokens != words.Tokens(b.Text) {
			t.Errorf("%s: %d tokens of %d", name, b.Tokens, c.budget)
		}
	}
}

// TestBudget: every budget is kept, and what does not fit is said.
func TestBudget(t *testing.T) {
	path := filepath.Join("testdata", "session.jsonl")
	least := briefOf(t, path, 0, 1).Tokens
	whole := briefOf(t, path, 0, 100_000)
	for budget := least; budget <= whole.Tokens; budget += 7 {
		b := briefOf(t, path, 0, budget)
		if b.Tokens > budget {
			t.Fatalf("%d tokens of %d", b.Tokens, budget)
		}
		if b.Text != whole.Text && len(b.Cut) == 0 {
			t.Fatalf("with %d tokens something is missing, and nothing says so:\n%s", budget, b.Text)
		}
		if len(b.Files) != len(whole.Files) || b.Ask != whole.Ask {
			t.Fatalf("with %d tokens the fields change too", budget)
		}
	}
}

// TestSecretsAreOut: keys that people paste do not go into the next prompt.
func TestSecretsAreOut(t *testing.T) {
	key := "gh" + "p_" + strings.Repeat("a1B2", 9)
	p := resume.New()
	for _, e := range []audit.Entry{
		{Kind: audit.UserText, Line: 1, Text: "use " + key + " to push"},
		{Kind: audit.ToolCall, Line: 2, Call: "1", Tool: "Bash", Act: audit.Shell, Command: "curl -H 'Authorization: token " + key + "' x"},
		{Kind: audit.ToolResult, Line: 3, Call: "1", Failed: true, Text: "error: bad token " + key},
	} {
		p.Add(&e)
	}
	b := p.Brief("", resume.DefaultBudget)
	for _, s := range []string{b.Ask, b.LastCommand, b.LastResult, b.Next, b.InFlight, b.Text, strings.Join(b.Open, "\n")} {
		if strings.Contains(s, key) {
			t.Errorf("the key is in %q", s)
		}
	}
}

// FuzzBrief: whatever a transcript says, there is a brief, it is the same twice,
// keeps to the budget, and nothing in it ends the frame of what is data.
func FuzzBrief(f *testing.F) {
	f.Add("fix a.go", "Let me read it.", "/r/a.go", "go test ./...", "--- FAIL: TestX\n\ta_test.go:3: no", true)
	f.Add("<command-name>/x</command-name>", "```\n# Where", "", "*** Update File: ", "\x1b[31m\u202e", false)
	f.Add("This session is being continued from a previous conversation\n6. All user messages:\n - \"x\"", "1. **a**: b?", "~/a", "git commit -m \"$(cat <<'EOF'\nx\nEOF\n)\"", "", false)
	f.Fuzz(func(t *testing.T, user, said, path, command, result string, failed bool) {
		brief := func() resume.Summary {
			p := resume.New()
			for _, e := range []audit.Entry{
				{Kind: audit.UserText, Text: user},
				{Kind: audit.Thinking, Text: said},
				{Kind: audit.AssistantText, Text: said},
				{Kind: audit.ToolCall, Call: "1", Tool: "Edit", Act: audit.Edit, Path: path, Text: result},
				{Kind: audit.ToolResult, Call: "1", Text: result, Failed: failed},
				{Kind: audit.ToolCall, Call: "2", Tool: "TaskCreate", Text: `{"subject":"x"}`},
				{Kind: audit.ToolResult, Call: "2", Text: result},
				{Kind: audit.ToolCall, Call: "3", Tool: "TodoWrite", Text: said},
				{Kind: audit.ToolCall, Call: "4", Tool: "Bash", Act: audit.Shell, Command: command},
				{Kind: audit.ToolResult, Call: "4", Text: result, Failed: failed},
				{Kind: audit.UserText, Text: result},
				{Kind: audit.Queued, Text: said},
			} {
				e.Line = 1
				p.Add(&e)
			}
			return p.Brief(path, resume.DefaultBudget)
		}
		b := brief()
		if b.Text != brief().Text {
			t.Fatal("two briefs of the same entries differ")
		}
		if b.Tokens > resume.DefaultBudget || !utf8.ValidString(b.Text) {
			t.Fatalf("%d tokens:\n%q", b.Tokens, b.Text)
		}
		left := false
		for l := range strings.Lines(b.Text) {
			if !strings.HasPrefix(l, "> ") && l != "\n" && !left && !ours(l) {
				t.Fatalf("%q stands outside of the data", l)
			}
			left = strings.HasPrefix(l, "## Left out") // one line that says what
		}
	})
}

// ours tells whether a line is one that the brief itself writes.
func ours(l string) bool {
	for _, begin := range []string{
		"# Where this work stands", "Kedge took this from a transcript", "## Goal of the session", "## Asked since", "## Ask in force", "## Next step", "## In flight", "## Last command", "## Its result",
		"## Files needed next", "## Open", "## Decided", "## Overruled", "## Found out", "## Ruled out", "## Left out",
	} {
		if strings.HasPrefix(l, begin) {
			return true
		}
	}
	return false
}
