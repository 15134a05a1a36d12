package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// exitCode is `code N kedge …`: runs a command that must end with exit code N.
// Its output is there for stdout and stderr as after exec.
func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N COMMAND…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit, ok := err.(*exec.ExitError); ok { //nolint:errorlint // Exec gives it unwrapped
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// jsonHas is `json PATH [REGEXP]`: the JSON on the last stdout (or, with a first
// argument stderr, there) has a value at PATH (a.b[0].c) that matches. Numbers,
// booleans and null match their text; objects and lists their compact JSON.
func jsonHas(ts *testscript.TestScript, neg bool, args []string) {
	stream := "stdout"
	if len(args) > 0 && args[0] == "stderr" {
		stream, args = "stderr", args[1:]
	}
	if len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: json [stderr] PATH [REGEXP]")
	}
	var doc any
	if err := json.Unmarshal([]byte(ts.ReadFile(stream)), &doc); err != nil {
		ts.Fatalf("%s is not JSON: %v", stream, err)
	}
	value, ok := at(doc, args[0])
	matches := ok && (len(args) == 1 || regexp.MustCompile("^(?:"+args[1]+")$").MatchString(text(value)))
	if matches == neg {
		ts.Fatalf("%s is %s (there: %v)", args[0], text(value), ok)
	}
}

func text(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	b, _ := json.Marshal(v) // came from JSON
	return string(b)
}

// at follows a path like a.b[0].c; # gives the length of a list.
func at(v any, path string) (any, bool) {
	for step := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '.' || r == '[' || r == ']' }) {
		switch x := v.(type) {
		case map[string]any:
			next, ok := x[step]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			if step == "#" {
				v = float64(len(x))
				continue
			}
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(x) {
				return nil, false
			}
			v = x[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// patience only guards against hanging.
const patience = 3 * time.Minute

// await is `await REGEXP COMMAND…`: it runs the command again until it succeeds
// and what it prints matches.
func await(ts *testscript.TestScript, neg bool, args []string) { awaitFor(ts, patience, neg, args) }

func awaitFor(ts *testscript.TestScript, limit time.Duration, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: await REGEXP COMMAND…")
	}
	want := regexp.MustCompile("(?m)" + args[0])
	deadline := time.After(limit)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := ts.Exec(args[1], args[2:]...)
		if err == nil && want.MatchString(ts.ReadFile("stdout")) {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			ts.Fatalf("never: %q from %q", args[0], args[1:])
		}
	}
}

// edit is `edit REGEXP REPLACEMENT FILES`: it replaces every match, of which there
// must be one, in the files (a name in which * may stand). ^ and $ are those of a
// line, \n in the replacement is a new line, and $1 a group.
func edit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: edit REGEXP REPLACEMENT FILES")
	}
	re := regexp.MustCompile("(?m)" + args[0])
	replacement := strings.ReplaceAll(args[1], `\n`, "\n")
	files, err := filepath.Glob(ts.MkAbs(args[2]))
	ts.Check(err)
	changed := false
	for _, file := range files {
		b, err := os.ReadFile(file)
		ts.Check(err)
		if re.Match(b) {
			changed = true
			ts.Check(os.WriteFile(file, re.ReplaceAll(b, []byte(replacement)), 0o600))
		}
	}
	if !changed {
		ts.Fatalf("%s is not in %q", args[0], files)
	}
}

// mode is `mode MODE FILE…`: the files have the mode, as ls writes it. @FILE is
// the file whose path stands in FILE.
func mode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: mode MODE FILE…")
	}
	for _, file := range args[1:] {
		if list, ok := strings.CutPrefix(file, "@"); ok {
			file = strings.TrimSpace(ts.ReadFile(list))
		}
		info, err := os.Stat(ts.MkAbs(file))
		ts.Check(err)
		if got := info.Mode().String(); got != args[0] {
			ts.Fatalf("%s has the mode %s, want %s", file, got, args[0])
		}
	}
}
