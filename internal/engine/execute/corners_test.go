package execute_test

import (
	"maps"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/run"
)

// language is a small project with a function that doubles, and its test.
type language struct {
	needs  string // the program
	suite  string
	files  map[string]string
	source string // of the function, which does nothing new
	better string // and which also refuses what is negative
	test   string // the file of tests
	old    string // what the tests hold that is to be taken out of them
	more   string // the file of tests with one more, of the refusal
	other  string // the file of tests with another expectation of what was there
	hollow string // the file of tests with a test of the refusal that asserts nothing
}

func gateOf(line string) string {
	return "version = 1\n[[check]]\nname = \"suite\"\nkind = \"test\"\nrun = \"" + line + "\"\n"
}

var languages = map[string]language{
	"go": {
		needs: "go", suite: "go test -vet=off ./...", files: map[string]string{"go.mod": "module double\n\ngo 1.24\n"},
		source: "double.go", better: "package double\n\nfunc Double(n int) int {\n\tif n < 0 {\n\t\treturn 0\n\t}\n\treturn 2 * n\n}\n",
		test:   "double_test.go",
		more:   goTest + "\nfunc TestNegative(t *testing.T) {\n\tif got := Double(-1); got != 0 {\n\t\tt.Errorf(\"%d\", got)\n\t}\n}\n",
		other:  strings.Replace(goTest, "Double(4); got != 8", "Double(-4); got != 0", 1),
		hollow: goTest + "\nfunc TestNegative(t *testing.T) {\n\tt.Log(Double(-1))\n}\n",
		old:    "Double(4)",
	},
	"python": {
		needs: "python3", suite: "python3 -B -m unittest discover -s tests -t .", files: map[string]string{"tests/__init__.py": ""},
		source: "double.py", better: "def double(n):\n    if n < 0:\n        return 0\n    return 2 * n\n",
		test:   "tests/test_double.py",
		more:   pyTest + "\n    def test_negative(self):\n        self.assertEqual(double(-1), 0)\n",
		other:  strings.Replace(pyTest, "double(4), 8", "double(-4), 0", 1),
		hollow: pyTest + "\n    def test_negative(self):\n        pass\n",
		old:    "double(4)",
	},
	"node": {
		needs: "node", suite: "node --test", files: map[string]string{"package.json": `{"name": "double", "type": "module"}` + "\n"},
		source: "double.js", better: "export function double(n) {\n  if (n < 0) return 0;\n  return 2 * n;\n}\n",
		test:   "test/double.test.js",
		more:   jsTest + "\ntest('negative', () => {\n  assert.equal(double(-1), 0);\n});\n",
		other:  strings.Replace(jsTest, "double(4), 8", "double(-4), 0", 1),
		hollow: jsTest + "\ntest('negative', () => {\n  double(-1);\n});\n",
		old:    "double(4)",
	},
	"c": {
		needs: "cc", suite: "cc -o t.ignored double.c test_double.c && ./t.ignored", files: map[string]string{"double.h": "int twice(int n);\n"},
		source: "double.c", better: "#include \"double.h\"\n\nint twice(int n)\n{\n\tif (n < 0)\n\t\treturn 0;\n\treturn 2 * n;\n}\n",
		test:   "test_double.c",
		more:   strings.Replace(cTest, "int main", "static void test_negative(void)\n{\n\tassert(twice(-1) == 0);\n}\n\nint main", 1) + "\ttest_negative();\n\treturn 0;\n}\n",
		other:  strings.Replace(cTest, "twice(4) == 8", "twice(-4) == 0", 1) + "\treturn 0;\n}\n",
		hollow: strings.Replace(cTest, "int main", "static void test_negative(void)\n{\n\ttwice(-1);\n}\n\nint main", 1) + "\ttest_negative();\n\treturn 0;\n}\n",
		old:    "twice(4)",
	},
	"make": {
		needs: "make", suite: "make -s test", files: map[string]string{"Makefile": ".PHONY: test\ntest:\n\t@for t in test/*_test.sh; do sh $$t || exit 1; done\n"},
		source: "double.sh", better: "#!/bin/sh\n[ \"$1\" -ge 0 ] || { echo 0; exit; }\necho $((2 * $1))\n",
		test:   "test/double_test.sh",
		more:   shTest + "[ \"$(sh double.sh -1)\" = 0 ] || fail negative\n",
		other:  strings.Replace(shTest, "double.sh 4)\" = 8", "double.sh -4)\" = 0", 1),
		hollow: shTest + "sh double.sh -1 >/dev/null\n",
		old:    "double.sh 4",
	},
}

