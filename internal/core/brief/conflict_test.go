package brief_test

import (
	"fmt"
	"strings"
	"testing"

	"kedge/internal/core/brief"
)

func conflicting(carried bool) brief.RunInput {
	in := sampleRun()
	in.Purpose, in.Failed = brief.Implement, nil
	if carried {
		in.Purpose = brief.Repair
	}
	by := func(n int) (out []brief.Done) {
		for i := range n {
			out = append(out, brief.Done{Commit: strings.Repeat(fmt.Sprint(i+1), 40), Subject: fmt.Sprintf("feature f%d: Work %d", i+1, i+1)})
		}
		return out
	}
	in.Conflict = &brief.Conflict{
		From: strings.Repeat("a", 40), Work: strings.Repeat("b", 40), Carried: carried,
		Files: []brief.ConflictFile{
			{Path: "src/models/Order.ts", Marked: carried, By: by(1)}, {Path: "'the list.md'", By: by(5)}, {Path: "package-lock.json", Make: "npm install --package-lock-only"},
		},
	}
	return in
}

func TestConflictOfCarriedWork(t *testing.T) {
	got := brief.ForRun(conflicting(true), brief.DefaultBudget).Text
	golden(t, "run-conflict.txt", []byte(got))
	for _, want := range []string{
		"Repair feature order-entity: its work conflicts with other work that was completed in the meantime.",
		"> src/models/Order.ts (has conflict markers): changed by 111111111111 (feature f1: Work 1)\n",
		"> 'the list.md': changed by 111111111111 (feature f1: Work 1), 222222222222 (feature f2: Work 2), 333333333333 (feature f3: Work 3), and 2 more\n",
		"> package-lock.json (as it is on the new base; make it again: npm install --package-lock-only)\n",
		"> git diff aaaaaaaaaaaa bbbbbbbbbbbb -- src/models/Order.ts 'the list.md' package-lock.json\n",
		"> git diff aaaaaaaaaaaa 4f1c2ab4f1c2 -- src/models/Order.ts", "Remove every marker.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "Find the cause") || strings.Contains(got, "set aside") {
		t.Errorf("it is told of a failure, or of work that was set aside:\n%s", got)
	}
}

func TestConflictOfWorkThatWasSetAside(t *testing.T) {
	in := conflicting(false)
	in.Conflict.Salvage, in.Conflict.Why = "sal-1", "the command \"npm install\" failed: exit 1"
	got := brief.ForRun(in, brief.DefaultBudget).Text
	for _, want := range []string{
		"The work of the attempt before conflicted with what was done after commit aaaaaaaaaaaa", "is not in this worktree", "kept as sal-1",
		"> package-lock.json (do not merge it by hand; make it: npm install", "> git diff aaaaaaaaaaaa bbbbbbbbbbbb -- . ':!.kedge' ':!AGENT_CONTEXT.md'\n",
		"Kedge could not make the files again: the command \"npm install\" failed",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "marker") {
		t.Errorf("it is told of markers:\n%s", got)
	}
}

// TestAConflictIsBounded: and a red check on the new base is told beside it.
func TestAConflictIsBounded(t *testing.T) {
	in := conflicting(true)
	in.Failure = "total is 0, want 3"
	for i := range 40 {
		in.Conflict.Files = append(in.Conflict.Files, brief.ConflictFile{Path: fmt.Sprintf("f%d", i)})
	}
	got := brief.ForRun(in, brief.DefaultBudget).Text
	if !strings.Contains(got, "(33 more files)") || strings.Contains(got, "f7") || !strings.Contains(got, "its checks are red with") || !strings.Contains(got, "Find the cause") {
		t.Errorf("got\n%s", got)
	}
}

// TestHandoffOfAConflict: its next step is not to make a check green.
func TestHandoffOfAConflict(t *testing.T) {
	h := brief.HandoffOf(brief.Ending{Task: "one: Work", Conflict: "the work conflicts with other work that was completed in the meantime: a.txt", Why: "the agent said that it was done", Checks: 2, Green: 2})
	if !strings.Contains(h.State, "conflicts with other work that was completed in the meantime: a.txt") || strings.Contains(h.State, "red") || !strings.HasPrefix(h.Next, "Resolve the conflict") {
		t.Errorf("%+v", h)
	}
}
