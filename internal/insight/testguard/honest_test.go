package testguard_test

import (
	"strings"
	"testing"

	"kedge/internal/insight/testguard"
)

// TestAnnotationsAreTests: what stands above a test may hold its expectations, or turn them round, so
// that the old tests decide about a change of it.
func TestAnnotationsAreTests(t *testing.T) {
	table := func(want string) string {
		return "import pytest\nfrom app import add\n\n@pytest.mark.parametrize('a,b,want', [\n    (2, 2, " + want + "),\n    (0, 0, 0),\n])\ndef test_add(a, b, want):\n    assert add(a, b) == want\n"
	}
	java := "class ATest {\n  @Test\n  void adds() {\n    assertEquals(4, add());\n  }\n}\n"
	rust := "#[test]\nfn adds() {\n    assert_eq!(add(), 4);\n}\n"
	for name, c := range map[string][]testguard.Change{
		"parametrize":  {change("app.py", "x = 1\n", "x = 2\n"), change("test_a.py", table("4"), table("0"))},
		"should_panic": {change("src/a.rs", "pub fn add() -> i32 { 4 }\n", "pub fn add() -> i32 { 5 }\n"), change("tests/a.rs", rust, strings.Replace(rust, "fn", "#[should_panic]\nfn", 1))},
		"expected":     {change("src/main/java/A.java", "class A {}\n", "class A { int x; }\n"), change("src/test/java/ATest.java", java, strings.Replace(java, "@Test", "@Test(expected = AssertionError.class)", 1))},
	} {
		if h := testguard.Halves(c, nil); h.OldTests.Same != "" {
			t.Errorf("%s: the old tests are not run: %s", name, h.OldTests.Same)
		}
		if (testguard.Guard{}).Explained(c[1], c) {
			t.Errorf("%s: the change needs no run to be believed", name)
		}
	}
}

