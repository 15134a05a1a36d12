package condense_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"kedge/internal/insight/condense"
)

// times repeats a format with numbers from 1.
func times(n int, format string) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// TestCondenseRules covers the tools of which there is no long recording.
func TestCondenseRules(t *testing.T) {
	for _, c := range []struct {
		name, command, out string
		keep, gone         []string
	}{
		{
			"npm", "npm ci", times(80, "npm warn deprecated left-pad@%d: use String.prototype.padStart()\n") +
				"npm error code ERESOLVE\nnpm error could not resolve react@18\n\nadded 812 packages, and audited 813 packages in 9s\n3 vulnerabilities (1 low, 2 high)\n",
			[]string{"npm error code ERESOLVE", "could not resolve react@18", "added 812 packages", "3 vulnerabilities", "80 of installing"},
			[]string{"left-pad@40"},
		},
		{
			"pip", "pip install -r r.txt", times(60, "Collecting thing-%d\n  Downloading thing.whl (10 kB)\n") + "ERROR: No matching distribution found for nope\nSuccessfully installed thing-1\n",
			[]string{"ERROR: No matching distribution found for nope", "Successfully installed thing-1"},
			[]string{"Collecting thing-30"},
		},
		{
			"docker build", "docker build .", "#1 [internal] load build definition\n" + times(100, "#5 sha256:abc %dMB / 100MB\n") + "#5 DONE 2.1s\n#6 [2/3] RUN make\n#6 0.2 cc -c a.c\n#6 0.3 a.c:4:2: error: unknown type name\n#6 ERROR: exit code 2\n" + times(40, "#7 extracting layer %d\n") + "ERROR: failed to solve: exit code 2\n",
			[]string{"#6 0.3 a.c:4:2: error: unknown type name", "#6 ERROR: exit code 2", "ERROR: failed to solve", "#6 [2/3] RUN make", "of progress"},
			[]string{"sha256:abc 50MB"},
		},
		{
			"maven", "mvn test", times(60, "[INFO] Downloading from central: https://example.com/%d.jar\n") + times(30, "[INFO] Running shop.C%dTest\n[INFO] Tests run: 4, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in shop.CTest\n") +
				"[ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0 <<< FAILURE! -- in shop.CartTest\n[ERROR] shop.CartTest.adds -- Time elapsed: 0.01 s <<< FAILURE!\norg.opentest4j.AssertionFailedError: expected: <3> but was: <2>\n\tat shop.CartTest.adds(CartTest.java:9)\n" + times(20, "\tat org.junit.platform.X.f(X.java:%d)\n") + "\n[ERROR] Tests run: 121, Failures: 1, Errors: 0, Skipped: 0\n[INFO] BUILD FAILURE\n",
			[]string{"shop.CartTest.adds", "expected: <3> but was: <2>", "CartTest.java:9", "Tests run: 121, Failures: 1", "BUILD FAILURE", "frames of libraries"},
			[]string{"30.jar", "X.java:10)", "shop.C15Test"},
		},
		{
			"gradle", "gradle build", times(50, "> Task :m%d:compileJava UP-TO-DATE\n") + "> Task :app:test FAILED\n\nCartTest > adds() FAILED\n    org.opentest4j.AssertionFailedError at CartTest.java:9\n\n121 tests completed, 1 failed\nBUILD FAILED in 3s\n50 actionable tasks: 1 executed\n",
			[]string{"> Task :app:test FAILED", "CartTest > adds() FAILED", "CartTest.java:9", "121 tests completed, 1 failed", "BUILD FAILED in 3s", "50 actionable tasks"},
			[]string{":m25:compileJava"},
		},
		{
			"a test whose name speaks of errors", "npx jest", " FAIL  a.test.js\n" + times(90, "  ✓ reports error %d (1 ms)\n") + "  ✕ adds (2 ms)\n\n  ● cart › adds\n\n    Expected: 3\n    Received: 2\n\nTests:       1 failed, 90 passed, 91 total\n",
			[]string{"✕ adds", "● cart › adds", "Expected: 3", "Received: 2", "1 failed, 90 passed", "90 passing tests"},
			[]string{"reports error 45"},
		},
		{
			"an error that was written over", "fetch", times(50, "step %d\n") + "10%\rerror: the disk is full\r100%\n" + times(50, "step %d\n"),
			[]string{"error: the disk is full", "100%"},
			[]string{"step 30"},
		},
		{
			"an equal error", "serve", times(200, "2026-01-02 03:04:05.%03d ERROR refused\n") + "end\n",
			[]string{"ERROR refused", "repeated", "end"},
			nil,
		},
		{
			"names that speak of errors", "cd src && find . -type f", times(300, "./errors/error_%d.go\n") + "find: './secret': Permission denied\n" + times(100, "./fail/%d.go\n"),
			[]string{"find: './secret': Permission denied", "error_1.go", "./fail/100.go"},
			[]string{"error_200.go"},
		},
		{
			"matches with their places", "grep -rn x . | grep y", times(200, "src/a.go:%d: x y "+strings.Repeat("long ", 40)+"\n"),
			[]string{"src/a.go:1:", "src/a.go:77:", "src/a.go:200:"},
			[]string{"src/a.go:77: x y " + strings.Repeat("long ", 40)},
		},
		{
			"tests behind a filter", `cd x && go test -v ./... 2>&1 | grep -E "PASS|FAIL|ok" | sort`,
			times(80, "--- PASS: TestA%d (0.00s)\n") + "--- FAIL: TestMiddle (0.00s)\n" + times(80, "ok  \tshop/p%d\t0.01s\n"),
			[]string{"--- FAIL: TestMiddle", "passing tests"},
			[]string{"TestA40"},
		},
		{
			"a merge with conflicts", "git merge other", times(90, "Auto-merging src/a%d.go\n") + "CONFLICT (content): Merge conflict in src/b.go\n" + times(90, "Auto-merging src/c%d.go\n") +
				"Automatic merge failed; fix conflicts and then commit the result.\n",
			[]string{"CONFLICT (content): Merge conflict in src/b.go", "Automatic merge failed"},
			[]string{"src/a50.go"},
		},
		{
			"a state with conflicts", "git status", "On branch main\nYour branch is behind 'origin/main' by 3 commits.\n\nChanges to be committed:\n" + times(90, "\tmodified:   a%d.go\n") +
				"\nUnmerged paths:\n\tboth modified:   b.go\n\nUntracked files:\n" + times(90, "\tc%d.go\n"),
			[]string{"behind 'origin/main'", "Unmerged paths:", "both modified:   b.go", "Untracked files:"},
			[]string{"a60.go", "c40.go"},
		},
		{
			"a tree of packages", "npm ls --all", times(100, "├── left@1.%d.0\n") + "├── UNMET DEPENDENCY right@^2.0.0\n├── wrong@1.0.0 invalid: \"^2.0.0\" from the root project\n" + times(100, "├── more@1.%d.0\n"),
			[]string{"UNMET DEPENDENCY right@^2.0.0", "wrong@1.0.0 invalid"},
			[]string{"left@1.50.0"},
		},
		{
			"the state of a cluster", "kubectl get pods -A", times(60, "default   web-%d   1/1   Running   0   3d\n") + "default   db-0   0/1   CrashLoopBackOff   12   3d\n" + times(60, "default   job-%d   1/1   Running   0   3d\n"),
			[]string{"db-0   0/1   CrashLoopBackOff"},
			[]string{"web-30 "},
		},
		{
			"a step that broke", "docker pull x", times(60, "0123456789ab: Pulling fs layer %d\n") + "0123456789ab: Download failed, retrying in 5 seconds\n" + times(60, "0123456789ab: Pull complete %d\n"),
			[]string{"Download failed, retrying"},
			[]string{"fs layer 30"},
		},
		{
			"one complaint at many places", "tsc", times(60, "src/a.ts(%d,7): error TS2322: Type 'string' is not assignable to type 'number'.\n") + "src/b.ts(7,7): error TS2304: Cannot find name 'missing'.\n",
			[]string{"src/a.ts\n  error TS2322: Type 'string' is not assignable to type 'number'. (60)\n    1:7, 2:7, ", " 60:7\n", "src/b.ts\n  error TS2304: Cannot find name 'missing'. at 7:7\n", "61 grouped by file]"},
			[]string{"src/a.ts(4,7)"},
		},
		{
			"two complaints that begin alike", "npm run types", "> tsc\n\n" + times(30, "src/a.ts(%d,7): error TS2322: Type 'string' is not assignable to type 'number'.\n") + times(30, "src/b.ts(%d,7): error TS2322: Type 'boolean' is not assignable to type 'number'.\n") +
				"src/c.ts(1,7): error TS2345: Argument of type 'A' is not assignable to parameter of type 'B'.\n  Property 'x' is missing in type 'A'.\n",
			[]string{"> tsc\n", "src/b.ts\n  error TS2322: Type 'boolean' is not assignable to type 'number'. (30)\n", "src/c.ts\n  error TS2345: Argument of type 'A'", "    Property 'x' is missing in type 'A'.\n"},
			nil,
		},
		{
			"complaints of a linter", "npm run lint", "> eslint .\n\n" + times(20, "/work/app/src/f%[1]d.js\n  3:7   error    'v%[1]d' is defined but never used  no-unused-vars\n  9:12  warning  Unexpected console statement  no-console\n\n") +
				"/work/app/src/odd.js\n  1:1  error  Parsing error: Unexpected token\n\n✖ 41 problems (21 errors, 20 warnings)\n",
			[]string{
				"the files below are in /work/app/src/\nerror no-unused-vars (20): … is defined but never used\n  f1.js 3:7 'v1'\n", "  f20.js 3:7 'v20'\n",
				"warning no-console (20): Unexpected console statement\n  f1.js 9:12\n", "error (1): Parsing error: Unexpected token\n  odd.js 1:1\n", "✖ 41 problems (21 errors, 20 warnings)",
			},
			[]string{"f4.js\n"},
		},
		{
			"the same complaint of another compiler", "lint", times(60, "src/a.x:%d:7: error E2322: type 'string' is not assignable to type 'number'.\n") + "src/b.x:7:7: error E2304: cannot find name 'missing'.\n",
			[]string{"src/a.x:3:7: error E2322: type 'string' is", "src/a.x:4:7: error E2322: type … as above\n", "src/a.x:60:7: error E2322: type … as above\n", "src/b.x:7:7: error E2304: cannot find name 'missing'."},
			[]string{"src/a.x:4:7: error E2322: type '"},
		},
		{
			"source that is quoted again", "cargo build", times(20, "error[E0308]: mismatched types\n  --> src/lib.rs:%[1]d:30\n   |\n%[1]d | pub fn function%[1]d(price: i32) -> i32 { }\n   |         ^^^ expected `i32`, found `()`\n\n") +
				"error[E0308]: mismatched types\n  --> src/lib.rs:99:30\n   |\n99 | fn last() { }\n   |         ^^^ expected `u8`, found `()`\n\nerror: could not compile\n",
			[]string{"src/lib.rs:3:30", "function3(", "src/lib.rs:4:30", "src/lib.rs:20:30", "src/lib.rs:99:30", "expected `u8`, found `()`"},
			[]string{"function4(", "function20("},
		},
		{
			"a report before a listing", "go test ./...; git status", times(60, "log %d\n") + "--- FAIL: TestX (0.00s)\n    x_test.go:7: broke\n" + times(60, "log %d\n") + "Unmerged paths:\n\tboth modified:   b.go\n" + times(60, "\tc%d.go\n"),
			[]string{"--- FAIL: TestX", "x_test.go:7: broke", "both modified:   b.go"},
			[]string{"log 30\n"},
		},
		{
			"what xargs runs", "find . -name '*.go' | xargs grep -n TODO", times(80, "./src/a.go:%d:// TODO here "+strings.Repeat("long ", 20)+"\n"),
			[]string{"./src/a.go:2:", "./src/a.go:40:", "./src/a.go:79:"},
			[]string{"./src/a.go:40:// TODO here " + strings.Repeat("long ", 20)},
		},
		{
			"lines of one file", "grep -n x big.log", times(80, "%d:x y "+strings.Repeat("long ", 40)+"\n"),
			[]string{"1:x y", "40:x y", "79:x y"},
			[]string{"40:x y " + strings.Repeat("long ", 40)},
		},
		{
			"lines that begin with a time", "grep x big.log", times(80, "12:04:%02d x y long enough to be left out\n"),
			[]string{"12:04:01 x", "12:04:80 x"},
			[]string{"12:04:40 x"},
		},
		{
			"an install that broke", "pip install x", times(60, "Collecting part%d\n") + "  Building wheel for x (setup.py): finished with status 'error'\n" + times(60, "Collecting more%d\n"),
			[]string{"finished with status 'error'"},
			[]string{"part30"},
		},
		{
			"trouble inside a very long line", "make", times(60, "a%d\n") + strings.Repeat("x ", 2000) + "src/db.c:77: connection refused" + strings.Repeat(" y", 2000) + "\n" + times(60, "b%d\n"),
			[]string{"src/db.c:77: connection refused", "bytes …"},
			[]string{strings.Repeat("x ", 1000)},
		},
		{
			"how a child ended", "sh all.sh", times(60, "step %d\n") + "worker 3 exited with code 137\n" + times(60, "step %d\n"),
			[]string{"worker 3 exited with code 137"},
			[]string{"step 30"},
		},
		{
			"a very long line", "cat bundle.js", times(60, "a%d\n") + strings.Repeat("x", 100_000) + "\nerror: " + strings.Repeat("y", 1000) + "\n",
			[]string{"bytes …", "error: " + strings.Repeat("y", 1000)},
			[]string{strings.Repeat("x", 5000)},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := condense.Condense(c.command, c.out)
			checkCondensed(t, c.command, c.out, got)
			if len(got.Cut) == 0 {
				t.Error("nothing was left out")
			}
			for _, k := range c.keep {
				if !strings.Contains(got.Text, k) {
					t.Errorf("%q is lost in\n%s", k, got.Text)
				}
			}
			for _, g := range c.gone {
				if strings.Contains(got.Text, g) {
					t.Errorf("%q is still in\n%s", g, got.Text)
				}
			}
		})
	}
}

