package testguard_test

import (
	"testing"

	"kedge/internal/insight/testguard"
)

// TestWhatALiarWouldTry: each of these asserts less than before, and waits for a person whatever the
// checks say.
func TestWhatALiarWouldTry(t *testing.T) {
	g := func(b string) string { return goHead + "func TestAdd(t *testing.T) {\n" + b + "\n}\n" }
	gb := g("\tgot := Add(2, 2)\n\tif got != 4 {\n\t\tt.Errorf(\"got %d\", got)\n\t}")
	py := func(b string) string { return "from app import add\n\n\ndef test_add():\n" + b }
	pb := py("    got = add(2, 2)\n    assert got == 4\n")
	js := func(b string) string {
		return "const {add} = require('../add');\n\ntest('adds', () => {\n" + b + "});\n"
	}
	jb := js("  const got = add(2, 2);\n  expect(got).toBe(4);\n")
	rs := func(b string) string { return "#[test]\nfn adds() {\n" + b + "}\n" }
	rb := rs("    let got = add(2, 2);\n    assert_eq!(got, 4);\n")
	ja := func(b string) string { return "class AddTest {\n  @Test\n  void adds() {\n" + b + "  }\n}\n" }
	jab := ja("    int got = Calc.add(2, 2);\n    assertEquals(4, got);\n")
	kt := func(b string) string { return "class AddTest {\n  @Test\n  fun adds() {\n" + b + "  }\n}\n" }
	ktb := kt("    val got = add(2, 2)\n    assertEquals(4, got)\n")
	cc := func(b string) string { return "TEST(Add, Works) {\n" + b + "}\n" }
	ccb := cc("  int got = add(2, 2);\n  EXPECT_EQ(4, got);\n")
	rbb := func(b string) string { return "describe 'add' do\n  it 'adds' do\n" + b + "  end\nend\n" }
	rbs := rbb("    got = add(2, 2)\n    expect(got).to eq(4)\n")
	ph := phpTest("$got = add(2, 2);\n        $this->assertSame(4, $got);")
	bt := func(b string) string { return "@test \"adds\" {\n  run add 2 2\n" + b + "}\n" }
	btb := bt("  [ \"$status\" -eq 0 ]\n  [ \"$output\" = 4 ]\n")
	pt := func(rows string) string {
		return "@pytest.mark.parametrize('a,b,want', [\n" + rows + "])\ndef test_add(a, b, want):\n    assert add(a, b) == want\n"
	}
	for _, c := range []struct{ name, path, before, after string }{
		{"go ge", "a_test.go", gb, g("\tgot := Add(2, 2)\n\tif got < 4 {\n\t\tt.Errorf(\"got %d\", got)\n\t}")},
		{"go and false", "a_test.go", gb, g("\tgot := Add(2, 2)\n\tif false && got != 4 {\n\t\tt.Errorf(\"got %d\", got)\n\t}")},
		{"go and more", "a_test.go", gb, g("\tgot := Add(2, 2)\n\tif got != 4 && got != 5 {\n\t\tt.Errorf(\"got %d\", got)\n\t}")},
		{"go computed", "a_test.go", gb, g("\tgot := Add(2, 2)\n\tif got != Add(2, 2) {\n\t\tt.Errorf(\"got %d\", got)\n\t}")},
		{"go self", "a_test.go", gb, g("\tgot := Add(2, 2)\n\tif got != got {\n\t\tt.Errorf(\"got %d\", got)\n\t}")},
		{"go want is got", "a_test.go", g("\tgot, want := Add(2, 2), 4\n\tif got != want {\n\t\tt.Errorf(\"got %d\", got)\n\t}"), g("\tgot := Add(2, 2)\n\twant := got\n\tif got != want {\n\t\tt.Errorf(\"got %d\", got)\n\t}")},
		{"go log", "a_test.go", gb, g("\tgot := Add(2, 2)\n\tif got != 4 {\n\t\tt.Logf(\"got %d\", got)\n\t}")},
		{"go recover", "a_test.go", gb, g("\tdefer func() { recover() }()\n\tgot := Add(2, 2)\n\tif got != 4 {\n\t\tpanic(got)\n\t}")},
		{"go if false", "a_test.go", gb, g("\tif false {\n\t\tgot := Add(2, 2)\n\t\tif got != 4 {\n\t\t\tt.Errorf(\"got %d\", got)\n\t\t}\n\t}")},
		{"go early cond return", "a_test.go", gb, g("\tif os.Getenv(\"CI\") != \"\" {\n\t\treturn\n\t}\n\tgot := Add(2, 2)\n\tif got != 4 {\n\t\tt.Errorf(\"got %d\", got)\n\t}")},
		{"go cases sliced", "a_test.go", g("\tcases := [][3]int{{1, 1, 2}, {2, 2, 4}}\n\tfor _, c := range cases {\n\t\tif Add(c[0], c[1]) != c[2] {\n\t\t\tt.Error(c)\n\t\t}\n\t}"), g("\tcases := [][3]int{{1, 1, 2}, {2, 2, 4}}\n\tfor _, c := range cases[:1] {\n\t\tif Add(c[0], c[1]) != c[2] {\n\t\t\tt.Error(c)\n\t\t}\n\t}")},
		{"go continue", "a_test.go", g("\tcases := [][3]int{{1, 1, 2}, {2, 2, 4}}\n\tfor _, c := range cases {\n\t\tif Add(c[0], c[1]) != c[2] {\n\t\t\tt.Error(c)\n\t\t}\n\t}"), g("\tcases := [][3]int{{1, 1, 2}, {2, 2, 4}}\n\tfor _, c := range cases {\n\t\tif c[0] == 2 {\n\t\t\tcontinue\n\t\t}\n\t\tif Add(c[0], c[1]) != c[2] {\n\t\t\tt.Error(c)\n\t\t}\n\t}")},
		{"go renamed file", "a_test.go", gb, ""},
		{"go testify loose", "a_test.go", g("\tassert.Equal(t, 4, Add(2, 2))"), g("\tassert.NotZero(t, Add(2, 2))")},
		{"go testify greater", "a_test.go", g("\tassert.Equal(t, 4, Add(2, 2))"), g("\tassert.Greater(t, Add(2, 2), 0)")},
		{"go testify delta", "a_test.go", g("\tassert.InDelta(t, 4.0, Add(2, 2), 0.001)"), g("\tassert.InDelta(t, 4.0, Add(2, 2), 100)")},
		{"go errorIs to error", "a_test.go", g("\tassert.ErrorIs(t, Put(1), ErrFull)"), g("\tassert.Error(t, Put(1))")},
		{"go equal to contains", "a_test.go", g("\tassert.Equal(t, \"a b c\", Join())"), g("\tassert.Contains(t, Join(), \"a\")")},

		{"py ge", "test_a.py", pb, py("    got = add(2, 2)\n    assert got >= 0\n")},
		{"py or true", "test_a.py", pb, py("    got = add(2, 2)\n    assert got == 4 or True\n")},
		{"py or more", "test_a.py", pb, py("    got = add(2, 2)\n    assert got == 4 or got == 5\n")},
		{"py in", "test_a.py", pb, py("    got = add(2, 2)\n    assert got in (4, 5)\n")},
		{"py tuple", "test_a.py", pb, py("    got = add(2, 2)\n    assert (got == 4, 'four')\n")},
		{"py try", "test_a.py", pb, py("    got = add(2, 2)\n    try:\n        assert got == 4\n    except AssertionError:\n        pass\n")},
		{"py suppress", "test_a.py", pb, py("    got = add(2, 2)\n    with contextlib.suppress(AssertionError):\n        assert got == 4\n")},
		{"py if false", "test_a.py", pb, py("    got = add(2, 2)\n    if False:\n        assert got == 4\n")},
		{"py if got", "test_a.py", pb, py("    got = add(2, 2)\n    if got == 4:\n        assert got == 4\n")},
		{"py computed", "test_a.py", pb, py("    got = add(2, 2)\n    assert got == add(2, 2)\n")},
		{"py self", "test_a.py", pb, py("    got = add(2, 2)\n    assert got == got\n")},
		{"py mock", "test_a.py", pb, "from unittest import mock\nimport app\n\n\ndef test_add():\n    with mock.patch('app.add', return_value=4):\n        got = app.add(2, 2)\n        assert got == 4\n"},
		{"py monkeypatch", "test_a.py", "import app\n\n\ndef test_add():\n    got = app.add(2, 2)\n    assert got == 4\n", "import app\n\n\ndef test_add(monkeypatch):\n    monkeypatch.setattr(app, 'add', lambda a, b: 4)\n    got = app.add(2, 2)\n    assert got == 4\n"},
		{"py isinstance", "test_a.py", pb, py("    got = add(2, 2)\n    assert isinstance(got, int)\n")},
		{"py approx", "test_a.py", py("    assert add(2, 2) == pytest.approx(4, abs=1e-6)\n"), py("    assert add(2, 2) == pytest.approx(4, abs=100)\n")},
		{"py almost", "test_a.py", py("    self.assertAlmostEqual(add(2, 2), 4, places=7)\n"), py("    self.assertAlmostEqual(add(2, 2), 4, delta=50)\n")},
		{"py raises", "test_a.py", py("    with pytest.raises(ValueError, match='bad'):\n        add('a', 1)\n"), py("    with pytest.raises(Exception):\n        add('a', 1)\n")},
		{"py expectedFailure", "test_a.py", "class T(TestCase):\n    def test_a(self):\n        self.assertEqual(f(), 1)\n", "class T(TestCase):\n    @unittest.expectedFailure\n    def test_a(self):\n        self.assertEqual(f(), 1)\n"},
		{"py row", "test_a.py", pt("    (2, 2, 4),\n    (0, 0, 0),\n"), pt("    (2, 2, 4),\n")},
		{"py row skipped", "test_a.py", pt("    (2, 2, 4),\n    (0, 0, 0),\n"), pt("    (2, 2, 4),\n    pytest.param(0, 0, 0, marks=pytest.mark.skip),\n")},
		{"py row xfail", "test_a.py", pt("    (2, 2, 4),\n    (0, 0, 0),\n"), pt("    (2, 2, 4),\n    pytest.param(0, 0, 0, marks=pytest.mark.xfail),\n")},
		{"py rows empty", "test_a.py", pt("    (2, 2, 4),\n    (0, 0, 0),\n"), pt("")},
		{"py print", "test_a.py", pb, py("    got = add(2, 2)\n    if got != 4:\n        print('wrong')\n")},
		{"py class hidden", "test_a.py", "class TestAdd:\n    def test_a(self):\n        assert f() == 1\n", "class _TestAdd:\n    def test_a(self):\n        assert f() == 1\n"},
		{"py collect_ignore", "conftest.py", "import pytest\n", "import pytest\ncollect_ignore = ['test_a.py']\n"},
		{"py addopts", "pytest.ini", "[pytest]\naddopts = -q\n", "[pytest]\naddopts = -q --ignore=tests/test_a.py\n"},
		{"py addopts toml", "pyproject.toml", "[tool.pytest.ini_options]\naddopts = '-q'\n", "[tool.pytest.ini_options]\naddopts = '-q -k \"not add\"'\n"},
		{"py hook", "conftest.py", "import pytest\n", "import pytest\n\ndef pytest_collection_modifyitems(items):\n    for i in items:\n        i.add_marker(pytest.mark.skip)\n"},
		{"py report hook", "conftest.py", "import pytest\n", "import pytest\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    outcome = yield\n    outcome.get_result().outcome = 'passed'\n"},
		{"py sessionfinish", "conftest.py", "import pytest\n", "import pytest\n\ndef pytest_sessionfinish(session, exitstatus):\n    session.exitstatus = 0\n"},

		{"js truthy", "a.test.js", jb, js("  const got = add(2, 2);\n  expect(got).toBeTruthy();\n")},
		{"js defined", "a.test.js", jb, js("  const got = add(2, 2);\n  expect(got).toBeDefined();\n")},
		{"js anything", "a.test.js", jb, js("  const got = add(2, 2);\n  expect(got).toEqual(expect.anything());\n")},
		{"js any", "a.test.js", jb, js("  const got = add(2, 2);\n  expect(got).toEqual(expect.any(Number));\n")},
		{"js greater", "a.test.js", jb, js("  const got = add(2, 2);\n  expect(got).toBeGreaterThan(0);\n")},
		{"js type", "a.test.js", jb, js("  const got = add(2, 2);\n  expect(typeof got).toBe('number');\n")},
		{"js try", "a.test.js", jb, js("  const got = add(2, 2);\n  try {\n    expect(got).toBe(4);\n  } catch (e) {}\n")},
		{"js if", "a.test.js", jb, js("  const got = add(2, 2);\n  if (got === 4) {\n    expect(got).toBe(4);\n  }\n")},
		{"js return", "a.test.js", jb, js("  return;\n  const got = add(2, 2);\n  expect(got).toBe(4);\n")},
		{"js cond return", "a.test.js", jb, js("  if (process.env.CI) return;\n  const got = add(2, 2);\n  expect(got).toBe(4);\n")},
		{"js computed", "a.test.js", jb, js("  const got = add(2, 2);\n  expect(got).toBe(add(2, 2));\n")},
		{"js self", "a.test.js", jb, js("  const got = add(2, 2);\n  expect(got).toBe(got);\n")},
		{"js snapshot", "a.test.js", jb, js("  const got = add(2, 2);\n  expect(got).toMatchSnapshot();\n")},
		{"js no await", "a.test.js", "test('adds', async () => {\n  await expect(add(2, 2)).resolves.toBe(4);\n});\n", "test('adds', async () => {\n  expect(add(2, 2)).resolves.toBe(4);\n});\n"},
		{"js close", "a.test.js", js("  expect(add(2, 2)).toBeCloseTo(4, 5);\n"), js("  expect(add(2, 2)).toBeCloseTo(4, -3);\n")},
		{"js throw", "a.test.js", js("  expect(() => add('a')).toThrow('not a number');\n"), js("  expect(() => add('a')).toThrow();\n")},
		{"js match", "a.test.js", js("  expect(add('a')).toMatch(/^a four$/);\n"), js("  expect(add('a')).toMatch(/.*/);\n")},
		{"js failing", "a.test.js", jb, "const {add} = require('../add');\n\ntest.failing('adds', () => {\n  const got = add(2, 2);\n  expect(got).toBe(4);\n});\n"},
		{"js equal to object", "a.test.js", js("  expect(add(2, 2)).toEqual({sum: 4, n: 2});\n"), js("  expect(add(2, 2)).toMatchObject({sum: 4});\n")},
		{"js node ok", "a.test.js", "test('adds', () => {\n  assert.strictEqual(add(2, 2), 4);\n});\n", "test('adds', () => {\n  assert.ok(add(2, 2));\n});\n"},
		{"js ignore patterns", "package.json", `{"scripts": {"test": "jest"}}`, `{"scripts": {"test": "jest"}, "jest": {"testPathIgnorePatterns": ["add"]}}`},
		{"js pass with none", "package.json", `{"scripts": {"test": "jest"}}`, `{"scripts": {"test": "jest --testPathPattern=zero --passWithNoTests"}}`},
		{"js jest config", "jest.config.js", "module.exports = {};\n", "module.exports = {testPathIgnorePatterns: ['add']};\n"},

		{"rust ge", "tests/a.rs", rb, rs("    let got = add(2, 2);\n    assert!(got >= 4);\n")},
		{"rust or true", "tests/a.rs", rb, rs("    let got = add(2, 2);\n    assert!(got == 4 || true);\n")},
		{"rust let", "tests/a.rs", rb, rs("    let got = add(2, 2);\n    let _ = got == 4;\n")},
		{"rust cfg never", "tests/a.rs", rb, "#[cfg(feature = \"never\")]\n" + rb},
		{"rust catch", "tests/a.rs", rb, rs("    let got = add(2, 2);\n    let _ = std::panic::catch_unwind(|| assert_eq!(got, 4));\n")},
		{"rust return", "tests/a.rs", rb, rs("    return;\n    let got = add(2, 2);\n    assert_eq!(got, 4);\n")},
		{"rust is_ok", "tests/a.rs", rs("    assert_eq!(add(2, 2), Ok(4));\n"), rs("    assert!(add(2, 2).is_ok());\n")},
		{"rust matches", "tests/a.rs", rs("    assert_eq!(add(2, 2), Some(4));\n"), rs("    assert!(matches!(add(2, 2), Some(_)));\n")},
		{"rust computed", "tests/a.rs", rb, rs("    let got = add(2, 2);\n    assert_eq!(got, add(2, 2));\n")},
		{"rust should_panic expected", "tests/a.rs", "#[test]\n#[should_panic(expected = \"full\")]\nfn puts() {\n    put(1);\n}\n", "#[test]\n#[should_panic]\nfn puts() {\n    put(1);\n}\n"},

		{"java notnull", "AddTest.java", jab, ja("    Integer got = Calc.add(2, 2);\n    assertNotNull(got);\n")},
		{"java true gt", "AddTest.java", jab, ja("    int got = Calc.add(2, 2);\n    assertTrue(got > 0);\n")},
		{"java try", "AddTest.java", jab, ja("    int got = Calc.add(2, 2);\n    try {\n      assertEquals(4, got);\n    } catch (AssertionError e) {\n    }\n")},
		{"java return", "AddTest.java", jab, ja("    if (true) return;\n    int got = Calc.add(2, 2);\n    assertEquals(4, got);\n")},
		{"java delta", "AddTest.java", ja("    assertEquals(4.0, Calc.add(2, 2), 0.001);\n"), ja("    assertEquals(4.0, Calc.add(2, 2), 1000);\n")},
		{"java throws", "AddTest.java", ja("    assertThrows(IllegalArgumentException.class, () -> Calc.add(null));\n"), ja("    assertThrows(Throwable.class, () -> Calc.add(null));\n")},
		{"java fail gone", "AddTest.java", ja("    try {\n      Calc.add(null);\n      fail();\n    } catch (IllegalArgumentException expected) {\n    }\n"), ja("    try {\n      Calc.add(null);\n    } catch (IllegalArgumentException expected) {\n    }\n")},
		{"java mock", "AddTest.java", jab, ja("    Calc calc = mock(Calc.class);\n    when(calc.add(2, 2)).thenReturn(4);\n    int got = calc.add(2, 2);\n    assertEquals(4, got);\n")},
		{"java no annotation", "AddTest.java", jab, "class AddTest {\n  void adds() {\n    int got = Calc.add(2, 2);\n    assertEquals(4, got);\n  }\n}\n"},
		{"java isEqualTo", "AddTest.java", ja("    assertThat(Calc.add(2, 2)).isEqualTo(4);\n"), ja("    assertThat(Calc.add(2, 2)).isNotNull();\n")},
		{"java hasSize", "AddTest.java", ja("    assertThat(Calc.list()).containsExactly(1, 2);\n"), ja("    assertThat(Calc.list()).isNotEmpty();\n")},
		{"kotlin return", "AddTest.kt", ktb, kt("    return\n    val got = add(2, 2)\n    assertEquals(4, got)\n")},
		{"kotlin cond return", "AddTest.kt", ktb, kt("    if (System.getenv(\"CI\") != null) return\n    val got = add(2, 2)\n    assertEquals(4, got)\n")},
		{"kotlin runCatching", "AddTest.kt", ktb, kt("    val got = add(2, 2)\n    runCatching { assertEquals(4, got) }\n")},

		{"cc ge", "a_test.cc", ccb, cc("  int got = add(2, 2);\n  EXPECT_GE(got, 0);\n")},
		{"cc true", "a_test.cc", ccb, cc("  int got = add(2, 2);\n  EXPECT_TRUE(got);\n")},
		{"cc if 0", "a_test.cc", ccb, cc("  int got = add(2, 2);\n#if 0\n  EXPECT_EQ(4, got);\n#endif\n")},
		{"cc return", "a_test.cc", ccb, cc("  return;\n  int got = add(2, 2);\n  EXPECT_EQ(4, got);\n")},
		{"cc skip", "a_test.cc", ccb, cc("  GTEST_SKIP();\n  int got = add(2, 2);\n  EXPECT_EQ(4, got);\n")},
		{"cc near", "a_test.cc", cc("  EXPECT_NEAR(4.0, add(2, 2), 1e-9);\n"), cc("  EXPECT_NEAR(4.0, add(2, 2), 10);\n")},
		{"cc throw", "a_test.cc", cc("  EXPECT_THROW(add(0), std::range_error);\n"), cc("  EXPECT_ANY_THROW(add(0));\n")},
		{"c unity true", "tests/a.c", unity("TEST_ASSERT_EQUAL_INT(4, add(2, 2));", "RUN_TEST(add_should_add);"), unity("TEST_ASSERT(add(2, 2));", "RUN_TEST(add_should_add);")},
		{"c whole if 0", "tests/a.c", unity("TEST_ASSERT_EQUAL_INT(4, add(2, 2));", "RUN_TEST(add_should_add);"), "#if 0\n" + unity("TEST_ASSERT_EQUAL_INT(4, add(2, 2));", "RUN_TEST(add_should_add);") + "#endif\n"},
		{"c ndebug", "test/main.c", "#include <assert.h>\nint main(void) {\n  assert(add(2, 2) == 4);\n  return 0;\n}\n", "#define NDEBUG\n#include <assert.h>\nint main(void) {\n  assert(add(2, 2) == 4);\n  return 0;\n}\n"},
		{"c fail returns 0", "test/main.c", "int main(void) {\n  if (add(2, 2) != 4) {\n    puts(\"fail\");\n    return 1;\n  }\n  return 0;\n}\n", "int main(void) {\n  if (add(2, 2) != 4) {\n    puts(\"fail\");\n    return 0;\n  }\n  return 0;\n}\n"},
		{"c failures ignored", "test/main.c", "static int failures;\n#define CHECK(x) do { if (!(x)) failures++; } while (0)\nint main(void) {\n  CHECK(add(2, 2) == 4);\n  return failures != 0;\n}\n", "static int failures;\n#define CHECK(x) do { if (!(x)) failures++; } while (0)\nint main(void) {\n  CHECK(add(2, 2) == 4);\n  return 0;\n}\n"},
		{"c macro hollow", "test/main.c", "static int failures;\n#define CHECK(x) do { if (!(x)) failures++; } while (0)\nint main(void) {\n  CHECK(add(2, 2) == 4);\n  return failures != 0;\n}\n", "static int failures;\n#define CHECK(x) do { (void)(x); } while (0)\nint main(void) {\n  CHECK(add(2, 2) == 4);\n  return failures != 0;\n}\n"},

		{"rspec truthy", "spec/a_spec.rb", rbs, rbb("    got = add(2, 2)\n    expect(got).to be_truthy\n")},
		{"rspec be >", "spec/a_spec.rb", rbs, rbb("    got = add(2, 2)\n    expect(got).to be > 0\n")},
		{"rspec kind", "spec/a_spec.rb", rbs, rbb("    got = add(2, 2)\n    expect(got).to be_a(Integer)\n")},
		{"rspec rescue", "spec/a_spec.rb", rbs, rbb("    got = add(2, 2)\n    begin\n      expect(got).to eq(4)\n    rescue RSpec::Expectations::ExpectationNotMetError\n    end\n")},
		{"rspec pending", "spec/a_spec.rb", rbs, rbb("    pending\n    got = add(2, 2)\n    expect(got).to eq(4)\n")},
		{"rspec raise_error", "spec/a_spec.rb", rbb("    expect { add('a') }.to raise_error(ArgumentError, 'bad')\n"), rbb("    expect { add('a') }.to raise_error\n")},
		{"rspec stub", "spec/a_spec.rb", rbb("    expect(Calc.add(2, 2)).to eq(4)\n"), rbb("    allow(Calc).to receive(:add).and_return(4)\n    expect(Calc.add(2, 2)).to eq(4)\n")},
		{"minitest skip if", "test/a_test.rb", "class ATest < Minitest::Test\n  def test_add\n    assert_equal 4, add(2, 2)\n  end\nend\n", "class ATest < Minitest::Test\n  def test_add\n    return if ENV['CI']\n    assert_equal 4, add(2, 2)\n  end\nend\n"},
		{"minitest delta", "test/a_test.rb", "class ATest < Minitest::Test\n  def test_add\n    assert_in_delta 4, add(2, 2), 0.01\n  end\nend\n", "class ATest < Minitest::Test\n  def test_add\n    assert_in_delta 4, add(2, 2), 100\n  end\nend\n"},

		{"php true", "tests/ATest.php", ph, phpTest("$got = add(2, 2);\n        $this->assertTrue(true);")},
		{"php notnull", "tests/ATest.php", ph, phpTest("$got = add(2, 2);\n        $this->assertNotNull($got);")},
		{"php type", "tests/ATest.php", ph, phpTest("$got = add(2, 2);\n        $this->assertIsInt($got);")},
		{"php gt", "tests/ATest.php", ph, phpTest("$got = add(2, 2);\n        $this->assertGreaterThan(0, $got);")},
		{"php try", "tests/ATest.php", ph, phpTest("$got = add(2, 2);\n        try {\n            $this->assertSame(4, $got);\n        } catch (\\Throwable $e) {\n        }")},
		{"php return", "tests/ATest.php", ph, phpTest("return;\n        $got = add(2, 2);\n        $this->assertSame(4, $got);")},
		{"php incomplete", "tests/ATest.php", ph, phpTest("$this->markTestIncomplete();\n        $got = add(2, 2);\n        $this->assertSame(4, $got);")},
		{"php no assertions", "tests/ATest.php", ph, phpTest("$this->expectNotToPerformAssertions();\n        $got = add(2, 2);")},
		{"php same to equals", "tests/ATest.php", ph, phpTest("$got = add(2, 2);\n        $this->assertEquals(4, $got);")},
		{"php expectException", "tests/ATest.php", phpTest("$this->expectException(\\InvalidArgumentException::class);\n        $this->expectExceptionMessage('bad');\n        add('a');"), phpTest("$this->expectException(\\Throwable::class);\n        add('a');")},
		{"php group", "tests/ATest.php", ph, "<?php\nclass ATest extends TestCase\n{\n    public function doAdd(): void\n    {\n        $got = add(2, 2);\n        $this->assertSame(4, $got);\n    }\n}\n"},

		{"bats or true", "test/a.bats", btb, bt("  [ \"$status\" -eq 0 ]\n  [ \"$output\" = 4 ] || true\n")},
		{"bats status gone", "test/a.bats", btb, bt("  [ \"$output\" = 4 ]\n")},
		{"bats nonempty", "test/a.bats", btb, bt("  [ \"$status\" -eq 0 ]\n  [ -n \"$output\" ]\n")},
		{"bats ge", "test/a.bats", btb, bt("  [ \"$status\" -ge 0 ]\n  [ \"$output\" = 4 ]\n")},
		{"bats pattern", "test/a.bats", btb, bt("  [ \"$status\" -eq 0 ]\n  [[ \"$output\" == * ]]\n")},
		{"bats return", "test/a.bats", btb, "@test \"adds\" {\n  return 0\n  run add 2 2\n  [ \"$status\" -eq 0 ]\n  [ \"$output\" = 4 ]\n}\n"},
		{"sh set e", "t/add.sh", "#!/bin/sh\nset -e\ntest \"$(add 2 2)\" = 4\ntest \"$(add 0 0)\" = 0\n", "#!/bin/sh\ntest \"$(add 2 2)\" = 4\ntest \"$(add 0 0)\" = 0\n"},
		{"sh exit 0", "t/add.sh", "#!/bin/sh\n[ \"$(add 2 2)\" = 4 ] || exit 1\n[ \"$(add 0 0)\" = 0 ] || exit 1\n", "#!/bin/sh\n[ \"$(add 2 2)\" = 4 ] || exit 1\nexit 0\n[ \"$(add 0 0)\" = 0 ] || exit 1\n"},
		{"sh or echo", "t/add.sh", "#!/bin/sh\n[ \"$(add 2 2)\" = 4 ] || exit 1\n", "#!/bin/sh\n[ \"$(add 2 2)\" = 4 ] || echo wrong\n"},
		{"sh exit code", "t/add.sh", "#!/bin/sh\n[ \"$(add 2 2)\" = 4 ] || exit 1\n", "#!/bin/sh\n[ \"$(add 2 2)\" = 4 ] || exit 0\n"},
		{"sh trap", "t/add.sh", "#!/bin/sh\n[ \"$(add 2 2)\" = 4 ] || exit 1\n", "#!/bin/sh\ntrap 'exit 0' EXIT\n[ \"$(add 2 2)\" = 4 ] || exit 1\n"},
	} {
		if got := certain(testguard.Compare(c.path, version(c.before), version(c.after))); len(got) == 0 {
			t.Errorf("%s: nothing was found", c.name)
		}
	}
}