const (
	goTest = "package double\n\nimport \"testing\"\n\nfunc TestDouble(t *testing.T) {\n\tif got := Double(4); got != 8 {\n\t\tt.Errorf(\"%d\", got)\n\t}\n\tif got := Double(1); got != 2 {\n\t\tt.Errorf(\"%d\", got)\n\t}\n}\n"
	pyTest = "import unittest\n\nfrom double import double\n\n\nclass TestDouble(unittest.TestCase):\n    def test_double(self):\n        self.assertEqual(double(4), 8)\n        self.assertEqual(double(1), 2)\n"
	jsTest = "import assert from 'node:assert/strict';\nimport test from 'node:test';\nimport { double } from '../double.js';\n\ntest('doubles', () => {\n  assert.equal(double(4), 8);\n  assert.equal(double(1), 2);\n});\n"
	cTest  = "#include <assert.h>\n#include \"double.h\"\n\nstatic void test_twice(void)\n{\n\tassert(twice(4) == 8);\n\tassert(twice(1) == 2);\n}\n\nint main(void)\n{\n\ttest_twice();\n"
	shTest = "#!/bin/sh\nfail() { echo \"$0: $1\"; exit 1; }\n[ \"$(sh double.sh 4)\" = 8 ] || fail four\n[ \"$(sh double.sh 1)\" = 2 ] || fail one\n"
)

// first gives the source and the tests as they are before the work.
func (l language) first() map[string]string {
	out := map[string]string{".kedge/gate.toml": gateOf(l.suite), "check.sh": "true\n"}
	maps.Copy(out, l.files)
	switch l.needs {
	case "go":
		out[l.source], out[l.test] = "package double\n\nfunc Double(n int) int { return 2 * n }\n", goTest
	case "python3":
		out[l.source], out[l.test] = "def double(n):\n    return 2 * n\n", pyTest
	case "node":
		out[l.source], out[l.test] = "export function double(n) {\n  return 2 * n;\n}\n", jsTest
	case "cc":
		out[l.source], out[l.test] = "#include \"double.h\"\n\nint twice(int n)\n{\n\treturn 2 * n;\n}\n", cTest+"\treturn 0;\n}\n"
	case "make":
		out[l.source], out[l.test] = "#!/bin/sh\necho $((2 * $1))\n", shTest
	}
	return out
}

// without gives a file of tests without the lines that hold a text.
func without(text, gone string) string {
	var out []string
	skip := 0
	for line := range strings.Lines(text) {
		if skip > 0 {
			skip--
			continue
		}
		if strings.Contains(line, gone) {
			if strings.HasSuffix(line, "{\n") { // Go: the two lines behind it are its body
				skip = 2
			}
			continue
		}
		out = append(out, line)
	}
	return strings.Join(out, "")
}

