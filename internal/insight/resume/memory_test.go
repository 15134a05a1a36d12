package resume

import (
	"slices"
	"testing"

	"kedge/internal/insight/audit"
	"kedge/internal/text/words"
)

// TestWhatIsRuledOutAndDecided: a wish, a step of a request and a look at what may
// be so close no way and decide nothing.
func TestWhatIsRuledOutAndDecided(t *testing.T) {
	type kept struct{ ruled, decided, found, overruled int }
	for text, want := range map[string]kept{
		"check we have good test coverage so we don't break things as well":           {},
		"do a session 1, generate local changes, do not commit but validate the rest": {},
		"do not stash anything, read the files you need":                              {ruled: 1},
		"No, please don't touch the generated files in this folder":                   {ruled: 1},
		"we don't want a second cache beside the first one here":                      {ruled: 1},
		"not sure why the second of these two is so much slower":                      {},
		"I don't know where the third of the tests comes from":                        {},
		"then I don't want the index to be built at every start":                      {ruled: 1},
		"the parser should not depend on the order of the keys":                       {ruled: 1},
		"make sure that every command has an example in its help":                     {decided: 1},
		"make sure you review it carefully before you go on with it":                  {},
		"I would like to see each step that happens in the background":                {},
		"this causes the estimate to always return 0, which is wrong":                 {},
		"never push to the main branch without a green pipeline":                      {decided: 1},
		"let's keep the amounts in cents, floats lose money":                          {decided: 1},
	} {
		var m memory
		m.told(said{kind: saidAsk, text: text})
		if got := (kept{len(m.ruled), len(m.decided), len(m.found), len(m.overruled)}); got != want {
			t.Errorf("told %q: %+v, want %+v", text, got, want)
		}
	}
	for text, want := range map[string]kept{
		"Let me check if the issue is the `t.Chdir` calls affecting other tests.":  {},
		"The root cause was that the ids became invalid after the branch moved.":   {found: 1},
		"A lock in the folder won't work on a file system that several share.":     {ruled: 1},
		"The current check doesn't work well with merge commits of this kind.":     {},
		"The earlier approach didn't work for branches that merged main.":          {ruled: 1},
		"The test changes its folder, which means it can't use t.Parallel here.":   {},
		"I've reverted the change of the direction, the first one was right.":      {overruled: 1},
		"Tests pass because they never touch a file that git tracks already.":      {},
		"We could go with the second approach, or decided to wait might help.":     {},
		"I'll read the content by the session's id instead of by its index.":       {decided: 1},
		"This logs the decision of the trigger, for example skipped by a lock.":    {},
		"The fix is working - both functions use the set of commits now.":          {},
		"The fix is to compute deleted files also where there was no state.":       {decided: 1},
		"The issue is probably that the root cause is somewhere in the loop.":      {},
		"The fix is to increase this limit or change the approach to the scan.":    {},
		"I decided to keep the flag, so that scripts with -x or -y go on to work.": {decided: 1},
	} {
		var m memory
		m.said(1, text)
		if got := (kept{len(m.ruled), len(m.decided), len(m.found), len(m.overruled)}); got != want {
			t.Errorf("said %q: %+v, want %+v", text, got, want)
		}
	}
}

// TestRefusalsThatRuleOut: a person who refuses a call and asks for something else
// first has closed no way; one who says no, or nothing, has.
func TestRefusalsThatRuleOut(t *testing.T) {
	for words, want := range map[string]int{
		"": 1, "no, I did not say commit anything": 1, "don't push": 1, "stop": 1, "never stash": 1,
		"pull rebase first": 0, "why don't you just clone it instead": 0, "and maybe delete the one you just made first": 0,
	} {
		var m memory
		m.refused(&call{tool: "Bash", act: audit.Shell, command: "git push origin main --force-with-lease"}, 1, words)
		if len(m.overruled) != want {
			t.Errorf("%q: %q, want %d", words, m.overruled, want)
		}
	}
}

// TestVariablesNameNoFiles: what a shell puts together from a variable is no file's
// name.
func TestVariablesNameNoFiles(t *testing.T) {
	got := words.Paths("for i in 1 2; do echo x > test-$i.js; done; cat $DIR/a.go src/b.go")
	if want := []string{"src/b.go"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
