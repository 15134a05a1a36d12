package condense

import (
	"strings"

	"kedge"
	"kedge/internal/text/lazyre"
)

var (
	cargoTitle = lazyre.New(`^---- (.+) (?:stdout|stderr) ----$`)
	rustAt     = lazyre.New(`panicked at (?:'(.*)', )?([^\s:']+):(\d+):\d+`)
	rustPlace  = lazyre.New(`\bat ([^\s:]+\.rs):(\d+):\d+`)
	rustError  = lazyre.New(`^error(?:\[E\d+\])?: (.+)`)
	rustArrow  = lazyre.New(`^\s*--> ([^\s:]+):(\d+):\d+`)
)

// cargoTest reads the first report of what a failed test printed.
func cargoTest(o output) (failure, bool) {
	for i, line := range o.lines {
		if !strings.HasPrefix(line, "---- ") {
			continue
		}
		m := cargoTitle.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		body := until(o.lines, i+1, func(l string) bool { return cargoTitle.MatchString(l) || l == "failures:" })
		f := rustReport(body)
		f.Test, f.at = m[1], i
		return f, true
	}
	return failure{}, false
}

// rustReport gives the panic in the body, or all of it when there is none.
func rustReport(body []string) failure {
	for i, l := range body {
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
	f := failure{Failure: kedge.Failure{Message: join(body)}}
	if m := rustPlace.FindStringSubmatch(f.Message); m != nil {
		f.File, f.Line = m[1], number(m[2])
	}
	return f
}

func rustMessageEnds(l string) bool {
	return l == "stack backtrace:" || strings.HasPrefix(l, "note: ") || blank(l)
}

// rustPanic reads a Rust program that is no test.
func rustPanic(o output) (failure, bool) {
	for i, line := range o.lines {
		if strings.HasPrefix(line, "thread '") && rustAt.MatchString(line) {
			f := rustReport(o.lines[i:min(len(o.lines), i+maxBlock)])
			f.at = i
			return f, true
		}
	}
	return failure{}, false
}

// rustc reads the first error that has a place.
func rustc(o output) (failure, bool) {
	for i, line := range o.lines {
		if !strings.HasPrefix(line, "error") || !rustError.MatchString(line) {
			continue
		}
		for _, l := range o.lines[i:min(i+6, len(o.lines))] {
			if m := rustArrow.FindStringSubmatch(l); m != nil {
				msg := join(until(o.lines, i, blank))
				return failure{Failure: kedge.Failure{File: m[1], Line: number(m[2]), Message: msg}, at: i}, true
			}
		}
	}
	return failure{}, false
}
