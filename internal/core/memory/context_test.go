package memory_test

import (
	"slices"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/memory"
)

// seedContext is AGENT_CONTEXT.md as people write it by hand.
const seedContext = `## Current Objective
Refactor authentication middleware to use centralized error handling

## Constraints
- No changes to public API surface
- Must remain compatible with existing tests in /tests/auth/
- Error codes defined in /src/errors/codes.ts

## Decided Against
- Passport.js (too heavy for our use case)
- Session-based auth (already rejected in prior sessions)
`

func signed() memory.Signed { return memory.Signed{By: "human:ada", At: at} }

// imported takes every edit of a file over, as the ledger does.
func imported(text string, f memory.ContextFacts) (memory.ContextFacts, []memory.ContextEdit) {
	edits := memory.ContextEdits([]byte(text), f, signed(), memory.ContextOrigin{Touched: true})
	for _, e := range edits {
		if e.Objective != "" {
			f.Earlier = append(f.Earlier, f.Objective)
			f.Objective = e.Objective
		}
		if e.Decision == nil {
			continue
		}
		f.Decisions = slices.Clone(f.Decisions)
		for i := range f.Decisions {
			if f.Decisions[i].ID == e.Decision.Supersedes {
				f.Decisions[i].Status = kedge.DecisionSuperseded
			}
		}
		f.Decisions = append(f.Decisions, *e.Decision)
	}
	return f, edits
}

// importedAgain gives what of the edits was not reported before.
func importedAgain(text string, f memory.ContextFacts, before []memory.ContextEdit) (memory.ContextFacts, []memory.ContextEdit) {
	from := memory.ContextOrigin{Touched: true}
	for _, e := range before {
		from.Told = append(from.Told, e.Found)
	}
	again := memory.ContextEdits([]byte(text), f, signed(), from)
	return f, slices.DeleteFunc(again, func(e memory.ContextEdit) bool { return slices.Contains(from.Told, e.Found) })
}

// TestContextThatCameByGit: lines of the last commit are nobody's decisions here, and
// replace none; lines that you write beside them are yours.
func TestContextThatCameByGit(t *testing.T) {
	base, _ := imported(seedContext, memory.ContextFacts{})
	const codes = "- Error codes defined in /src/errors/codes.ts"
	theirs := strings.Replace(seedContext, codes, codes+" (theirs)\n- A line of theirs", 1)
	mine := strings.Replace(theirs, "- A line of theirs", "- A line of theirs\n- Mine alone", 1)
	for name, c := range map[string]struct {
		text    string
		touched bool
		yours   []string
	}{"pulled": {theirs, false, nil}, "pulled, then edited": {mine, true, []string{"Mine alone"}}} {
		var yours, kept []string
		for _, e := range memory.ContextEdits([]byte(c.text), base, signed(), memory.ContextOrigin{Touched: c.touched, Committed: []byte(theirs)}) {
			switch {
			case e.Decision != nil:
				yours = append(yours, e.Decision.Title)
			case !e.Restored:
				kept = append(kept, e.Found)
			}
		}
		if !slices.Equal(yours, c.yours) {
			t.Errorf("%s: decided %q", name, yours)
		}
		if len(kept) != 2 || !strings.Contains(kept[0], "--supersedes dec-") || !strings.Contains(kept[1], "it is part of a commit") {
			t.Errorf("%s: kept %q", name, kept)
		}
	}
}

func TestRow59HandWrittenContextIsImported(t *testing.T) {
	f, edits := imported(seedContext, memory.ContextFacts{})
	if f.Objective != "Refactor authentication middleware to use centralized error handling" || len(f.Decisions) != 5 || len(edits) != 6 {
		t.Fatalf("imported %+v of %+v", f, edits)
	}
	against := memory.DecidedAgainst(f.Decisions)
	if len(against) != 2 || against[0] != (kedge.Rejected{What: "Passport.js", Reason: "too heavy for our use case"}) {
		t.Errorf("decided against %+v", against)
	}
	for _, d := range f.Decisions {
		if err := memory.CheckDecision(d); err != nil || d.Status != kedge.DecisionLocked || d.By != "human:ada" {
			t.Errorf("%+v: %v", d, err)
		}
	}
	if got := string(memory.WriteContext([]byte(seedContext), f)); got != seedContext {
		t.Errorf("the file became\n%s", got)
	}
	if _, again := imported(seedContext, f); len(again) > 0 {
		t.Errorf("imported once more: %+v", again)
	}
	if fresh := string(memory.WriteContext(nil, f)); !strings.HasSuffix(fresh, "\n"+seedContext) {
		t.Errorf("the file from the ledger alone:\n%s", fresh)
	}
}

