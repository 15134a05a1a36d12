package condense_test

import (
	"path/filepath"
	"strings"
	"testing"

	"kedge/internal/insight/condense"
	"kedge/internal/text/words"
)

// fresh are outputs with an odd one out of which the facts were written down before the first
// of them was condensed. Those of kubectl, docker, terraform and journalctl are made after the
// form of the real tool, all others were recorded.
var fresh = []struct {
	name, command string
	facts         []string
}{
	{"eslint", "eslint src", []string{"m37.js", "eqeqeq"}},
	{"tsc", "tsc -p .", []string{"TS2554", "m41.ts"}},
	{"pytest", "pytest-3 -v -rx", []string{"test_case[213] XFAIL", "old_port is gone in 4.0"}},
	{"go", "go test -v ./...", []string{"TestCase117", "needs the licence server", "TestCase181 (2.30s)"}},
	{"cargo", "cargo build", []string{"unused `Result` that must be used", "src/main.rs:243"}},
	{"shellcheck", "shellcheck deploy.sh", []string{"SC2115"}},
	{"make", "make", []string{"f58.c", "-Wparentheses"}},
	{"javac", "javac -Xlint:all -Xmaxwarns 500 -d out *.java", []string{"C22.java"}},
	{"kubectl", "kubectl get pods", []string{"cart-5d9c7b6f4-zz9qx", "9 (4m ago)"}},
	{"docker", "docker ps -a", []string{"Restarting (137)", "0.0.0.0:2375"}},
	{"terraform", "terraform plan", []string{"aws_db_instance.orders must be replaced", "forces replacement", "Plan: 1 to add, 45 to change, 1 to destroy."}},
	{"journalctl", "journalctl -u shop-api", []string{"lease of shard 7 handed to shop-b", "stepped by -41.207 seconds"}},
	{"npm", "npm ls --all", []string{`invalid: "^9.0.0"`}},
}

// TestCondenseKeepsTheOddOneOutOfOthers: every fact is there, and 85 % of the tokens are not.
func TestCondenseKeepsTheOddOneOutOfOthers(t *testing.T) {
	names, err := filepath.Glob("testdata/fresh/*.gz")
	if err != nil || len(names) != len(fresh) {
		t.Fatalf("%d outputs (%v), and facts for %d", len(names), err, len(fresh))
	}
	whole, left, facts, kept := 0, 0, 0, 0
	for _, o := range fresh {
		out := unzip(t, "testdata/fresh/"+o.name+".txt.gz")
		c := condense.Condense(o.command, out)
		checkCondensed(t, o.command, out, c)
		before, now := words.Tokens(out), words.Tokens(c.Text)
		whole, left = whole+before, left+now
		t.Logf("%-10s %5d of %5d tokens, %4d of %4d lines", o.name, now, before, c.Shown, c.Lines)
		for _, f := range o.facts {
			if facts++; strings.Contains(c.Text, f) {
				kept++
			} else {
				t.Errorf("%s: %q is lost in\n%s", o.name, f, c.Text)
			}
		}
	}
	t.Logf("%d of %d facts, %d of %d tokens left: %.1f%% fewer", kept, facts, left, whole, 100-100*float64(left)/float64(whole))
	if left*100 > whole*15 {
		t.Errorf("%d of %d tokens are left, want at most 15%%", left, whole)
	}
}

// TestCondensePutsWarningsTogether: of warnings that say the same of many places the first are
// whole, of the others there is the place and what is their own; an error, and a line that
// something else printed between them, stays.
func TestCondensePutsWarningsTogether(t *testing.T) {
	rust := times(20, "warning: unused variable: `spare%[1]d`\n --> src/main.rs:%[1]d:9\n  |\n%[1]d |     let spare%[1]d = a;\n  |         ^^^^^ help: prefix it\n\n")
	java := times(20, "src/C%[1]d.java:%[1]d: warning: [rawtypes] found raw type: List\n  List raw%[1]d = x();\n  ^\n  missing type arguments for generic class List<E>\n")
	shell := times(20, "In a.sh line %[1]d:\ncp $src%[1]d dst\n   ^---^ SC2086 (info): Double quote to prevent globbing.\n\n")
	for name, c := range map[string]struct {
		command, out string
		want, not    []string
	}{
		"rust":  {"cargo build", rust + "error: cannot find value `x`\n --> src/main.rs:99:9\n", []string{"let spare2 = a;", "alike: warning (18): unused variable: …", " 17:9 `spare17`", "src/main.rs:99:9"}, []string{"let spare17"}},
		"java":  {"javac *.java", java + "20 warnings\n", []string{"List raw2 ", "alike: warning rawtypes (18): found raw type: List", "  src/C17.java 17\n", "20 warnings"}, []string{"List raw17"}},
		"shell": {"shellcheck a.sh", shell, []string{"cp $src2 dst", "alike: warning SC2086 (18): cp … dst", "17 $src17"}, []string{"cp $src17"}},
		"few":   {"cargo build", times(5, "warning: unused variable: `spare%[1]d`\n --> src/main.rs:%[1]d:9\n  |\n%[1]d |     let spare%[1]d = a;\n\n") + times(60, "log %d\n"), []string{"`spare5`"}, []string{"alike"}},
		"mixed": {"sh all.sh", strings.Replace(java, "  List raw17 = x();\n", "    cart_test.go:6: nothing in it\n  List raw17 = x();\n", 1), []string{"cart_test.go:6"}, nil},
	} {
		got := condense.Condense(c.command, c.out)
		checkCondensed(t, c.command, c.out, got)
		for _, s := range c.want {
			if !strings.Contains(got.Text, s) {
				t.Errorf("%s: %q is lost in\n%s", name, s, got.Text)
			}
		}
		for _, s := range c.not {
			if strings.Contains(got.Text, s) {
				t.Errorf("%s: %q is in\n%s", name, s, got.Text)
			}
		}
	}
}
