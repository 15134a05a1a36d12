package failure_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"kedge"
	"kedge/internal/insight/failure"
)

// TestRow15GenericRule covers what no recording does: tools without a reader of
// their own, older versions, and output that is damaged.
func TestRow15GenericRule(t *testing.T) {
	for _, c := range []struct {
		name, command, out string
		want               kedge.Failure
	}{
		{
			"place and word", "lint", "checking\nsrc/a.rb:12: undefined method `x'\n",
			kedge.Failure{File: "src/a.rb", Line: 12, Message: "undefined method `x'"},
		},
		{
			"place before a bare word", "x", "error: something\nb.sh:3: error in the script\n",
			kedge.Failure{File: "b.sh", Line: 3, Message: "error in the script"},
		},
		{
			"place in the middle", "x", "ERROR in src/app.vue:7:3 the thing broke\n",
			kedge.Failure{File: "src/app.vue", Line: 7, Message: "ERROR in src/app.vue:7:3 the thing broke"},
		},
		{
			"linter's code", "ruff check", "a.py:1:8: F401 `os` imported but unused\n",
			kedge.Failure{File: "a.py", Line: 1, Message: "F401 `os` imported but unused"},
		},
		{
			"word only", "x", "starting\n0 errors so far\nfatal: no remote\n  hint one\nrest\n",
			kedge.Failure{Message: "fatal: no remote\n  hint one"},
		},
		{
			"no word", "x", "one\n\ntwo\n",
			kedge.Failure{Message: "one\ntwo"},
		},
		{
			"none failed is no failure", "x", "tests: 5, failed: 0\nno errors\nok 3 - handles the error\nthe disk is full\n",
			kedge.Failure{Message: "tests: 5, failed: 0\nno errors\nok 3 - handles the error\nthe disk is full"},
		},
		{
			"escape codes", "x", "\x1b[31msrc/a.c\x1b[0m:4:2: \x1b]8;;http://x\x07error\x1b]8;;\x1b\\: bad\x1b(B\n",
			kedge.Failure{File: "src/a.c", Line: 4, Message: "bad"},
		},
		{
			"progress overwritten", "x", "10%\r50%\r100%\rerror: it broke\r\n",
			kedge.Failure{Message: "error: it broke"},
		},
		{
			"not UTF-8", "x", "error: caf\xe9\x00\x07\n",
			kedge.Failure{Message: "error: caf\uFFFD"},
		},
		{
			"testify", "go test ./...",
			"--- FAIL: TestUser (0.00s)\n    user_test.go:9: \n        \tError Trace:\t/p/user_test.go:9\n        \tError:      \tNot equal\nFAIL\nFAIL\texample.com/user\t0.1s\n",
			kedge.Failure{Test: "TestUser", File: "user_test.go", Line: 9, Message: "user_test.go:9:\n    \tError Trace:\t/p/user_test.go:9\n    \tError:      \tNot equal\npackage example.com/user"},
		},
		{
			"a passing test that logs a stack", "npm test && go test -v",
			"=== RUN   TestA\nTypeError: logged only\n    at f (/p/a.js:1:2)\n--- PASS: TestA (0.00s)\n=== RUN   TestB\n    b_test.go:5: wrong\n--- FAIL: TestB (0.00s)\nFAIL\n",
			kedge.Failure{Test: "TestB", File: "b_test.go", Line: 5, Message: "b_test.go:5: wrong"},
		},
		{
			"the runner that fails first", "make", "---- a::b stdout ----\nthread 'a::b' panicked at 'left != right', src/x.rs:3:5\n\n--- FAIL: TestB (0.00s)\n    b_test.go:5: wrong\n",
			kedge.Failure{Test: "a::b", File: "src/x.rs", Line: 3, Message: "left != right"},
		},
		{
			"go log line is no diagnostic", "make check", "main.go:12: serving\nERROR the port is taken\n",
			kedge.Failure{Message: "ERROR the port is taken"},
		},
		{
			"go diagnostic without a column", "go vet ./...", "main.go:12: unreachable code\n",
			kedge.Failure{File: "main.go", Line: 12, Message: "unreachable code"},
		},
		{
			"go panic in a program", "./run.sh", "serving\npanic: boom\n\ngoroutine 1 [running]:\nmain.main()\n\t/p/main.go:5 +0x1d\nexit status 2\n",
			kedge.Failure{File: "/p/main.go", Line: 5, Message: "panic: boom"},
		},
		{
			"older surefire", "mvn test", "Tests run: 1, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.1 sec <<< FAILURE! - in shop.CartTest\nadds(shop.CartTest)  Time elapsed: 0.01 sec  <<< FAILURE!\njava.lang.AssertionError: expected:<3> but was:<2>\n\tat org.junit.Assert.fail(Assert.java:88)\n\tat shop.CartTest.adds(CartTest.java:9)\n",
			kedge.Failure{Test: "shop.CartTest.adds", File: "CartTest.java", Line: 9, Message: "java.lang.AssertionError: expected:<3> but was:<2>"},
		},
		{
			"newer surefire", "mvn test", "[ERROR] shop.CartTest.adds -- Time elapsed: 0.01 s <<< ERROR!\njava.lang.IllegalStateException: no\n\tat java.base/java.util.Objects.x(Objects.java:1)\n\tat shop.Cart.pay(Cart.java:4)\n",
			kedge.Failure{Test: "shop.CartTest.adds", File: "Cart.java", Line: 4, Message: "java.lang.IllegalStateException: no"},
		},
		{
			"java program", "java -jar x.jar", "Exception in thread \"main\" java.lang.NullPointerException: no cart\n\tat shop.Main.main(Main.java:7)\n",
			kedge.Failure{File: "Main.java", Line: 7, Message: "java.lang.NullPointerException: no cart"},
		},
		{
			"gradle with a stack", "gradle test", "CartTest > adds() FAILED\n    org.opentest4j.AssertionFailedError: expected: <3> but was: <2>\n        at app//org.junit.jupiter.api.Assert.fail(Assert.java:1)\n        at app//shop.CartTest.adds(CartTest.java:9)\n\n1 test completed, 1 failed\n",
			kedge.Failure{Test: "CartTest > adds()", File: "CartTest.java", Line: 9, Message: "org.opentest4j.AssertionFailedError: expected: <3> but was: <2>"},
		},
		{
			"make -j with two folders open", "make -j2", "make[1]: Entering directory '/p/a'\nmake[1]: Entering directory '/p/b'\nx.c:1:2: error: bad\n",
			kedge.Failure{File: "x.c", Line: 1, Message: "bad"},
		},
		{
			"make -j with one folder left", "make -j2", "make[1]: Entering directory '/p/a'\nmake[1]: Entering directory '/p/b'\nmake[1]: Leaving directory '/p/b'\nx.c:1:2: error: bad\n",
			kedge.Failure{File: "x.c", Line: 1, Message: "bad\nin /p/a"},
		},
		{
			"only make speaks", "make -k", "make: Entering directory '/p'\nmake: Target 'all' not remade because of errors.\nmake: Leaving directory '/p'\n",
			kedge.Failure{Message: "make: Target 'all' not remade because of errors."},
		},
		{
			"nothing but a diff", "make check", "--- want.txt\t2026\n+++ got.txt\t2026\n@@ -1 +1 @@\n-3\n+4\n",
			kedge.Failure{Message: "- want.txt, + got.txt:\n-3\n+4"},
		},
		{
			"older tap without a stack", "tap", "not ok 1 - adds\n  ---\n  diff: |\n    --- expected\n    +++ actual\n    @@ -1,1 +1,1 @@\n    -3\n    +-1\n  at:\n    line: 5\n    column: 5\n    file: test/cart.js\n  ...\n",
			kedge.Failure{Test: "adds", File: "test/cart.js", Line: 5, Message: "- expected, + actual:\n-3\n+-1"},
		},
		{
			"older tap as it speaks to people", "tap -R base", " ✖ should be equal\n\n  test/cart.js\n> 5 |   t.equal(total(1, 2), 3)\n    | ----^\n\n  --- expected\n  +++ actual\n  @@ -1,1 +1,1 @@\n  -3\n  +-1\n\n  test: test/cart.js cart\n  stack: |\n    Test.<anonymous> (test/cart.js:5:5)\n\nSuites:   1 failed\n",
			kedge.Failure{Test: "should be equal", File: "test/cart.js", Line: 5, Message: "- expected, + actual:\n-3\n+-1"},
		},
		{
			"node: a file that another one loads cannot be read", "node main.cjs",
			"/p/bad.cjs:3\n  b: 2;\n      ^\n\nSyntaxError: Unexpected token ';'\n    at wrapSafe (node:internal/modules/cjs/loader:1464:18)\n    at Object.<anonymous> (/p/main.cjs:1:1)\n\nNode.js v20.20.2\n",
			kedge.Failure{File: "/p/bad.cjs", Line: 3, Message: "SyntaxError: Unexpected token ';'"},
		},
		{
			"node --test: a module cannot be read", "node --test",
			"TAP version 13\n# file:///p/double.js:3\n# }}\n#  ^\n# SyntaxError: Unexpected token '}'\n#     at compileSourceTextModule (node:internal/modules/esm/utils:346:16)\n#     at ModuleLoader.loadAndTranslate (node:internal/modules/esm/loader:544:27)\n# Node.js v20.20.2\n# Subtest: /p/double.test.js\nnot ok 1 - /p/double.test.js\n  ---\n  location: '/p/double.test.js:1:1'\n  failureType: 'testCodeFailure'\n  exitCode: 1\n  error: 'test failed'\n  ...\n1..1\n",
			kedge.Failure{File: "/p/double.js", Line: 3, Message: "SyntaxError: Unexpected token '}'"},
		},
		{
			"tap of a file that died", "tap", "TypeError: no card\n    at pay (/p/cart.js:3:9)\nnot ok 1 - test/cart.js # time=8.1ms\n  ---\n  command: node\n  exitCode: 1\n  ...\n1..1\n",
			kedge.Failure{File: "/p/cart.js", Line: 3, Message: "TypeError: no card"},
		},
		{
			"tap of a file that died in silence", "tap", "not ok 1 - test/cart.js # time=8.1ms\n  ---\n  command: node\n  exitCode: 1\n  ...\n1..1\n",
			kedge.Failure{Test: "test/cart.js", Message: "command: node\nexitCode: 1"},
		},
		{
			"gtest for Visual Studio", "sum_test", "[ RUN      ] Sum.Adds\nC:\\p\\sum.cc(6): error: Value of: ok\n  Actual: false\n[  FAILED  ] Sum.Adds (0 ms)\n",
			kedge.Failure{Test: "Sum.Adds", File: "C:\\p\\sum.cc", Line: 6, Message: "Value of: ok\n  Actual: false"},
		},
		{
			"older kotlinc", "gradle build", "e: /p/src/Cart.kt: (3, 16): Unresolved reference: prices\n",
			kedge.Failure{File: "/p/src/Cart.kt", Line: 3, Message: "Unresolved reference: prices"},
		},
		{
			"tap with diagnostics", "prove", "ok 1 - fine\nnot ok 2 - later # TODO soon\nnot ok 3 - adds\n#   Failed test 'adds'\n#   at t/add.t line 4.\nok 4\n",
			kedge.Failure{Test: "adds", File: "t/add.t", Line: 4, Message: "Failed test 'adds'\nat t/add.t line 4."},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := failure.First(c.command, c.out)
			if !ok || got != c.want {
				t.Errorf("found %v\n%+v\nwant\n%+v", ok, got, c.want)
			}
		})
	}
}

