package failure

import (
	"strings"

	"kedge/internal/text/lazyre"
)

var (
	rspecFirst = lazyre.New(`^\s+1\) (.+)$`)
	rspecFrame = lazyre.New(`^\s*# (\S+?):(\d+)(?::in .*)?$`)
	rspecMark  = lazyre.New(`^\s*Failure/Error: `)
	rspecEnd   = lazyre.New(`^(?:\s+2\) |Finished in |No examples found)`)
	rspecFile  = lazyre.New(`^An error occurred while loading (\S+?)\.(?: - .*)?$`)
	rspecInner = lazyre.New(`^\s+(\S+\.rb):(\d+): `)
	miniKind   = lazyre.New(`^\s*(?:\d+\) )?(?:Failure|Error):$`)
	miniName   = lazyre.New(`^(\S+#.+?)(?: \[(.+?):(\d+)\])?:$`)
	miniEnd    = lazyre.New(`^(?:\s*\d+\) (?:Failure|Error|Skipped):|\d+ runs, |(?:bin/)?rails test |Finished in |(?:Failure|Error):)`)
	rubyRaised = lazyre.New(`^(\S.*?):(\d+):in [\x60'].*': (.+ \([A-Z][\w:]*\))$`)
	rubyFrom   = lazyre.New(`^\s+(?:\d+: )?from (\S+?):(\d+):in `)
	rubyFrame  = lazyre.New(`^\s*(\S+\.\w+):(\d+):in `)
	unitKind   = lazyre.New(`^(?:Failure|Error): (\w+[?!]?\([\w:]+\))(?:: (.*))?`)
	unitCode   = lazyre.New(`^ +(?:=> )? *\d+: `)
)

// rspec reads the first of its numbered failures.
var rspec = rule{keys{" 1) "}, rspecFirst, func(o output, at int, m []string) (failure, bool) {
	if at+1 == len(o.lines) || !rspecMark.MatchString(o.lines[at+1]) {
		return failure{}, false
	}
	body := until(o.lines, at+1, rspecEnd.MatchString)
	file, line := placeIn(body, rspecFrame)
	return found(m[1], file, line, rspecMessage(body))
}}

// rspecMessage is what stands before the frames.
func rspecMessage(body []string) string {
	for i, l := range body {
		if rspecMark.MatchString(l) {
			return join(until(body, i, rspecFrame.MatchString))
		}
	}
	return join(until(body, 0, rspecFrame.MatchString))
}

// rspecLoad reads a file of examples that could not be loaded.
var rspecLoad = rule{keys{"An error occurred"}, rspecFile, func(o output, at int, m []string) (failure, bool) {
	body := until(o.lines, at+1, rspecEnd.MatchString)
	file, line := placeIn(body, rspecInner)
	if file == "" {
		file, line = placeIn(body, rspecFrame)
	}
	if file == "" || !ours(file) {
		file, line = m[1], ""
	}
	return found("", file, line, rspecMessage(body))
}}

// minitest reads its first failure or error, as minitest and as Rails print it.
var minitest = rule{keys{"Failure:", "Error:"}, miniKind, func(o output, at int, _ []string) (failure, bool) {
	if at+1 == len(o.lines) {
		return failure{}, false
	}
	m := miniName.FindStringSubmatch(o.lines[at+1])
	if m == nil {
		return failure{}, false
	}
	body := until(o.lines, at+2, miniEnd.MatchString)
	file, line := m[2], m[3]
	if file == "" {
		file, line = placeIn(body, rubyFrame)
	}
	return found(m[1], file, line, join(until(body, 0, rubyFrame.MatchString)))
}}

// testUnit reads test-unit, which shows the place and the code before the message.
var testUnit = rule{keys{"Failure: ", "Error: "}, unitKind, func(o output, at int, m []string) (failure, bool) {
	body := until(o.lines, at+1, func(l string) bool { return strings.HasPrefix(l, "=====") || unitKind.MatchString(l) })
	file, line := placeIn(body, rubyFrame)
	if file == "" {
		return failure{}, false
	}
	said := []string{m[2]}
	for _, l := range body {
		if !rubyFrame.MatchString(l) && !unitCode.MatchString(l) {
			said = append(said, l)
		}
	}
	return found(m[1], file, line, strings.TrimSpace(join(said)))
}}

// rubyError reads a program that ended with an exception that nobody caught.
var rubyError = rule{keys{":in "}, rubyRaised, func(o output, at int, m []string) (failure, bool) {
	file, line := m[1], m[2]
	if !ours(file) {
		file, line = placeIn(until(o.lines, at+1, func(l string) bool { return !rubyFrom.MatchString(l) }), rubyFrom)
	}
	return found("", file, line, m[3])
}}
