// Package condense finds, in the output of a command that failed, the first
// failure and nothing else: the test, the place and the message, short enough
// for a prompt. It knows what the common test runners and compilers print and
// has a rule for everything else. It also tells when a runner ran no test, and
// makes a long output short without losing what it means.
//
// It promises that what it returns was in the output (file and line are never
// guessed), that a message has at most MaxLines lines of at most maxLine bytes
// of valid UTF-8 without control characters, and that it takes time linear in
// the output and memory in proportion to it up to a bound: of an output of more
// than a million lines the middle is not looked at. It never runs anything and
// never panics, whatever the output is.
package condense

import (
	"strings"

	"kedge"
)

// MaxLines bounds the message of a failure.
const MaxLines = 20

// failure is a Failure with the line of the output it was found at, by which the
// first of several is told.
type failure struct {
	kedge.Failure
	at int
}

// reader finds the first failure of one kind in the lines of an output.
type reader func(o output) (failure, bool)

// output is what the readers see: the command that was run, as a hint, and the
// cleaned lines.
type output struct {
	command string
	lines   []string
}

// levels holds the readers by how sure they are: what a later level finds counts
// only when no reader of an earlier level found anything, so that a stack trace
// which a passing test logged does not hide the test that failed. Within a level
// the failure that was printed first is the first failure.
var levels = [][]reader{
	{goTest, goBuild, pytest, unittest, jest, vitest, mocha, playwright, nodeTest, tap, cargoTest, rustc, surefire, mavenCompiler, gradleTest, tsc, eslint, compiler},
	{pythonTraceback, pythonSyntax, nodeStack, rustPanic, goPanic, javaStack, gradleBuild, mavenError},
	{located},
	{makeError, worded},
	{ending},
}

// First gives the first failure in the output of a command that failed; false
// when there is nothing in it to show. The command is a hint only: what a
// Makefile or a script ran is found all the same.
func First(command, out string) (kedge.Failure, bool) {
	o := output{command: command, lines: clean(out, maxLines)}
	if plain, ok := goJSON(o.lines); ok {
		o.lines = plain
	}
	for _, readers := range levels {
		if f, ok := earliest(readers, o); ok {
			return f.bounded(), true
		}
	}
	return kedge.Failure{}, false
}

func earliest(readers []reader, o output) (failure, bool) {
	var first failure
	found := false
	for _, read := range readers {
		if f, ok := read(o); ok && (!found || f.at < first.at) {
			first, found = f, true
		}
	}
	return first, found
}

// bounded makes a failure fit for a prompt.
func (f failure) bounded() kedge.Failure {
	lines := dedent(strings.Split(f.Message, "\n"))
	f.Message = strings.Join(shorten(lines), "\n")
	f.Test, f.File = cut(strings.TrimSpace(f.Test)), cut(f.File)
	return f.Failure
}
