package condense_test

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"kedge/internal/insight/condense"
	"kedge/internal/text/words"
)

// TestCondenseApart is over outputs that are not among those by which the share is
// measured. They are no proof of tools that were never seen: rules for Terraform, for
// what find runs and for source without a bar were made or mended by looking at these,
// and git, go and python have rules of their own. What matters is kept here too; what a
// person would look for first is named by hand, and at least half of all goes.
func TestCondenseApart(t *testing.T) {
	names, err := filepath.Glob("testdata/apart/*.txt")
	if err != nil || len(names) < 10 {
		t.Fatalf("%d recordings (%v)", len(names), err)
	}
	look := map[string][]string{
		"javac-apart-errors":    {"shop/Part1.java:5: error: cannot find symbol", "shop/Part25.java:8: error: incompatible", "variable total25", "50 errors"},
		"prove-apart-verbose":   {"not ok 17 - case 17 handles an error", "no such table: orders", "Result: FAIL"},
		"prove-apart-plain":     {"Failed test 'case 17 handles an error'", "no such table: orders at t/f9.t line"},
		"terraform-apart-plan":  {"must be replaced", "will be destroyed", "Plan: "},
		"terraform-apart-apply": {"Apply complete!"},
		"gcc-apart-link":        {"undefined reference to `missing'", "collect2: error: ld returned 1 exit status"},
		"python-apart-logging":  {"order 7 cannot be read", "order 167 cannot be read", "queue is at 120 of 128", `app.py", line 9, in parse`},
		"diff-apart-folders":    {"Only in a/src: f99.txt", "Only in b/src: new.txt"},
		"tar-apart-list":        {"tar: none: Cannot stat", "Exiting with failure status"},
		"strace-apart-calls":    {`"none", O_RDONLY)      = -1 ENOENT`, "+++ exited with 1 +++"},
		"find-apart-exec":       {"a/src/f1.txt:2:", "b/src/f119.txt:2:"},
	}
	whole, left := 0, 0
	for _, name := range names {
		r, out := read(t, name)
		c := condense.Condense(r.Command, out)
		before, now := words.Tokens(out), words.Tokens(c.Text)
		whole, left = whole+before, left+now
		base := strings.TrimSuffix(filepath.Base(name), ".txt")
		t.Run(base, func(t *testing.T) {
			t.Logf("%5d of %5d tokens, %4d of %4d lines", now, before, c.Shown, c.Lines)
			checkCondensed(t, r.Command, out, c)
			checkKept(t, r, out, c.Text)
			for _, k := range look[base] {
				if !strings.Contains(out, k) || !strings.Contains(c.Text, k) {
					t.Errorf("%q is lost in\n%s", k, c.Text)
				}
			}
		})
	}
	t.Logf("%d of %d tokens left: %.1f%% fewer", left, whole, 100-100*float64(left)/float64(whole))
	if left*2 > whole {
		t.Errorf("%d of %d tokens are left, want at most half", left, whole)
	}
}

// TestCondenseMixed: pieces of all recordings in another order, as a script that runs
// many tools prints them, keep what matters too.
func TestCondenseMixed(t *testing.T) {
	names := allRecordings(t)
	more, err := filepath.Glob("testdata/apart/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	var pieces []string
	for _, name := range append(names, more...) {
		r, out := read(t, name)
		if strings.Contains(r.Command, "-json") { // a piece of it is no text
			continue
		}
		lines := strings.SplitAfter(out, "\n")
		for len(lines) > 0 {
			n := min(25, len(lines))
			pieces = append(pieces, strings.TrimSuffix(strings.Join(lines[:n], ""), "\n")+"\n")
			lines = lines[n:]
		}
	}
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 5))
		var b strings.Builder
		for range 40 {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		out := b.String()
		c := condense.Condense("sh all.sh", out)
		checkCondensed(t, "sh all.sh", out, c)
		checkKept(t, recording{Command: "sh all.sh"}, out, c.Text)
	}
}
