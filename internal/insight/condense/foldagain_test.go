package condense_test

import (
	"strings"
	"testing"

	"kedge/internal/insight/condense"
)

// TestCondenseLosesNothingBelowARepeat: what stands below a complaint that was there
// before is left out only where it is its source. Totals, errors and words that are
// new stay, also where they look like source: by a number, by a bar, by what points at
// them.
func TestCondenseLosesNothingBelowARepeat(t *testing.T) {
	c := times(20, "src/a.c:%[1]d:3: error: use of undeclared identifier 'total' in this scope\n%[1]d | total = 1;\n   | ^~~~~\n")
	java := times(20, "src/A.java:%[1]d: error: cannot find symbol in this class\n    total%[1]d = sum(price, number, rate);\n    ^\n")
	for _, l := range []string{
		"20 errors generated.",
		"20 examples, 2 failures",
		"20 errors found",
		"20 orders were sent twice",
		"| db error: connection refused |",
		"| orders | 7 | of them late |",
		"   | ^^^^^ cannot be borrowed twice",
		"20 | error: the source speaks of one itself",
		"not a line of source\n20 | total = 1;",
		"assertion failed: left == right\n       ^^^^",
		"done with it\nwhat did it point at\n       ^^^^",
		"FAILED (errors=2)",
	} {
		for name, head := range map[string]string{"c": c, "java": java} {
			out := head + l + "\n" + times(60, "log %d\n")
			got := condense.Condense("make", out)
			checkCondensed(t, "make", out, got)
			if !strings.Contains(got.Text, l+"\n") {
				t.Errorf("%s: %q is lost in\n%s", name, l, got.Text)
			}
			if strings.Contains(got.Text, "19 | total") || strings.Contains(got.Text, "total19 =") {
				t.Errorf("%s: the source of a repeat is still in\n%s", name, got.Text)
			}
		}
	}
}

// TestCondenseNamesARepeatByItsWords: a complaint that was there before is named by its
// first words, whatever their length.
func TestCondenseNamesARepeatByItsWords(t *testing.T) {
	for _, c := range []struct{ said, want string }{
		{"error TS2322: Type 'string' is not assignable to type 'number'.", "error TS2322: Type … as above"},
		{"warning: implicitUnsignedConversionOfAnArgument in the call to 'f'", "warning: implicitUnsignedConversionOfAnArgument in … as above"},
		{"F401 'os' imported but unused in the whole of this module", "F401 'os' imported … as above"},
		{"error: two words", "error: two words"},
		{"error: no gain here ok", "error: no gain here ok"},
	} {
		got := condense.Condense("lint", times(60, "src/a.ts:%d:7: "+c.said+"\n")+times(60, "log %d\n")).Text
		for _, want := range []string{"src/a.ts:3:7: " + c.said + "\n", "src/a.ts:40:7: " + c.want + "\n"} {
			if !strings.Contains(got, want) {
				t.Errorf("%q is not in\n%s", want, got)
			}
		}
	}
}
