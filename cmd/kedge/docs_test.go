package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// docPage is `docs PAGE HEADING`: it runs every block below a heading of a page under
// docs/, in order, and what the commands print must be what the page shows. A block
// without a line that begins with $ is a shell script. In what is shown, … stands for
// anything; ids, hashes, times and durations may differ. /tmp/tour is the script's folder.
func docPage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: docs PAGE HEADING")
	}
	blocks := blocksBelow(pageOf(ts, args[0]), args[1])
	if len(blocks) == 0 {
		ts.Fatalf("%s has no block below %q", args[0], args[1])
	}
	for _, b := range blocks {
		for _, ex := range examplesOf(b) {
			ex.play(ts)
		}
	}
}

// docExample is `doc PAGE COMMAND [N]`: the same for one command of a page, or for the Nth
// time that the page shows it.
func docExample(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: doc PAGE COMMAND [N]")
	}
	nth := 1
	if len(args) == 3 {
		n, err := strconv.Atoi(args[2])
		ts.Check(err)
		nth = n
	}
	for _, b := range blocksBelow(pageOf(ts, args[0]), "") {
		for _, ex := range examplesOf(b) {
			if ex.command != args[1] {
				continue
			}
			if nth--; nth == 0 {
				ex.play(ts)
				return
			}
		}
	}
	ts.Fatalf("%s does not show %q", args[0], args[1])
}

func pageOf(ts *testscript.TestScript, name string) string {
	b, err := os.ReadFile(filepath.Join(sourceDir, "..", "..", "docs", name))
	ts.Check(err)
	return string(b)
}

// sourceDir is where the tests of this package stand: scripts work elsewhere.
var sourceDir = func() string {
	dir, err := os.Getwd()
	if err != nil {
		return "."
	}
	return dir
}()

// blocksBelow are the indented blocks of a page, without their indent: those below a
// heading up to the next one, or all.
func blocksBelow(page, heading string) [][]string {
	var out [][]string
	var open []string
	inside, indent := heading == "", 0
	for _, line := range append(strings.Split(page, "\n"), "end") {
		width := len(line) - len(strings.TrimLeft(line, " "))
		switch {
		case strings.TrimSpace(line) == "" && open != nil:
			open = append(open, "")
			continue
		case width >= 4 && inside && (open != nil || !listItem(line)):
			if open == nil {
				indent = width
			}
			open = append(open, line[min(indent, width):])
			continue
		case open != nil:
			out, open = append(out, trimmed(open)), nil
		}
		if strings.HasPrefix(line, "#") && heading != "" {
			inside = strings.TrimLeft(line, "# ") == heading
		}
	}
	return out
}

func listItem(line string) bool {
	return regexp.MustCompile(`^ *([-*]|\d+\.) `).MatchString(line)
}

