package pickup

import (
	"slices"
	"testing"
)

// TestWhatIsRuledOutAndDecided: a wish, a step of a request and a look at what may
// be so close no way and decide nothing.
func TestWhatIsRuledOutAndDecided(t *testing.T) {
	type kept struct{ ruled, decided int }
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
	} {
		var m memory
		m.told(said{kind: saidAsk, text: text})
		if got := (kept{len(m.ruled), len(m.decided)}); got != want {
			t.Errorf("told %q: %+v, want %+v", text, got, want)
		}
	}
	for text, want := range map[string]kept{
		"Let me check if the issue is the `t.Chdir` calls affecting other tests.": {},
		"The root cause was that the ids became invalid after the branch moved.":  {decided: 1},
		"A lock in the folder won't work on a file system that several share.":    {ruled: 1},
	} {
		var m memory
		m.said(1, text)
		if got := (kept{len(m.ruled), len(m.decided)}); got != want {
			t.Errorf("said %q: %+v, want %+v", text, got, want)
		}
	}
}

// TestVariablesNameNoFiles: what a shell puts together from a variable is no file's
// name.
func TestVariablesNameNoFiles(t *testing.T) {
	got := pathWords("for i in 1 2; do echo x > test-$i.js; done; cat $DIR/a.go src/b.go")
	if want := []string{"src/b.go"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