func TestFirstOfNothing(t *testing.T) {
	for _, out := range []string{"", "\n", " \t\r\n\x1b[0m\n"} {
		if f, ok := failure.First("go test ./...", out); ok {
			t.Errorf("First(%q) = %+v", out, f)
		}
	}
}

func TestFirstIsBounded(t *testing.T) {
	long := strings.Repeat("é", 3000)
	out := "--- FAIL: TestLong (0.00s)\n" + strings.Repeat("    a_test.go:1: wrong "+long+"\n", 500) + "FAIL\tp\t1s\n"
	f, ok := failure.First("go test", out)
	if !ok || f.Test != "TestLong" || f.Line != 1 {
		t.Fatalf("found %+v", f)
	}
	checkFailure(t, f)
	if !strings.HasSuffix(f.Message, "package p") || !utf8.ValidString(f.Message) {
		t.Errorf("message ends %q", f.Message[len(f.Message)-40:])
	}
}

// TestFirstReadsFarIn finds a failure behind much other output, and behind a line
// that is longer than what is looked at.
func TestFirstReadsFarIn(t *testing.T) {
	noise := strings.Repeat("2026-01-02 request served, status 200, all is well\n", 5_000)
	fail := "--- FAIL: TestFar (0.00s)\n    far_test.go:7: wrong\nFAIL\n"
	for name, out := range map[string]string{
		"among many lines":    noise + fail + noise,
		"after one long line": strings.Repeat("x", 1<<20) + "\n" + fail,
	} {
		f, ok := failure.First("go test -v", out)
		if !ok || f.Test != "TestFar" || f.File != "far_test.go" || f.Line != 7 {
			t.Errorf("%s: found %+v", name, f)
		}
		if failure.NoTests("go test", out) {
			t.Errorf("%s: no tests", name)
		}
	}
}