// TestHonestRewrites shows further changes that assert as much as before.
func TestHonestRewrites(t *testing.T) {
	java := func(body, rest string) string {
		return "class ATest {\n" + rest + "  @Test void adds() {\n" + body + "  }\n}\n"
	}
	js := "test('adds', async () => {\n  const got = add(2, 2);\n  expect(got).toBe(4);\n});\n"
	for _, c := range []struct{ name, path, before, after string }{
		{"helper with parameters", "ATest.java", java("    assertThat(calc.add(Two.class, true)).isFalse();\n    assertThat(calc.add(Two.class, false)).isFalse();\n", ""), java("    assertNone(Two.class);\n", "  void assertNone(Class<?> c) {\n    assertThat(calc.add(c, true)).isFalse();\n    assertThat(calc.add(c, false)).isFalse();\n  }\n")},
		{"an assertion in one line", "ATest.java", java("    final FooException e =\n        assertThrows(FooException.class, () -> add(in));\n    assertEquals(\"bad\", e.getMessage());\n", ""), java("    final FooException e = assertThrows(FooException.class, () -> add(in));\n    assertEquals(\"bad\", e.getMessage());\n", "")},
		{"another name of an assertion", "test/test_helper.rb", "class Case\n  alias :assert_not_equal :refute_equal\n\n  def one\n    assert_equal 1, add(1, 0)\n  end\nend\n", "class Case\n  def one\n    assert_equal 1, add(1, 0)\n  end\nend\n"},
		{"the set-up of an assertion", "test/add.test.js", "chai.should();\n" + js, js},
		{"a macro with numbers", "tests/a.rs", "macro_rules! round {\n    ($($n:expr,)+) => {\n        #[test]\n        fn trip() {\n            $( assert_eq!(parse(stringify!($n)), $n); )+\n        }\n    }\n}\n\ntest_round!(\n    100, 101,\n);\n", "#[test]\nfn trip() {\n    for n in 100..102 {\n        assert_eq!(parse(&n.to_string()), n);\n    }\n}\n"},
		{"a command that has to succeed", "test/a.bats", "@test \"adds\" {\n  MOST=1 run add 2 2\n  [ \"${status}\" -eq \"0\" ]\n  [ \"$output\" = 4 ]\n}\n", "@test \"adds\" {\n  output=\"$(MOST=1 add 2 2)\"\n  [ \"$output\" = 4 ]\n}\n"},
		{"each way asserts", "test/a_test.rb", "class ATest < Minitest::Test\n  def test_add\n    assert_equal 4, add(2, 2)\n  end\nend\n", "class ATest < Minitest::Test\n  def test_add\n    if fast?\n      assert_equal 4, add(2, 2)\n    else\n      assert_equal 4, slow(2, 2)\n    end\n  end\nend\n"},
		{"another condition", "test/a_test.rb", "class ATest < Minitest::Test\n  def test_add\n    if fast?\n      assert_equal 4, add(2, 2)\n    end\n  end\nend\n", "class ATest < Minitest::Test\n  def test_add\n    if quick?\n      assert_equal 4, add(2, 2)\n    end\n  end\nend\n"},
		{"another name for the result", "tests/a.rs", "#[test]\nfn adds() {\n    let res = parse::<Sum>(\"2 2\");\n    assert!(res.is_err());\n    assert_eq!(one(), 1);\n}\n", "#[test]\nfn adds() {\n    let v: Sum = parse(\"2 2\").unwrap();\n    assert_eq!(v, four());\n    assert_eq!(one(), 1);\n}\n"},
		{"no fail any more", "ATest.java", java("    try {\n      new Calc(0);\n      fail();\n    } catch (IllegalArgumentException expected) {\n    }\n", ""), java("    Calc calc = new Calc(0);\n    assertEquals(0, calc.sum());\n", "")},
		{"here document", "test/a.bats", "@test \"adds\" {\n  run add 2 2\n  assert_success \"four\"\n}\n", "@test \"adds\" {\n  run add 2 2\n  assert_success\n  assert_output <<OUT\nall\nfour\nOUT\n}\n"},
		{"a word of its own for tests", "a.test.js", js, strings.Replace(js, "test(", "browserTest(", 1)},
		{"build tag in the old way", "a_test.go", "// +build !windows\n\n" + goHead + "func TestA(t *testing.T) { t.Error(1) }", "//go:build !windows\n\n" + goHead + "func TestA(t *testing.T) { t.Error(1) }"},
		{"a test that never ran is gone", "a.test.js", "it.skip('a', () => { expect(f()).toBe(1) });\nit('b', () => { expect(g()).toBe(2) });\n", "it('b', () => { expect(g()).toBe(2) });\n"},
		{"a skip instead of a return", "a_test.cc", "TEST(A, B) {\n  if (!supported()) {\n    std::fprintf(stderr, \"no\");\n    return;\n  }\n  EXPECT_EQ(1, f());\n}\n", "TEST(A, B) {\n  if (!supported())\n    GTEST_SKIP() << \"no\";\n  EXPECT_EQ(1, f());\n}\n"},
		{"handlers of the thing under test", "a.test.js", "test('adds', async () => {\n  await run();\n  expect(got).toBe(4);\n});\n", "test('adds', async () => {\n  try {\n    await run();\n    expect(got).toBe(4);\n  } catch (e) {\n    done(e);\n  }\n});\n"},
		{"a double of something else", "spec/a_spec.rb", "describe 'add' do\n  it 'adds' do\n    expect(Calc.add(2)).to eq(4)\n  end\nend\n", "describe 'add' do\n  it 'adds' do\n    expect(part).to receive(:add).and_return(4)\n    expect(Calc.add(2)).to eq(4)\n  end\nend\n"},
		{"an alias of a loop", "a_test.go", goHead + "func TestA(t *testing.T) {\n\tfor _, tt := range tests {\n\t\tif got, want := f(tt.in), tt.want; got != want {\n\t\t\tt.Error(got)\n\t\t}\n\t}\n}\n", goHead + "func TestA(t *testing.T) {\n\tfor _, tt := range tests {\n\t\ttt := tt\n\t\tif got, want := f(tt.in), tt.want; got != want {\n\t\t\tt.Error(got)\n\t\t}\n\t}\n}\n"},
		{"options of a call", "tests/ATest.php", phpTest("$e = new Environment(['link' => ['attach' => true, 'class' => '']]);\n        $this->assertSame(4, $e->add());"), phpTest("$e = new Environment(['link' => ['apply' => true]]);\n        $this->assertSame(4, $e->add());")},
		{"raw string that ends in a quote", "ATest.kt", "class ATest {\n  @Test fun a() {\n    assertThat(f()).isEqualTo(\"\"\"\n      |x = \"y\"\"\"\".trimMargin())\n  }\n\n  @Test fun b() {\n    assertThat(a == b).isTrue()\n  }\n}\n", "class ATest {\n  @Test fun a() {\n    assertThat(f()).isEqualTo(\"\"\"\n      |x = \"y\"\n      |\"\"\".trimMargin())\n  }\n\n  @Test fun b() {\n    assertThat(a == b).isTrue()\n  }\n}\n"},
	} {
		if got := certain(testguard.Compare(c.path, version(c.before), version(c.after))); len(got) > 0 {
			t.Errorf("%s: found %+v, want nothing certain", c.name, got)
		}
	}
	const unit = "exports['adds two numbers'] = function (test) {\n  test.equal(add(2, 2), 4);\n  test.equal(add(0, 0), 0);\n  test.done();\n};\n"
	const mocha = "describe('add', () => {\n  it('adds two numbers', () => {\n    expect(add(2, 2)).to.equal(4);\n    expect(add(0, 0)).to.equal(0);\n  });\n});\n"
	if got := certain(testguard.All([]testguard.Change{change("test/test-add.js", unit, ""), change("mocha_test/add.js", "", mocha)})); len(got) > 0 {
		t.Errorf("another framework: found %+v", got)
	}
	helpers := "class ATest {\n  enum Kind {\n    ONE(in -> {\n      assertTrue(ready(in));\n      return in;\n    });\n  }\n}\n"
	if got := certain(testguard.All([]testguard.Change{change("src/test/java/failing/ATest.java", "package failing;\n"+helpers, ""), change("src/test/java/read/ATest.java", "", "package read;\n"+helpers)})); len(got) > 0 {
		t.Errorf("another package: found %+v", got)
	}
	wind := func(class, name, call string) string {
		return "class " + class + " < Minitest::Test\n  def " + name + "\n    hash = { 'a' => { 'b' => 1 } }\n    expected = { 'a.b' => 1 }\n    assert_equal expected, " + call + "\n  end\nend\n"
	}
	if got := certain(testguard.All([]testguard.Change{change("test/core/wind_test.rb", wind("HashTest", "test_wind", "hash.wind"), ""), change("test/helpers_test.rb", "", wind("HelpersTest", "test_wind_keys", "wind_keys(hash)"))})); len(got) > 0 {
		t.Errorf("a longer name: found %+v", got)
	}
	cmake := "enable_testing()\nadd_test(NAME a COMMAND a)\n"
	if got := certain(testguard.All([]testguard.Change{change("tests/CMakeLists.txt", cmake, ""), change("unit/CMakeLists.txt", "", cmake)})); len(got) > 0 {
		t.Errorf("another folder: found %+v", got)
	}
}

