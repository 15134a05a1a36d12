package failure

import (
	"strings"

	"kedge/internal/text/lazyre"
)

// The runners of .NET, Elixir and Kotlin.

var (
	dotnetFailed = lazyre.New(`^\s*(?:Failed +(\S.*?) \[[^\[\]]*\]|failed (\S.*?) \([\d.]+\s?\w*s.*\))$`)
	dotnetEnd    = lazyre.New(`^\s*(?:Failed|Passed|Skipped) +\S.* \[|^(?:Failed|Passed|Test Run Failed|failed|passed|skipped|\S.* failed with )|^Total tests:`)
	dotnetFrame  = lazyre.New(` in ([A-Za-z]:[^:]+|[^\s:]+):(?:line )?(\d+)\s*$`)
	dotnetStack  = lazyre.New(`^\s*(?:Stack Trace:|at .+\(.*\))`)
	exTitle      = lazyre.New(`^\s+1\) ((?:test|doctest|property|feature) .+ \([\w.]+\))$`)
	exPlace      = lazyre.New(`^\s+(\S+\.exs?):(\d+)$`)
	exFrame      = lazyre.New(`^\s+(\S+\.exs?):(\d+): `)
	exEnd        = lazyre.New(`^(?:\s+2\) |Finished in )`)
	exError      = lazyre.New(`^\s+error: (.+)$`)
	exArrow      = lazyre.New(`^\s*└─ (\S+?):(\d+)`)
	kotlinError  = lazyre.New(`^e: (?:file://)?([^\s:]+\.kts?):(?: \()?(\d+)[:,] ?\d+\)?:? (.+)`)
)

// dotnetTest reads the first test that failed: of VSTest and of the newer platform.
var dotnetTest = rule{keys{"ailed "}, dotnetFailed, func(o output, at int, m []string) (failure, bool) {
	body := until(o.lines, at+1, dotnetEnd.MatchString)
	file, line := placeIn(body, dotnetFrame)
	said := until(body, 0, dotnetStack.MatchString)
	if len(said) > 0 && strings.TrimSpace(said[0]) == "Error Message:" {
		said = tidy(said[1:])
	}
	if blank(join(said)) {
		return failure{}, false
	}
	return found(m[1]+m[2], file, line, join(said))
}}

// exUnit reads the first of ExUnit's numbered failures. A frame that names an
// application is not sure to be of the project.
var exUnit = rule{keys{" 1) "}, exTitle, func(o output, at int, m []string) (failure, bool) {
	body := until(o.lines, at+1, exEnd.MatchString)
	file, line := placeIn(body, exFrame)
	if file == "" {
		file, line = placeIn(body, exPlace)
	}
	said := until(body, 0, func(l string) bool { return strings.TrimSpace(l) == "stacktrace:" })
	if len(said) > 0 && exPlace.MatchString(said[0]) {
		said = said[1:]
	}
	return found(m[1], file, line, join(said))
}}

// elixirc reads an error of the compiler, whose place stands below the code.
var elixirc = rule{keys{" error: "}, exError, func(o output, at int, m []string) (failure, bool) {
	for _, l := range o.lines[at+1 : min(at+MaxLines, len(o.lines))] {
		if p := exArrow.FindStringSubmatch(l); p != nil {
			return found("", p[1], p[2], m[1])
		}
	}
	return failure{}, false
}}

// kotlinc reads the first error of the Kotlin compiler.
var kotlinc = rule{keys{"e: "}, kotlinError, func(_ output, _ int, m []string) (failure, bool) {
	return found("", m[1], m[2], m[3])
}}