func TestNoTests(t *testing.T) {
	for _, c := range []struct {
		command, out string
		want         bool
	}{
		{"go test ./...", "go: warning: \"./...\" matched no packages\nno packages to test\n", true},
		{"go test ./...", "?   \ta\t[no test files]\nok  \tb\t0.1s [no tests to run]\n", true},
		{"go test ./...", "?   \ta\t[no test files]\nok  \tb\t0.1s\n", false},
		{"go test ./...", "?   \ta\t[no test files]\nok  \tb\t(cached)\n", false},
		{"go test ./...", "FAIL\tb [build failed]\n", false},
		{"go test -cover", "\ta\t\tcoverage: 0.0% of statements\n", true},
		{"go test -v", "=== RUN   TestA\n--- SKIP: TestA (0.00s)\nPASS\nok  \ta\t0.1s\n", true},
		{"go test -v", "--- SKIP: TestA (0.00s)\n--- PASS: TestB (0.00s)\nPASS\nok  \ta\t0.1s\n", false},
		{"pytest -q", "no tests ran in 0.01s\n", true},
		{"pytest -q", "3 skipped in 0.01s\n", true},
		{"pytest -q", "1 passed, 3 skipped, 2 warnings in 0.01s\n", false},
		{"pytest", "=== 1 error in 0.2s ===\n", false},
		{"cargo test", "test result: ok. 0 passed; 0 failed; 0 ignored\ntest result: ok. 2 passed; 0 failed\n", false},
		{"cargo test", "test result: ok. 0 passed; 0 failed; 3 ignored\n", true},
		{"npx jest", "Tests:       1 failed, 2 skipped, 3 total\n", false},
		{"npx jest", "Tests:       3 todo, 3 total\n", true},
		{"npx vitest", "      Tests  1 passed | 2 skipped (3)\n", false},
		{"mocha", "\n  0 passing (1ms)\n", true},
		{"mocha", "\n  0 passing (1ms)\n  1 failing\n", false},
		{"node --test", "ℹ tests 0\nℹ pass 0\nℹ fail 0\n", true},
		{"node --test", "ℹ tests 2\nℹ pass 2\nℹ fail 0\n", false},
		{"python -m unittest", "Ran 0 tests in 0.000s\n\nNO TESTS RAN\n", true},
		{"mvn test", "Tests run: 0, Failures: 0\n", true},
		{"mvn test", "[INFO] Tests run: 3, Failures: 0\n", false},
		{"gradle test", "> Task :test NO-SOURCE\n", true},
		{"rspec", "0 examples, 0 failures\n", true},
		{"rspec", "2 examples, 0 failures\n", false},
		{"make build", "compiled\n", false},
		{"true", "", false},
	} {
		if got := failure.NoTests(c.command, c.out); got != c.want {
			t.Errorf("NoTests(%q, %q) = %v", c.command, c.out, got)
		}
	}
}
