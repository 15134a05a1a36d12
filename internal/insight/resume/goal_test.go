package resume

import (
	"slices"
	"strings"
	"testing"

	"kedge/internal/insight/audit"
)

// TestGoal: the goal is the first request, until the user says that it no longer is.
func TestGoal(t *testing.T) {
	summary := audit.Entry{Kind: audit.UserText, Summary: true, Text: summaryStart + "\n1. Primary Request and Intent:\n   - Draw lanes beside the list\n   - Show a spinner\n\n6. All user messages:\n   - \"yes\"\n   - \"draw lanes beside the list of commits\"\n   - \"now a spinner too\"\n\n7. Pending Tasks:\n"}
	for _, c := range []struct {
		name  string
		said  []audit.Entry
		goal  string
		asked []string
	}{
		{"the first", []audit.Entry{ask("make the parser strict"), ask("why is it red?"), ask("write it down")}, "make the parser strict", nil},
		{
			"what stands between",
			[]audit.Entry{ask("make the parser strict"), ask("add a flag for it"), ask("Error handling\n\nWhen a key is twice, say so."), ask("is it fast?"), ask("and now?"), ask("write it down")},
			"make the parser strict",
			[]string{"add a flag for it (line 2)", "Error handling: When a key is twice, say so. (line 3)"},
		},
		{"a greeting is none", []audit.Entry{ask("hi there"), ask("make the parser strict")}, "make the parser strict", nil},
		{"a command that is sent again", []audit.Entry{ask("/debug"), ask("/debug the slow start")}, "/debug the slow start", nil},
		{"a command of the program is none", []audit.Entry{ask("<command-name>/clear</command-name>"), ask("<command-name>/review</command-name><command-args>this</command-args>"), ask("and now?")}, "/review this", nil},
		{"another one", []audit.Entry{ask("make the parser strict"), ask("forget about the parser, write the guide for the command instead")}, "forget about the parser, write the guide for the command instead", nil},
		{"a summary first", []audit.Entry{summary, ask("is it fast?")}, "draw lanes beside the list of commits", nil},
		{"a summary later", []audit.Entry{ask("group the changes"), summary, ask("is it fast?")}, "group the changes\n\nThe summary of line 2 says what was asked until then: Draw lanes beside the list. Show a spinner.", nil},
		{"a long goal needs no summary", []audit.Entry{ask(strings.Repeat("make the parser strict ", 10)), summary}, strings.TrimSpace(strings.Repeat("make the parser strict ", 10)), nil},
	} {
		p := played(c.said...)
		b := p.Brief("", DefaultBudget)
		if !strings.HasPrefix(b.Goal, c.goal) || !slices.Equal(b.Asked, c.asked) && len(b.Asked)+len(c.asked) > 0 {
			t.Errorf("%s: %q, %q", c.name, b.Goal, b.Asked)
		}
		first := strings.Index(b.Text, "\n## ")
		if !strings.HasPrefix(b.Text[first:], "\n## Goal of the session") {
			t.Errorf("%s: it does not stand first:\n%s", c.name, b.Text)
		}
	}
	b := played(ask("make the parser strict"), ask("forget about the parser, write the guide for the command instead")).Brief("", DefaultBudget)
	if want := "by the user (line 2): forget about the parser, write the guide for the command instead. The goal was before: make the parser strict"; !slices.Contains(b.Overruled, want) {
		t.Errorf("%q", b.Overruled)
	}
	for budget := 60; budget < 1500; budget += 60 { // however small
		b := played(ask("make the parser strict"), ask("why is it red?"), agent(strings.Repeat("It is. ", 300))).Brief("", budget)
		if !strings.Contains(b.Text, "> make the parser strict") {
			t.Errorf("with %d tokens the goal is gone:\n%s", budget, b.Text)
		}
	}
}

// TestNumbersOfOptions: what a number in a request stands for is said where there is no
// doubt.
func TestNumbersOfOptions(t *testing.T) {
	const options = "Two ways:\n\n### Option 1: Colours\nNice.\n\n### Option 2: Lanes with borders\nNicer.\n\n1. Which one?\n2. How many?\n"
	for text, want := range map[string]string{
		"go with option 2, but less space between": "2 is: Lanes with borders",
		"1 and 2": "1 is: Colours; 2 is: Lanes with borders",
		"there are 2 files that are red, look at them":         "",
		"make it so:\n\n=== Step 2: Enable\nnumber 2 failed\n": "",
	} {
		if got := meant(text, options); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := meant("add a fix for 2", "1. the lock\n2. the path\n\nAlso:\n1. a test\n2. a guide\n"); got != "" {
		t.Errorf("of two lists: %q", got)
	}
}

// TestWholeSentences: what only leads to a list goes without it, or has what comes next.
func TestWholeSentences(t *testing.T) {
	for text, want := range map[string]string{
		"I'll use `a.RepoRoot()` instead of `os.Getwd()`:\n```go\nx\n```":          "I'll use `a.RepoRoot()` instead of `os.Getwd()`. (line 2)",
		"I'd go with one pool for each file because:\n- It is what you said first": "I'd go with one pool for each file because: It is what you said first (line 2)",
		"I decided to keep the flag in the guide that documents:\n":                "I decided to keep the flag in the guide. (line 2)",
	} {
		if b := played(ask("x"), agent(text)).Brief("", DefaultBudget); !slices.Equal(b.Decisions, []string{want}) {
			t.Errorf("%q: %q", text, b.Decisions)
		}
	}
	for text, want := range map[string]string{
		"Done. I've added a section to the guide that documents:\n\n- a\n":              "Done. I've added a section to the guide.",
		"All lint errors are fixed.\n\n**The changes made:**\n\n1. **a.go** - Added:\n": "All lint errors are fixed.",
		"Here's what I've done:\n\n- The parser takes both forms.":                      "The parser takes both forms.",
	} {
		if b := played(append(append([]audit.Entry{ask("x")}, ran("make", "")...), agent(text))...).Brief("", DefaultBudget); !strings.HasSuffix(b.Next, "The report began: "+want) {
			t.Errorf("%q: %q", text, b.Next)
		}
	}
}