// TestFourCorners: the suite of a project is the check of a feature; it is green before the work.
// Honest work, whose new tests are red without it, counts. Everything else leaves a doubt.
func TestFourCorners(t *testing.T) {
	for name, l := range languages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := osexec.LookPath(l.needs); err != nil {
				t.Skipf("there is no %s", l.needs)
			}
			before := l.first()
			harmless := before[l.source] + "\n"
			if name == "make" || name == "python" {
				harmless += "# a word\n"
			} else {
				harmless += "// a word\n"
			}
			for what, c := range map[string]struct {
				files                map[string]string
				shown                run.Outcome
				altered, oldS, oldTs string
				announced            bool
			}{
				"honest":                     {map[string]string{l.source: l.better, l.test: l.more}, run.Red, "", "red", "not_run|green", false},
				"source only":                {map[string]string{l.source: l.better}, run.Empty, "", "not_run", "not_run", false},
				"tests of nothing":           {map[string]string{l.source: harmless, l.test: l.hollow}, run.Green, "", "green|not_run", "not_run|green", false},
				"only hollow tests":          {map[string]string{l.test: l.hollow}, run.Green, "", "not_run", "not_run", false},
				"an expectation is changed":  {map[string]string{l.source: l.better, l.test: l.other}, run.Red, "", "red", "green", false},
				"an assertion is deleted":    {map[string]string{l.source: l.better, l.test: without(before[l.test], l.old)}, run.Green, "it changes existing tests", "green", "green", false},
				"that is announced":          {map[string]string{l.source: l.better, l.test: without(before[l.test], l.old)}, run.Green, "", "green", "not_run", true},
				"the old tests would be red": {map[string]string{l.source: breaking(l), l.test: l.moved()}, run.Red, "with the old tests, check \"suite\" is red", "red", "red", false},
			} {
				t.Run(what, func(t *testing.T) {
					y := newYard(t, before)
					f := y.feature("one", own(l.suite))
					if c.announced {
						f.ChangesTests = []string{l.test}
					}
					base := y.head()
					y.prepared(1, "one", base)
					y.want(run.Tests, y.command(run.Prove, 1, run.Command{Feature: "one", Base: base}))
					for path, text := range c.files {
						y.put(y.slot(1), path, text)
					}
					tree := y.gated(run.Green, 1, "one", base).Tree
					ev := y.integrated(run.Green, 1, "one", base, tree)
					if ev.Shown != c.shown || (ev.Altered == "") != (c.altered == "") || !strings.Contains(ev.Altered, c.altered) {
						t.Errorf("shown %q (%s), altered %q", ev.Shown, ev.Untested, ev.Altered)
					}
					got := y.book.evidence[len(y.book.evidence)-1].Corners
					if got == nil || !strings.Contains(c.oldS, got.OldSource.Verdict) || !strings.Contains(c.oldTs, got.OldTests.Verdict) {
						t.Errorf("corners %+v", got)
					}
					for path, text := range c.files { // the candidate is there again
						if y.read(y.clean(), path) != text {
							t.Errorf("%s is not that of the work", path)
						}
					}
				})
			}
		})
	}
}

// breaking is source that no longer doubles.
func breaking(l language) string {
	first := l.first()[l.source]
	return strings.NewReplacer("2 * n", "3 * n", "2 * $1", "3 * $1").Replace(first)
}

// moved is the file of tests that expects that.
func (l language) moved() string {
	first := l.first()[l.test]
	return strings.NewReplacer("got != 8", "got != 12", "got != 2", "got != 3", "(4), 8", "(4), 12", "(1), 2", "(1), 3", "(4) == 8", "(4) == 12", "(1) == 2", "(1) == 3",
		" 4)\" = 8", " 4)\" = 12", " 1)\" = 2", " 1)\" = 3").Replace(first)
}

