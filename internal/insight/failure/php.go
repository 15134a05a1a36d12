package failure

import (
	"strings"

	"kedge/internal/text/lazyre"
)

var (
	phpunitFirst = lazyre.New(`^1\) (\S+::\S.*)$`)
	phpunitHead  = lazyre.New(`^There (?:was|were) \d+ (?:failure|error)s?:$`)
	phpunitEnd   = lazyre.New(`^(?:2\) \S+::|FAILURES!|ERRORS!|--$|There (?:was|were) \d+ )`)
	phpPlace     = lazyre.New(`^[│\s]*(\S+\.(?:php|phpt|inc)):(\d+)$`)
	doxTitle     = lazyre.New(`^\s+✘ (.+)$`)
	pestTitle    = lazyre.New(`^\s+(?:FAILED|•) +(\S+ > .+?)(?:\s{3,}.*)?\s*$`)
	pestPlace    = lazyre.New(`^\s+(?:at|\d+) +(\S+\.php):(\d+)$`)
	pestCode     = lazyre.New(`^\s*(?:➜ *)?\d+▕`)
	pestEnd      = lazyre.New(`^\s+(?:(?:FAILED|•) +\S+ > |Tests: +\d)`)
	phpFatal     = lazyre.New(`^(?:PHP )?(?:Fatal|Parse) error: +(.+) in (\S+?)(?: on line |:)(\d+)$`)
)

// phpunit reads the first of its numbered failures or errors; warnings are numbered
// too and do not count.
var phpunit = rule{keys{"1) "}, phpunitFirst, func(o output, at int, m []string) (failure, bool) {
	head := above(o.lines, at, func(l string) bool { return !blank(l) })
	if first := at - len(head) - 1; first < 0 || !phpunitHead.MatchString(o.lines[first]) {
		return failure{}, false
	}
	body := until(o.lines, at+1, phpunitEnd.MatchString)
	file, line := placeIn(body, phpPlace)
	return found(m[1], file, line, join(until(body, 0, phpPlace.MatchString)))
}}

// phpDox reads the first test that PHPUnit crosses out with --testdox.
var phpDox = rule{keys{"✘ "}, doxTitle, func(o output, at int, m []string) (failure, bool) {
	var body []string
	for _, l := range until(o.lines, at+1, func(l string) bool { return !strings.Contains(l, "│") && !strings.Contains(l, "├") }) {
		body = append(body, strings.TrimLeft(l, " │├┐┊"))
	}
	file, line := placeIn(body, phpPlace)
	if file == "" {
		return failure{}, false
	}
	return found(m[1], file, line, join(until(body, 0, phpPlace.MatchString)))
}}

// pest reads the first failure of Pest, and of others that print as it does.
var pest = rule{keys{" > "}, pestTitle, func(o output, at int, m []string) (failure, bool) {
	body := until(o.lines, at+1, pestEnd.MatchString)
	file, line := placeIn(body, pestPlace)
	if file == "" {
		return failure{}, false
	}
	msg := until(body, 0, func(l string) bool { return pestPlace.MatchString(l) || pestCode.MatchString(l) })
	return found(m[1], file, line, join(msg))
}}

// phpError reads a program that PHP ended.
var phpError = rule{keys{" error: "}, phpFatal, func(_ output, _ int, m []string) (failure, bool) {
	return found("", m[2], m[3], m[1])
}}
