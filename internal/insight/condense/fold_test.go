package condense_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"kedge/internal/insight/condense"
	"kedge/internal/text/words"
)

// What must be found again in a condensed output, by patterns of this test's own.
var (
	failedName  = regexp.MustCompile(`(?m)--- FAIL: (\S+)|^test (\S+) \.\.\. FAILED|^(?:FAILED|ERROR) (\S+::\S+)|^\s*(?:✕|×|✖|not ok \d+ -) (\S[^\n(]*\S)|^FAIL: (\S+)|^FAIL\t(\S+)`)
	errorText   = regexp.MustCompile(`(?m)^\s*(?:\S+: )?(?:fatal |type)?error(?:\[\w+\]|\s\w+\d+)?: (\S[^\n]*\S)|^E   (\S[^\n]*)|^(?:panic|AssertionError|\w*Error): (\S[^\n]*)|^\s*(ERROR[ :][^\n]*\S)`)
	ownPlace    = regexp.MustCompile(`(?:^|[\s("'])((?:\.{0,2}/)?[\w./-]*\w\.(?:go|js|ts|py|rs|c|java|mk)[:(]\d+)`)
	endTotals   = regexp.MustCompile(`(?m)^(?:test result: .*|Ran \d+ tests.*|Tests: .* total|\s+Tests .*\(\d+\)|=+ .* in [\d.]+s.* =+|✖ \d+ problems.*|Found \d+ errors.*|# (?:pass|fail) \d+|ℹ (?:pass|fail) \d+|\s+\d+ (?:passing|failing).*|error: could not compile.*|\[INFO\] BUILD \w+)$`)
	passedTest  = regexp.MustCompile(`(?m)^\s*(?:✓|✔|ok) .*$`) // Playwright gives the places of these too
	passedEvent = regexp.MustCompile(`"Action":"output","Package":("[^"]*"),"Test":("[^"]*")`)
	escapes     = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")
)

func allRecordings(t testing.TB) []string {
	t.Helper()
	long, err := filepath.Glob("testdata/long/*.txt")
	if err != nil || len(long) < 25 {
		t.Fatalf("%d long recordings (%v)", len(long), err)
	}
	return append(long, short(t)...)
}

// TestCondenseKeepsWhatMatters is over the outputs of real tools, passing,
// failing and long: nothing that a person needs is lost, and most of the rest is.
func TestCondenseKeepsWhatMatters(t *testing.T) {
	whole, left := 0, 0
	for _, name := range allRecordings(t) {
		r, out := read(t, name)
		c := condense.Condense(r.Command, out)
		before, now := words.Tokens(out), words.Tokens(c.Text)
		if folder := filepath.Base(filepath.Dir(name)); folder == "long" || folder == "recorded" { // all others are short
			whole, left = whole+before, left+now
		}
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			checkCondensed(t, r.Command, out, c)
			checkKept(t, r, out, c.Text)
			if c.Lines >= condense.MinLines {
				t.Logf("%5d of %5d tokens, %4d of %4d lines", now, before, c.Shown, c.Lines)
			}
		})
	}
	t.Logf("%d of %d tokens left: %.1f%% fewer", left, whole, 100-100*float64(left)/float64(whole))
	if left*100 > whole*15 { // what is promised: at least 85% fewer
		t.Errorf("%d of %d tokens are left, want at most 15%%", left, whole)
	}
}

// checkCondensed holds for every output there can be.
func checkCondensed(t *testing.T, command, out string, c condense.Condensed) {
	t.Helper()
	if c.Lines < condense.MinLines && c.Text != out && !strings.Contains(out, "\r") {
		t.Errorf("an output of %d lines was changed", c.Lines)
	}
	if len(c.Cut) == 0 && c.Text != out {
		t.Error("nothing was left out and the text is another")
	}
	if again := condense.Condense(command, c.Text); again.Text != c.Text {
		t.Errorf("condensed twice:\n%s\nonce:\n%s", again.Text, c.Text)
	}
	if len(c.Text) > len(out) {
		t.Errorf("%d bytes became %d", len(out), len(c.Text))
	}
	if len(c.Cut) > 0 && !strings.HasSuffix(c.Text, "]\n") || len(c.Cut) > 0 && !strings.Contains(c.Text, fmt.Sprintf("\n[kedge: %d of %d lines shown", c.Shown, c.Lines)) {
		t.Errorf("no note: %q", c.Text[max(len(c.Text)-80, 0):])
	}
}

func checkKept(t *testing.T, r recording, out, text string) {
	t.Helper()
	plainOut, plainText := escapes.ReplaceAllString(out, ""), escapes.ReplaceAllString(text, "")
	for what, re := range map[string]*regexp.Regexp{"name": failedName, "error": errorText, "total": endTotals} {
		if strings.HasPrefix(r.Command, "git ") || strings.HasPrefix(r.Command, "rg ") {
			break // lines of files
		}
		for _, m := range re.FindAllStringSubmatch(plainOut, -1) {
			want := m[0]
			for _, g := range m[1:] {
				if g != "" {
					want = g
				}
			}
			if !strings.Contains(plainText, strings.TrimSpace(want)) {
				t.Errorf("%s %q is lost", what, want)
			}
		}
	}
	for _, m := range ownPlace.FindAllStringSubmatch(passedTest.ReplaceAllString(withoutPassed(plainOut), ""), -1) {
		if !foreignPlace(m[1]) && !strings.Contains(plainText, m[1]) && !grouped(plainText, m[1]) {
			t.Errorf("place %q is lost", m[1])
		}
	}
	if r.Failure != nil {
		for l := range strings.SplitSeq(r.Failure.Message, "\n") {
			if l = strings.TrimSpace(l); l != "…" && !strings.HasPrefix(l, "package ") && strings.Contains(plainOut, l) && !strings.Contains(plainText, l) {
				t.Errorf("line %q of the first failure is lost", l)
			}
		}
	}
}

// grouped tells whether a place is below the name of its file.
func grouped(text, place string) bool {
	at := strings.IndexAny(place, "(:")
	_, below, there := strings.Cut("\n"+text, "\n"+place[:at]+"\n")
	return there && regexp.MustCompile(`\b`+place[at+1:]+`:\d+`).MatchString(below)
}

// withoutPassed is the output of go test -v without what was printed while tests ran that
// passed, where all of a package did.
func withoutPassed(out string) string {
	var b, of strings.Builder
	for l := range strings.SplitAfterSeq(out, "\n") {
		if m := passedEvent.FindStringSubmatch(l); m != nil && strings.Contains(out, `"Action":"pass","Package":`+m[1]+`,"Test":`+m[2]) {
			continue
		}
		of.WriteString(l)
		if strings.HasPrefix(l, "ok  \t") || strings.HasPrefix(l, "FAIL\t") {
			if strings.Contains(of.String(), "=== RUN") && strings.HasPrefix(l, "ok") {
				of.Reset()
			}
			b.WriteString(of.String())
			of.Reset()
		}
	}
	return b.String() + of.String()
}

func foreignPlace(p string) bool {
	for _, part := range []string{"node_modules/", "/go/src/", "/lib/python", "site-packages", "/rustc/", "dist-packages", "_testmain.go", "node:", "/.pyenv/"} {
		if strings.Contains(p, part) {
			return true
		}
	}
	return false
}