// TestChecksThatTestsMakeGreen: a feature's own check is red before the work and green after it;
// its tests alone must not have done that.
func TestChecksThatTestsMakeGreen(t *testing.T) {
	l := languages["go"]
	check := "go test -vet=off -run '^TestNegative$' ./..."
	harmless := l.first()[l.source] + "\n// a word\n"
	asserting := strings.Replace(l.hollow, "t.Log(Double(-1))", "if Double(1) != 2 {\n\t\tt.Error(1)\n\t}", 1)
	for what, c := range map[string]struct {
		files map[string]string
		shown run.Outcome
		name  string
	}{
		"honest":                       {map[string]string{l.source: l.better, l.test: l.more}, run.Red, "Refuse what is negative"},
		"a test that asserts nothing":  {map[string]string{l.source: harmless, l.test: l.hollow}, run.Green, "Refuse what is negative"},
		"a test of something else":     {map[string]string{l.source: harmless, l.test: asserting}, run.Green, "Refuse what is negative"},
		"only a test":                  {map[string]string{l.test: asserting}, run.Green, "Refuse what is negative"},
		"only a test, which was asked": {map[string]string{l.test: asserting}, run.Clean, "A test of what is negative"},
	} {
		t.Run(what, func(t *testing.T) {
			y := newYard(t, l.first())
			y.feature("one", own(check)).Name = c.name
			base := y.head()
			y.prepared(1, "one", base)
			y.want(run.Fails, y.command(run.Prove, 1, run.Command{Feature: "one", Base: base}))
			for path, text := range c.files {
				y.put(y.slot(1), path, text)
			}
			tree := y.gated(run.Green, 1, "one", base).Tree
			if ev := y.integrated(run.Green, 1, "one", base, tree); ev.Shown != c.shown {
				t.Errorf("shown %q, %s", ev.Shown, ev.Untested)
			}
		})
	}
}

// TestOldTestsAreSwitchedOff: the source breaks what was there, and something keeps the old tests
// from running. With the tests as they were, that is red.
func TestOldTestsAreSwitchedOff(t *testing.T) {
	gone := map[string]string{"go": "", "python": ""}
	for what, c := range map[string]struct {
		language string
		files    map[string]string // empty text: deleted
	}{
		"an init of a new test file":   {"go", map[string]string{"off_test.go": "package double\n\nimport (\n\t\"flag\"\n\t\"testing\"\n)\n\nfunc init() { testing.Init(); flag.Set(\"test.skip\", \"TestDouble\") }\n"}},
		"a TestMain":                   {"go", map[string]string{"main_test.go": "package double\n\nimport (\n\t\"flag\"\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) { flag.Parse(); flag.Set(\"test.run\", \"TestNew\"); os.Exit(m.Run()) }\n"}},
		"a folder that is left out":    {"go", map[string]string{"double_test.go": gone["go"], "_x/double_test.go": goTest}},
		"another system":               {"go", map[string]string{"double_test.go": gone["go"], "double_windows_test.go": goTest}},
		"a name that is not looked at": {"python", map[string]string{"tests/test_double.py": gone["python"], "tests/double_cases.py": pyTest}},
		"a loader of tests":            {"python", map[string]string{"tests/__init__.py": "import unittest\n\n\ndef load_tests(loader, tests, pattern):\n    return unittest.TestSuite()\n"}},
		"a target that runs less":      {"make", map[string]string{"Makefile": ".PHONY: test\ntest:\n\t@for t in test/new_*_test.sh; do sh $$t || exit 1; done\n"}},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			l := languages[c.language]
			if _, err := osexec.LookPath(l.needs); err != nil {
				t.Skipf("there is no %s", l.needs)
			}
			y := newYard(t, l.first())
			y.feature("one", own("grep -q done a.txt"))
			base := y.head()
			y.prepared(1, "one", base)
			y.put(y.slot(1), "a.txt", "done\n")
			y.put(y.slot(1), l.source, breaking(l))
			for path, text := range c.files {
				if y.put(y.slot(1), path, text); text == "" {
					y.must(os.Remove(filepath.Join(y.slot(1), path)))
				}
			}
			for path, text := range map[string]map[string]string{
				"go":     {"new_test.go": "package double\n\nimport \"testing\"\n\nfunc TestNew(t *testing.T) {\n\tif Double(0) != 0 {\n\t\tt.Error(0)\n\t}\n}\n"},
				"python": {"tests/test_new.py": "import unittest\n\nfrom double import double\n\n\nclass TestNew(unittest.TestCase):\n    def test_new(self):\n        self.assertEqual(double(0), 0)\n"},
				"make":   {"test/new_zero_test.sh": "[ \"$(sh double.sh 0)\" = 0 ] || exit 1\n"},
			}[c.language] {
				y.put(y.slot(1), path, text)
			}
			tree := y.gated(run.Green, 1, "one", base).Tree
			if ev := y.integrated(run.Green, 1, "one", base, tree); !strings.Contains(ev.Altered, "with the old tests, check") && !strings.Contains(ev.Altered, "could not run the old tests") {
				t.Errorf("altered: %q, shown %q", ev.Altered, ev.Shown)
			}
		})
	}
}

