package failure

import (
	"slices"
	"strings"

	"kedge"
	"kedge/internal/text/lazyre"
)

var (
	cargoTitle = lazyre.New(`^---- (.+) (?:stdout|stderr) ----$`)
	rustAt     = lazyre.New(`panicked at (?:'(.*)', )?([^\s:']+):(\d+):\d+`)
	rustPlace  = lazyre.New(`\bat ([^\s:]+\.rs):(\d+):\d+`)
	rustError  = lazyre.New(`^error(?:\[[\w/-]+\])?: (.+)`)
	rustThread = lazyre.New(`^thread '(.+?)' .*panicked at (?:'|[^\s:']+:\d+:\d+)`)
	rustOld    = lazyre.New(`^(.*)', ([^\s:']+):(\d+):\d+$`)
	nextFailed = lazyre.New(`^\s+(?:TRY \d+ )?(FAIL|ABORT|TIMEOUT|LEAK-FAIL|XFAIL|SIG[A-Z]+) +\[[ >]*[\d.]+s\] (?:\( *\d+/\d+\) )?(?:\[[^\]]*\] )?(\S.*)$`)
	nextStatus = lazyre.New(`^\s+(?:TRY \d+ )?[A-Z-]+ +\[[ >]*[\d.]+s\] |^(?:─{4,}|-{12,})$|^\s+Cancell?ing `)
	cargoFirst = lazyre.New(`^error: (.+)`)
	rustHead   = lazyre.New(`^\s+(?:stdout|stderr|output) ─+$|^--- STD(?:OUT|ERR): .* ---$`)
	rustArrow  = lazyre.New(`^\s*--> ([^\s:]+):(\d+):\d+`)
)

// cargoTest reads the first report of what a failed test printed.
var cargoTest = rule{keys{"---- "}, cargoTitle, func(o output, at int, m []string) (failure, bool) {
	f := rustReport(until(o.lines, at+1, func(l string) bool { return cargoTitle.MatchString(l) || l == "failures:" }))
	f.Test = m[1]
	return f, true
}}

// rustReport gives the panic in the body, or all of it when there is none.
func rustReport(body []string) failure {
	for i, l := range body {
		if _, first, ok := strings.Cut(l, "panicked at '"); ok && !strings.Contains(first, "', ") {
			if f, ok := rustQuoted(first, body[i+1:]); ok {
				return f
			}
		}
		m := rustAt.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		f := failure{Failure: kedge.Failure{File: m[2], Line: number(m[3]), Message: m[1]}}
		if f.Message == "" {
			f.Message = join(until(body, i+1, rustMessageEnds))
		}
		return f
	}
	said := slices.DeleteFunc(slices.Clone(body), rustHead.MatchString)
	f := failure{Failure: kedge.Failure{Message: join(said)}}
	if m := rustPlace.FindStringSubmatch(f.Message); m != nil {
		f.File, f.Line = m[1], number(m[2])
	}
	return f
}

// rustQuoted reads the panic of an older Rust whose message has several lines: its
// place stands behind the last of them.
func rustQuoted(first string, more []string) (failure, bool) {
	said := []string{first}
	for _, l := range more[:min(len(more), maxBlock)] {
		if m := rustOld.FindStringSubmatch(l); m != nil {
			return failure{Failure: kedge.Failure{File: m[2], Line: number(m[3]), Message: join(append(said, m[1]))}}, true
		}
		said = append(said, l)
	}
	return failure{}, false
}

func rustMessageEnds(l string) bool {
	l = strings.TrimSpace(l)
	return l == "stack backtrace:" || strings.HasPrefix(l, "note: ") || l == ""
}

// rustPanic reads a Rust program that is no test.
var rustPanic = rule{keys{"thread '"}, rustThread, func(o output, at int, m []string) (failure, bool) {
	f := rustReport(o.lines[at:min(len(o.lines), at+maxBlock)])
	if m[1] != "main" {
		f.Test = m[1]
	}
	return f, true
}}

// rustc reads the first error that has a place.
var rustc = rule{keys{"error"}, rustError, func(o output, at int, _ []string) (failure, bool) {
	for _, l := range o.lines[at:min(at+6, len(o.lines))] {
		if m := rustArrow.FindStringSubmatch(l); m != nil {
			return found("", m[1], m[2], join(until(o.lines, at, blank)))
		}
	}
	return failure{}, false
}}

// nextest reads the first test that cargo nextest names as failed.
var nextest = rule{keys{"s] "}, nextFailed, func(o output, at int, m []string) (failure, bool) {
	body := until(o.lines, at+1, nextStatus.MatchString)
	if len(body) == 0 {
		return failure{}, false
	}
	f := rustReport(body)
	f.Test = m[2]
	if m[1] != "FAIL" {
		f.Message = m[1] + "\n" + f.Message
	}
	return f, true
}}

// cargoError reads what cargo itself refuses, with its causes.
var cargoError = rule{keys{"error: "}, cargoFirst, func(o output, at int, m []string) (failure, bool) {
	said := []string{m[1]}
	for i := at + 1; i < len(o.lines) && i < at+MaxLines; i++ {
		if o.lines[i] == "Caused by:" {
			said = append(said, until(o.lines, i+1, blank)...)
		}
	}
	if len(said) == 1 {
		return failure{}, false
	}
	return found("", "", "", join(said))
}}
