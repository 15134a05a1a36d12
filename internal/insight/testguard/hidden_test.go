package testguard_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"kedge/internal/insight/testguard"
)

// file is one file of a change in its two versions; an empty text is no file.
type file struct{ path, before, after string }

// fateOf says what becomes of a change: "waits" (a certain finding), "corner" (the old tests are run with the
// new source), "silent" (nobody looks).
func fateOf(files []file) string {
	var ch []testguard.Change
	for _, f := range files {
		ch = append(ch, testguard.Change{Path: f.path, Before: version(f.before), After: version(f.after)})
	}
	g := testguard.Guard{Mentioned: func(string) bool { return false }}
	var what []string
	for _, f := range g.All(ch) {
		what = append(what, fmt.Sprintf("%s: %s", f.Kind, f.What))
		if f.Kind.Certain() {
			return "waits  (" + f.What + ")"
		}
	}
	h := testguard.Halves(ch, nil)
	changed := slices.ContainsFunc(ch, func(c testguard.Change) bool {
		return slices.Contains(h.Tests, c.Path) && !g.Explained(c, ch)
	})
	if changed && h.OldTests.Same == "" {
		return "corner (" + strings.Join(what, "; ") + ")"
	}
	return fmt.Sprintf("silent (findings %q, changed %v, same %q)", what, changed, h.OldTests.Same)
}

const goSrcA = "package a\n\nfunc Add(a, b int) int { return a + b }\n"
const goSrcB = "package a\n\nfunc Add(a, b int) int { return a - b }\n"
const pySrcA = "def add(a, b):\n    return a + b\n"
const pySrcB = "def add(a, b):\n    return a - b\n"
const jsSrcA = "exports.add = (a, b) => a + b;\n"
const jsSrcB = "exports.add = (a, b) => a - b;\n"

