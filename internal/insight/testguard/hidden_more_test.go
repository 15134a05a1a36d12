package testguard_test

import (
	"strings"
	"testing"
)

// TestMoreWaysToHideTests goes on with it, in what stands around tests and in new files.
func TestMoreWaysToHideTests(t *testing.T) {
	pysrc := file{"app.py", pySrcA, pySrcB}
	jssrc := file{"add.js", jsSrcA, jsSrcB}
	rubySrc := file{"lib/a.rb", "def add(a, b)\n  a + b\nend\n", "def add(a, b)\n  a - b\nend\n"}
	rustSrc := file{"src/lib.rs", "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n", "pub fn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n"}
	cSrc := file{"add.c", "int add(int a, int b) { return a + b; }\n", "int add(int a, int b) { return a - b; }\n"}
	ktSrc := file{"src/main/kotlin/Calc.kt", "fun add(a: Int, b: Int) = a + b\n", "fun add(a: Int, b: Int) = a - b\n"}
	phpSrc := file{"src/Calc.php", "<?php\nfunction add($a, $b) { return $a + $b; }\n", "<?php\nfunction add($a, $b) { return $a - $b; }\n"}
	javaSrc := file{"src/main/java/Calc.java", "class Calc {\n  static int add(int a, int b) {\n    return a + b;\n  }\n}\n", "class Calc {\n  static int add(int a, int b) {\n    return a - b;\n  }\n}\n"}
	shSrc := file{"add.sh", "echo $(($1 + $2))\n", "echo $(($1 - $2))\n"}
	rspec := "describe 'add' do\n  it 'adds' do\n    expect(add(2, 2)).to eq(4)\n  end\nend\n"
	mini := "class ATest < Minitest::Test\n  def setup\n    @a = 1\n  end\n\n  def test_add\n    assert_equal 4, add(2, 2)\n  end\nend\n"
	kt := "class AddTest {\n  fun check(got: Int, want: Int) {\n    println(got)\n    assertEquals(want, got)\n  }\n\n  @Test\n  fun adds() {\n    check(add(2, 2), 4)\n  }\n}\n"
	rs := "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn adds() {\n        assert_eq!(add(2, 2), 4);\n    }\n}\n"
	rsB := strings.Replace(rs, "a + b", "a - b", 1)
	rsT := "use a::add;\n\n#[test]\nfn adds() {\n    assert_eq!(add(2, 2), 4);\n}\n"
	bats := "setup() {\n  cd \"$BATS_TEST_DIRNAME\"\n}\n\n@test \"adds\" {\n  run add 2 2\n  [ \"$output\" = 4 ]\n}\n"
	unity1 := unity("TEST_ASSERT_EQUAL_INT(4, add(2, 2));", "RUN_TEST(add_should_add);")
	php := phpTest("$got = add(2, 2);\n        $this->assertSame(4, $got);")
	java := "class AddTest {\n  @Test\n  void adds() {\n    int got = Calc.add(2, 2);\n    assertEquals(4, got);\n  }\n}\n"
	ut := "import unittest\nfrom app import add\n\n\nclass T(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(2, 2), 4)\n\n    def setUp(self):\n        self.a = 1\n"
	sh := "#!/bin/sh\n[ \"$(sh add.sh 2 2)\" = 4 ] || exit 1\n[ \"$(sh add.sh 0 0)\" = 0 ] || exit 1\n"
	gosrc := file{"a.go", goSrcA, goSrcB}
	goTab := "package a\n\nimport \"testing\"\n\nvar cases = []struct{ a, b, want int }{\n\t{2, 2, 4},\n\t{0, 0, 0},\n}\n\nfunc TestAdd(t *testing.T) {\n\tfor _, c := range cases {\n\t\tif got := Add(c.a, c.b); got != c.want {\n\t\t\tt.Errorf(\"got %d\", got)\n\t\t}\n\t}\n}\n"
	for _, c := range []struct {
		name, want string
		files      []file
	}{
		{"rspec: before do skip end, behind the tests", "waits", []file{rubySrc, {"spec/a_spec.rb", rspec, "describe 'add' do\n  it 'adds' do\n    expect(add(2, 2)).to eq(4)\n  end\n\n  before do\n    skip\n  end\nend\n"}}},
		{"minitest: skip in an existing setup", "waits", []file{rubySrc, {"test/a_test.rb", mini, strings.Replace(mini, "@a = 1\n", "@a = 1\n    skip\n", 1)}}},
		{"minitest: skip with words in an existing setup", "waits", []file{rubySrc, {"test/a_test.rb", mini, strings.Replace(mini, "@a = 1\n", "@a = 1\n    skip \"later\"\n", 1)}}},
		{"kotlin: return in a helper", "waits", []file{ktSrc, {"src/test/kotlin/AddTest.kt", kt, strings.Replace(kt, "println(got)\n", "println(got)\n    return\n", 1)}}},
		{"rust: second cfg on the module of tests", "waits", []file{{"src/lib.rs", rs, strings.Replace(rsB, "#[cfg(test)]\n", "#[cfg(test)]\n#[cfg(windows)]\n", 1)}}},
		{"rust: tests in mod with cfg", "waits", []file{rustSrc, {"tests/a.rs", rsT, "#[cfg(windows)]\nmod later {\n" + rsT + "}\n"}}},
		{"bats: skip in an existing setup", "waits", []file{shSrc, {"test/a.bats", bats, strings.Replace(bats, "DIRNAME\"\n", "DIRNAME\"\n  skip\n", 1)}}},
		{"c: #ifdef around a test", "waits", []file{cSrc, {"tests/a.c", unity1, strings.Replace(strings.Replace(unity1, "    RUN_TEST", "#ifdef NEVER\n    RUN_TEST", 1), "(add_should_add);", "(add_should_add);\n#endif", 1)}}},
		{"php: private function testAdd", "waits", []file{phpSrc, {"tests/ATest.php", php, strings.Replace(php, "public function testAdd", "private function testAdd", 1)}}},
		{"php: abstract class", "waits", []file{phpSrc, {"tests/ATest.php", php, strings.Replace(php, "class ATest", "abstract class ATest", 1)}}},
		{"java: abstract class", "waits", []file{javaSrc, {"src/test/java/AddTest.java", java, strings.Replace(java, "class AddTest", "abstract class AddTest", 1)}}},
		{"java: private method", "waits", []file{javaSrc, {"src/test/java/AddTest.java", java, strings.Replace(java, "void adds", "private void adds", 1)}}},
		{"py: raise SkipTest in a setUp behind the tests", "waits", []file{pysrc, {"test_a.py", ut, ut + "        raise SkipTest\n"}}},
		{"sh: set -n", "waits", []file{shSrc, {"t/add.sh", sh, strings.Replace(sh, "#!/bin/sh\n", "#!/bin/sh\nset -n\n", 1)}}},
		{"sh: exec true", "waits", []file{shSrc, {"t/add.sh", sh, strings.Replace(sh, "#!/bin/sh\n", "#!/bin/sh\nexec true\n", 1)}}},
		{"js: new setup file in the test folder changes the expectation", "waits", []file{jssrc, {"test/setup.js", "", "const assert = require('assert');\nassert.strictEqual = () => {};\n"}}},
		{"js: mocha, new test file replaces assert", "waits", []file{jssrc, {"test/0.js", "", "const assert = require('assert');\nassert.strictEqual = () => {};\nit('adds', () => { assert.ok(require('../add').add(1, 1)); });\n"}}},
		{"py: new test file replaces a function of unittest", "waits", []file{pysrc, {"test_0.py", "", "import unittest\nfrom app import add\nunittest.TestCase.assertEqual = lambda *a: None\n\n\ndef test_a():\n    assert add(1, 1) is not None\n"}}},
		{"ruby: new test file opens Minitest", "waits", []file{rubySrc, {"test/a0_test.rb", "", "module Minitest::Assertions\n  def assert_equal(*) = true\nend\n"}}},
		{"js: vitest in vite.config.ts", "waits", []file{jssrc, {"vite.config.ts", "export default {test: {include: ['**/*.test.ts']}};\n", "export default {test: {include: ['zero.test.ts']}};\n"}}},
		{"tox.ini commands", "waits", []file{pysrc, {"tox.ini", "[testenv]\ncommands = pytest\n", "[testenv]\ncommands = python -c pass\n"}}},
		{"go: table emptied behind its literal", "waits", []file{gosrc, {"a_test.go", goTab, strings.Replace(goTab, "\tfor _, c", "\tcases := cases[:0]\n\tfor _, c", 1)}}},
		{"go: cases = nil in init", "waits", []file{gosrc, {"a_test.go", goTab, goTab + "\nfunc init() { cases = cases[:0] }\n"}}},
		{"go: new file that empties the table", "waits", []file{gosrc, {"a_test.go", goTab, goTab + "\nfunc TestOther(t *testing.T) {\n\tif Add(1, 1) != 2 {\n\t\tt.Error()\n\t}\n}\n"}, {"z_test.go", "", "package a\n\nvar _ = empty()\n\nfunc empty() bool {\n\tcases = nil\n\treturn true\n}\n"}}},
	} {
		if got := fateOf(c.files); !strings.HasPrefix(got, "waits") {
			t.Errorf("%-60s %s", c.name, got)
		}
	}
}
