package execute_test

import (
	"strings"
	"testing"

	"kedge/internal/core/run"
)

// TestNothingIsLeftAfterTheMerge: the tip has all of the work, the same or more. Its checks
// run all the same, and it is told who has made it.
func TestNothingIsLeftAfterTheMerge(t *testing.T) {
	for name, x := range map[string]struct {
		others, work map[string]string
		moot         bool
	}{
		"the same":        {map[string]string{"n.txt": "1\n"}, map[string]string{"n.txt": "1\n"}, true},
		"more":            {map[string]string{"n.txt": "1\n", "more.txt": "1\n"}, map[string]string{"n.txt": "1\n"}, true},
		"not all of it":   {map[string]string{"n.txt": "1\n"}, map[string]string{"n.txt": "1\n", "more.txt": "1\n"}, false},
		"something else":  {map[string]string{"more.txt": "1\n"}, map[string]string{"n.txt": "1\n"}, false},
		"the same, moved": {map[string]string{"n.txt": "1\n", "a.txt": "a\nb\n"}, map[string]string{"n.txt": "1\n"}, true},
	} {
		y := newYard(t, nil)
		y.feature("one", own("test -e n.txt || test -e more.txt")) // two with one check: else the work of one would be stopped
		y.feature("two", own("test -e n.txt || test -e more.txt"))
		base := y.head()
		y.prepared(2, "two", base)
		for file, text := range x.work {
			y.put(y.slot(1), file, text)
		}
		tree := y.gated(run.Green, 2, "two", base).Tree
		one := y.worked("one", base, x.others)
		tip := y.worked("one", one, map[string]string{"later.txt": "later\n"})
		in := y.integrated(run.Green, 2, "two", tip, tree)
		want := ""
		if x.moot {
			want = "done by commit " + one[:12] + ` (feature "one")`
		}
		if in.Moot != x.moot || in.Text != want || in.Evidence == "" {
			t.Errorf("%s: %v, %q, want %q", name, in.Moot, in.Text, want)
		}
	}
}

// TestTheUserMadeTheSame: a commit of nobody's run is named by its author.
func TestTheUserMadeTheSame(t *testing.T) {
	y := newYard(t, nil)
	y.feature("two", own("test -e n.txt"))
	base := y.head()
	y.prepared(2, "two", base)
	y.put(y.slot(1), "n.txt", "1\n")
	tree := y.gated(run.Green, 2, "two", base).Tree
	y.put(y.root, "n.txt", "1\n")
	y.git("-C", y.root, "add", "n.txt")
	y.git("-C", y.root, "commit", "-qm", "by hand")
	tip := y.head()
	y.git("-C", y.root, "branch", "-f", "kedge/"+string(runID), tip)
	in := y.integrated(run.Green, 2, "two", tip, tree)
	if !in.Moot || !strings.HasPrefix(in.Text, "done by commit "+tip[:12]+" by ") || !strings.HasSuffix(in.Text, "(by hand)") {
		t.Errorf("%v, %q", in.Moot, in.Text)
	}
}
