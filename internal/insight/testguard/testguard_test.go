package testguard_test

import (
	"slices"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/insight/testguard"
)

const goHead = "package a\n\nimport \"testing\"\n\n"

// TestWeakened shows each rule in each language: what stands in before and after
// and the one thing that is found; nothing found is an empty string.
func TestWeakened(t *testing.T) {
	for _, c := range []struct{ name, path, before, after, want string }{
		// Go
		{"go same", "a_test.go", goHead + "func TestA(t *testing.T) { t.Error() }", goHead + "func TestA(t *testing.T) { t.Error() }", ""},
		{"go deleted", "a_test.go", goHead + "func TestA(t *testing.T) { t.Error() }\nfunc TestB(t *testing.T) {}", goHead + "func TestB(t *testing.T) {}", `a_test.go:5 test "TestA" was deleted`},
		{"go file deleted", "a_test.go", goHead + "func TestA(t *testing.T) { t.Error() }", "", `a_test.go:5 test "TestA" was deleted`},
		{"go skipped", "a_test.go", goHead + "func TestA(t *testing.T) { t.Error() }", goHead + "func TestA(t *testing.T) { t.Skip(`later`); t.Error() }", `test "TestA" is now skipped`},
		{"go other parameter", "a_test.go", goHead + "func TestA(x *testing.T) { x.Error() }", goHead + "func TestA(x *testing.T) { x.SkipNow(); x.Error() }", `test "TestA" is now skipped`},
		{"go skipped if", "a_test.go", goHead + "func TestA(t *testing.T) { t.Error() }", goHead + "func TestA(t *testing.T) { if testing.Short() { t.Skip() }; t.Error() }", "under a condition"},
		{"go skip was there", "a_test.go", goHead + "func TestA(t *testing.T) { t.Skip(); t.Error() }", goHead + "func TestA(t *testing.T) { t.Skip(\"why\"); t.Error() }", ""},
		{"go skip in a string", "a_test.go", goHead + "func TestA(t *testing.T) { t.Error() }", goHead + "func TestA(t *testing.T) { /* t.Skip() */ t.Error(\"t.Skip()\") }", ""},
		{"go new test skipped", "a_test.go", goHead, goHead + "func TestA(t *testing.T) { t.Skip(); t.Error() }", ""},
		{"go new test skips sometimes", "a_test.go", goHead, goHead + "func TestA(t *testing.T) { if x { t.Skip() }; t.Error() }", ""},
		{"go early return", "a_test.go", goHead + "func TestA(t *testing.T) { t.Error() }", goHead + "func TestA(t *testing.T) { return; t.Error() }", `test "TestA" is now skipped`},
		{"go no assertion", "a_test.go", goHead + "func TestA(t *testing.T) { x := f(); if x != 1 { t.Fatal(x) } }", goHead + "func TestA(t *testing.T) { x := f(); _ = x }", `asserts nothing`},
		{"go assertion by helper", "a_test.go", goHead + "func TestA(t *testing.T) { if f() != 1 { t.Fatal() } }", goHead + "func TestA(t *testing.T) { same(t, f(), 1) }", ""},
		{"go renamed", "a_test.go", goHead + "func TestA(t *testing.T) { t.Error(1) }", goHead + "func TestAll(t *testing.T) { t.Error(1) }", ""},
		{"go replaced", "a_test.go", goHead + "func TestA(t *testing.T) { t.Error(1) }", goHead + "func TestAll(t *testing.T) { t.Log(2) }", `"TestA" was deleted`},
		{"go made no test", "a_test.go", goHead + "func TestA(t *testing.T) { t.Error(1) }", goHead + "func testA(t *testing.T) { t.Error(1) }", `"TestA" was deleted`},
		{"go commented out", "a_test.go", goHead + "func TestA(t *testing.T) { t.Error(1) }", goHead + "// func TestA(t *testing.T) { t.Error(1) }", `"TestA" was deleted`},
		{"go subtest deleted", "a_test.go", goHead + "func TestA(t *testing.T) { t.Run(\"x\", func(t *testing.T) { t.Error(1) }); t.Run(\"y\", func(t *testing.T) { t.Error(2) }) }", goHead + "func TestA(t *testing.T) { t.Run(\"y\", func(t *testing.T) { t.Error(2) }) }", `"TestA/x" was deleted`},
		{"go subtest skipped", "a_test.go", goHead + "func TestA(t *testing.T) { t.Run(\"x\", func(t *testing.T) { t.Error(1) }) }", goHead + "func TestA(t *testing.T) { t.Run(\"x\", func(t *testing.T) { t.Skip(); t.Error(1) }) }", `"TestA/x" is now skipped`},
		{"go build tag", "a_test.go", goHead + "func TestA(t *testing.T) { t.Error(1) }", "//go:build ignore\n\n" + goHead + "func TestA(t *testing.T) { t.Error(1) }", `is now skipped`},
		{"go empty TestMain", "a_test.go", goHead + "func TestA(t *testing.T) { t.Error(1) }", goHead + "func TestMain(m *testing.M) { os.Exit(0) }\nfunc TestA(t *testing.T) { t.Error(1) }", `is now skipped`},
		{"go TestMain", "a_test.go", goHead + "func TestA(t *testing.T) { t.Error(1) }", goHead + "func TestMain(m *testing.M) { os.Exit(m.Run()) }\nfunc TestA(t *testing.T) { t.Error(1) }", ""},
		{"go does not parse", "a_test.go", goHead + "func TestA(t *testing.T) { t.Error(1) }", goHead + "func TestA(t *testing.T) { t.Error(1)", ""},
		{"go no test file", "a.go", "package a\nfunc TestA(t *testing.T) { t.Error(1) }", "package a", ""},
		{"go example", "a_test.go", goHead + "func ExampleA() { f() }", goHead, `"ExampleA" was deleted`},

		// Python
		{"python deleted", "test_a.py", "def test_a():\n    assert 1\n\ndef test_b():\n    assert 2\n", "def test_b():\n    assert 2\n", `test_a.py:1 test "test_a" was deleted`},
		{"python skip", "test_a.py", "def test_a():\n    assert 1\n", "@pytest.mark.skip(reason='x')\ndef test_a():\n    assert 1\n", `"test_a" is now skipped`},
		{"python skipif True", "test_a.py", "def test_a():\n    assert 1\n", "@pytest.mark.skipif(True, reason='x')\ndef test_a():\n    assert 1\n", `"test_a" is now skipped`},
		{"python new skipif", "test_a.py", "", "@pytest.mark.skipif(sys.platform == 'win32')\ndef test_a():\n    assert 1\n", ""},
		{"python new skipif True", "test_a.py", "", "@pytest.mark.skipif(\n    True,\n)\ndef test_a():\n    assert 1\n", ""},
		{"python xfail", "test_a.py", "async def test_a():\n    assert 1\n", "@pytest.mark.xfail\nasync def test_a():\n    assert 1\n", `"test_a" is now skipped`},
		{"python skip in body", "test_a.py", "def test_a():\n    assert 1\n", "def test_a():\n    pytest.skip('x')\n    assert 1\n", `"test_a" is now skipped`},
		{"python skip in an if", "test_a.py", "def test_a():\n    assert 1\n", "def test_a():\n    if x:\n        pytest.skip('x')\n    assert 1\n", `under a condition`},
		{"python return", "test_a.py", "def test_a():\n    assert 1\n", "def test_a():\n    return\n    assert 1\n", `"test_a" is now skipped`},
		{"python pytestmark", "test_a.py", "def test_a():\n    assert 1\n", "pytestmark = pytest.mark.skip\n\ndef test_a():\n    assert 1\n", `"test_a" is now skipped`},
		{"python class skipped", "test_a.py", "class TestX:\n    def test_a(self):\n        assert 1\n", "@unittest.skip('x')\nclass TestX:\n    def test_a(self):\n        assert 1\n", `"TestX.test_a" is now skipped`},
		{"python skipTest", "test_a.py", "class T(TestCase):\n    def test_a(self):\n        self.assertTrue(1)\n", "class T(TestCase):\n    def test_a(self):\n        self.skipTest('x')\n        self.assertTrue(1)\n", `"T.test_a" is now skipped`},
		{"python comment", "test_a.py", "def test_a():\n    assert 1\n", "# @pytest.mark.skip\ndef test_a():\n    '''pytest.skip()'''\n    x = 'assert'\n    assert 1\n", ""},
		{"python no assertion", "test_a.py", "def test_a():\n    x = f()\n    assert x\n", "def test_a():\n    x = f()\n    print('assert x')  # assert x\n", `asserts nothing`},
		{"python one line", "test_a.py", "def test_a(): assert 1\n", "def test_a(): pass\n", `asserts nothing`},
		{"python raises", "test_a.py", "def test_a():\n    assert 1\n", "def test_a():\n    with pytest.raises(ValueError):\n        f()\n", ""},
		{"python hidden", "test_a.py", "def test_a():\n    assert 1\n", "def _test_a():\n    assert 1\n", `"test_a" was deleted`},
		{"python __test__", "test_a.py", "class TestX:\n    def test_a(self):\n        assert 1\n", "class TestX:\n    __test__ = False\n    def test_a(self):\n        assert 1\n", `is now skipped`},
		{"python module skip", "test_a.py", "def test_a():\n    assert 1\n", "pytest.skip('x', allow_module_level=True)\ndef test_a():\n    assert 1\n", `is now skipped`},

		// JavaScript and TypeScript
		{"js deleted", "a.test.js", "describe('s', () => {\n  it('a', () => { expect(1).toBe(1) });\n  it('b', () => { expect(2).toBe(2) });\n});", "describe('s', () => {\n  it('b', () => { expect(2).toBe(2) });\n});", `a.test.js:2 test "s > a" was deleted`},
		{"js skip", "a.test.js", "it('a', () => { expect(1) })", "it.skip('a', () => { expect(1) })", `"a" is now skipped`},
		{"js xit", "a.test.js", "it('a', () => { expect(1) })", "xit('a', () => { expect(1) })", `"a" is now skipped`},
		{"js todo", "a.test.js", "test('a', () => { expect(1) })", "test.todo('a')", `"a" is now skipped`},
		{"js only", "a.test.js", "it('a', () => { expect(1) })", "it.only('a', () => { expect(1) })", `"a" is marked to run alone`},
		{"js fdescribe", "a.test.js", "describe('s', () => { it('a', () => { expect(1) }) })", "fdescribe('s', () => { it('a', () => { expect(1) }) })", `"s > a" is marked to run alone`},
		{"js new focused", "a.test.js", "", "it.only('a', () => { expect(1) })", `"a" is marked to run alone`},
		{"js only was there", "a.test.js", "it.only('a', () => { expect(1) })", "it.only('a', () => { expect(2) })", ""},
		{"js describe.skip", "a.spec.ts", "describe('s', () => { it('a', () => { expect(1) }) })", "describe.skip('s', () => { it('a', () => { expect(1) }) })", `"s > a" is now skipped`},
		{"js no assertion", "a.spec.ts", "it('a', async () => {\n  expect(await f()).toBe(1);\n});", "it('a', async () => {\n  await f(); // expect(1)\n});", `asserts nothing`},
		{"js comment", "a.spec.ts", "it('a', () => { expect(1) })", "// it.skip('a')\n/* it.only */ it('a', () => { expect(`it.skip('a')`) })", ""},
		{"js commented out", "a.spec.ts", "it('a', () => { expect(1) })", "// it('a', () => { expect(1) })", `"a" was deleted`},
		{"js each", "a.test.js", "test.each([[1, 2]])('adds %i', (a) => { expect(a) })", "test.skip.each([[1, 2]])('adds %i', (a) => { expect(a) })", `"adds %i" is now skipped`},
		{"js each template", "a.test.js", "test.each`a | b\n${1} | ${2}`('adds', (a) => { expect(a) })", "", `"adds" was deleted`},
		{"js skip in body", "a.test.js", "it('a', function () { expect(1) })", "it('a', function () { this.skip(); expect(1) })", `under a condition`},
		{"playwright skip", "a.spec.ts", "test('a', async () => { expect(1) })", "test('a', async () => { test.skip(); expect(1) })", `"a" is now skipped`},
		{"playwright skip if", "a.spec.ts", "test('a', async () => { expect(1) })", "test('a', async () => { test.skip(isMobile, 'x'); expect(1) })", `under a condition`},
		{"js unnamed", "a.test.js", "for (const n of names) { it(n, () => { expect(n) }) }", "", `"(unnamed)" was deleted`},
		{"js hooks", "a.test.js", "test.beforeEach(() => { expect(1) })\ntest('a', () => { expect(1) })", "test('a', () => { expect(1) })", ""},
		{"js regexp", "a.test.js", "it('a', () => { expect(x.replace(/['\"`]/g, '')).toBe(1) })\nit('b', () => { expect(1) })", "it('a', () => { expect(x.replace(/['\"`]/g, '')).toBe(1) })\nit.skip('b', () => { expect(1) })", `"b" is now skipped`},
		{"js renamed", "a.test.js", "it('a', () => {\n  const x = f();\n  expect(x).toBe(1);\n})", "it('a better name', () => {\n  const x = f();\n  expect(x).toBe(1);\n})", ""},
		{"js no test file", "src/a.js", "it('a', () => {})", "", ""},

		// Rust
		{"rust deleted", "src/lib.rs", "#[test]\nfn a() { assert!(true); }\n#[test]\nfn b() { assert_eq!(1, 1); }\n", "#[test]\nfn b() { assert_eq!(1, 1); }\n", `src/lib.rs:2 test "a" was deleted`},
		{"rust ignored", "src/lib.rs", "#[test]\nfn a() { assert!(true); }\n", "#[test]\n#[ignore]\nfn a() { assert!(true); }\n", `"a" is now skipped`},
		{"rust ignored with reason", "src/lib.rs", "#[tokio::test]\nasync fn a() { assert!(true); }\n", "#[ignore = \"slow\"]\n#[tokio::test]\nasync fn a() { assert!(true); }\n", `"a" is now skipped`},
		{"rust no longer a test", "src/lib.rs", "#[test]\nfn a() { assert!(true); }\n", "fn a() { assert!(true); }\n", `"a" was deleted`},
		{"rust comment", "src/lib.rs", "#[test]\nfn a() { assert!(true); }\n", "/* /* #[ignore] */ */\n#[test]\n// #[ignore]\nfn a() { let s = r#\"} #[ignore]\"#; let c: &'static str = s; assert!('}' != '{'); }\n", ""},
		{"rust no assertion", "src/lib.rs", "#[test]\nfn a() { assert!(f()); }\n", "#[test]\nfn a() { let _ = f(); }\n", `asserts nothing`},
		{"rust should_panic", "src/lib.rs", "#[test]\n#[should_panic]\nfn a() { f(); }\n", "#[test]\nfn a() { f(); }\n", `asserts nothing`},
		{"rust no tests", "src/lib.rs", "fn a() {}\n", "", ""},

		// Java and Kotlin
		{"java deleted", "ATest.java", "class ATest {\n  @Test\n  void a() { assertEquals(1, 1); }\n  @Test void b() { assertTrue(x); }\n}", "class ATest {\n  @Test void b() { assertTrue(x); }\n}", `ATest.java:2 test "a" was deleted`},
		{"java disabled", "ATest.java", "class ATest {\n  @Test\n  void a() { assertEquals(1, 1); }\n}", "class ATest {\n  @Disabled(\"x\")\n  @Test\n  void a() { assertEquals(1, 1); }\n}", `"a" is now skipped`},
		{"java ignored after", "ATest.java", "class ATest {\n  @Test public void a() { assertEquals(1, 1); }\n}", "class ATest {\n  @Test @Ignore(\"x\") public void a() { assertEquals(1, 1); }\n}", `"a" is now skipped`},
		{"java class disabled", "ATest.java", "class ATest {\n  @Test\n  void a() { assertEquals(1, 1); }\n}", "@Disabled\nclass ATest {\n  @Test\n  void a() { assertEquals(1, 1); }\n}", `"a" is now skipped`},
		{"java next one disabled", "ATest.java", "class ATest {\n  @Test void a() { assertEquals(1, 1); }\n  @Disabled @Test void b() { fail(); }\n}", "class ATest {\n  @Test void a() { assertEquals(1, 1); }\n  @Disabled @Test void b() { fail(); }\n}", ""},
		{"java enabled = false", "ATest.java", "class ATest {\n  @Test(groups = \"x\") public void a() { assertEquals(1, 1); }\n}", "class ATest {\n  @Test(groups = \"x\", enabled = false) public void a() { assertEquals(1, 1); }\n}", `"a" is now skipped`},
		{"java comment", "ATest.java", "class ATest {\n  @Test void a() { assertEquals(1, 1); }\n}", "class ATest {\n  // @Disabled\n  @Test void a() { assertEquals(1, \"@Disabled }\"); }\n}", ""},
		{"java no assertion", "ATest.java", "class ATest {\n  @Test void a() { assertEquals(1, f()); }\n}", "class ATest {\n  @Test void a() { f(); }\n}", `asserts nothing`},
		{"java parameterized", "ATest.java", "class ATest {\n  @ParameterizedTest(name = \"x\")\n  @ValueSource(ints = {1, 2})\n  void a(int n) { assertEquals(1, n); }\n}", "class ATest {}", `"a" was deleted`},
		{"java old", "ATest.java", "class ATest extends TestCase {\n  public void testA() { assertEquals(1, f()); }\n}", "class ATest extends TestCase {}", `"testA" was deleted`},
		{"kotlin", "ATest.kt", "class ATest {\n  @Test\n  fun `adds two`() { assertEquals(1, 1) }\n}", "class ATest {\n  @Test\n  @Ignore\n  fun `adds two`() { assertEquals(1, 1) }\n}", `"adds two" is now skipped`},
		{"java assumption", "ATest.java", "class ATest {\n  @Test void a() { assertEquals(1, f()); }\n}", "class ATest {\n  @Test void a() { assumeTrue(x); assertEquals(1, f()); }\n}", `under a condition`},

		// others
		{"ruby file deleted", "spec/a_spec.rb", "it 'works' do end", "", `spec/a_spec.rb:1 test "works" was deleted`},
		{"elixir file deleted", "test/a_test.exs", "test \"works\" do end", "", `test/a_test.exs test file "test/a_test.exs" was deleted`},
		{"ruby changed", "spec/a_spec.rb", "it 'works' do end", "x", `test "works" was deleted`},
		{"no test", "README.md", "x", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := certain(testguard.Compare(c.path, version(c.before), version(c.after)))
			if c.want == "" {
				if len(got) != 0 {
					t.Errorf("found %+v, want nothing", got)
				}
				return
			}
			if len(got) != 1 || !strings.Contains(got[0].Where+" "+got[0].What, c.want) {
				t.Errorf("found %+v, want only %q", got, c.want)
				return
			}
			if got[0].Level != kedge.LevelError || got[0].Fix == "" {
				t.Errorf("finding %+v has a wrong level or no fix", got[0])
			}
		})
	}
}

