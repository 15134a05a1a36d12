package execute_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge/internal/core/run"
	"kedge/internal/engine/gate"
)

// TestF1KilledWhileACornerRan: the checks of a corner that was left begin again; the verdict of the
// work itself, which is written down, is not given twice.
func TestF1KilledWhileACornerRan(t *testing.T) {
	l := languages["make"]
	y := newYard(t, l.first())
	y.feature("one", own(l.suite))
	base := y.head()
	y.prepared(1, "one", base)
	y.want(run.Tests, y.command(run.Prove, 1, run.Command{Feature: "one", Base: base}))
	y.put(y.slot(1), l.source, l.better)
	y.put(y.slot(1), l.test, l.more)
	tree := y.gated(run.Green, 1, "one", base).Tree
	c := y.command(run.Integrate, 1, run.Command{Feature: "one", Base: base, Tree: tree, Scope: "full"})
	first := y.want(run.Green, c)
	if first.Shown != run.Red {
		t.Fatalf("shown %q", first.Shown)
	}
	found, err := filepath.Glob(filepath.Join(y.home, "projects", "*", "gate", "*", "gate.json"))
	y.must(err)
	cut := 0
	for _, file := range found { // as if it was killed while the corner ran
		dir := filepath.Dir(file)
		was, err := gate.ReadBegun(dir)
		y.must(err)
		if was.Verdict == nil || was.Verdict.Green() || was.Tree == "" || !strings.Contains(y.log(dir), "negative") {
			continue
		}
		was.Verdict = nil
		y.must(was.Write(dir))
		held := filepath.Join(dir, "00-left.held")
		y.must(os.MkdirAll(held, 0o700))
		cut++
	}
	if cut != 1 {
		t.Fatalf("%d gates are the corner's", cut)
	}
	again := y.want(run.Green, adopted(c))
	if again.Shown != run.Red || again.Evidence != first.Evidence {
		t.Errorf("again: %+v", again)
	}
	n := 0
	for _, e := range y.book.evidence {
		if e.ID == first.Evidence {
			n++
		}
	}
	if n == 0 || y.book.evidence[len(y.book.evidence)-1].Corners == nil {
		t.Errorf("%d records of the verdict", n)
	}
}

// log is what the checks of a gate printed.
func (y *yard) log(dir string) string {
	files, err := filepath.Glob(filepath.Join(dir, "*.log"))
	y.must(err)
	var out strings.Builder
	for _, f := range files {
		b, err := os.ReadFile(f)
		y.must(err)
		out.Write(b)
	}
	return out.String()
}