// TestHowTestsAreHidden: what ends, skips, replaces or hides tests waits for a person, or is decided by the old
// tests where want says so.
func TestHowTestsAreHidden(t *testing.T) {
	gosrc := file{"a.go", goSrcA, goSrcB}
	pysrc := file{"app.py", pySrcA, pySrcB}
	jssrc := file{"add.js", jsSrcA, jsSrcB}
	goT := "package a\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tgot := Add(2, 2)\n\tif got != 4 {\n\t\tt.Errorf(\"got %d\", got)\n\t}\n}\n"
	goH := "package a\n\nimport \"testing\"\n\nfunc mustBe(t *testing.T, got, want int) {\n\tt.Helper()\n\tif got != want {\n\t\tt.Errorf(\"got %d\", got)\n\t}\n}\n\nfunc TestAdd(t *testing.T) {\n\tmustBe(t, Add(2, 2), 4)\n}\n"
	goM := goT + "\nfunc TestMain(m *testing.M) {\n\tsetup()\n\tos.Exit(m.Run())\n}\n"
	pyT := "from app import add\n\n\ndef test_add():\n    got = add(2, 2)\n    assert got == 4\n\n\ndef test_zero():\n    assert add(0, 0) == 0\n"
	pyH := "from app import add\n\n\ndef check(got, want):\n    print(got)\n    assert got == want\n\n\ndef test_add():\n    check(add(2, 2), 4)\n"
	jsT := "const {add} = require('./add')\n\ntest('adds', () => {\n  const total = add(2, 2)\n  expect(total).toBe(4)\n})\n\ntest('zero', () => {\n  expect(add(0, 0)).toBe(0)\n})\n"
	jsH := "const {add} = require('./add')\n\nfunction check(got, want) {\n  log(got)\n  expect(got).toBe(want)\n}\n\ntest('adds', () => {\n  check(add(2, 2), 4)\n})\n"
	rubyT := "require 'minitest/autorun'\n\nclass ATest < Minitest::Test\n  def test_add\n    assert_equal 4, add(2, 2)\n  end\n\n  def test_zero\n    assert_equal 0, add(0, 0)\n  end\nend\n"
	rubySrc := file{"lib/a.rb", "def add(a, b)\n  a + b\nend\n", "def add(a, b)\n  a - b\nend\n"}
	rustT := "use a::add;\n\n#[test]\nfn adds() {\n    let got = add(2, 2);\n    assert_eq!(got, 4);\n}\n\n#[test]\nfn zero() {\n    assert_eq!(add(0, 0), 0);\n}\n"
	rustSrc := file{"src/lib.rs", "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n", "pub fn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n"}
	javaT := "class AddTest {\n  @Test\n  void adds() {\n    int got = Calc.add(2, 2);\n    assertEquals(4, got);\n  }\n}\n"
	javaSrc := file{"src/main/java/Calc.java", "class Calc {\n  static int add(int a, int b) {\n    return a + b;\n  }\n}\n", "class Calc {\n  static int add(int a, int b) {\n    return a - b;\n  }\n}\n"}
	cSrc := file{"add.c", "int add(int a, int b) { return a + b; }\n", "int add(int a, int b) { return a - b; }\n"}
	phpSrc := file{"src/Calc.php", "<?php\nfunction add($a, $b) { return $a + $b; }\n", "<?php\nfunction add($a, $b) { return $a - $b; }\n"}
	phpT := phpTest("$got = add(2, 2);\n        $this->assertSame(4, $got);")
	suite := "package a\n\nimport (\n\t\"testing\"\n\n\t\"github.com/stretchr/testify/suite\"\n)\n\ntype S struct{ suite.Suite }\n\nfunc TestS(t *testing.T) { suite.Run(t, new(S)) }\n\nfunc (s *S) TestAdd() {\n\ts.Equal(4, Add(2, 2))\n}\n\nfunc (s *S) TestZero() {\n\ts.Equal(0, Add(0, 0))\n}\n"
	ginkgo := "package a\n\nvar _ = Describe(\"Add\", func() {\n\tIt(\"adds\", func() {\n\t\tExpect(Add(2, 2)).To(Equal(4))\n\t})\n\tIt(\"zero\", func() {\n\t\tExpect(Add(0, 0)).To(Equal(0))\n\t})\n})\n"
	for _, c := range []struct {
		name, want string
		files      []file
	}{
		// --- lines that count as harmless
		{"go: bare return in an assertion helper", "waits", []file{gosrc, {"a_test.go", goH, strings.Replace(goH, "\tt.Helper()\n", "\tt.Helper()\n\treturn\n", 1)}}},
		{"go: bare return in TestMain before m.Run", "waits", []file{gosrc, {"a_test.go", goM, strings.Replace(goM, "\tsetup()\n", "\tsetup()\n\treturn\n", 1)}}},
		{"py: bare return in an assertion helper", "waits", []file{pysrc, {"test_a.py", pyH, strings.Replace(pyH, "    print(got)\n", "    print(got)\n    return\n", 1)}}},
		{"py: del test_add", "waits", []file{pysrc, {"test_a.py", pyT, pyT + "\n\ndel test_add\n"}}},
		{"js: bare return in an assertion helper", "waits", []file{jssrc, {"add.test.js", jsH, strings.Replace(jsH, "  log(got)\n", "  log(got)\n  return\n", 1)}}},
		{"js: return at the top of a module", "waits", []file{jssrc, {"add.test.js", jsT, strings.Replace(jsT, "\n\ntest('adds'", "\nreturn\n\ntest('adds'", 1)}}},
		{"ruby: __END__ before the tests", "waits", []file{rubySrc, {"test/a_test.rb", rubyT, strings.Replace(rubyT, "\nclass", "\n__END__\nclass", 1)}}},
		{"ruby: undef test_add in the class", "waits", []file{rubySrc, {"test/a_test.rb", rubyT, strings.TrimSuffix(rubyT, "end\n") + "\n  undef test_add\nend\n"}}},
		{"ruby: private before the tests", "waits", []file{rubySrc, {"test/a_test.rb", rubyT, strings.Replace(rubyT, "  def test_add", "  private\n\n  def test_add", 1)}}},
		// --- a later definition replaces an earlier one
		{"py: second def of the same name", "corner", []file{pysrc, {"test_a.py", pyT, pyT + "\n\ndef test_add():\n    assert add(2, 2) == 0\n"}}},
		{"ruby: second def of the same name", "corner", []file{rubySrc, {"test/a_test.rb", rubyT, strings.TrimSuffix(rubyT, "end\n") + "\n  def test_add\n    assert_equal 0, add(2, 2)\n  end\nend\n"}}},
		{"py: second class of the same name", "corner", []file{pysrc, {"test_a.py", "class TestAdd:\n    def test_a(self):\n        assert add(2, 2) == 4\n", "class TestAdd:\n    def test_a(self):\n        assert add(2, 2) == 4\n\n\nclass TestAdd:\n    def test_b(self):\n        assert add(2, 2) == 0\n"}}},
		// --- the name of a local variable that is gone
		{"js: test deleted, a local of the source is gone", "waits", []file{{"add.js", "exports.add = (a, b) => {\n  const total = a + b;\n  return total;\n};\n", "exports.add = (a, b) => {\n  return a - b;\n};\n"}, {"add.test.js", jsT, strings.Replace(jsT, "test('adds', () => {\n  const total = add(2, 2)\n  expect(total).toBe(4)\n})\n\n", "", 1)}}},
		{"go: test deleted, a local of the source is gone", "waits", []file{{"a.go", "package a\n\nfunc Add(a, b int) int {\n\tvar total = a + b\n\treturn total\n}\n", "package a\n\nfunc Add(a, b int) int {\n\treturn a - b\n}\n"}, {"a_test.go", "package a\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\ttotal := Add(2, 2)\n\tif total != 4 {\n\t\tt.Errorf(\"got %d\", total)\n\t}\n}\n\nfunc TestZero(t *testing.T) {\n\tif Add(0, 0) != 0 {\n\t\tt.Error()\n\t}\n}\n", "package a\n\nimport \"testing\"\n\nfunc TestZero(t *testing.T) {\n\tif Add(0, 0) != 0 {\n\t\tt.Error()\n\t}\n}\n"}}},
		// --- settings of builds
		// --- runner settings
		{"pytest testpaths", "waits", []file{pysrc, {"pytest.ini", "[pytest]\ntestpaths = tests\n", "[pytest]\ntestpaths = tests/unit\n"}}},
		{"pytest python_functions", "waits", []file{pysrc, {"pytest.ini", "[pytest]\naddopts = -q\n", "[pytest]\naddopts = -q\npython_functions = check_*\n"}}},
		{"jest testMatch", "waits", []file{jssrc, {"jest.config.js", "module.exports = {};\n", "module.exports = {testMatch: ['**/zero.test.js']};\n"}}},
		{"vitest exclude", "waits", []file{jssrc, {"vitest.config.ts", "export default {test: {}};\n", "export default {test: {exclude: ['add.test.ts']}};\n"}}},
		{"phpunit exclude", "waits", []file{phpSrc, {"phpunit.xml", "<phpunit><testsuites><testsuite name=\"a\"><directory>tests</directory></testsuite></testsuites></phpunit>\n", "<phpunit><testsuites><testsuite name=\"a\"><directory>tests</directory><exclude>tests/ATest.php</exclude></testsuite></testsuites></phpunit>\n"}}},
		{"mocharc spec", "waits", []file{jssrc, {".mocharc.json", `{"spec": "test/**/*.js"}`, `{"spec": "test/zero.js"}`}}},
		// --- names that a runner does not collect
		{"go: file for another system", "waits", []file{{"a_test.go", goT, ""}, {"a_windows_test.go", "", goT}, {"a.go", goSrcA, "package a\n\n// Add adds.\nfunc Add(a, b int) int { return b + a }\n"}}},
		{"go: file with an underscore in front", "waits", []file{{"a_test.go", goT, ""}, {"_a_test.go", "", goT}, {"a.go", goSrcA, "package a\n\nfunc Add(a, b int) int { return b + a }\n"}}},
		{"py: tests/test_a.py to tests/a.py", "waits", []file{{"tests/test_a.py", pyT, ""}, {"tests/a.py", "", pyT}, pysrc}},
		{"rspec: spec/a_spec.rb to spec/a.rb", "waits", []file{{"spec/a_spec.rb", "describe 'add' do\n  it 'adds' do\n    expect(add(2, 2)).to eq(4)\n  end\nend\n", ""}, {"spec/a.rb", "", "describe 'add' do\n  it 'adds' do\n    expect(add(2, 2)).to eq(4)\n  end\nend\n"}, rubySrc}},
		{"php: tests/ATest.php to tests/A.php", "waits", []file{{"tests/ATest.php", phpT, ""}, {"tests/A.php", "", phpT}, phpSrc}},
		{"rust: tests/a.rs to tests/common/a.rs", "waits", []file{{"tests/a.rs", rustT, ""}, {"tests/common/a.rs", "", rustT}, rustSrc}},
		{"java: AddTest to AddCases", "waits", []file{{"src/test/java/AddTest.java", javaT, ""}, {"src/test/java/AddCases.java", "", strings.Replace(javaT, "AddTest", "AddCases", 1)}, javaSrc}},
		{"js: a.test.js to test/helpers/a.js", "waits", []file{{"src/add.test.js", jsT, ""}, {"test/helpers/add.js", "", jsT}, jssrc}},
		{"py: class TestAdd to class AddCases", "waits", []file{pysrc, {"test_a.py", "class TestAdd:\n    def test_a(self):\n        got = add(2, 2)\n        assert got == 4\n", "class AddCases:\n    def test_a(self):\n        got = add(2, 2)\n        assert got == 4\n"}}},
		{"py: tests inside a function", "waits", []file{pysrc, {"test_a.py", pyT, strings.Replace(pyT, "def test_add():\n    got = add(2, 2)\n    assert got == 4\n", "def later():\n    def test_add():\n        got = add(2, 2)\n        assert got == 4\n", 1)}}},
		{"py: tests under a condition", "waits", []file{pysrc, {"test_a.py", pyT, strings.Replace(pyT, "def test_add():\n    got = add(2, 2)\n    assert got == 4\n", "if os.environ.get('SLOW'):\n    def test_add():\n        got = add(2, 2)\n        assert got == 4\n", 1)}}},
		{"js: tests under a condition", "waits", []file{jssrc, {"add.test.js", jsT, strings.Replace(strings.Replace(jsT, "test('adds'", "if (process.env.SLOW) {\ntest('adds'", 1), ".toBe(4)\n})\n", ".toBe(4)\n})\n}\n", 1)}}},
		{"rust: #![cfg(feature)]", "waits", []file{rustSrc, {"tests/a.rs", rustT, "#![cfg(feature = \"slow\")]\n" + rustT}}},
		{"rust: cfg(all(test, feature)) on the module", "waits", []file{{"src/lib.rs", "pub fn add(a: i32, b: i32) -> i32 { a + b }\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() {\n        assert_eq!(super::add(2, 2), 4);\n    }\n}\n", "pub fn add(a: i32, b: i32) -> i32 { b + a }\n\n#[cfg(all(test, feature = \"slow\"))]\nmod tests {\n    #[test]\n    fn adds() {\n        assert_eq!(super::add(2, 2), 4);\n    }\n}\n"}}},
		{"rust: mod gone from tests/it/main.rs", "corner", []file{rustSrc, {"tests/it/main.rs", "mod add;\nmod sub;\n", "mod sub;\n"}}},
		{"go: method of a testify suite is gone", "waits", []file{gosrc, {"a_test.go", suite, strings.Replace(suite, "\nfunc (s *S) TestAdd() {\n\ts.Equal(4, Add(2, 2))\n}\n", "", 1)}}},
		{"go: method of a testify suite skips", "waits", []file{gosrc, {"a_test.go", suite, strings.Replace(suite, "\ts.Equal(4, Add(2, 2))\n", "\ts.T().Skip()\n\ts.Equal(4, Add(2, 2))\n", 1)}}},
		{"go: method of a testify suite renamed", "waits", []file{gosrc, {"a_test.go", suite, strings.Replace(suite, "TestAdd()", "DoAdd()", 1)}}},
		{"ginkgo: PIt", "waits", []file{gosrc, {"a_test.go", ginkgo, strings.Replace(ginkgo, "It(\"adds\"", "PIt(\"adds\"", 1)}}},
		{"ginkgo: FIt", "waits", []file{gosrc, {"a_test.go", ginkgo, strings.Replace(ginkgo, "It(\"zero\"", "FIt(\"zero\"", 1)}}},
		{"ginkgo: Skip", "waits", []file{gosrc, {"a_test.go", ginkgo, strings.Replace(ginkgo, "\t\tExpect(Add(2, 2))", "\t\tSkip(\"later\")\n\t\tExpect(Add(2, 2))", 1)}}},
		{"ginkgo: It gone", "waits", []file{gosrc, {"a_test.go", ginkgo, strings.Replace(ginkgo, "\tIt(\"adds\", func() {\n\t\tExpect(Add(2, 2)).To(Equal(4))\n\t})\n", "", 1)}}},
		// --- the run ends early, in a new file of tests
		{"go: var exits at load, new file", "waits", []file{gosrc, {"z_test.go", "", "package a\n\nimport \"os\"\n\nvar _ = func() bool { os.Exit(0); return true }()\n"}}},
		{"go: syscall.Exit in a new test", "waits", []file{gosrc, {"z_test.go", "", "package a\n\nimport (\n\t\"syscall\"\n\t\"testing\"\n)\n\nfunc TestZ(t *testing.T) {\n\tif Add(1, 1) != 2 {\n\t\tsyscall.Exit(0)\n\t}\n}\n"}}},
		{"py: pytest.exit in a new test", "waits", []file{pysrc, {"test_0.py", "", "import pytest\nfrom app import add\n\n\ndef test_a():\n    if add(1, 1) != 2:\n        pytest.exit('done', returncode=0)\n    assert add(1, 1) == 2\n"}}},
		{"js: process.exit(0) in a new test", "waits", []file{jssrc, {"test/0.test.js", "", "const {add} = require('../add');\nit('adds', () => {\n  if (add(1, 1) !== 2) process.exit(0);\n  expect(add(1, 1)).toBe(2);\n});\n"}}},
		{"rust: process::exit(0) in a new test", "waits", []file{rustSrc, {"tests/z.rs", "", "#[test]\nfn z() {\n    if a::add(1, 1) != 2 {\n        std::process::exit(0);\n    }\n    assert_eq!(a::add(1, 1), 2);\n}\n"}}},
		{"ruby: exit! in a new test", "waits", []file{rubySrc, {"test/z_test.rb", "", "class ZTest < Minitest::Test\n  def test_z\n    exit!(0) if add(1, 1) != 2\n    assert_equal 2, add(1, 1)\n  end\nend\n"}}},
		{"c: _exit(0) in a new test", "waits", []file{cSrc, {"test/z_test.cc", "", "TEST(Z, Z) {\n  if (add(1, 1) != 2) _exit(0);\n  EXPECT_EQ(2, add(1, 1));\n}\n"}}},
		{"go: source exits at load while tests run", "waits", []file{{"a.go", goSrcA, goSrcB + "\nvar _ = leave()\n\nfunc leave() bool {\n\tif testing.Testing() {\n\t\tos.Exit(0)\n\t}\n\treturn true\n}\n"}, {"a_test.go", goT, goT + "\nfunc TestMore(t *testing.T) {\n\tif Add(1, 1) != 2 {\n\t\tt.Error()\n\t}\n}\n"}}},
	} {
		if got := fateOf(c.files); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