// certain leaves out findings that a run of the old tests must decide.
func certain(fs []testguard.Finding) []testguard.Finding {
	return slices.DeleteFunc(fs, func(f testguard.Finding) bool { return !f.Kind.Certain() })
}

// version makes an empty text stand for no file.
func version(s string) []byte {
	if s == "" {
		return nil
	}
	return []byte(s)
}

// TestMovedTests shows that tests which change their file are not deleted, and
// that a weakened one is still found.
func TestMovedTests(t *testing.T) {
	a := goHead + "func TestA(t *testing.T) {\n\tx := f()\n\tif x != 1 {\n\t\tt.Fatal(x)\n\t}\n}\n"
	got := testguard.All([]testguard.Change{{Path: "a_test.go", Before: []byte(a), After: nil}, {Path: "b/b_test.go", Before: nil, After: []byte(a)}})
	if len(got) != 0 {
		t.Errorf("a moved file gives %+v", got)
	}
	skipped := strings.Replace(a, "x := f()", "t.Skip()\n\tx := f()", 1)
	got = testguard.All([]testguard.Change{{Path: "a_test.go", Before: []byte(a), After: nil}, {Path: "b/b_test.go", Before: nil, After: []byte(skipped)}})
	if len(got) != 1 || got[0].Where != "b/b_test.go:5" || !strings.Contains(got[0].What, "now skipped") {
		t.Errorf("a moved and skipped test gives %+v", got)
	}
	if got := testguard.All(nil); got == nil || len(got) != 0 {
		t.Errorf("no change gives %#v, want an empty list", got)
	}
}

