package testguard_test

import (
	"strings"
	"testing"

	"kedge/internal/insight/testguard"
)

// TestKinds shows what is certain to be weaker, and what only the old tests can tell.
func TestKinds(t *testing.T) {
	goTest := func(body string) string { return goHead + "func TestAdd(t *testing.T) {\n" + body + "\n}\n" }
	for _, c := range []struct {
		name, path, before, after string
		want                      testguard.Kind
	}{
		// an expectation
		{"go 4 to 0", "a_test.go", goTest("\tif got := Add(2, 2); got != 4 {\n\t\tt.Errorf(\"got %d\", got)\n\t}"), goTest("\tif got := Add(2, 2); got != 0 {\n\t\tt.Errorf(\"got %d\", got)\n\t}"), testguard.Changed},
		{"go variable", "a_test.go", goTest("\twant := 4\n\tif got := Add(2, 2); got != want {\n\t\tt.Error(got)\n\t}"), goTest("\twant := 0\n\tif got := Add(2, 2); got != want {\n\t\tt.Error(got)\n\t}"), testguard.Changed},
		{"python 4 to 0", "test_a.py", "def test_add():\n    assert add(2, 2) == 4\n", "def test_add():\n    assert add(2, 2) == 0\n", testguard.Changed},
		{"js 4 to 0", "a.test.js", "test('adds', () => {\n  expect(add(2, 2)).toBe(4);\n});", "test('adds', () => {\n  expect(add(2, 2)).toBe(0);\n});", testguard.Changed},
		{"golden", "testdata/out.golden", "4\n", "0\n", testguard.Changed},
		{"snapshot", "src/__snapshots__/a.test.js.snap", "exports[`a 1`] = `4`;", "exports[`a 1`] = `0`;", testguard.Changed},

		// an assertion is gone
		{"go assertion", "a_test.go", goTest("\tif Add(2, 2) != 4 {\n\t\tt.Error(1)\n\t}\n\tif Add(0, 0) != 0 {\n\t\tt.Error(2)\n\t}"), goTest("\tif Add(2, 2) != 4 {\n\t\tt.Error(1)\n\t}"), testguard.AssertsLess},
		{"testify", "a_test.go", goTest("\tassert.Equal(t, 4, Add(2, 2))\n\tassert.Equal(t, 0, Add(0, 0))"), goTest("\tassert.Equal(t, 4, Add(2, 2))"), testguard.AssertsLess},
		{"python assertion", "test_a.py", "def test_add():\n    assert add(2, 2) == 4\n    assert add(0, 0) == 0\n", "def test_add():\n    assert add(2, 2) == 4\n", testguard.AssertsLess},
		{"js assertion", "a.test.ts", "test('adds', () => {\n  expect(add(2, 2)).toBe(4);\n  expect(add(0, 0)).toBe(0);\n});", "test('adds', () => {\n  expect(add(2, 2)).toBe(4);\n});", testguard.AssertsLess},
		{"rust assertion", "tests/a.rs", "#[test]\nfn adds() {\n    assert_eq!(add(2, 2), 4);\n    assert_eq!(add(0, 0), 0);\n}\n", "#[test]\nfn adds() {\n    assert_eq!(add(2, 2), 4);\n}\n", testguard.AssertsLess},
		{"java assertion", "ATest.java", "class ATest {\n  @Test void adds() {\n    assertEquals(4, add(2, 2));\n    assertEquals(0, add(0, 0));\n  }\n}", "class ATest {\n  @Test void adds() {\n    assertEquals(4, add(2, 2));\n  }\n}", testguard.AssertsLess},
		{"go body is gone", "a_test.go", goTest("\tif err := Put(1); err != nil {\n\t\tt.Fatal(err)\n\t}\n\tif Get() != 1 {\n\t\tt.Error(1)\n\t}"), goTest("\tif err := Put(1); err != nil {\n\t\t// later\n\t}\n\tif Get() != 1 {\n\t\tt.Error(1)\n\t}\n\tif err := Put(2); err == nil {\n\t\tt.Error(2)\n\t}"), testguard.AssertsLess},
		{"go body only says something", "a_test.go", goTest("\tif got := Add(2, 2); got != 4 {\n\t\tt.Errorf(\"got %d\", got)\n\t}\n\tif Add(0, 0) != 0 {\n\t\tt.Error(2)\n\t}"), goTest("\tif got := Add(2, 2); got != 4 {\n\t\tt.Logf(\"got %d\", got)\n\t}\n\tif Add(0, 0) != 0 {\n\t\tt.Error(2)\n\t}\n\tif got := Add(2, 2); got != 5 {\n\t\tt.Error(3)\n\t}"), testguard.AssertsLess},
		{"looser", "test_a.py", "def test_add():\n    self.assertEqual(add(2, 2), 'four')\n", "def test_add():\n    self.assertIsNotNone(add(2, 2))\n", testguard.AssertsLess},
		{"true instead", "test_a.py", "def test_add():\n    assert add(2, 2) == 4\n", "def test_add():\n    assert True\n", testguard.AssertsNothing},
		{"print instead", "test_a.py", "def test_add():\n    assert add(2, 2) == 4\n", "def test_add():\n    print('ok')\n", testguard.AssertsNothing},
		{"new assertions elsewhere do not help", "test_a.py", "def test_add():\n    run('add')\n    assert code == 0\n    assert out == 4\n", "def test_add():\n    run('add')\n    assert out == 4\n\ndef test_new():\n    run('something')\n    assert code == 0\n", testguard.AssertsLess},

		// a row is gone
		{"go row", "a_test.go", goTest("\tfor _, c := range []struct{ a, b, want int }{{2, 2, 4}, {0, 0, 0}, {1, 2, 3}} {\n\t\tif Add(c.a, c.b) != c.want {\n\t\t\tt.Error(c)\n\t\t}\n\t}"), goTest("\tfor _, c := range []struct{ a, b, want int }{{2, 2, 4}, {1, 2, 3}} {\n\t\tif Add(c.a, c.b) != c.want {\n\t\t\tt.Error(c)\n\t\t}\n\t}"), testguard.AssertsLess},
		{"python row", "test_a.py", "@pytest.mark.parametrize('a,b,want', [\n    (2, 2, 4),\n    (0, 0, 0),\n    (1, 2, 3),\n])\ndef test_add(a, b, want):\n    assert add(a, b) == want\n", "@pytest.mark.parametrize('a,b,want', [\n    (2, 2, 4),\n    (1, 2, 3),\n])\ndef test_add(a, b, want):\n    assert add(a, b) == want\n", testguard.AssertsLess},
		{"js row", "a.test.js", "test.each([[2, 2, 4], [0, 0, 0], [1, 2, 3]])('%i', (a, b, want) => { expect(add(a, b)).toBe(want) })", "test.each([[2, 2, 4], [1, 2, 3]])('%i', (a, b, want) => { expect(add(a, b)).toBe(want) })", testguard.AssertsLess},
		{"fixture row", "test/fixtures/range.js", "module.exports = [\n  ['1.2.3', true],\n  ['x', false],\n  ['2', true],\n]\n", "module.exports = [\n  ['1.2.3', true],\n  ['2', true],\n]\n", testguard.AssertsLess},

		// a helper that swallows
		{"go helper", "help_test.go", goHead + "func check(t *testing.T, got, want int) {\n\tif got != want {\n\t\tt.Errorf(\"%d\", got)\n\t}\n}\n", goHead + "func check(t *testing.T, got, want int) {\n}\n\nfunc other(t *testing.T) { check(t, 1, 2) }\n", testguard.AssertsLess},
		{"js helper", "test/helper.js", "exports.check = function check(got, want) {\n  assert.equal(got, want)\n  assert.ok(got.x)\n}\n", "exports.check = function check(got, want) {\n  assert.ok(got.x)\n}\n", testguard.AssertsLess},
		{"shell helper", "tests/lib.sh", "check() {\n  [ \"$1\" = \"$2\" ] || exit 1\n  [ -n \"$3\" ] || exit 1\n}\n", "check() {\n  [ -n \"$3\" ] || exit 1\n}\n", testguard.AssertsLess},
	} {
		t.Run(c.name, func(t *testing.T) {
			onlyKind(t, testguard.Compare(c.path, version(c.before), version(c.after)), c.want)
		})
	}
}