// TestBinaryExpectationsAreTests: what tests expect may stand in a file that is no text.
func TestBinaryExpectationsAreTests(t *testing.T) {
	l := languages["make"]
	before := l.first()
	before[l.test] = "[ \"$(tr -d '\\000' <test/expect.bin)\" = \"$(sh double.sh 4)\" ] || exit 1\n"
	before["test/expect.bin"] = "8\x00"
	y := newYard(t, before)
	y.feature("one", own("grep -q done a.txt"))
	base := y.head()
	y.prepared(1, "one", base)
	y.put(y.slot(1), "a.txt", "done\n")
	y.put(y.slot(1), l.source, breaking(l))
	y.put(y.slot(1), "test/expect.bin", "12\x00")
	tree := y.gated(run.Green, 1, "one", base).Tree
	if ev := y.integrated(run.Green, 1, "one", base, tree); !strings.Contains(ev.Altered, "with the old tests, check") {
		t.Errorf("altered: %q", ev.Altered)
	}
}

// TestManifestsMakeNoTestAProof: a manifest that is touched is no source that tests test.
func TestManifestsMakeNoTestAProof(t *testing.T) {
	l := languages["go"]
	empty := strings.Replace(l.hollow, "t.Log(Double(-1))", "if x := 3; x != 3 {\n\t\tt.Error(1)\n\t}", 1)
	y := newYard(t, l.first())
	y.feature("one", own("go test -vet=off -run '^TestNegative$' ./...")).Acceptance = []string{"negative numbers are refused; this is tested"}
	base := y.head()
	y.prepared(1, "one", base)
	y.put(y.slot(1), "Makefile", "all:\n")
	y.put(y.slot(1), l.test, empty)
	tree := y.gated(run.Green, 1, "one", base).Tree
	if ev := y.integrated(run.Green, 1, "one", base, tree); ev.Shown != run.Green {
		t.Errorf("shown %q, %s", ev.Shown, ev.Untested)
	}
}

// TestCornersAreNotLookedAt: of what you approved, and of what is no work on a feature.
func TestCornersAreNotLookedAt(t *testing.T) {
	y := newYard(t, languages["make"].first())
	y.feature("one", own("grep -q done a.txt"))
	base := y.head()
	y.prepared(1, "one", base)
	y.put(y.slot(1), "a.txt", "done\n")
	y.must(os.Remove(filepath.Join(y.slot(1), "test/double_test.sh")))
	y.put(y.slot(1), "test/other_test.sh", "true\n")
	tree := y.gated(run.Green, 1, "one", base).Tree
	if ev := y.integrated(run.Green, 1, "one", base, tree); !strings.Contains(ev.Altered, "was deleted") {
		t.Errorf("altered: %q", ev.Altered)
	}
	y.epoch += 20
	ev := y.want(run.Green, y.command(run.Integrate, 1, run.Command{Feature: "one", Base: base, Tree: tree, Scope: "full", Doubt: run.DoubtLifted}))
	if ev.Altered+ev.Untested != "" || ev.Shown != "" {
		t.Errorf("you approved it: %+v", ev)
	}
	if slices.ContainsFunc(y.book.evidence, func(e kedge.Evidence) bool { return e.Corners != nil && e.ID == ev.Evidence }) {
		t.Error("the corners were looked at again")
	}
}