// TestDeletedFileNamesOnlyTheOuterTests keeps a report readable.
func TestDeletedFileNamesOnlyTheOuterTests(t *testing.T) {
	src := goHead + "func TestA(t *testing.T) { t.Run(\"x\", func(t *testing.T) { t.Error(1) }) }\nfunc TestB(t *testing.T) { t.Error() }"
	got := testguard.Compare("a_test.go", []byte(src), nil)
	if len(got) != 2 {
		t.Errorf("found %+v, want TestA and TestB", got)
	}
}

func TestSameNamesCount(t *testing.T) {
	one := "it('works', () => { expect(1) })\n"
	if got := testguard.Compare("a.test.js", []byte(one+one), []byte(one)); len(got) != 1 {
		t.Errorf("two tests of one name became one: %+v", got)
	}
}

func FuzzCompare(f *testing.F) {
	names := []string{"a_test.go", "test_a.py", "a.test.ts", "src/lib.rs", "ATest.java", "spec/a_spec.rb"}
	f.Add(0, goHead+"func TestA(t *testing.T) { t.Skip() }", goHead)
	f.Add(1, "class T:\n  @skip\n  def test_a(self):\n    assert '''x\n''' # y\n", "def test_b(): return")
	f.Add(2, "describe.only(`a${b}`, () => { it.each`x`('y', () => expect(/[/]'/)) })", "test.skip(x)\nxit('a'")
	f.Add(3, "#[test]\n#[ignore]\nfn a<'a>() { assert!(r#\"}\"# == 'x') }", "#[#[test] fn")
	f.Add(4, "@Test(enabled = false) void a() { \"\"\"}\"\"\" }", "@Test @Test(")
	f.Add(5, "x", "")
	f.Fuzz(func(t *testing.T, lang int, before, after string) {
		name := names[((lang%len(names))+len(names))%len(names)]
		for _, fd := range testguard.Compare(name, []byte(before), []byte(after)) {
			if fd.Level != kedge.LevelError || fd.What == "" || !strings.HasPrefix(fd.Where, name) || fd.Fix == "" {
				t.Errorf("finding %+v is not whole", fd)
			}
		}
		if got := testguard.Compare(name, []byte(before), []byte(before)); len(got) != 0 {
			t.Errorf("a file is weaker than itself: %+v", got)
		}
	})
}
