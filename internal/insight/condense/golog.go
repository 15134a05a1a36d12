package condense

import (
	"slices"
	"strings"

	"kedge/internal/insight/failure"
	"kedge/internal/text/lazyre"
)

// What a Go test that passed has logged says nothing: go test -v prints it all the same.
var (
	goTest   = lazyre.New(`^=== (?:RUN|CONT|NAME) +(\S+)$`)
	goEnd    = lazyre.New(`^\s*--- (PASS|FAIL|SKIP|BENCH): (\S+) \(`)
	goOver   = lazyre.New(`^(?:ok  \t|FAIL\t|FAIL$|PASS$|exit status )`)
	goLogged = lazyre.New(`^ {4,}\S+\.go:\d+: `)
)

// passingLogs folds them.
func (f *folding) passingLogs() {
	if f.mode != reporting {
		return
	}
	f.passingEvents()
	if !slices.ContainsFunc(f.lines, func(l line) bool { return strings.HasPrefix(l.text, "=== RUN ") }) {
		return
	}
	from := 0
	for i := range f.lines {
		if goOver.MatchString(f.lines[i].text) {
			f.passingIn(from, i)
			from = i + 1
		}
	}
	f.passingIn(from, len(f.lines))
}

// passingIn folds the logs of the tests of one package.
func (f *folding) passingIn(from, to int) {
	ended := map[string]string{}
	all := true // tests have passed
	for _, l := range f.lines[from:to] {
		if m := goEnd.FindStringSubmatch(l.text); m != nil {
			ended[m[2]] = m[1]
			all = all && m[1] != "FAIL"
		}
	}
	if len(ended) == 0 {
		return
	}
	test, logged := "", false
	for i := from; i < to; i++ {
		l := &f.lines[i]
		if m := goTest.FindStringSubmatch(l.text); m != nil {
			test, logged = m[1], false
			continue
		}
		if goEnd.MatchString(l.text) {
			test = ""
		}
		if test == "" || l.is == noise || ended[test] != "PASS" {
			continue
		}
		if goLogged.MatchString(l.text) {
			logged = true
		} else if indent(l.text) < 8 && !blank(l.text) { // not of what was logged
			logged = false
		}
		if logged || all {
			l.is, l.kind = noise, logs
		}
	}
}

// passingEvents does so for go test -json, whose events name the test.
func (f *folding) passingEvents() {
	type name struct{ pkg, test string }
	passes := map[name]bool{}
	events := make([]failure.GoEvent, 0)
	var at []int
	for i := range f.lines {
		e, ok := failure.ParseGoEvent(f.lines[i].text)
		if !ok || e.Test == "" {
			continue
		}
		events, at = append(events, e), append(at, i)
		if e.Action == "pass" {
			passes[name{e.Package, e.Test}] = true
		}
	}
	for k, e := range events {
		if l := &f.lines[at[k]]; e.Action == "output" && passes[name{e.Package, e.Test}] && l.is != noise {
			l.is, l.kind = noise, logs
		}
	}
}
