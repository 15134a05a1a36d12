package resume

import (
	"strings"
	"testing"

	"kedge/internal/insight/audit"
	"kedge/internal/text/words"
)

func says(text string) audit.Entry { return audit.Entry{Kind: audit.AssistantText, Text: text} }

// TestLastReport: what the model said at the end of the turn before says how far the work is,
// and what does not work yet, before all that was done.
func TestLastReport(t *testing.T) {
	long := "I've been debugging why the test is failing. The issue is:\n\n1. " + strings.Repeat("Session one creates checkpoints on its own branch. ", 12) +
		"\n\nThe check was added. But it's not working, and I don't know why.\n\nDo you want me to go on?"
	for _, c := range []struct {
		name string
		did  []audit.Entry
		want []string
		not  []string
	}{
		{"what does not work", []audit.Entry{ask("make the test green for one session"), says(long), ask("write it down")}, []string{"Last report before this turn (line 2)", "why the test is failing.", "But it's not working"}, []string{"Do you want"}},
		{"the goal is done", []audit.Entry{ask("number the folders from one"), edit("/r/a.go"), says("The plan is now complete.\n\n- `a.go`\n- All tests pass"), ask("and make them absolute")}, []string{"The plan is now complete. All tests pass."}, []string{"a.go`."}},
		{"a plan is no report", []audit.Entry{ask("number the folders from one"), says("Now let me look at the folder."), ask("and make them absolute")}, nil, []string{"Last report"}},
		{"the user was against it", []audit.Entry{ask("why is it slow here"), says("The root cause is the folder of the cache."), ask("no, that is wrong, the cache is off")}, nil, []string{"Last report"}},
		{"the first turn", []audit.Entry{ask("why is it slow here"), says("The folder of the cache is large.")}, nil, []string{"Last report before"}},
	} {
		b := played(c.did...).Brief("", DefaultBudget)
		for _, s := range c.want {
			if !strings.Contains(b.Text, s) {
				t.Errorf("%s: no %q in\n%s", c.name, s, b.Text)
			}
		}
		for _, s := range c.not {
			if strings.Contains(b.Text, s) {
				t.Errorf("%s: %q in\n%s", c.name, s, b.Text)
			}
		}
	}
}

// TestAskedWhileItWorked: what was asked in the place of a request comes before the next one;
// a command of the program is no request.
func TestAskedWhileItWorked(t *testing.T) {
	inside := func(text string) audit.Entry { return audit.Entry{Kind: audit.Queued, Text: text} }
	p := played(ask("is it in the branch?"), audit.Entry{Kind: audit.UserText, Text: "[Request interrupted by user]"}, ask("write down what we have so far"), inside("/config"), says("Done with that."), ask("into a file"))
	if want := "into a file\n\nBefore: write down what we have so far\n\nBefore that: is it in the branch?"; p.asks.text() != want {
		t.Errorf("%q, want %q", p.asks.text(), want)
	}
}

// TestNamedInTheGoal: a file that only the request before names is not in the ask.
func TestNamedInTheGoal(t *testing.T) {
	b := played(ask("see x/a.go"), edit("/x/a.go"), read("/b.go"), ask("rename what is in b.go")).Brief("", DefaultBudget)
	for _, want := range []string{"/x/a.go: edited 1 action ago, no commit seen, in the goal", "/b.go: read just now, in the ask\n"} {
		if !strings.Contains(b.Text, want) {
			t.Errorf("no %q in\n%s", want, b.Text)
		}
	}
}

// TestProposalsGrowOld: what an agent once said is to be done is no decision for ever; what
// the user set is.
func TestProposalsGrowOld(t *testing.T) {
	did := []audit.Entry{ask("it must always be one session per commit"), says("The fix is to add an overlap check in the filter."), says("I decided to keep the filter of the sessions as it is.")}
	for range freshTurns {
		did = append(did, ask("and what about the "+strings.Repeat("next ", len(did))+"session?"))
	}
	held := strings.Join(played(did...).Brief("", DefaultBudget).Decisions, "\n")
	later := strings.Join(played(append(did, ask("and the last one?"))...).Brief("", DefaultBudget).Decisions, "\n")
	for range freshActs + 1 {
		did = append(did, read("/b.go"))
	}
	worked := strings.Join(played(did...).Brief("", DefaultBudget).Decisions, "\n")
	if !strings.Contains(held, "overlap check") || strings.Contains(later+worked, "overlap check") || !strings.Contains(worked, "I decided") || !strings.Contains(later, "always") || !strings.Contains(later, "I decided") {
		t.Errorf("%s\nlater:\n%s", held, later)
	}
}

