package testguard_test

import (
	"testing"

	"kedge/internal/insight/testguard"
)

// TestWhatAssertsAsMuch: each of these asserts as much as before, or more; none may wait whatever the checks say.
func TestWhatAssertsAsMuch(t *testing.T) {
	g := func(b string) string { return goHead + "func TestAdd(t *testing.T) {\n" + b + "\n}\n" }
	py := func(b string) string { return "from app import add\n\n\ndef test_add():\n" + b }
	pc := func(b string) string {
		return "class AddTest(unittest.TestCase):\n    def test_add(self):\n" + b
	}
	js := func(b string) string {
		return "const {add} = require('../add');\n\ntest('adds', () => {\n" + b + "});\n"
	}
	ja := func(b string) string { return "class AddTest {\n  @Test\n  void adds() {\n" + b + "  }\n}\n" }
	rs := func(b string) string { return "#[test]\nfn adds() {\n" + b + "}\n" }
	rb := func(b string) string { return "describe 'add' do\n  it 'adds' do\n" + b + "  end\nend\n" }
	mt := func(b string) string { return "class ATest < Minitest::Test\n  def test_add\n" + b + "  end\nend\n" }
	cc := func(b string) string { return "TEST(Add, Works) {\n" + b + "}\n" }
	for _, c := range []struct{ name, path, before, after string }{
		{"go deepequal to slices.Equal", "a_test.go", g("\tif !reflect.DeepEqual(Add(2), []int{4}) {\n\t\tt.Error()\n\t}"), g("\tif !slices.Equal(Add(2), []int{4}) {\n\t\tt.Error()\n\t}")},
		{"go to cmp.Diff", "a_test.go", g("\tgot := Add(2)\n\twant := []int{4}\n\tif !reflect.DeepEqual(got, want) {\n\t\tt.Errorf(\"got %v\", got)\n\t}"), g("\tgot := Add(2)\n\twant := []int{4}\n\tif diff := cmp.Diff(want, got); diff != \"\" {\n\t\tt.Error(diff)\n\t}")},
		{"go to testify", "a_test.go", g("\tgot := Add(2, 2)\n\tif got != 4 {\n\t\tt.Errorf(\"got %d\", got)\n\t}"), g("\tassert.Equal(t, 4, Add(2, 2))")},
		{"go equal to ErrorIs", "a_test.go", g("\tif err := Put(1); err != ErrFull {\n\t\tt.Fatal(err)\n\t}"), g("\tif err := Put(1); !errors.Is(err, ErrFull) {\n\t\tt.Fatal(err)\n\t}")},
		{"go loop to table", "a_test.go", g("\tif got := Add(2, 2); got != 4 {\n\t\tt.Error(got)\n\t}\n\tif got := Add(0, 0); got != 0 {\n\t\tt.Error(got)\n\t}"), g("\tfor _, c := range []struct{ a, b, want int }{{2, 2, 4}, {0, 0, 0}} {\n\t\tif got := Add(c.a, c.b); got != c.want {\n\t\t\tt.Error(got)\n\t\t}\n\t}")},
		{"go map rows to slice", "a_test.go", g("\tfor in, want := range map[string]int{\"a\": 1, \"b\": 2} {\n\t\tif got := F(in); got != want {\n\t\t\tt.Error(got)\n\t\t}\n\t}"), g("\tfor _, c := range []struct {\n\t\tin   string\n\t\twant int\n\t}{{\"a\", 1}, {\"b\", 2}} {\n\t\tt.Run(c.in, func(t *testing.T) {\n\t\t\tif got := F(c.in); got != c.want {\n\t\t\t\tt.Error(got)\n\t\t\t}\n\t\t})\n\t}")},
		{"go context and cleanup", "a_test.go", g("\ts := New()\n\tdefer s.Close()\n\tif s.Get() != 4 {\n\t\tt.Error()\n\t}"), g("\ts := New(t.Context())\n\tt.Cleanup(s.Close)\n\tif s.Get() != 4 {\n\t\tt.Error()\n\t}")},
		{"go loop retries", "a_test.go", g("\ttime.Sleep(time.Second)\n\tif got := Count(); got != 4 {\n\t\tt.Error(got)\n\t}"), g("\trequire.Eventually(t, func() bool { return Count() == 4 }, time.Second, time.Millisecond)")},
		{"go field renamed", "a_test.go", g("\tu := Load()\n\tif u.Name != \"ann\" {\n\t\tt.Error(u)\n\t}\n\tif u.Mail != \"a@b\" {\n\t\tt.Error(u)\n\t}"), g("\tu := Load()\n\tif u.Login != \"ann\" {\n\t\tt.Error(u)\n\t}\n\tif u.Email != \"a@b\" {\n\t\tt.Error(u)\n\t}")},
		{"py unittest to pytest", "test_a.py", pc("        self.assertEqual(add(2, 2), 4)\n        self.assertTrue(ok(1))\n        self.assertIn('a', names())\n"), "def test_add():\n    assert add(2, 2) == 4\n    assert ok(1)\n    assert 'a' in names()\n"},
		{"py assertRaises to pytest.raises", "test_a.py", pc("        with self.assertRaises(ValueError):\n            add('a')\n"), pc("        with pytest.raises(ValueError, match='bad'):\n            add('a')\n")},
		{"py assertEquals renamed", "test_a.py", pc("        self.assertEquals(add(2, 2), 4)\n"), pc("        self.assertEqual(add(2, 2), 4)\n")},
		{"py parametrize", "test_a.py", py("    assert add(2, 2) == 4\n    assert add(0, 0) == 0\n"), "import pytest\nfrom app import add\n\n\n@pytest.mark.parametrize('a,b,want', [(2, 2, 4), (0, 0, 0)])\ndef test_add(a, b, want):\n    assert add(a, b) == want\n"},
		{"py tmpdir", "test_a.py", "def test_add(tmpdir):\n    p = tmpdir.join('a')\n    p.write('x')\n    assert load(str(p)) == 4\n", "def test_add(tmp_path):\n    p = tmp_path / 'a'\n    p.write_text('x')\n    assert load(p) == 4\n"},
		{"py is None", "test_a.py", py("    assert add(2) == None\n"), py("    assert add(2) is None\n")},
		{"py str to fstring", "test_a.py", py("    assert say('a') == 'hello %s' % 'a'\n"), py("    assert say('a') == f'hello {\"a\"}'\n")},
		{"js chai to jest", "a.test.js", js("  expect(add(2, 2)).to.equal(4);\n  expect(list()).to.deep.equal([1, 2]);\n"), js("  expect(add(2, 2)).toBe(4);\n  expect(list()).toEqual([1, 2]);\n")},
		{"js assert to strict", "a.test.js", js("  assert.equal(add(2, 2), 4);\n"), js("  assert.strictEqual(add(2, 2), 4);\n")},
		{"js done to async", "a.test.js", "test('adds', (done) => {\n  add(2, 2).then((got) => {\n    expect(got).toBe(4);\n    done();\n  });\n});\n", "test('adds', async () => {\n  expect(await add(2, 2)).toBe(4);\n});\n"},
		{"js try catch to rejects", "a.test.js", "test('adds', async () => {\n  try {\n    await add('a');\n    fail();\n  } catch (e) {\n    expect(e.message).toBe('bad');\n  }\n});\n", "test('adds', async () => {\n  await expect(add('a')).rejects.toThrow('bad');\n});\n"},
		{"js tap to node:test", "test/a.js", "const tap = require('tap')\ntap.test('adds', (t) => {\n  t.equal(add(2, 2), 4)\n  t.same(list(), [1, 2])\n  t.end()\n})\n", "const {test} = require('node:test')\nconst assert = require('node:assert')\ntest('adds', () => {\n  assert.strictEqual(add(2, 2), 4)\n  assert.deepStrictEqual(list(), [1, 2])\n})\n"},
		{"java 4 to 5", "AddTest.java", "class AddTest {\n  @Test(expected = IllegalArgumentException.class)\n  public void adds() {\n    Calc.add(null);\n  }\n}\n", ja("    assertThrows(IllegalArgumentException.class, () -> Calc.add(null));\n")},
		{"java hamcrest to assertj", "AddTest.java", ja("    assertThat(Calc.add(2, 2), is(4));\n    assertThat(names(), hasItem(\"a\"));\n"), ja("    assertThat(Calc.add(2, 2)).isEqualTo(4);\n    assertThat(names()).contains(\"a\");\n")},
		{"java try fail to assertThrows", "AddTest.java", ja("    try {\n      Calc.add(null);\n      fail(\"no\");\n    } catch (IllegalArgumentException e) {\n      assertEquals(\"bad\", e.getMessage());\n    }\n"), ja("    IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> Calc.add(null));\n    assertEquals(\"bad\", e.getMessage());\n")},
		{"rust assert to assert_eq", "tests/a.rs", rs("    assert!(add(2, 2) == 4);\n"), rs("    assert_eq!(add(2, 2), 4);\n")},
		{"rust unwrap to question", "tests/a.rs", "#[test]\nfn adds() {\n    let got = add(2, 2).unwrap();\n    assert_eq!(got, 4);\n}\n", "#[test]\nfn adds() -> Result<(), E> {\n    let got = add(2, 2)?;\n    assert_eq!(got, 4);\n    Ok(())\n}\n"},
		{"rspec should to expect", "spec/a_spec.rb", rb("    add(2, 2).should == 4\n    names.should include('a')\n"), rb("    expect(add(2, 2)).to eq(4)\n    expect(names).to include('a')\n")},
		{"minitest nil", "test/a_test.rb", mt("    assert_equal nil, add(2)\n"), mt("    assert_nil add(2)\n")},
		{"php annotations to calls", "tests/ATest.php", "<?php\nclass ATest extends TestCase\n{\n    /**\n     * @expectedException InvalidArgumentException\n     */\n    public function testAdd()\n    {\n        add('a');\n    }\n}\n", phpTest("$this->expectException(\\InvalidArgumentException::class);\n        add('a');")},
		{"php equals true", "tests/ATest.php", phpTest("$this->assertEquals(true, add(1));"), phpTest("$this->assertTrue(add(1));")},
		{"php static", "tests/ATest.php", phpTest("$this->assertSame(4, add(2, 2));"), phpTest("self::assertSame(4, add(2, 2));")},
		{"gtest to catch2", "a_test.cc", cc("  EXPECT_EQ(4, add(2, 2));\n  EXPECT_TRUE(ok());\n"), "TEST_CASE(\"Add works\") {\n  REQUIRE(add(2, 2) == 4);\n  REQUIRE(ok());\n}\n"},
		{"gtest eq to streq", "a_test.cc", cc("  EXPECT_EQ(std::string(\"a\"), name());\n"), cc("  EXPECT_STREQ(\"a\", name().c_str());\n")},
		{"c assert to unity", "tests/a.c", "int main(void) {\n  assert(add(2, 2) == 4);\n  assert(add(0, 0) == 0);\n  return 0;\n}\n", "void test_add(void) {\n  TEST_ASSERT_EQUAL_INT(4, add(2, 2));\n  TEST_ASSERT_EQUAL_INT(0, add(0, 0));\n}\nint main(void) {\n  UNITY_BEGIN();\n  RUN_TEST(test_add);\n  return UNITY_END();\n}\n"},
		{"package.json test with coverage", "package.json", `{"scripts": {"test": "jest"}}`, `{"scripts": {"test": "npm run lint && jest --coverage"}}`},
		{"package.json mocha to node", "package.json", `{"scripts": {"test": "mocha test/*.js"}}`, `{"scripts": {"test": "node --test test/*.js"}}`},
		{"make adds -run for a second pass", "Makefile", "test:\n\tgo test ./...\n", "test:\n\tgo test ./...\n\tgo test -run Slow ./slow\n"},
		{"pytest addopts -k? no: -m strict", "pytest.ini", "[pytest]\naddopts = -q\n", "[pytest]\naddopts = -q --strict-markers\nmarkers =\n    slow: later\n"},
	} {
		for _, f := range certain(testguard.Compare(c.path, version(c.before), version(c.after))) {
			t.Errorf("%-40s %s: %s", c.name, f.Kind, f.What)
		}
	}
}
