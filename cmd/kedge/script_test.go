package main

import (
	"encoding/json"
	"os/exec"
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
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: await REGEXP COMMAND…")
	}
	want := regexp.MustCompile("(?m)" + args[0])
	deadline := time.After(patience)
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
