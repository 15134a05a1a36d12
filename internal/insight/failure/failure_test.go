package failure_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"kedge"
	"kedge/internal/insight/failure"
)

var update = flag.Bool("update", false, "write what is found as what is expected")

// recording is the .json beside a recorded output. A run that was green has no
// failure.
type recording struct {
	Command string         `json:"command"`
	Exit    int            `json:"exit"`
	NoTests bool           `json:"no_tests"`
	Failure *kedge.Failure `json:"failure"`
}

// recordings gives the outputs of real tools, and those in made: written for this test
// in the form of tools that are not easily had.
func recordings(t testing.TB) []string {
	t.Helper()
	var names []string
	for _, folder := range []string{"recorded", "runners", "made"} {
		list, err := filepath.Glob("testdata/" + folder + "/*.txt")
		if err != nil || len(list) < 25 {
			t.Fatalf("%s: %d outputs (%v), want at least 25", folder, len(list), err)
		}
		names = append(names, list...)
	}
	return names
}

func read(t testing.TB, name string) (recording, string) {
	t.Helper()
	out, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(strings.TrimSuffix(name, ".txt") + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var r recording
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r, string(out)
}

// TestRow15FirstFailure compares what is found in outputs of real tools with
// what a person checked.
func TestRow15FirstFailure(t *testing.T) {
	for _, name := range recordings(t) {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			want, out := read(t, name)
			got := recording{Command: want.Command, Exit: want.Exit, NoTests: failure.NoTests(want.Command, out)}
			if f, ok := failure.First(want.Command, out); ok && want.Exit != 0 {
				got.Failure = &f
			}
			if *update {
				write(t, name, got)
				return
			}
			if a, b := encode(t, got), encode(t, want); !bytes.Equal(a, b) {
				t.Errorf("found\n%s\nwant\n%s", a, b)
			}
			if got.Failure != nil {
				checkFailure(t, *got.Failure)
			}
		})
	}
}

func encode(t *testing.T, r recording) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(r); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func write(t *testing.T, name string, r recording) {
	t.Helper()
	if err := os.WriteFile(strings.TrimSuffix(name, ".txt")+".json", encode(t, r), 0o644); err != nil {
		t.Fatal(err)
	}
}

// checkFailure holds for every output there can be.
func checkFailure(t *testing.T, f kedge.Failure) {
	t.Helper()
	lines := strings.Split(f.Message, "\n")
	if len(lines) > failure.MaxLines {
		t.Errorf("the message has %d lines", len(lines))
	}
	for _, l := range append(lines, f.Test, f.File) {
		if len(l) > 400 || !utf8.ValidString(l) || strings.ContainsAny(l, "\x00\x1b\r\x7f") {
			t.Errorf("line %q is too long or not plain text", l)
		}
	}
	if f.Line < 0 {
		t.Errorf("line %d", f.Line)
	}
	if f.Line > 0 && f.File == "" {
		t.Errorf("line %d of no file", f.Line)
	}
}

func TestEveryFailedRecordingHasAPlaceOrSaysWhy(t *testing.T) {
	without := map[string]bool{ // the tool itself names no file
		"go-exit": true, "go-example": true, "gradle-nomatch": true, "make-norule": true, "sh-silent": true, "sh-notfound": true, "sh-syntax": true,
		"automake-fail": true, "ava-tap": true, "bun-none": true, "cargo-dep": true, "cmake-plain": true, "ctest-plain": true, "ctest-silent": true, "ctest-timeout": true,
		"gittest-plain": true, "gittest-verbose": true, "gtest-crash": true, "gtest-throws": true, "make-custom": true, "ninja-command": true, "nextest-signal": true,
		"cargo-result": true, "jest-notests": true, "playwright-notests": true, "vitest-notests": true, "mocha-nofiles": true, "mvn-notests": true, "pytest-empty": true, "pytest-notests": true,
	}
	for _, name := range recordings(t) {
		r, _ := read(t, name)
		base := strings.TrimSuffix(filepath.Base(name), ".txt")
		if r.Exit != 0 && !without[base] && (r.Failure == nil || r.Failure.File == "" || r.Failure.Message == "") {
			t.Errorf("%s: nothing found: %+v", base, r.Failure)
		}
	}
}

// TestFirstFailureSaysSomething: a message begins with what happened and has nothing of
// what a build tool says about its own work.
func TestFirstFailureSaysSomething(t *testing.T) {
	for _, name := range recordings(t) {
		r, _ := read(t, name)
		if r.Failure == nil {
			continue
		}
		lines := strings.Split(r.Failure.Message, "\n")
		if strings.Trim(lines[0], " -=~_*.#+") == "" || strings.HasPrefix(lines[0], "---") {
			t.Errorf("%s: the message begins with %q", name, lines[0])
		}
		for _, l := range lines {
			if strings.Contains(l, "Leaving directory") || strings.Contains(l, "Entering directory") || strings.Contains(l, "not remade because of errors") {
				t.Errorf("%s: the message has %q", name, l)
			}
		}
	}
}
