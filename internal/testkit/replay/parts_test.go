package replay

import (
	"strings"
	"testing"

	"kedge/internal/core/detect"
)

// TestCheckOfACommit: the first rule that fits the tests that a commit changes.
func TestCheckOfACommit(t *testing.T) {
	p := Project{Suite: "make test", Each: []Narrow{
		{Files: "**/*_test.go", Run: "go test -run '^({names})$' {dirs}"},
		{Files: "**/*_test.go", Run: "go test {dirs}"},
		{Files: "tests/*.py", Run: "python3 -m unittest {modules}"},
		{Files: "tests/*.c", Run: "ctest -R '{stems}'"},
	}}
	for _, c := range []struct {
		files, added, want string
		holds              bool
	}{
		{"a.go b/b_test.go", "+func TestB(t *testing.T) {\n+func TestA(t *testing.T) {\n-func TestC(t *testing.T) {", "go test -run '^(TestA|TestB)$' ./b", false},
		{"b/b_test.go c/c_test.go b/d_test.go", "+\tt.Fatal()", "go test ./b ./c", false},
		{"x.py tests/test_x.py", "", "python3 -m unittest tests.test_x", false},
		{"tests/parse.c tests/print.c", "", "ctest -R 'parse|print'", false},
		{"a.go", "", "make test", true},
		{"gone:b/b_test.go", "", "make test", true},
		{"test/other.rb", "", "make test", true},
	} {
		var commit Commit
		for _, f := range strings.Fields(c.files) {
			name, gone := strings.CutPrefix(f, "gone:")
			commit.Files = append(commit.Files, File{Path: name, Side: detect.SideOf(name, nil), Gone: gone})
		}
		if got, holds := p.check(commit, c.added); got != c.want || holds != c.holds {
			t.Errorf("%s: %q, %v, want %q, %v", c.files, got, holds, c.want, c.holds)
		}
	}
}

// TestWeaken: only a line that was there before is weakened, and only one that stands by itself.
func TestWeaken(t *testing.T) {
	for _, c := range []struct {
		name, before, after, want string
		how                       weakening
	}{
		{"a_test.go", "x\n\tt.Fatal(err)\n", "y\n\tt.Fatal(err)\n", "y\n\n", deleteAssertion},
		{"a_test.go", "x\n", "\tt.Fatal(err)\n", "", deleteAssertion},
		{"a_test.go", "\tt.Errorf(\"%d\", n)\n", "\tt.Errorf(\"%d\", n)\n", "\tt.Log()\n", loosenAssertion},
		{"a_test.go", "func TestA(t *testing.T) {\n}\n", "func TestA(t *testing.T) {\n}\n", "func TestA(t *testing.T) {\n\tt.Skip(\"later\")\n}\n", skipTest},
		{"test_a.py", "    self.assertEqual(a, 1)\n", "    self.assertEqual(a, 1)\n", "    pass\n", deleteAssertion},
		{"test_a.py", "    self.assertEqual(\n        a, 1)\n", "    self.assertEqual(\n        a, 1)\n", "", deleteAssertion},
		{"test_a.py", "    assert a == 1\n", "    assert a == 1\n", "    assert True\n", loosenAssertion},
		{"test_a.py", "    def test_a(self):\n        x()\n", "    def test_a(self):\n        x()\n", "    def test_a(self):\n        return\n        x()\n", skipTest},
		{"a.js", "  t.equal(a, 1)\n", "  t.equal(a, 1)\n", "  t.ok(true)\n", loosenAssertion},
		{"a.js", "  t.same(a, [\n", "  t.same(a, [\n", "", deleteAssertion},
		{"a.js", "test('a', () => {\n", "test('a', () => {\n", "test.skip('a', () => {\n", skipTest},
		{"a.c", "    TEST_ASSERT_EQUAL_INT(1, a);\n", "    TEST_ASSERT_EQUAL_INT(1, a);\n", "    TEST_ASSERT_TRUE(1);\n", loosenAssertion},
		{"a.c", "    RUN_TEST(a);\n", "    RUN_TEST(a);\n", "    /* RUN_TEST(a); */\n", skipTest},
		{"a.sh", "[ a = b ] || exit 1\n", "[ a = b ] || exit 1\n", "[ 1 = 1 ] || exit 1\n", loosenAssertion},
		{"a.rb", "  assert_equal 1, a\n", "  assert_equal 1, a\n", "\n", deleteAssertion},
	} {
		got, ok := weakened(c.name, c.before, c.after, c.how)
		if ok != (c.want != "") || got != c.want {
			t.Errorf("%s, %q: %q, %v, want %q", c.name, c.after, got, ok, c.want)
		}
	}
}

// TestFigures: each try counts once.
func TestFigures(t *testing.T) {
	r := Result{Project: "p", Commits: 3, Tries: []Try{
		{Verdict: Right},
		{Verdict: Right, Plant: "lie"},
		{Verdict: Right, Plant: "rest"},
		{Verdict: FalsePass, Plant: "gutted"},
		{Verdict: Untold, Plant: "wrong"},
		{Verdict: FalseRefusal},
		{Verdict: WaitsForNone},
		{Verdict: WaitsRightly},
		{Verdict: Unseen, Plant: "lie"},
		{Verdict: DeadEnd},
		{Verdict: Wrong, Plant: "lie"},
	}}
	want := Line{Project: "p", Features: 6, Honest: 2, Caught: 1, FalsePasses: 1, Untold: 1, FalseRefusals: 1, Waits: 1, Needed: 1, Unseen: 1, DeadEnds: 1, Wrong: 1, Same: true}
	if got := r.Line(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if table := Table([]Result{r}); !strings.Contains(table, "gutted, false pass") || strings.Contains(table, "rest, right") {
		t.Errorf("%s", table)
	}
}

// TestBrokenIsNoSuccess: a history that was not replayed to its end is not like the real one.
func TestBrokenIsNoSuccess(t *testing.T) {
	r := Result{Project: "p", Broken: "its checks are not green"}
	if r.Line().Same || !strings.Contains(Table([]Result{r}), "not reached") {
		t.Errorf("%+v\n%s", r.Line(), Table([]Result{r}))
	}
}

// TestWhy: a reason is known by what it says, and one that is not is kept.
func TestWhy(t *testing.T) {
	for reason, want := range map[string]string{
		"its checks are green before any work":                               "green before",
		`check "test" (make test) is red: exit 2`:                            "red",
		`changed files outside its paths: a`:                                 "outside",
		`test "TestA" is now skipped: a_test.go:1`:                           "test weakened",
		`test "a" asserts less: assertion "x" is gone`:                       "test weakened",
		`this work breaks feature "a", which is completed: check "c" is red`: "breaks another",
		"nothing was changed":                                                "nothing changed",
		"no such reason":                                                     "no such reason",
	} {
		if got := why(reason); got != want {
			t.Errorf("%s: %s, want %s", reason, got, want)
		}
	}
}

// TestSetupLine: the set-up takes the place of the one that init proposed.
func TestSetupLine(t *testing.T) {
	for text, want := range map[string]string{
		"version = 1\n[worktree]\nsetup = \"npm ci\"\n# x\n[gate]\nsetup = 1\n": "version = 1\n[worktree]\nsetup = \"make\"\n# x\n[gate]\nsetup = 1\n",
		"version = 1\n": "version = 1\n\n[worktree]\nsetup = \"make\"\n",
	} {
		if got := setupLine(text, "make"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
