package testguard_test

import (
	"strings"
	"testing"
)

// TestWhatGoesWithTheSource: tests of what the source of the same change no longer has may go, in every language and
// however it was declared; those of what is still there may not.
func TestWhatGoesWithTheSource(t *testing.T) {
	goT := "package a\n\nimport \"testing\"\n\nfunc TestGone(t *testing.T) {\n\tif OldWay(2) != 4 {\n\t\tt.Error()\n\t}\n}\n\nfunc TestStays(t *testing.T) {\n\tif Add(0, 0) != 0 {\n\t\tt.Error()\n\t}\n}\n"
	goKept := goT[:strings.Index(goT, "func TestGone")] + goT[strings.Index(goT, "func TestStays"):]
	rubyT := "class StatsTest < Minitest::Test\n  def test_size\n    assert_equal 6, Shop.size(\"foo\")\n  end\n\n  def test_other\n    assert_equal 0, Shop.other\n  end\nend\n"
	rubyKept := strings.Replace(rubyT, "  def test_size\n    assert_equal 6, Shop.size(\"foo\")\n  end\n\n", "", 1)
	phpT := phpTest("$this->assertSame('1/2', Ratio::nd(1, 2));")
	pyT := "from app import Cache\n\n\ndef test_missing():\n    cache = Cache(2, missing=lambda k: k)\n    assert cache[1] == 1\n\n\ndef test_other():\n    assert Cache(2).size == 2\n"
	pyKept := pyT[:strings.Index(pyT, "def test_missing")] + pyT[strings.Index(pyT, "def test_other"):]
	cT := "TEST(Names, Footer) {\n  App app;\n  app.set_footer(\"My Footer\");\n  EXPECT_EQ(\"My Footer\", app.footer());\n}\n"
	for _, c := range []struct {
		name, want string
		files      []file
	}{
		{"go: a function", "", []file{{"a.go", goSrcA + "\n// OldWay is gone soon.\nfunc OldWay(a int) int {\n\treturn a * 2\n}\n", goSrcA}, {"a_test.go", goT, goKept}}},
		{"go: a function that is still there", "waits", []file{{"a.go", goSrcA + "\nfunc OldWay(a int) int { return a * 2 }\n", goSrcB + "\nfunc OldWay(a int) int { return a * 3 }\n"}, {"a_test.go", goT, goKept}}},
		{"go: only a comment names it", "", []file{{"a.go", goSrcA + "\nfunc OldWay(a int) int {\n\treturn a * 2\n}\n", goSrcA + "\n// OldWay was here.\n"}, {"a_test.go", goT, goKept}}},
		{"ruby: a name that others have too", "", []file{{"lib/shop.rb", "module Shop\n  def self.size(*q)\n    q.map { |x| x.size }.sum\n  end\n\n  def self.other\n    [1].size - 1\n  end\nend\n", "module Shop\n  def self.other\n    [1].size - 1\n  end\nend\n"}, {"test/stats_test.rb", rubyT, rubyKept}}},
		{"ruby: declared in another form", "waits", []file{{"lib/shop.rb", "module Shop\n  def self.size(*q)\n    q.map { |x| x.size }.sum\n  end\nend\n", "module Shop\n  class << self\n    define_method(:size) { |*q| 0 }\n  end\n  def self.other\n    size\n  end\nend\n"}, {"test/stats_test.rb", rubyT, rubyKept}}},
		{"php: a static method with a short name", "", []file{{"src/Ratio.php", "<?php\nfinal class Ratio\n{\n    public static function nd(int $n, int $d): string\n    {\n        return self::of($n, $d);\n    }\n\n    public static function of(int $n, int $d): string\n    {\n        return \"$n/$d\";\n    }\n}\n", "<?php\nfinal class Ratio\n{\n    public static function of(int $n, int $d): string\n    {\n        return \"$n/$d\";\n    }\n}\n"}, {"tests/RatioTest.php", phpT, ""}}},
		{"python: a parameter", "", []file{{"app.py", "class Cache:\n    def __init__(self, maxsize, missing=None):\n        self.size = maxsize\n        self.__fill = missing\n", "class Cache:\n    def __init__(self, maxsize):\n        self.size = maxsize\n"}, {"test_app.py", pyT, pyKept}}},
		{"python: a parameter that is still there", "waits", []file{{"app.py", "class Cache:\n    def __init__(self, maxsize, missing=None):\n        self.size = maxsize\n", "class Cache:\n    def __init__(self, maxsize, missing=0):\n        self.size = 2\n"}, {"test_app.py", pyT, pyKept}}},
		{"python: a module", "", []file{{"src/shop/rr.py", "import warnings\nfrom . import RRCache\nwarnings.warn('gone soon')\n", ""}, {"tests/test_old.py", "def test_rr():\n    from shop.rr import RRCache\n    assert issubclass(RRCache, dict)\n", ""}}},
		{"python: a module that moved", "waits", []file{{"src/shop/rr.py", "class RRCache(dict):\n    pass\n", ""}, {"src/shop/old/rr.py", "", "class RRCache(dict):\n    pass\n"}, {"tests/test_old.py", "def test_rr():\n    from shop.rr import RRCache\n    assert issubclass(RRCache, dict)\n", ""}}},
		{"c++: a method, and a test that asserts nothing in its place", "", []file{{"App.hpp", "class App {\n  App *set_footer(std::string s) {\n    return footer(s);\n  }\n  App *footer(std::string s);\n};\n", "class App {\n  App *footer(std::string s);\n};\n"}, {"tests/NamesTest.cpp", cT, "TEST(Names, Empty) {\n  EXPECT_TRUE(true);\n}\n"}}},
		{"bats: the program of a whole file", "", []file{{"third_party/hi/hi", "#!/bin/sh\necho hi\n", ""}, {"test/hi.bats", "setup() {\n  export PATH=\"$PWD/third_party/hi:$PATH\"\n  cp third_party/hi/hi .\n}\n\n@test \"says hi\" {\n  run ./run\n  [ \"$output\" = \"hi\" ]\n}\n", ""}}},
		{"kotlin: an option in the name of its test", "", []file{{"src/main/kotlin/Flow.kt", "fun run(\n  wallClockLimit: Int = 1,\n  check: () -> Unit,\n) {\n  check()\n}\n", "fun run(\n  check: () -> Unit,\n) {\n  check()\n}\n"}, {"src/test/kotlin/FlowTest.kt", "class FlowTest {\n  @Test fun wallClockLimitCustom() {\n    run(wallClockLimit = 2) {\n      assertEquals(2, now())\n    }\n  }\n\n  @Test fun plain() {\n    assertEquals(1, now())\n  }\n}\n", "class FlowTest {\n  @Test fun plain() {\n    assertEquals(1, now())\n  }\n}\n"}}},
	} {
		got := fateOf(c.files)
		if waits := strings.HasPrefix(got, "waits"); waits != (c.want == "waits") {
			t.Errorf("%s: %s, want %q", c.name, got, c.want)
		}
	}
}