// onlyKind wants findings of one kind: the certain ones, if that is certain.
func onlyKind(t *testing.T, got []testguard.Finding, want testguard.Kind) {
	t.Helper()
	if want.Certain() {
		got = certain(got)
	}
	if len(got) == 0 {
		t.Fatalf("nothing was found, want %s", want)
	}
	for _, f := range got {
		if f.Kind != want {
			t.Errorf("found %s (%s), want only %s", f.Kind, f.What, want)
		}
	}
}

// TestLessSaysWhatIsGone shows the assertion as it was written.
func TestLessSaysWhatIsGone(t *testing.T) {
	got := certain(testguard.Compare("test_a.py", []byte("def test_add():\n    assert add(2, [2]) == 4\n    assert a.b == 1\n"), []byte("def test_add():\n    assert a.b == 1\n")))
	if len(got) != 1 || !strings.Contains(got[0].What, `"assert add(2, [2]) == 4" is gone`) {
		t.Errorf("found %+v", got)
	}
}

// TestOtherLanguages shows the readers of C, C++, Ruby, PHP and shell.
func TestOtherLanguages(t *testing.T) {
	for _, c := range []struct {
		name, path, before, after string
		want                      testguard.Kind // empty: nothing certain
	}{
		{"unity", "tests/a.c", unity("TEST_ASSERT_EQUAL_INT(4, add(2, 2));\n    TEST_ASSERT_NULL(add_error());", "RUN_TEST(add_should_add);"), unity("TEST_ASSERT_EQUAL_INT(4, add(2, 2));", "RUN_TEST(add_should_add);"), testguard.AssertsLess},
		{"unity no longer run", "tests/a.c", unity("TEST_ASSERT_EQUAL_INT(4, add(2, 2));", "RUN_TEST(add_should_add);\n    RUN_TEST(other);"), unity("TEST_ASSERT_EQUAL_INT(4, add(2, 2));", "RUN_TEST(other);"), testguard.Skipped},
		{"unity ignored", "tests/a.c", unity("TEST_ASSERT_EQUAL_INT(4, add(2, 2));", "RUN_TEST(add_should_add);"), unity("TEST_IGNORE();\n    TEST_ASSERT_EQUAL_INT(4, add(2, 2));", "RUN_TEST(add_should_add);"), testguard.Skipped},
		{"unity comment", "tests/a.c", unity("TEST_ASSERT_EQUAL_INT(4, add(2, 2));", "RUN_TEST(add_should_add);"), unity("/* TEST_IGNORE(); */ TEST_ASSERT_EQUAL_INT(4, add(2, 2)); // x", "RUN_TEST(add_should_add);"), ""},
		{"gtest deleted", "a_test.cc", "TEST(Add, Works) {\n  EXPECT_EQ(4, add(2, 2));\n}\nTEST(Add, Zero) {\n  EXPECT_EQ(0, add(0, 0));\n}\n", "TEST(Add, Works) {\n  EXPECT_EQ(4, add(2, 2));\n}\n", testguard.Deleted},
		{"gtest disabled", "a_test.cc", "TEST(Add, Works) {\n  EXPECT_EQ(4, add(2, 2));\n}\n", "TEST(Add, DISABLED_Works) {\n  EXPECT_EQ(4, add(2, 2));\n}\n", testguard.Skipped},
		{"catch2", "tests/a.cpp", "TEST_CASE(\"adds\") {\n  REQUIRE(add(2, 2) == 4);\n  REQUIRE(add(0, 0) == 0);\n}\n", "TEST_CASE(\"adds\") {\n  REQUIRE(add(2, 2) == 4);\n}\n", testguard.AssertsLess},
		{"plain main", "test/main.c", "int main(void) {\n  assert(add(2, 2) == 4);\n  assert(add(0, 0) == 0);\n  return 0;\n}\n", "int main(void) {\n  assert(add(2, 2) == 4);\n  return 0;\n}\n", testguard.AssertsLess},
		{"plain main deleted", "test/main.c", "int x;\nassert_all:;\n", "int x;\n", ""},

		{"minitest", "test/a_test.rb", "class ATest < Minitest::Test\n  def test_add\n    assert_equal 4, add(2, 2)\n    assert_equal 0, add(0, 0)\n  end\nend\n", "class ATest < Minitest::Test\n  def test_add\n    assert_equal 4, add(2, 2)\n  end\nend\n", testguard.AssertsLess},
		{"minitest skip", "test/a_test.rb", "class ATest < Minitest::Test\n  def test_add\n    assert_equal 4, add(2, 2)\n  end\nend\n", "class ATest < Minitest::Test\n  def test_add\n    skip 'later'\n    assert_equal 4, add(2, 2)\n  end\nend\n", testguard.Skipped},
		{"rspec deleted", "spec/a_spec.rb", "describe 'add' do\n  it 'adds' do\n    expect(add(2, 2)).to eq(4)\n  end\n\n  it 'adds zero' do\n    expect(add(0, 0)).to eq(0)\n  end\nend\n", "describe 'add' do\n  it 'adds' do\n    expect(add(2, 2)).to eq(4)\n  end\nend\n", testguard.Deleted},
		{"rspec xit", "spec/a_spec.rb", "describe 'add' do\n  it 'adds' do\n    expect(add(2, 2)).to eq(4)\n  end\nend\n", "describe 'add' do\n  xit 'adds' do\n    expect(add(2, 2)).to eq(4)\n  end\nend\n", testguard.Skipped},
		{"rspec fdescribe", "spec/a_spec.rb", "describe 'add' do\n  it 'adds' do\n    expect(add(2, 2)).to eq(4)\n  end\nend\n", "fdescribe 'add' do\n  it 'adds' do\n    expect(add(2, 2)).to eq(4)\n  end\nend\n", testguard.Focused},
		{"rspec focus", "spec/a_spec.rb", "describe 'add' do\n  it 'adds' do\n    expect(add(2, 2)).to eq(4)\n  end\nend\n", "describe 'add' do\n  it 'adds', :focus do\n    expect(add(2, 2)).to eq(4)\n  end\nend\n", testguard.Focused},
		{"rspec one line", "spec/a_spec.rb", "describe 'add' do\n  it { is_expected.to eq(4) }\n  it { expect(x).to eq(5) }\nend\n", "describe 'add' do\n  it { is_expected.to eq(4) }\nend\n", testguard.Deleted},
		{"rspec other word", "spec/a_spec.rb", "describe 'add' do\n  it 'adds numbers' do\n    expect(add(2, 2)).to eq(4)\n  end\nend\n", "describe 'add' do\n  deprecated 'adds numbers' do\n    expect(add(2, 2)).to eq(4)\n  end\nend\n", ""},

		{"phpunit", "tests/ATest.php", phpTest("$this->assertSame(4, add(2, 2));\n        $this->assertSame(0, add(0, 0));"), phpTest("$this->assertSame(4, add(2, 2));"), testguard.AssertsLess},
		{"phpunit skipped", "tests/ATest.php", phpTest("$this->assertSame(4, add(2, 2));"), phpTest("$this->markTestSkipped('x');\n        $this->assertSame(4, add(2, 2));"), testguard.Skipped},
		{"phpunit deleted", "tests/ATest.php", phpTest("$this->assertSame(4, add(2, 2));"), "<?php\nclass ATest extends TestCase\n{\n}\n", testguard.Deleted},
		{"phpunit comment", "tests/ATest.php", phpTest("$this->assertSame(4, add(2, 2));"), phpTest("# $this->markTestSkipped('x');\n        $this->assertSame(4, add(2, 2));"), ""},
		{"pest", "tests/ATest.php", "<?php\nit('adds', function () {\n    expect(add(2, 2))->toBe(4);\n});\n", "<?php\nit('adds', function () {\n    expect(add(2, 2))->toBe(4);\n})->skip();\n", testguard.Skipped},

		{"bats", "test/a.bats", "@test \"adds\" {\n  run add 2 2\n  [ \"$status\" -eq 0 ]\n  [ \"$output\" = 4 ]\n}\n", "@test \"adds\" {\n  run add 2 2\n  [ \"$status\" -eq 0 ]\n}\n", testguard.AssertsLess},
		{"bats skip", "test/a.bats", "@test \"adds\" {\n  run add 2 2\n  [ \"$output\" = 4 ]\n}\n", "@test \"adds\" {\n  skip\n  run add 2 2\n  [ \"$output\" = 4 ]\n}\n", testguard.Skipped},
		{"bats deleted", "test/a.bats", "@test \"adds\" {\n  run add 2 2\n  [ \"$output\" = 4 ]\n}\n\n@test \"zero\" {\n  run add 0 0\n  [ \"$output\" = 0 ]\n}\n", "@test \"adds\" {\n  run add 2 2\n  [ \"$output\" = 4 ]\n}\n", testguard.Deleted},
		{"bats open quote", "test/a.bats", "@test \"doc\" {\n  cat <<HERE\ndon't\nHERE\n}\n\n@test \"adds\" {\n  run add 2 2\n  [ \"$output\" = 4 ]\n}\n", "@test \"doc\" {\n  cat <<HERE\ndon't\nHERE\n}\n\n@test \"adds\" {\n  run add 2 2\n}\n", testguard.AssertsNothing},
		{"git's library", "t/t0001-add.sh", "test_expect_success 'adds' '\n\tadd 2 2 >actual &&\n\ttest_cmp expect actual\n'\n\ntest_expect_success 'zero' '\n\tadd 0 0 >actual &&\n\ttest_cmp zero actual\n'\n", "test_expect_success 'adds' '\n\tadd 2 2 >actual &&\n\ttest_cmp expect actual\n'\n", testguard.Deleted},
		{"plain script", "t/add.sh", "#!/bin/sh\n[ \"$(add 2 2)\" = 4 ] || exit 1\n[ \"$(add 0 0)\" = 0 ] || exit 1\n", "#!/bin/sh\n[ \"$(add 2 2)\" = 4 ] || exit 1\n", testguard.AssertsLess},
		{"plain script deleted", "t/add.sh", "#!/bin/sh\n[ \"$(add 2 2)\" = 4 ] || exit 1\n", "", testguard.Deleted},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := testguard.Compare(c.path, version(c.before), version(c.after))
			if c.want != "" {
				onlyKind(t, got, c.want)
			} else if got := certain(got); len(got) > 0 {
				t.Errorf("found %+v, want nothing certain", got)
			}
		})
	}
}

