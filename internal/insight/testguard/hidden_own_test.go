package testguard_test

import (
	"strings"
	"testing"
)

// TestHiddenInOtherLanguages shows each mechanism in languages that nobody showed it in, and beside each the
// honest change that looks like it: it passes, or the old tests decide.
func TestHiddenInOtherLanguages(t *testing.T) {
	jssrc, pysrc := file{"add.js", jsSrcA, jsSrcB}, file{"app.py", pySrcA, pySrcB}
	gosrc := file{"a.go", goSrcA, goSrcB}
	php := phpTest("$this->assertSame(4, add(2, 2));")
	js := "const {add} = require('../add');\n\ntest('adds', () => {\n  expect(add(2, 2)).toBe(4);\n});\n"
	more := "\ntest('more', () => {\n  expect(add(1, 1)).toBe(2);\n});\n"
	py := "from app import add\n\n\ndef test_add():\n    assert add(2, 2) == 4\n"
	pymore := "\n\ndef test_more():\n    assert add(1, 1) == 2\n"
	kt := "class AddTest {\n  @Test\n  fun adds() {\n    assertEquals(4, add(2, 2))\n  }\n}\n"
	rs := "use a::add;\n\n#[test]\nfn adds() {\n    assert_eq!(add(2, 2), 4);\n}\n"
	rsmore := "\n#[test]\nfn more() {\n    assert_eq!(add(1, 1), 2);\n}\n"
	cc := "#include \"add.h\"\n\nTEST(Add, Works) {\n  EXPECT_EQ(4, add(2, 2));\n}\n"
	sh := "test_add() {\n  [ \"$(add 2 2)\" = 4 ] || return 1\n}\n\ntest_zero() {\n  [ \"$(add 0 0)\" = 0 ] || return 1\n}\n"
	rb := "class ATest < Minitest::Test\n  def test_add\n    assert_equal 4, add(2, 2)\n  end\nend\n"
	gt := "package a\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif got := Add(2, 2); got != 4 {\n\t\tt.Errorf(\"got %d\", got)\n\t}\n}\n"
	goMore := "\nfunc TestMore(t *testing.T) {\n\tif Add(1, 1) != 2 {\n\t\tt.Error()\n\t}\n}\n"
	for _, c := range []struct {
		name, want string
		files      []file
	}{
		// what only adds tests needs no run, and what else is added does
		{"js: a test more", "silent", []file{jssrc, {"test/a.test.js", js, js + more}}},
		{"js: a suite and an import more", "silent", []file{jssrc, {"test/a.test.js", js, "const fs = require('fs');\n" + js + "\ndescribe('more', () => {" + more + "});\n"}}},
		{"js: another add is imported", "corner", []file{jssrc, {"test/a.test.js", js, js + "var {add} = require('./fake');\n" + more}}},
		{"js: an import in a helper", "corner", []file{jssrc, {"test/a.test.js", js, js + "function load() {\n  const x = require('x');\n}\n"}}},
		{"py: a test more", "silent", []file{pysrc, {"test_a.py", py, "import os\n" + py + pymore}}},
		{"py: all names of a module", "corner", []file{pysrc, {"test_a.py", py, py + "\nfrom fake import *\n"}}},
		{"py: a line of code between", "corner", []file{pysrc, {"test_a.py", py, strings.Replace(py, "\n\n\ndef", "\nadd\n\n\ndef", 1)}}},
		{"rust: a test and a use more", "silent", []file{{"src/lib.rs", "pub fn add(a: i32, b: i32) -> i32 { a + b }\n", "pub fn add(a: i32, b: i32) -> i32 { b + a }\n"}, {"tests/a.rs", rs, strings.Replace(rs, "use a::add;", "use a::add;\nuse a::sub;", 1) + rsmore}}},
		{"go: a test more", "silent", []file{gosrc, {"a_test.go", gt, gt + goMore}}},
		{"go: a hidden import", "corner", []file{gosrc, {"a_test.go", gt, strings.Replace(gt, "import \"testing\"", "import (\n\t_ \"a/fake\"\n\t\"testing\"\n)", 1) + goMore}}},

		{"php: a row of a provider is gone", "waits", []file{{"src/A.php", "<?php\n$a = 1;\n", "<?php\n$a = 2;\n"}, {"tests/ATest.php", strings.TrimSuffix(php, "}\n") + "\n    public function rows()\n    {\n        return array(\n            array(1, 'one'),\n            array(2, 'two'),\n            array(3, 'three'),\n        );\n    }\n}\n", strings.TrimSuffix(php, "}\n") + "\n    public function rows()\n    {\n        return array(\n            array(1, 'one'),\n            array(2, 'two'),\n        );\n    }\n}\n"}}},

		// a second definition
		{"shell: a function defined again", "corner", []file{{"add.sh", "echo 1\n", "echo 2\n"}, {"tests/test_a.sh", sh, sh + "\ntest_add() {\n  [ \"$(add 2 2)\" = 0 ] || return 1\n}\n"}}},
		{"js: a key of the exports twice", "corner", []file{jssrc, {"test/test-a.js", "exports['adds'] = function (test) {\n  test.equal(add(2, 2), 4);\n  test.done();\n};\n", "exports['adds'] = function (test) {\n  test.equal(add(2, 2), 4);\n  test.done();\n};\nexports['adds'] = function (test) {\n  test.equal(add(2, 2), 0);\n  test.done();\n};\n"}}},
		{"py: a second definition that skips", "waits", []file{pysrc, {"test_a.py", py, py + "\n\n@pytest.mark.skip\ndef test_add():\n    assert add(2, 2) == 4\n"}}},
		{"py: the test gets another value", "waits", []file{pysrc, {"test_a.py", py, py + "\n\ntest_add = None\n"}}},
		{"py: one of two by version", "silent", []file{pysrc, {"test_a.py", "if PY3:\n    def test_add():\n        assert add(2, 2) == 4\nelse:\n    def test_add():\n        assert add(2, 2) == 4\n" + pymore, "if PY3:\n    def test_add():\n        assert add(2, 2) == 4\nelse:\n    def test_add():\n        assert add(2, 2) == 4\n" + pymore + "\n\ndef test_last():\n    assert add(3, 3) == 6\n"}}},
		{"shell: a function unset", "waits", []file{{"add.sh", "echo 1\n", "echo 2\n"}, {"tests/test_a.sh", sh, sh + "\nunset -f test_add\n"}}},
		{"ruby: private with a name", "waits", []file{{"lib/a.rb", "a = 1\n", "a = 2\n"}, {"test/a_test.rb", rb, strings.TrimSuffix(rb, "end\n") + "\n  private :test_add\nend\n"}}},

		// the name of something that the test itself has
		{"kotlin: a local value of the source is gone", "waits", []file{{"src/main/kotlin/Calc.kt", "fun add(a: Int, b: Int): Int {\n  val total = a + b\n  return total\n}\n", "fun add(a: Int, b: Int): Int {\n  return a - b\n}\n"}, {"src/test/kotlin/AddTest.kt", "class AddTest {\n  @Test\n  fun adds() {\n    val total = add(2, 2)\n    assertEquals(4, total)\n  }\n\n  @Test\n  fun zero() {\n    assertEquals(0, add(0, 0))\n  }\n}\n", "class AddTest {\n  @Test\n  fun zero() {\n    assertEquals(0, add(0, 0))\n  }\n}\n"}}},
		{"kotlin: the function is gone", "silent", []file{{"src/main/kotlin/Calc.kt", "fun add(a: Int, b: Int): Int {\n  return a + b\n}\n\nfun twice(a: Int): Int {\n  return 2 * a\n}\n", "fun add(a: Int, b: Int): Int {\n  return a + b\n}\n"}, {"src/test/kotlin/AddTest.kt", strings.TrimSuffix(kt, "}\n") + "\n  @Test\n  fun doubles() {\n    assertEquals(4, twice(2))\n  }\n}\n", kt}}},

		// new files
		{"kotlin: exitProcess in a new test", "waits", []file{{"src/main/kotlin/A.kt", "val a = 1\n", "val a = 2\n"}, {"src/test/kotlin/ZTest.kt", "", "class ZTest {\n  @Test\n  fun z() {\n    if (add(1, 1) != 2) exitProcess(0)\n    assertEquals(2, add(1, 1))\n  }\n}\n"}}},
		{"java: halt in a new test", "waits", []file{{"src/main/java/A.java", "class A { }\n", "class A { int b; }\n"}, {"src/test/java/ZTest.java", "", "class ZTest {\n  @Test void z() {\n    Runtime.getRuntime().halt(0);\n    assertEquals(2, A.add(1, 1));\n  }\n}\n"}}},
		{"php: exit in a new test", "waits", []file{{"src/A.php", "<?php\n$a = 1;\n", "<?php\n$a = 2;\n"}, {"tests/ZTest.php", "", strings.Replace(php, "$this->assertSame", "if (add(1, 1) !== 2) exit(0);\n        $this->assertSame", 1)}}},
		{"php: an assertion that cannot fail", "waits", []file{{"src/A.php", "<?php\n$a = 1;\n", "<?php\n$a = 2;\n"}, {"tests/Base.php", "", "<?php\nclass Base extends TestCase\n{\n    public static function assertEquals($a, $b, $m = '')\n    {\n    }\n}\n"}}},
		{"deno: exit in a new test", "waits", []file{{"add.ts", "export const a = 1;\n", "export const a = 2;\n"}, {"test/z.test.ts", "", "Deno.test('z', () => {\n  Deno.exit(0);\n});\n"}}},
		{"c: a macro that asserts nothing", "waits", []file{{"add.c", "int a;\n", "int b;\n"}, {"tests/quiet.h", "", "#define TEST_ASSERT_EQUAL_INT(a, b) ((void)(b))\n"}}},
		{"rust: a macro that asserts nothing", "waits", []file{{"src/lib.rs", "pub fn a() {}\n", "pub fn b() {}\n"}, {"tests/z.rs", "", "macro_rules! assert_eq {\n    ($a:expr, $b:expr) => {};\n}\n\n#[test]\nfn z() {\n    assert_eq!(1, a());\n}\n"}}},
		{"bats: an assertion that cannot fail", "waits", []file{{"add.sh", "echo 1\n", "echo 2\n"}, {"test/lib.bash", "", "assert_output() {\n  :\n}\n"}}},
		{"js: exit with a failure", "silent", []file{jssrc, {"test/z.test.js", "", "test('z', () => {\n  if (add(1, 1) !== 2) process.exit(1);\n  expect(add(1, 1)).toBe(2);\n});\n"}}},
		{"ruby: a table of all tests is emptied", "waits", []file{{"lib/a.rb", "a = 1\n", "a = 2\n"}, {"test/a_test.rb", "CASES = [[2, 2, 4], [0, 0, 0]]\n\n" + rb, "CASES = [[2, 2, 4], [0, 0, 0]]\n\n" + rb}, {"test/0_test.rb", "", "CASES.clear()\n"}}},

		// what no runner takes
		{"c++: compiled under a condition", "waits", []file{{"add.cc", "int a;\n", "int b;\n"}, {"a_test.cc", cc, strings.Replace(cc, "TEST(", "#ifdef LATER\nTEST(", 1) + "#endif\n"}}},
		{"kotlin: abstract", "waits", []file{{"src/main/kotlin/A.kt", "val a = 1\n", "val a = 2\n"}, {"src/test/kotlin/AddTest.kt", kt, strings.Replace(kt, "class", "abstract class", 1)}}},
		{"kotlin: private", "waits", []file{{"src/main/kotlin/A.kt", "val a = 1\n", "val a = 2\n"}, {"src/test/kotlin/AddTest.kt", kt, strings.Replace(kt, "fun adds", "private fun adds", 1)}}},
		{"java: the set-up assumes", "waits", []file{{"src/main/java/A.java", "class A { }\n", "class A { int b; }\n"}, {"src/test/java/ATest.java", "class ATest {\n  @Test void a() {\n    assertEquals(2, A.add(1, 1));\n  }\n}\n", "class ATest {\n  @BeforeEach void start() {\n    assumeTrue(false);\n  }\n\n  @Test void a() {\n    assertEquals(2, A.add(1, 1));\n  }\n}\n"}}},
		{"php: the set-up skips", "waits", []file{{"src/A.php", "<?php\n$a = 1;\n", "<?php\n$a = 2;\n"}, {"tests/ATest.php", php, strings.Replace(php, "    public function test", "    protected function setUp(): void\n    {\n        $this->markTestSkipped();\n    }\n\n    public function test", 1)}}},
		{"js: a hook skips", "waits", []file{jssrc, {"test/a.test.js", js, js + "\nbeforeEach(function () {\n  this.skip();\n});\n"}}},
		{"bats: to another ending", "waits", []file{{"add.sh", "echo 1\n", "echo 2\n"}, {"test/a.bats", "@test \"adds\" {\n  run add 2 2\n  [ \"$output\" = 4 ]\n}\n", ""}, {"test/a.bash", "", "@test \"adds\" {\n  run add 2 2\n  [ \"$output\" = 4 ]\n}\n"}}},
		{"go: to a folder that is left out", "waits", []file{gosrc, {"a_test.go", gt, ""}, {"_old/a_test.go", "", gt}}},
		{"go: to another folder", "corner", []file{{"a.go", goSrcA, ""}, {"b/a.go", "", goSrcA}, {"a_test.go", gt, ""}, {"b/a_test.go", "", gt}}},
		{"js: to another name that is collected", "corner", []file{jssrc, {"test/a.test.js", js, ""}, {"test/b.test.js", "", js}}},
	} {
		if got := fateOf(c.files); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
