package execute_test

import (
	"strings"
	"testing"

	"kedge/internal/core/run"
)

// TestWhatWasBuiltOfTheWorkDecidesNoCorner: the suite builds only once, into an ignored file. The
// corners build again; what was built of the work is there afterwards.
func TestWhatWasBuiltOfTheWorkDecidesNoCorner(t *testing.T) {
	l := languages["make"]
	suite := "mkdir -p dist.ignored && test -e dist.ignored/double || cp double.sh dist.ignored/double; for t in test/*_test.sh; do sh $t || exit 1; done"
	built := func(text string) string { return strings.ReplaceAll(text, "double.sh", "dist.ignored/double") }
	for name, c := range map[string]struct {
		source, tests string
		altered       bool
	}{
		"new tests on the old source": {l.better, built(l.more), false},
		"old tests on the new source": {breaking(l), built(l.moved()), true},
	} {
		t.Run(name, func(t *testing.T) {
			before := l.first()
			before[".kedge/gate.toml"], before[l.test] = gateOf(strings.ReplaceAll(suite, `"`, `\"`)), built(before[l.test])
			y := newYard(t, before)
			y.feature("one", own(suite))
			base := y.head()
			y.prepared(1, "one", base)
			y.want(run.Tests, y.command(run.Prove, 1, run.Command{Feature: "one", Base: base}))
			y.git("-C", y.slot(1), "clean", "-fdXq")
			y.put(y.slot(1), l.source, c.source)
			y.put(y.slot(1), l.test, c.tests)
			tree := y.gated(run.Green, 1, "one", base).Tree
			ev := y.integrated(run.Green, 1, "one", base, tree)
			if ev.Shown != run.Red || (ev.Altered != "") != c.altered {
				t.Errorf("shown %q (%s), altered %q", ev.Shown, ev.Untested, ev.Altered)
			}
			if y.read(y.clean(), "dist.ignored/double") != c.source {
				t.Error("what was built of the work is gone")
			}
		})
	}
}