func unity(body, run string) string {
	return "#include \"unity.h\"\n\nstatic void add_should_add(void)\n{\n    " + body + "\n}\n\nstatic void other(void)\n{\n    TEST_ASSERT_TRUE(works());\n}\n\nint main(void)\n{\n    UNITY_BEGIN();\n    " + run + "\n    return UNITY_END();\n}\n"
}

func phpTest(body string) string {
	return "<?php\nclass ATest extends TestCase\n{\n    public function testAdd(): void\n    {\n        " + body + "\n    }\n}\n"
}

// TestRunners shows changes after which tests no longer run.
func TestRunners(t *testing.T) {
	for _, c := range []struct{ name, path, before, after string }{
		{"test is true", "package.json", `{"scripts": {"test": "jest"}}`, `{"scripts": {"test": "true"}}`},
		{"test is echo", "package.json", `{"scripts": {"test": "jest && tsd"}}`, `{"scripts": {"test": "echo ok && exit 0"}}`},
		{"test is gone", "package.json", `{"scripts": {"test": "jest"}}`, `{"scripts": {}}`},
		{"failure swallowed", "package.json", `{"scripts": {"test": "jest"}}`, `{"scripts": {"test": "jest || true"}}`},
		{"target emptied", "Makefile", "test:\n\t./run\n", "test:\n\t@true\n"},
		{"target gone", "Makefile", "all:\n\tcc\n\ntest: all\n\t./run\n", "all:\n\tcc\n"},
		{"target ignores", "Makefile", "test:\n\t./run\n", "test:\n\t-./run\n"},
		{"shell of make", "Makefile", "test:\n\t./run\n", "SHELL = /bin/true\ntest:\n\t./run\n"},
		{"TestMain", "main_test.go", "", goHead + "func TestMain(m *testing.M) {\n\tos.Exit(0)\n}\n\nfunc TestA(t *testing.T) { check(t) }\n"},
		{"TestMain swallows", "a_test.go", goHead + "func TestA(t *testing.T) { check(t) }\n", goHead + "func TestMain(m *testing.M) {\n\tm.Run()\n\tos.Exit(0)\n}\n\nfunc TestA(t *testing.T) { check(t) }\n"},
		{"init in a test", "zz_test.go", "", goHead + "func init() {\n\tos.Exit(0)\n}\n"},
		{"init in source", "a.go", "package a\n", "package a\n\nfunc init() {\n\tif testing() {\n\t\tos.Exit(0)\n\t}\n}\n"},
		{"os._exit", "app/add.py", "def add(a, b):\n    return a + b\n", "import os\n\ndef add(a, b):\n    os._exit(0)\n"},
		{"unittest.py", "unittest.py", "", "def main(): pass\n"},
		{"pytest package", "pytest/__init__.py", "", "x = 1\n"},
		{"sitecustomize.py", "sitecustomize.py", "", "import atexit\n"},
		{"conftest exits", "conftest.py", "import pytest\n", "import pytest, sys\nsys.exit(0)\n"},
		{"script-shell", ".npmrc", "registry=x\n", "registry=x\nscript-shell=/bin/true\n"},
		{"add_test gone", "CMakeLists.txt", "project(a)\nenable_testing()\nadd_test(NAME a COMMAND a)\n", "project(a)\n"},
		{"will fail", "tests/CMakeLists.txt", "add_test(NAME a COMMAND a)\n", "add_test(NAME a COMMAND a)\nset_tests_properties(a PROPERTIES WILL_FAIL TRUE)\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := certain(testguard.Compare(c.path, version(c.before), version(c.after))); len(got) == 0 {
				t.Error("nothing was found")
			}
		})
	}
	for _, c := range []struct{ name, path, before, after string }{
		{"another runner", "package.json", `{"scripts": {"test": "jest"}}`, `{"scripts": {"test": "vitest run", "lint": "true"}}`},
		{"first test script", "package.json", `{"scripts": {"test": "echo none && exit 1"}}`, `{"scripts": {"test": "tap"}}`},
		{"target by another", "Makefile", "test:\n\t./run\n", "test: unit\n\nunit:\n\t./run\n"},
		{"TestMain runs", "a_test.go", goHead + "func TestA(t *testing.T) { check(t) }\n", goHead + "func TestMain(m *testing.M) {\n\tcode := m.Run()\n\tos.Exit(code)\n}\n\nfunc TestA(t *testing.T) { check(t) }\n"},
		{"exit of a command", "main.go", "package main\n", "package main\n\nfunc main() {\n\tos.Exit(run())\n}\n"},
		{"registry", ".npmrc", "", "registry=x\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := certain(testguard.Compare(c.path, version(c.before), version(c.after))); len(got) > 0 {
				t.Errorf("found %+v", got)
			}
		})
	}
}