// TestCondenseKeepsBadStates: what real tools said of the one thing in a bad state
// among many is there.
func TestCondenseKeepsBadStates(t *testing.T) {
	for name, keep := range map[string][]string{
		"git-long-merge":          {"CONFLICT (content): Merge conflict in src/f45.go", "CONFLICT (modify/delete): src/f60.go", "Automatic merge failed"},
		"git-long-unmerged":       {"You have unmerged paths.", "Unmerged paths:", "both modified:   src/f45.go", "deleted by them: src/f60.go", "Untracked files:"},
		"git-long-unmerged-short": {"UU src/f45.go", "UD src/f60.go"},
		"git-long-stat":           {"    first", "    our side", "90 files changed, 900 insertions(+)", "90 files changed, 91 insertions(+), 91 deletions(-)"},
		"npm-long-ls":             {"UNMET DEPENDENCY absent@^2.0.0", `wrong@1.0.0 invalid: "^2.0.0"`, "npm error missing: absent@^2.0.0"},
		"go-long-filter":          {"--- FAIL: TestThirty", "FAIL\texample.com/shop/p30"},
	} {
		r, out := read(t, "testdata/long/"+name+".txt")
		c := condense.Condense(r.Command, out)
		for _, k := range keep {
			if !strings.Contains(out, k) || !strings.Contains(c.Text, k) {
				t.Errorf("%s: %q is lost in\n%s", name, k, c.Text)
			}
		}
		if len(c.Cut) == 0 {
			t.Errorf("%s: nothing was left out", name)
		}
	}
}