func trimmed(lines []string) []string {
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// example is a command and what it prints, as a page shows them; without check it is a
// script whose output the page does not show.
type example struct {
	command string
	shown   []string
	check   bool
}

func examplesOf(block []string) []example {
	var out []example
	for _, line := range block {
		if command, is := strings.CutPrefix(line, "$ "); is {
			out = append(out, example{command: command, check: true})
		} else if len(out) > 0 {
			out[len(out)-1].shown = append(out[len(out)-1].shown, line)
		}
	}
	if len(out) == 0 {
		out = []example{{command: strings.Join(block, "\n")}}
	}
	return out
}

// play runs an example where the one before it ended.
func (ex example) play(ts *testscript.TestScript) {
	work := ts.Getenv("WORK")
	at := filepath.Join(work, ".cwd")
	if _, err := os.Stat(at); err != nil {
		ts.Check(os.WriteFile(at, []byte(ts.MkAbs(".")+"\n"), 0o600))
	}
	ts.Check(os.MkdirAll(filepath.Join(work, "tour"), 0o700))
	command := strings.ReplaceAll(ex.command, "/tmp/tour", filepath.Join(work, "tour"))
	for shown, is := range names(ts) {
		command = strings.ReplaceAll(command, shown, is)
	}
	err := ts.Exec("sh", "-c", "cd \"$(cat '"+at+"')\" && { "+command+"\n}  2>&1; code=$?; pwd >'"+at+"'; test $code = 0 || echo \"[exit code $code]\"")
	ts.Check(err)
	if !ex.check {
		return
	}
	got := strings.NewReplacer(
		filepath.Join(work, "tour"), "/tmp/tour", filepath.Join(work, ".kedge-home"), "/tmp/tour/state", filepath.Join(work, ".home"), "/tmp/tour/home",
	).Replace(ts.ReadFile("stdout"))
	var printed []string
	if got = strings.TrimRight(got, "\n"); got != "" {
		printed = strings.Split(got, "\n")
	}
	if why := compare(ts, trimmed(ex.shown), steady(printed)); why != "" {
		tell := ts.Fatalf
		if os.Getenv("ALL_DOCS") != "" { // to see all that differs at once
			tell = func(format string, args ...any) { ts.Logf("FAIL: "+format, args...) }
		}
		tell("the page shows another output of %q: %s\nit prints:\n    %s", ex.command, why, strings.Join(printed, "\n    "))
	}
}

// steady leaves out what a run prints only if a look at it falls between two of its steps:
// a new forecast, below the first line.
func steady(printed []string) []string {
	out := slices.Clone(printed[:min(1, len(printed))])
	for _, line := range printed[len(out):] {
		if !strings.HasPrefix(line, "forecast: ") {
			out = append(out, line)
		}
	}
	return out
}

// compare says where the lines that a page shows differ from those that were printed.
func compare(ts *testscript.TestScript, shown, printed []string) string {
	at, gap := 0, false
	for _, line := range shown {
		if strings.TrimSpace(line) == "…" {
			gap = true
			continue
		}
		for gap && at < len(printed) && !sameLine(line, printed[at]) {
			at++
		}
		if at >= len(printed) {
			return fmt.Sprintf("it does not print %q", line)
		}
		if !sameLine(line, printed[at]) {
			return fmt.Sprintf("%q is printed, not %q", printed[at], line)
		}
		remember(ts, line, printed[at])
		at, gap = at+1, false
	}
	if at < len(printed) && !gap {
		return fmt.Sprintf("it does not show %q", printed[at])
	}
	return ""
}

// mayDiffer is what is another one each time.
var mayDiffer = []struct {
	is  *regexp.Regexp
	now string
}{
	{regexp.MustCompile(`\b([a-z]{3,4})-[0-9a-z]{26}\b`), "$1-ID"},
	{regexp.MustCompile(`\b[0-9a-f]{40}\b|\b[0-9a-f]{12}\b|^[0-9a-f]{7} `), "HASH "},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\d( \d\d:\d\d(:\d\d)?)?\b`), "DATE"},
	{regexp.MustCompile(`\b\d\d:\d\d(:\d\d)?\b`), "TIME"},
	{regexp.MustCompile(`\bpid \d+`), "pid N"},
	{regexp.MustCompile(`\b\d+(\.\d+)?(ms|s|m|h)\b( \d+s\b)?`), "SPAN"},
	{regexp.MustCompile(`(SPAN|just now)( ago)?`), "SPAN"},
	{regexp.MustCompile(` +`), " "},
}

func sameLine(shown, printed string) bool {
	for _, m := range mayDiffer {
		shown, printed = m.is.ReplaceAllString(shown, m.now), m.is.ReplaceAllString(printed, m.now)
	}
	parts := strings.Split(strings.TrimRight(shown, " "), "…")
	for i, p := range parts {
		parts[i] = regexp.QuoteMeta(p)
	}
	return regexp.MustCompile("^" + strings.Join(parts, ".*") + "$").MatchString(strings.TrimRight(printed, " "))
}

var anID = regexp.MustCompile(`\b[a-z]{3,4}-[0-9a-z]{26}\b`)

// remember keeps which id stands for one that the page shows: later commands name it.
func remember(ts *testscript.TestScript, shown, printed string) {
	a, b := anID.FindAllString(shown, -1), anID.FindAllString(printed, -1)
	for i := range min(len(a), len(b)) {
		ts.Setenv("DOC_"+strings.ReplaceAll(a[i], "-", "_"), b[i])
		ts.Setenv("DOCS", ts.Getenv("DOCS")+" "+a[i])
	}
}

func names(ts *testscript.TestScript) map[string]string {
	out := map[string]string{}
	for _, id := range strings.Fields(ts.Getenv("DOCS")) {
		out[id] = ts.Getenv("DOC_" + strings.ReplaceAll(id, "-", "_"))
	}
	return out
}