// TestHonestChanges shows what is understood: renames, moves, splits, merges, tables, and tests of what is gone.
func TestHonestChanges(t *testing.T) {
	src := func(names ...string) string {
		var b strings.Builder
		for _, n := range names {
			b.WriteString("def " + n + "(a, b):\n    total = a + b\n    log('" + n + "', total)\n    return compute_" + n + "(total)\n\n")
		}
		return b.String()
	}
	for _, c := range []struct {
		name    string
		changes []testguard.Change
	}{
		{"case", []testguard.Change{change("a_test.go", goHead+"func TestHTTPGet(t *testing.T) {\n\tcheck(t, 1)\n}\n", goHead+"func TestHttpGet(t *testing.T) {\n\tcheck(t, 2)\n}\n")}},
		{"underscore", []testguard.Change{change("a_test.go", goHead+"func TestAddZero(t *testing.T) {\n\tcheck(t, 1)\n}\n", goHead+"func TestAdd_Zero(t *testing.T) {\n\tcheck(t, 2)\n}\n")}},
		{"class", []testguard.Change{change("test_a.py", "class TestOld:\n    def test_adds(self):\n        assert add(2, 2) == 4\n", "class TestNew:\n    def test_adds(self):\n        assert add(2, 3) == 5\n")}},
		{"file", []testguard.Change{change("test_a.py", "def test_adds():\n    assert add(2, 2) == 4\n", ""), change("test_b.py", "", "def test_adds():\n    assert add(2, 2) == 4\n")}},
		{"split", []testguard.Change{change("test_a.py", "def test_add():\n    assert add(2, 2) == 4\n    assert add('a', 'b') == 'a b'\n    assert add([1], [2]) == [1, 2]\n", "def test_add_numbers():\n    assert add(2, 2) == 4\n\ndef test_add_texts():\n    assert add('a', 'b') == 'a b'\n\ndef test_add_lists():\n    assert add([1], [2]) == [1, 2]\n")}},
		{"merge", []testguard.Change{change("test_a.py", "def test_numbers():\n    assert add(2, 2) == 4\n\ndef test_texts():\n    assert add('a', 'b') == 'a b'\n", "def test_add():\n    assert add(2, 2) == 4\n    assert add('a', 'b') == 'a b'\n")}},
		{"table", []testguard.Change{change("test_a.py", "def test_add():\n    assert add(2, 2) == 4\n    assert add(0, 0) == 0\n    assert add(1, 2) == 3\n", "@pytest.mark.parametrize('a,b,want', [(2, 2, 4), (0, 0, 0), (1, 2, 3)])\ndef test_add(a, b, want):\n    assert add(a, b) == want\n")}},
		{"tests become rows", []testguard.Change{change("test_a.py", "@pytest.mark.parametrize('before,value,after', [\n    ('', 'b', 'a=b'),\n    ('', 'c', 'a=c'),\n])\ndef test_set(path, before, value, after):\n    path.write(before)\n    result = app.set_key(path, 'a', value)\n    assert result\n    assert path.read() == after\n\ndef test_set_existing(path):\n    path.write('foo=bar')\n    result = app.set_key(path, 'foo', 'baz')\n    assert result\n    assert path.read() == 'foo=baz'\n", "@pytest.mark.parametrize('before,value,after', [\n    ('', 'b', 'a=b'),\n    ('', 'c', 'a=c'),\n    ('a=b', 'c', 'a=c'),\n])\ndef test_set(path, before, value, after):\n    path.write(before)\n    result = app.set_key(path, 'a', value)\n    assert result\n    assert path.read() == after\n")}},
		{"go table", []testguard.Change{change("a_test.go", goHead+"func TestAdd(t *testing.T) {\n\tif Add(2, 2) != 4 {\n\t\tt.Error(1)\n\t}\n\tif Add(0, 0) != 0 {\n\t\tt.Error(2)\n\t}\n\tif Add(1, 2) != 3 {\n\t\tt.Error(3)\n\t}\n}\n", goHead+"func TestAdd(t *testing.T) {\n\tfor _, c := range [][3]int{{2, 2, 4}, {0, 0, 0}, {1, 2, 3}} {\n\t\tif Add(c[0], c[1]) != c[2] {\n\t\t\tt.Error(c)\n\t\t}\n\t}\n}\n")}},
		{"helper", []testguard.Change{change("a_test.go", goHead+"func TestAdd(t *testing.T) {\n\tif Add(2, 2) != 4 {\n\t\tt.Error(1)\n\t}\n\tif Add(0, 0) != 0 {\n\t\tt.Error(2)\n\t}\n}\n", goHead+"func check(t *testing.T, a, b, want int) {\n\tif Add(a, b) != want {\n\t\tt.Error(a)\n\t}\n}\n\nfunc TestAdd(t *testing.T) {\n\tcheck(t, 2, 2, 4)\n\tcheck(t, 0, 0, 0)\n}\n")}},
		{"pytest for unittest", []testguard.Change{change("test_a.py", "class T(TestCase):\n    def test_add(self):\n        self.assertEqual(add(2, 2), 4)\n        self.assertTrue(add(1, 1))\n", "class T(TestCase):\n    def test_add(self):\n        assert add(2, 2) == 4\n        assert add(1, 1)\n")}},
		{"formatting", []testguard.Change{change("a.test.js", "test('adds', () => {\n  expect(add('a', 2)).toEqual({ a: 1, b: 2 });\n});", "test(\"adds\", () => {\n  expect(\n    add(\"a\", 2),\n  ).toEqual({\n    a: 1,\n    b: 2,\n  });\n});")}},
		{"duplicate row", []testguard.Change{change("test/fixtures/a.js", "module.exports = [\n  ['1', 1],\n  ['2', 2],\n  ['1', 1],\n]\n", "module.exports = [\n  ['1', 1],\n  ['2', 2],\n]\n")}},
		{"function gone", []testguard.Change{change("app/a.py", src("add", "subtract"), src("add")), change("test_a.py", "def test_add():\n    assert add(2, 2) == 4\n\ndef test_sub():\n    assert subtract(2, 2) == 0\n", "def test_add():\n    assert add(2, 2) == 4\n")}},
		{"assertion about a function that is gone", []testguard.Change{change("app/a.py", src("add", "subtract"), src("add")), change("test_a.py", "def test_all():\n    assert add(2, 2) == 4\n    assert subtract(2, 2) == 0\n", "def test_all():\n    assert add(2, 2) == 4\n")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := certain(testguard.All(c.changes)); len(got) > 0 {
				t.Errorf("found %+v, want nothing certain", got)
			}
		})
	}
}