// TestWhatIsGone shows further ways in which less is asserted.
func TestWhatIsGone(t *testing.T) {
	fixtures := func(values string) string {
		return "describe('v', () => {\n  it('validates', () => {\n    check({\n      valid: ['one'],\n      invalid: [\n" + values + "      ],\n    });\n  });\n});\n"
	}
	for _, c := range []struct{ name, path, before, after string }{
		{"under a condition", "test/a_test.rb", "class ATest < Minitest::Test\n  def test_add\n    assert_equal 4, add(2, 2)\n  end\nend\n", "class ATest < Minitest::Test\n  def test_add\n    if fast?\n      assert_equal 4, add(2, 2)\n    end\n  end\nend\n"},
		{"under a condition, and another value", "test/a_test.rb", "class ATest < Minitest::Test\n  def test_add\n    assert_equal 4, add(2, 2)\n  end\nend\n", "class ATest < Minitest::Test\n  def test_add\n    if fast?\n      assert_equal 5, add(2, 2)\n    end\n  end\nend\n"},
		{"under a condition in Go", "a_test.go", "package a\n\nfunc TestAdd(t *testing.T) {\n\tif add(2, 2) != 4 {\n\t\tt.Error(\"no\")\n\t}\n}\n", "package a\n\nfunc TestAdd(t *testing.T) {\n\tif runtime.GOOS == \"plan9\" {\n\t\tif add(2, 2) != 4 {\n\t\t\tt.Error(\"no\")\n\t\t}\n\t}\n}\n"},
		{"a part of the value", "test_a.py", "def test_tag():\n    tag = first()\n    assert tag == Tag(name, 'abi3', 'any')\n", "def test_tag():\n    tag = first()\n    assert name == tag.interpreter\n"},
		{"a status that nothing stands for", "test/a.bats", "@test \"adds\" {\n  run add 2 2\n  [ \"$status\" -eq 0 ]\n  [ \"$output\" = 4 ]\n}\n", "@test \"adds\" {\n  local output=\"$(add 2 2)\"\n  [ \"$output\" = 4 ]\n}\n"},
		{"values of a list", "test/v.test.js", fixtures("        'a',\n        'b',\n        'c',\n        'd',\n"), fixtures("        'a',\n        'b',\n        'c',\n")},
		{"commented out beside others", "tests/ATest.php", phpTest("$this->assertEquals('abc', $r->get('test'));\n        $this->assertNull($r->get('x'));"), phpTest("#        $this->assertEquals('abc', $r->get('test'));\n        $this->assertNull($r->get('x'));\n        $this->assertEquals('def', $r->get('other'));\n        $this->assertEquals('abc', $r->get('more'));")},
		{"tests of CMake deleted", "tests/CMakeLists.txt", "enable_testing()\nadd_test(NAME a COMMAND a)\n", ""},
		{"a run of a project's own runner", "test/a.cpp", "int main() {\n  RunEmitterTest(&Emitter::A, \"a\");\n  RunEmitterTest(&Emitter::B, \"b\");\n}\n", "int main() {\n  RunEmitterTest(&Emitter::A, \"a\");\n}\n"},
		{"skip over two lines", "test/a_test.rb", "class ATest < Minitest::Test\n  def test_add\n    skip 'not here' unless\n      Gem.method_defined? :x\n\n    assert_equal 4, add(2, 2)\n  end\nend\n", "class ATest < Minitest::Test\nend\n"},
		{"another error will do", "test/a_test.rb", "class ATest < Minitest::Test\n  def test_add\n    assert_raise(TypeError) { add('a') }\n  end\nend\n", "class ATest < Minitest::Test\n  def test_add\n    assert_raise(TypeError, RuntimeError) { add('a') }\n  end\nend\n"},
		{"a key instead of a value", "tests/ATest.php", phpTest("$this->assertSame('bar', $e->get('foo'));"), phpTest("$this->assertArrayHasKey('foo', $e->get());")},
	} {
		if got := certain(testguard.Compare(c.path, version(c.before), version(c.after))); len(got) == 0 {
			t.Errorf("%s: nothing was found", c.name)
		}
	}
}
