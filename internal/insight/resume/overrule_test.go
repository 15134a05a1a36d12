package resume

import (
	"strings"
	"testing"

	"kedge/internal/insight/audit"
)

func agent(text string) audit.Entry { return audit.Entry{Kind: audit.AssistantText, Text: text} }

// all is what a brief says of what holds and what does not.
func (p *Picker) all() (decided, overruled string) {
	b := p.Brief("", DefaultBudget)
	return strings.Join(append(b.Decisions, b.Found...), "\n"), strings.Join(b.Overruled, "\n")
}

// TestOverruled: what a user or the agent took back is no longer decided, and says by whom
// and where. The words are after those of real sessions.
func TestOverruled(t *testing.T) {
	const cause = "The root cause is that `.kedge/` and `.git/` are counted as changes."
	const pools = "I'll use one writer for each connection instead of one for all of them."
	for _, c := range []struct {
		name      string
		said      []audit.Entry
		holds     []string
		overruled []string
	}{
		{
			"a user reverts it",
			[]audit.Entry{ask("why are the lines off?"), agent(cause), ask("no revert those changes, I think it's correct")},
			nil,
			[]string{"by the user (line 3): no revert those changes, I think it's correct. Before that the agent said (line 2): " + cause},
		},
		{
			"a user agrees",
			[]audit.Entry{ask("why are the lines off?"), agent(cause), ask("yes, and add a test for that")},
			[]string{cause},
			nil,
		},
		{
			"no problem is none",
			[]audit.Entry{ask("why are the lines off?"), agent(cause), ask("no problem, add a test for it then")},
			[]string{cause},
			nil,
		},
		{
			"the agent was wrong",
			[]audit.Entry{ask("make it fast"), agent(pools), ask("go on"), agent("I was wrong: one writer for each connection makes it slower.")},
			nil,
			[]string{"by the agent (line 4): I was wrong: one writer for each connection makes it slower. Before that the agent said (line 2): " + pools},
		},
		{
			"the agent reverted something else",
			[]audit.Entry{ask("make it fast"), agent(pools), agent("I've reverted the change of the parser's direction, the first was right.")},
			[]string{pools},
			[]string{"by the agent (line 3): I've reverted the change of the parser's direction, the first was right."},
		},
		{
			"a good catch of a new bug takes nothing back",
			[]audit.Entry{ask("make it fast"), agent(pools), ask("a connection without a writer is never closed"), agent("You're right, a connection without a writer stays open.")},
			[]string{pools},
			nil,
		},
		{
			"an edit is undone",
			[]audit.Entry{
				ask("make it fast"), agent("I'll read `cache.go` with a buffer instead of line by line."),
				{Kind: audit.ToolCall, Act: audit.Edit, Tool: "Edit", Path: "/r/cache.go", Text: `{"old_string":"scanner := bufio.NewScanner(f)","new_string":"reader := bufio.NewReader(f)"}`},
				{Kind: audit.ToolCall, Act: audit.Edit, Tool: "Edit", Path: "/r/cache.go", Text: `{"new_string":"scanner := bufio.NewScanner(f)","old_string":"reader := bufio.NewReader(f)"}`},
			},
			nil,
			[]string{"by the agent (line 4): undid its edit of cache.go. Before that the agent said (line 2): I'll read `cache.go`"},
		},
		{
			"another cause",
			[]audit.Entry{ask("find it"), agent("The root cause is the missing lock in the writer thread."), agent("The real root cause is that the file is opened twice.")},
			nil,
			[]string{"by the agent (line 3): The real root cause is that the file is opened twice. Before that the agent said (line 2): The root cause is the missing lock"},
		},
		{
			"an old choice that shares its words",
			[]audit.Entry{
				ask("which one?"), agent("I'd go with the second approach, pools for each session of a user."), ask("build it"), agent("Done."), ask("now a test"), agent("Done."), ask("no revert that, the session of a user is right"),
			},
			[]string{"I'd go with the second approach"},
			[]string{"by the user (line 7): no revert that, the session of a user is right"},
		},
		{
			"a rule that is forbidden",
			[]audit.Entry{ask("always stash the worktree before a rebase starts"), ask("do not stash the worktree at all, not even before a rebase")},
			nil,
			[]string{"by the user (line 2): do not stash the worktree at all"},
		},
	} {
		decided, overruled := played(c.said...).all()
		for _, want := range c.holds {
			if !strings.Contains(decided, want) {
				t.Errorf("%s: %q is not in %q", c.name, want, decided)
			}
		}
		for _, want := range c.overruled {
			if !strings.Contains(overruled, want) {
				t.Errorf("%s: %q is not in %q", c.name, want, overruled)
			}
		}
		if len(c.holds) == 0 && decided != "" || len(c.overruled) == 0 && overruled != "" {
			t.Errorf("%s: %q holds, %q is overruled", c.name, decided, overruled)
		}
	}
}

// TestRefusedUntilAllowed: a call that ran later is no longer refused.
func TestRefusedUntilAllowed(t *testing.T) {
	call := audit.Entry{Kind: audit.ToolCall, Call: "1", Tool: "Bash", Act: audit.Shell, Command: "git push origin main"}
	no := audit.Entry{Kind: audit.ToolResult, Call: "1", Failed: true, Text: refusal + " the user said:\nno, not before the review"}
	if _, overruled := played(ask("ship it"), call, no).all(); !strings.Contains(overruled, "by the user (line 3): no, not before the review (refused: Bash: git push origin main)") {
		t.Errorf("%q", overruled)
	}
	if _, overruled := played(ask("ship it"), call, no, call, audit.Entry{Kind: audit.ToolResult, Call: "1", Text: "done"}).all(); overruled != "" {
		t.Errorf("%q", overruled)
	}
}