// TestTestsOfWhatStays shows that tests go only with what they tested.
func TestTestsOfWhatStays(t *testing.T) {
	body := "(a, b):\n    total = a - b\n    log('x', total)\n    return compute(total)\n"
	tests := change("test_a.py", "def test_sub():\n    assert subtract(2, 2) == 0\n", "x = 1\n")
	for name, source := range map[string]testguard.Change{
		"renamed":         change("app/a.py", "def subtract"+body, "def minus"+body),
		"still mentioned": change("app/a.py", "def subtract"+body, "subtract = other.subtract\n"),
		"untouched":       change("app/a.py", "def subtract"+body, "def subtract"+body+"\ndef add"+body),
	} {
		t.Run(name, func(t *testing.T) { onlyKind(t, testguard.All([]testguard.Change{source, tests}), testguard.Deleted) })
	}
	gone := change("app/a.py", "def subtract"+body, "def add(a):\n    return a\n")
	elsewhere := testguard.Guard{Mentioned: func(name string) bool { return name == "subtract" }}
	onlyKind(t, elsewhere.All([]testguard.Change{gone, tests}), testguard.Deleted)
}

// TestOwnGlobs shows that files which only the settings call tests are compared too.
func TestOwnGlobs(t *testing.T) {
	c := change("qa/login.py", "def test_login():\n    assert login('a') == 1\n", "def test_login():\n    print(1)\n")
	if got := certain(testguard.All([]testguard.Change{c})); len(got) > 0 {
		t.Errorf("found %+v without the globs", got)
	}
	onlyKind(t, testguard.Guard{Tests: []string{"qa/**"}}.All([]testguard.Change{c}), testguard.AssertsNothing)
}