func TestRow59ContextEdits(t *testing.T) {
	base, _ := imported(seedContext, memory.ContextFacts{})
	tests := []struct {
		name, old, new string
		found          []string
		keeps          string // is in the file afterwards
		gone           string
	}{
		{"a new objective", "Refactor authentication middleware to use centralized error handling", "Ship it\nin two steps", []string{"the objective: Ship it in two steps"}, "Ship it\nin two steps\n", "centralized"},
		{"reworded", "- No changes to public API surface", "- No changes to the public API surface", []string{"it would replace dec-", `"No changes to public API surface" was removed by hand`}, "- No changes to the public API surface", ""},
		{"a reason is added", "- Error codes defined in /src/errors/codes.ts", "- Error codes defined in /src/errors/codes.ts (one home)", []string{"a constraint: Error codes defined in /src/errors/codes.ts (one home)"}, "codes.ts (one home)\n", "codes.ts\n"},
		{"another reason", "too heavy for our use case", "too heavy", []string{"decided against: Passport.js (too heavy)"}, "- Passport.js (too heavy)\n", "use case"},
		{"a colon", "- Passport.js", "- Redis: one more server to run\n- Passport.js", []string{"decided against: Redis: one more server to run"}, "- Redis: one more server to run\n", ""},
		{"other bullets", "## Decided", "* two  blanks\n1. and a number,\n   on two lines\n\n## Decided", []string{"a constraint: two blanks", "a constraint: and a number, on two lines"}, "* two  blanks\n1. and a number,\n   on two lines\n", "- two"},
		{"removed", "- No changes to public API surface\n", "", []string{`"No changes to public API surface" was removed by hand; to drop it: kedge decide withdraw `}, "- No changes to public API surface\n", ""},
		{"prose", "## Decided", "These came from the audit.\n\n## Decided", []string{`text under "Constraints" stays in the file but is not imported: only list items are`}, "These came from the audit.\n", ""},
		{"a section of yours", "## Constraints", "## Who\n\nAsk ada.\n\n## Constraints", nil, "## Who\n\nAsk ada.\n\n## Constraints\n- No", ""},
		{"too long", "- Passport.js", "- " + strings.Repeat("word ", 300) + "\n- Passport.js", []string{"stays in the file and is not imported: it is longer"}, strings.Repeat("word ", 300), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Replace(seedContext, tt.old, tt.new, 1)
			f, edits := imported(text, base)
			if len(edits) != len(tt.found) {
				t.Fatalf("edits %+v", edits)
			}
			for i, want := range tt.found {
				if !strings.Contains(edits[i].Found, want) {
					t.Errorf("edit %q, want %q", edits[i].Found, want)
				}
			}
			got := string(memory.WriteContext([]byte(text), f))
			if !strings.Contains(got, tt.keeps) || tt.gone != "" && strings.Contains(got, tt.gone) {
				t.Errorf("the file became\n%s", got)
			}
			for _, e := range edits {
				if e.Decision != nil || e.Objective != "" || e.Restored {
					if _, again := importedAgain(got, f, edits); len(again) > 0 {
						t.Errorf("imported once more: %+v", again)
					}
				}
			}
		})
	}
}

// TestContextOfAnotherTime: lines that held once are neither imported nor kept, and a
// file that nobody edited misses nothing.
func TestContextOfAnotherTime(t *testing.T) {
	f, _ := imported(seedContext, memory.ContextFacts{})
	f.Decisions[0].Status = kedge.DecisionSuperseded
	f.Earlier, f.Objective = []string{f.Objective}, "The next thing"
	f.Decisions = append(f.Decisions, decision('1', "Embed categories"))
	if edits := memory.ContextEdits([]byte(seedContext), f, signed(), memory.ContextOrigin{}); len(edits) > 0 {
		t.Errorf("edits %+v", edits)
	}
	got := string(memory.WriteContext([]byte(seedContext), f))
	if strings.Contains(got, "public API") || strings.Contains(got, "middleware") || !strings.Contains(got, "The next thing") || !strings.Contains(got, "- Embed categories (") {
		t.Errorf("the file became\n%s", got)
	}
}

func FuzzContext(f *testing.F) {
	f.Add(seedContext)
	f.Add("# Objective\r\n- a\r\n\r\n## constraints:\r\n- a (b (c)\r\n- a\r\n## Decided against\n- x: y)\n- X (z)\n<!-- kept\nmore -->")
	f.Add("```\n## Constraints\n- in code\n```\n## Constraints\n- <!-- hidden\n- ```\ntext")
	f.Add("## Constraints\n- one\n## Constraints\n- one\n- two\n  nested\n\n\n## Decided Against")
	f.Fuzz(func(t *testing.T, text string) {
		facts, _ := imported(text, memory.ContextFacts{Open: true})
		got := string(memory.WriteContext([]byte(text), facts))
		if again := string(memory.WriteContext([]byte(got), facts)); again != got {
			t.Fatalf("not stable:\n%q\n%q", got, again)
		}
		kept := strings.Split(got, "\n")
		for line := range strings.SplitSeq(text, "\n") {
			if strings.TrimSpace(line) != "" && !slices.Contains(kept, line) {
				t.Fatalf("%q is lost in %q", line, got)
			}
		}
		for _, e := range memory.ContextEdits([]byte(got), facts, signed(), memory.ContextOrigin{}) {
			if e.Decision != nil || e.Objective != "" {
				t.Fatalf("imported once more: %+v of %q", e, got)
			}
		}
	})
}