// TestCondensedCounts: the figures add up to the lines of the output.
func TestCondensedCounts(t *testing.T) {
	out := times(30, "=== RUN   Test%d\n") + times(100, "log %d\n") + "--- FAIL: TestX (0.00s)\n"
	c := condense.Condense("go test -v", out)
	sum := c.Shown
	for _, k := range c.Cut {
		sum += k.Lines
	}
	if c.Lines != 131 || sum != c.Lines || len(c.Cut) < 2 {
		t.Errorf("%+v", c)
	}
	if again := condense.Condense("go test -v", c.Text+"all of it: kedge logs exec-1\n"); len(again.Cut) != 0 {
		t.Errorf("condensed again: %+v", again.Cut)
	}
}

// sure are lines that nobody may lose, whatever stands around them.
var sure = regexp.MustCompile(`^(?:error: \w+|--- FAIL: \w+ \(\d\.\d\ds\)|src/\w+\.go:\d+: \w+|test result: FAILED\. \d+ passed; \d+ failed|FAIL\t\w+)$`)

func FuzzCondense(f *testing.F) {
	for _, name := range allRecordings(f) {
		if r, out := read(f, name); len(out) < 20_000 {
			f.Add(r.Command, out)
		}
	}
	f.Add("x", strings.Repeat("\r\n", 50)+"\xff\xfe\x1b[")
	f.Add("go test", times(50, "ok %d\n")+"error: bad\n"+times(50, "ok %d\n"))
	f.Fuzz(func(t *testing.T, command, out string) {
		c := condense.Condense(command, out)
		checkCondensed(t, command, out, c)
		if regexp.MustCompile(`ls|find|grep|rg|ag|ack|tree|fd|du|diff|git|ll|ps|docker`).MatchString(command) {
			return // whose lines are data
		}
		have := map[string]bool{}
		for l := range strings.SplitSeq(c.Text, "\n") {
			have[strings.TrimRight(l, "\r")] = true
		}
		for l := range strings.SplitSeq(out, "\n") {
			if sure.MatchString(l) && !have[l] {
				t.Errorf("%q is lost of %q: %q", l, out, c.Text)
			}
		}
	})
}