// FuzzReaders shows that no reader panics, that findings are whole, and that a file is never weaker than
// itself.
func FuzzReaders(f *testing.F) {
	names := []string{"tests/a.c", "a_test.cc", "test/a_test.rb", "spec/a_spec.rb", "tests/ATest.php", "test/a.bats", "t/a.sh", "Makefile", "package.json", "CMakeLists.txt", "tests/a.rs", "a_test.go"}
	f.Add(0, unity("TEST_ASSERT_NULL(x);", "RUN_TEST(add_should_add);"), "int test_a() {")
	f.Add(1, "TEST(A, DISABLED_B) { EXPECT_EQ(\"}\", '{'); }", "TEST_CASE(\"x\", \"[.]\") {")
	f.Add(2, "class A\n  def test_x?\n    skip if y\n    assert_equal %w[a b], 'x' # y\n  end\nend", "def test_x; end")
	f.Add(3, "describe 'a' do\n  it('b') { expect { x }.to raise_error(/a'/) }\n  fit 'c', focus: true do\n end\nend", "it { ")
	f.Add(4, phpTest("$this->assertSame(<<<X\n}\nX, f());"), "<?php it('a', function () { expect(1) })->only();")
	f.Add(5, "@test \"a\" {\n  run x <<E\ndon't\nE\n  [ \"$output\" = 'a' ]\n}\n", "@test a { skip")
	f.Add(6, "test_expect_success PREREQ 'a' '\n\ttest x = y\n'\n", "check() { [ 1 ] || exit 1; }")
	f.Add(7, "test: a\n\t-x || true\n", "SHELL=/bin/true")
	f.Add(8, `{"scripts": {"test": "a"}}`, `{"scripts": {"test": ""}}`)
	f.Add(9, "add_test(a)", "WILL_FAIL")
	f.Add(10, "rgtest!(a, |d: D| { assert!(x[0] == '}'); });", "#[cfg(x)]\nsherlock!(a, \"b\", |c| {")
	f.Add(11, goHead+"func TestA(t *testing.T) {\n\tfor _, c := range []int{1, 2} {\n\t\tif c == `\\` {\n\t\t\tt.Error(c)\n\t\t}\n\t}\n}", goHead+"func init() { os.Exit(0) }")
	f.Fuzz(func(t *testing.T, lang int, before, after string) {
		name := names[((lang%len(names))+len(names))%len(names)]
		for _, fd := range testguard.Compare(name, []byte(before), []byte(after)) {
			if fd.Kind == "" || fd.What == "" || !strings.HasPrefix(fd.Where, name) || fd.Fix == "" {
				t.Errorf("finding %+v is not whole", fd)
			}
		}
		if got := testguard.Compare(name, []byte(before), []byte(before)); len(got) != 0 {
			t.Errorf("a file is weaker than itself: %+v", got)
		}
	})
}

