package brief

import (
	"strings"

	"kedge"
	"kedge/internal/text/words"
)

// PlanInput is everything that the brief of a planning session is made from.
type PlanInput struct {
	Project   string
	Rules     []byte
	RulesFrom string
	Goal      string
	Base      string
	Decisions []kedge.Decision
	Risks     []kedge.Risk
	Notes     []kedge.Note
	Answers   []Saying // to questions of earlier planning sessions
	Told      []Saying
	Features  []string // what is in the ledger already
	Faults    string   // what was wrong with the plan of the session before
	Form      string   // an empty plan, to be filled in
	Founds    string   // "empty" or "small": the plan founds the repository too; empty: it does not
}

// ForPlanning makes the text that a planning session starts with. It asks for
// another thing than ForRun does, and is another document: questions first, then
// a plan, and never an edit.
func ForPlanning(in PlanInput, budget int) Brief {
	base := Input{Rules: in.Rules, RulesFrom: in.RulesFrom}
	parts := []part{
		{keep: keepAlways, text: rulesText(base)},
		{keep: keepAlways, text: planFrame(in)},
	}
	add := func(keep int, name, see, text string) {
		if text != "" {
			parts = append(parts, part{name, see, keep, text})
		}
	}
	add(keepDecisions, "decisions", "kedge decide ls", decisionsText(in.Decisions))
	add(keepRejected, "decided against", "kedge decide ls", rejectedText(Input{Decisions: in.Decisions}))
	add(keepRisks, "open risks", "kedge risk ls", risksText(in.Risks))
	add(keepPlan, "features", "kedge features", featureList(in.Features))
	for i, n := 0, len(in.Notes); i < min(n, maxNotes); i++ {
		add(keepNotes, "note", "kedge notes", noteText(in.Notes[n-1-i], i == 0, n))
	}
	add(keepSayings, "what the user said", "kedge status", toldText(in.Told))
	return fitParts(parts, part{keep: keepAlways, text: planTask(in)}, budget)
}

func planFrame(in PlanInput) string {
	binding := ""
	if in.Rules != nil {
		binding = "The rules above are binding.\n"
	}
	return "\n# Kedge planning brief: " + line(in.Project) + "\n" + binding + dataLine +
		"This session plans. Change no file: Kedge undoes and reports every change. The end of this brief, under \"Goal\", says what to deliver.\n"
}

func featureList(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return heading("Features that exist already") + entries(list, "kedge features")
}

// planTask is the goal and the form of the answer: questions, or the plan.
func planTask(in PlanInput) string {
	var b strings.Builder
	b.WriteString(answersText("Answers to the questions", in.Answers))
	b.WriteString(heading("Goal") + quoted(in.Goal))
	if in.Base != "" {
		b.WriteString("The work starts from commit " + line(words.Hash(in.Base)) + ".\n")
	}
	if f := clean(in.Faults); f != "" {
		b.WriteString("Kedge refused the previous plan for these faults. Give the whole plan again without them:\n" + quoted(f))
	}
	b.WriteString(howToAsk)
	b.WriteString(howToPlan)
	if in.Founds != "" {
		b.WriteString("   The repository is " + in.Founds + ". " + howToFound)
	}
	b.WriteString("```kedge-plan\n" + strings.TrimRight(in.Form, "\n") + "\n```\n")
	return b.String()
}

const howToAsk = `Read what you need to. Then do exactly one of two things, and end:
1. If you do not know something that decides the plan, ask first, and give no plan. Print one line for each question:
   KEDGE {"type":"question","text":"Are the flags positional or required?"}
   If the plan can do without an answer, say in the question what you assume otherwise, and end the question with "(optional)". The user answers; the next planning session receives the answers.
`

const howToPlan = `2. Otherwise give the plan: print it between the fences below, with every heading in this order and nothing left empty, or as one line:
   KEDGE {"type":"plan","markdown":"…"}
   Root cause: why the work is needed. Files expected to change: a list ("- src/**"), each line a path or a glob; an item without "paths:" may change no others. Assumptions, Invariants, Risks: a list, one entry each ("- …"), or "none". Every working session receives them. Below an invariant that a command can verify, write an indented line "check: COMMAND"; below an entry for one phase only, "phase: 2". Validation: exact commands that exist, one per line. Kedge runs all of them for every feature: a command that is green must stay green, and all must be green after the last feature. Name only commands that your plan makes green.
   A phase is "## Phase 1: title {#p1 budget=200k}" with an optional line "prompt: …"; an item is "- [ ] p1.1 text" with indented lines
   "check: COMMAND" (red before the work, green after it), "check: http GET /users 200" (a request to the project's service, which Kedge starts, and the status that it must answer), "check: e2e COMMAND" (a browser test while that service is up), "paths: globs" and "after: items". One item is one small piece of work that one session can finish.
`

const howToFound = `So the plan also sets it up, under three more headings after Validation:
   Structure: folders and files with what each is for, language, tools and their versions. The items of the first phase build it.
   Set-up: the command that makes a fresh worktree usable, such as "npm ci (once package.json)", or "none". It may change only files that git ignores. With "(once FILE)", it runs only where FILE exists.
   Checks: what has to hold from now on, one per line: "- test: COMMAND (once FILE)", likewise build, lint, e2e. With "(once FILE)", a check counts from the first commit that has FILE. Without "(once FILE)", the command must be green in the repository as it is now.
   Make the items small: one item is one behaviour that one session builds and proves within an hour. An application has dozens of items, in several phases. Each item has a "check:" of its own that is red before its work and green after it; an item whose text needs an "and" is two items. The first item is the smallest structure with one test that runs.
`