// TestPushed: the last commit was pushed, until there is another.
func TestPushed(t *testing.T) {
	commit, push := ran(`git commit -m "Fix a"`, "[main 1a2b3c4] Fix a"), ran("git push", "To github.com:a/b.git\n   1a2..3b4  main -> main")
	for _, c := range []struct {
		did  [][]audit.Entry
		want string
	}{
		{[][]audit.Entry{commit, push}, "last commit: Fix a (pushed)"},
		{[][]audit.Entry{commit, ran("git push", " ! [rejected]  main -> main (fetch first)"), ran("git pull --rebase origin main", "Rebasing (1/1)Successfully rebased and updated refs/heads/main."), push}, "last commit: Fix a (pushed)"},
		{[][]audit.Entry{commit, ran("git push", " ! [rejected]  main -> main (fetch first)")}, "last commit: Fix a"},
		{[][]audit.Entry{commit, push, ran(`git commit -m "Fix b"`, "[main 1a2b3c5] Fix b")}, "last commit: Fix b"},
		{[][]audit.Entry{commit, ran("git push --dry-run", "   1a2..3b4  main -> main")}, "last commit: Fix a"},
	} {
		p := played(edit("/r/a.go"))
		for _, list := range c.did {
			for i := range list {
				p.Add(&list[i])
			}
		}
		if got := p.inFlight(); !strings.HasSuffix(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestGist: what is taken of a report keeps its end, is never joined across a heading, and
// has no sentence that leans on one that is not there.
func TestGist(t *testing.T) {
	pad := strings.Repeat("The folder was looked through with care. ", 6)
	for _, c := range []struct {
		name, report string
		most         int
		final        bool
		want         string
	}{
		{"openings", "Done.\n\nAll tests pass now.", 400, true, "All tests pass now."},
		{"nothing but one", "Done.", 400, true, ""},
		{"the end is kept", "The parser is faster.\n\n" + pad + "\n\nShould I also change the lexer?\n1. Yes, with tables\n2. No, leave it", 120, true, "The parser is faster. … Should I also change the lexer? Yes, with tables. No, leave it."},
		{"an earlier one asks nothing", "The parser is faster.\n\nShould I also change the lexer?", 400, false, "The parser is faster."},
		{"headings are labels", "Two things.\n\n## Tests\nAll pass.\n\n## Left\n- The lexer is slow.", 400, true, "Two things. Tests: All pass. Left: The lexer is slow."},
		{"a label goes with what it labels", "It is faster.\n\n**Not tried**\n" + strings.Repeat("long words ", 30) + "\n\nAll tests pass.", 60, true, "It is faster. … All tests pass."},
		{"a list is over", "Changed:\n- the parser of lines\n\nAll tests pass.", 400, true, "Changed: the parser of lines. All tests pass."},
		{"what leads to code", "It runs:\n```\nmake\n```\nYou can use it.", 400, true, "You can use it."},
		{"it leans", "First one. " + strings.Repeat("y", 90) + " is long. But it fails there.", 60, false, "First one."},
		{"it leans on what is taken", "First one. But it fails there.", 60, false, "First one. But it fails there."},
	} {
		if got := gist(words.Units(c.report), c.most, c.final); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestSettledSince: what a report says is wrong with a file is not told once that file was
// edited; what it says of others is.
func TestSettledSince(t *testing.T) {
	const report = "The review is complete. The loop in src/a.go fails on empty lines. The reader src/b.go is broken for tabs."
	b := played(ask("review the two readers of this project"), read("/r/src/a.go"), read("/r/src/b.go"), says(report), ask("fix the first one"), edit("/r/src/a.go"), ask("and now the rest")).Brief("", DefaultBudget)
	if strings.Contains(b.Text, "src/a.go fails") {
		t.Errorf("a fault of a file that was edited:\n%s", b.Text)
	}
	b = played(ask("review the two readers of this project"), read("/r/src/a.go"), read("/r/src/b.go"), says(report), ask("fix the first one"), edit("/r/src/a.go")).Brief("", DefaultBudget)
	if strings.Contains(b.Text, "src/a.go fails") || !strings.Contains(b.Text, "src/b.go is broken for tabs.") {
		t.Errorf("want only the fault of b.go:\n%s", b.Text)
	}
}