// TestACaseOfItsOwn: that a value is there, of a call with a literal, is no part of what other
// assertions say.
func TestACaseOfItsOwn(t *testing.T) {
	before := "static void test_last(void)\n{\n    TEST_ASSERT_NOT_NULL(list);\n    TEST_ASSERT_NULL(last(list));\n    TEST_ASSERT_NULL(last(NULL));\n}\n\nint main(void)\n{\n    RUN_TEST(test_last);\n}\n"
	after := strings.Replace(before, "    TEST_ASSERT_NULL(last(NULL));\n", "", 1)
	found := testguard.All([]testguard.Change{{Path: "tests/last.c", Before: []byte(before), After: []byte(after)}})
	if len(found) != 1 || found[0].Kind != testguard.AssertsLess {
		t.Errorf("%+v", found)
	}
}

// TestTestsThatAssertNothing: of what a change adds, only what can fail counts.
func TestTestsThatAssertNothing(t *testing.T) {
	for path, c := range map[string]struct {
		text    string
		asserts bool
	}{
		"a_test.go":               {goHead + "func TestA(t *testing.T) {\n\tt.Log(add(1, 2))\n}\n", false},
		"b_test.go":               {goHead + "func TestB(t *testing.T) {\n\tcheckSum(t, 1, 2)\n}\n", true},
		"tests/hollow.c":          {"static void item_should_be_there(void)\n{\n    (void)item(0);\n}\n\nint main(void)\n{\n    UNITY_BEGIN();\n    RUN_TEST(item_should_be_there);\n    return UNITY_END();\n}\n", false},
		"tests/good.c":            {"static void item_should_be_there(void)\n{\n    TEST_ASSERT_NOT_NULL(item(0));\n}\n\nint main(void)\n{\n    RUN_TEST(item_should_be_there);\n}\n", true},
		"test_a.py":               {"def test_a():\n    add(1, 2)\n", false},
		"test_b.py":               {"def test_b():\n    assert add(1, 2) == 3\n", true},
		"test.js":                 {"it('adds', () => {\n  add(1, 2);\n});\n", false},
		"a.test.js":               {"it('adds', () => {\n  expect(add(1, 2)).toBe(3);\n});\n", true},
		"test/fixtures/ranges.js": {"module.exports = [\n  ['1.x', '1.2.3'],\n  ['^0.0.3', '0.0.3'],\n]\n", true},
		"test/fixtures/empty.js":  {"module.exports = []\n", false},
	} {
		if got := testguard.Asserts(testguard.Change{Path: path, After: []byte(c.text)}, nil); got != c.asserts {
			t.Errorf("%s: %v", path, got)
		}
	}
	const body = "\nCASES = [\n    (2, 2, 4),\n]\n\ndef test_add():\n    for a, b, want in CASES:\n        "
	for what, asserts := range map[string]bool{"assert add(a, b) == want\n": true, "add(a, b)\n": false} {
		before := "from app import add\n" + body + what
		after := strings.Replace(before, "    (2, 2, 4),\n", "    (2, 2, 4),\n    (0, 0, 0),\n", 1)
		if got := testguard.Asserts(change("test_cases.py", before, after), nil); got != asserts {
			t.Errorf("a new row for %q: %v", what, got)
		}
	}
}