// TestOneRuleInManyLanguages: what an agent does to make a red test green is noticed by the same rule whatever the
// language, and what honest work does to tests is not.
func TestOneRuleInManyLanguages(t *testing.T) {
	gosrc, pysrc, jssrc := file{"a.go", goSrcA, goSrcB}, file{"app.py", pySrcA, pySrcB}, file{"add.js", jsSrcA, jsSrcB}
	goT := func(body string) string {
		return "package a\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n" + body + "}\n\nfunc TestZero(t *testing.T) {\n\tif Add(0, 0) != 0 {\n\t\tt.Error()\n\t}\n}\n"
	}
	pyT := func(body string) string {
		return "from app import add\n\n\ndef test_add():\n" + body + "\n\ndef test_zero():\n    assert add(0, 0) == 0\n"
	}
	jsT := func(body string) string {
		return "const {add} = require('./add')\n\ntest('adds', () => {\n" + body + "})\n\ntest('zero', () => {\n  expect(add(0, 0)).toBe(0)\n})\n"
	}
	shT := func(body string) string { return "#!/bin/sh\n" + body }
	for _, c := range []struct {
		name, want    string
		src           file
		path          string
		before, after string
	}{
		// the call is still made, and nobody looks at what it says
		{"go: an error that is dropped", "waits", gosrc, "a_test.go", goT("\tif err := save(2, 2); err != nil {\n\t\tt.Fatal(err)\n\t}\n\tif Add(2, 2) != 4 {\n\t\tt.Error()\n\t}\n"), goT("\tsave(2, 2)\n\tif Add(2, 2) != 4 {\n\t\tt.Error()\n\t}\n")},
		{"python: a call whose result is dropped", "waits", pysrc, "test_a.py", pyT("    assert add(2, 2) == 4\n    assert add(1, 2) == 3\n"), pyT("    add(2, 2)\n    assert add(1, 2) == 3\n")},
		{"js: a call whose result is dropped", "waits", jssrc, "add.test.js", jsT("  expect(add(2, 2)).toBe(4)\n  expect(add(1, 2)).toBe(3)\n"), jsT("  add(2, 2)\n  expect(add(1, 2)).toBe(3)\n")},
		// a condition under which tests are skipped has more ways
		{"js: skipped under one more condition", "waits", jssrc, "add.test.js", "const skip = process.env.CI\n" + jsT("  expect(add(2, 2)).toBe(4)\n"), "const skip = process.env.CI || process.arch === 'arm'\n" + jsT("  expect(add(2, 2)).toBe(4)\n")},
		{"python: skipped under one more condition", "waits", pysrc, "test_a.py", "SKIP_SLOW = on_ci\n" + pyT("    assert add(2, 2) == 4\n"), "SKIP_SLOW = on_ci or on_arm\n" + pyT("    assert add(2, 2) == 4\n")},
		// less of the text is looked for
		{"python: a part of the text", "waits", pysrc, "test_a.py", pyT("    assert 'total is 4 in all' in str(add(2, 2))\n"), pyT("    assert 'total' in str(add(2, 2))\n")},
		{"js: a part of the text", "waits", jssrc, "add.test.js", jsT("  expect(add(2, 2)).toContain('total is 4')\n"), jsT("  expect(add(2, 2)).toContain('total')\n")},
		{"bats: a part of the line", "waits", file{"run.sh", "echo 1\n", "echo 2\n"}, "test/a.bats", "@test \"adds\" {\n  run ./run.sh\n  assert_output --partial \"the total is 4\"\n}\n", "@test \"adds\" {\n  run ./run.sh\n  assert_output --partial \"total\"\n}\n"},
		// rows
		{"go: a number of a list is commented out", "waits", gosrc, "a_test.go", goT("\tsizes := []int{0, 1, 125, 65536, 65537}\n\tfor _, n := range sizes {\n\t\tif Add(n, 0) != n {\n\t\t\tt.Error(n)\n\t\t}\n\t}\n"), goT("\tsizes := []int{\n\t\t0, 1, 125,\n\t\t// 65536, 65537,\n\t}\n\tfor _, n := range sizes {\n\t\tif Add(n, 0) != n {\n\t\t\tt.Error(n)\n\t\t}\n\t}\n")},
		{"js: a row is skipped", "waits", jssrc, "test/patterns.js", "module.exports = [\n  ['a*', ['abc'], null, ['abc']],\n  ['b*', ['bcd'], null, ['bcd']],\n  ['c*', ['cde'], null, ['cde']]\n]\n", "module.exports = [\n  ['a*', ['abc'], null, ['abc']],\n  ['b*', ['bcd'], null, ['bcd'], { skip: win }],\n  ['c*', ['cde'], null, ['cde']]\n]\n"},
		// errors of the compiler
		{"ts: an error of types is no longer expected", "waits", jssrc, "test/types.test-d.ts", "import {add} from '..'\nadd(1, 2)\n// @ts-expect-error\nadd('1', 2)\nadd(3, 4)\n", "import {add} from '..'\nadd(1, 2)\nadd(3, 4)\n"},
		{"ts: a test of types is deleted", "waits", jssrc, "test/types.test-d.ts", "import {add} from '..'\nadd(1, 2)\nadd(5, 2)\nadd(3, 4)\nadd(8, 9)\n", ""},
		// scripts without an ending
		{"shell: an assertion of a script without an ending", "waits", file{"run.sh", "echo 1\n", "echo 2\n"}, "test/fast/adds", shT("[ \"$(./run 2 2)\" = \"4\" ] || die 'wrong'\n[ \"$(./run 1 2)\" = \"3\" ] || die 'wrong'\n"), shT("[ \"$(./run 1 2)\" = \"3\" ] || die 'wrong'\n")},
		{"shell: the same asked by an if", "", file{"run.sh", "echo 1\n", "echo 2\n"}, "test/adds.sh", shT("out=$(./run 2 2)\n[ \"$out\" = \"four\" ] || exit 1\n"), shT("out=$(./run 2 2)\nif [ \"$out\" != \"four\" ]; then\n  exit 1\nfi\n")},
		// honest
		{"js: what was thrown, by the framework", "", jssrc, "add.test.js", jsT("  try {\n    add('x')\n  } catch (e) {\n    expect(e.message.indexOf('no number') > -1).toBe(true)\n  }\n"), jsT("  expect(() => add('x')).toThrow(/no number/)\n")},
		{"js: a spy instead of a counter", "", jssrc, "add.test.js", jsT("  let calls = 0\n  add(1, () => { calls++ })\n  expect(calls).toBe(1)\n"), jsT("  const done = jest.fn()\n  add(1, done)\n  expect(done).toHaveBeenCalledWith(1)\n")},
		{"java: a loop becomes a helper that was there", "", file{"src/main/java/A.java", "class A { int a; }\n", "class A { int b; }\n"}, "src/test/java/ATest.java", "class ATest {\n  @Test void codes() {\n    List<String[]> rows = Arrays.asList(\n      new String[] { \"MAC\", \"MC\" },\n      new String[] { \"KNU\", \"NA\" });\n    for (String[] r : rows) {\n      assertEquals(\"Problem with \" + r[0], r[1], code.encode(r[0]));\n    }\n  }\n}\n", "class ATest {\n  @Test void codes() {\n    this.assertCodes(\n      new String[] { \"MAC\", \"MC\" },\n      new String[] { \"KNU\", \"NA\" });\n  }\n}\n"},
		{"python: a new test that is skipped takes nothing away", "", pysrc, "test_a.py", pyT("    assert add(2, 2) == 4\n"), pyT("    assert add(2, 2) == 4\n") + "\n\n@pytest.mark.skip\ndef test_later():\n    assert add(9, 9) == 18\n"},
	} {
		got := fateOf([]file{c.src, {c.path, c.before, c.after}})
		if waits := strings.HasPrefix(got, "waits"); waits != (c.want == "waits") {
			t.Errorf("%s: %s, want %q", c.name, got, c.want)
		}
	}
}

// TestRenamedByTheSource: a name that the source of the change renames is the same to its tests.
func TestRenamedByTheSource(t *testing.T) {
	before := "class FlowTest {\n  @Test fun items() {\n    expectItem()\n    assertEquals(1, size())\n  }\n}\n"
	files := []file{
		{"src/main/kotlin/Flow.kt", "interface Flow {\n  fun expectItem(): Int\n}\n", "interface Flow {\n  fun awaitItem(): Int\n\n  fun expectItem(): Int = awaitItem()\n}\n"},
		{"src/test/kotlin/FlowTest.kt", before, strings.ReplaceAll(before, "expectItem", "awaitItem")},
	}
	if got := fateOf(files); strings.HasPrefix(got, "waits") {
		t.Error(got)
	}
	files[1].after = strings.Replace(files[1].after, "    assertEquals(1, size())\n", "", 1)
	if got := fateOf(files); !strings.HasPrefix(got, "waits") {
		t.Error("an assertion is gone with the rename:", got)
	}
}