// TestScriptThatAsksNothing: a condition without anything of the program in it asserts nothing,
// whatever the way out is.
func TestScriptThatAsksNothing(t *testing.T) {
	script := "#!/bin/sh\nfail() { echo \"$1\"; exit 1; }\n[ \"$(sh a.sh)\" = 1 ] || fail one\n[ \"$(sh b.sh)\" = 2 ] || fail two\n"
	for _, is := range []string{"[ 1 = 1 ] || exit 1", "true || fail one", "test 1 -eq 1 || fail one", "[ -n x ] || return 1"} {
		after := strings.Replace(script, "[ \"$(sh a.sh)\" = 1 ] || fail one", is, 1)
		found := testguard.All([]testguard.Change{{Path: "test/a_test.sh", Before: []byte(script), After: []byte(after)}})
		if len(found) != 1 || found[0].Kind != testguard.AssertsLess {
			t.Errorf("%q: %+v", is, found)
		}
	}
}

// TestScriptWithAHelperOnOneLine: what stands behind a helper is not part of it, so that a deleted
// script of assertions is a deleted test.
func TestScriptWithAHelperOnOneLine(t *testing.T) {
	script := "#!/bin/sh\nfail() { echo \"$1\"; exit 1; }\n[ \"$(sh a.sh)\" = 1 ] || fail one\n"
	long := "#!/bin/sh\nfail()\n{\n\techo \"$1\"\n\texit 1\n}\n[ \"$(sh a.sh)\" = 1 ] || fail one\n"
	for _, text := range []string{script, long} {
		found := testguard.All([]testguard.Change{{Path: "test/a_test.sh", Before: []byte(text)}})
		if len(found) != 1 || found[0].Kind != testguard.Deleted {
			t.Errorf("%q: %+v", text, found)
		}
	}
}
