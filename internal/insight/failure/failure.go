// Package failure finds the first failure in the output of a command: the test, the place
// and the message, short enough for a prompt. It knows what the common test runners and
// compilers print, and has a rule for everything else. It also tells when a runner ran no
// test.
//
// It promises that everything it returns was in the output (it never guesses a file or a
// line). A message has at most MaxLines lines of at most maxLine bytes of valid UTF-8
// without control characters. Time is linear in the output, and memory is bounded: of an
// output of more than a million lines, it skips the middle. It never runs anything and
// never panics, whatever the output is.
package failure

import (
	"slices"
	"strings"

	"kedge"
	"kedge/internal/text/lazyre"
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

// keys are parts of lines. Looking for them is much faster than a pattern.
type keys []string

func (k keys) in(line string) bool {
	for _, key := range k {
		if strings.Contains(line, key) {
			return true
		}
	}
	return false
}

// rule is a reader that goes by one line, which has one of the keys. What stands
// around the line is read only once, unless read finds that it was something else: so
// it may say mostTried times.
type rule struct {
	keys keys
	line *lazyre.Regexp
	read func(o output, at int, m []string) (failure, bool)
}

// first gives what the first line of this kind reports.
func (r rule) first(o output) (failure, bool) {
	tried := 0
	for i, line := range o.lines {
		if tried == mostTried || !r.keys.in(line) {
			continue
		}
		m := r.line.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if f, ok := r.read(o, i, m); ok {
			f.at = i
			return f, true
		}
		tried++
	}
	return failure{}, false
}

const mostTried = 1_000

// found makes the failure that a rule reads.
func found(test, file, line, message string) (failure, bool) {
	return failure{Failure: kedge.Failure{Test: test, File: file, Line: number(line), Message: message}}, true
}

// output is what the readers see: the command that was run, as a hint, and the
// cleaned lines.
type output struct {
	command string
	lines   []string
}

// runners report a test, or a place in the source, in a form of their own.
var runners = []reader{
	goTest, goBuild, pytest, unittest, jest, vitest, mocha, tap, surefire, eslint,
	playwright.first, nodeTest.first, cargoTest.first, rustc.first, mavenCompiler.first, gradleTest.first, tsc.first, tscShown.first, compiler.first,
	perlTest.first, batsPretty.first, nodeTap.first, uvu.first, ava.first, denoTest.first, denoCheck.first, bunTest.first,
	nextest.first, gtest.first, gtestWindows.first, cmocka.first, catch.first, doctest.first, checkUnit.first, unity.first, linker.first, cmake.first, kotlinc.first,
	rspec.first, rspecLoad.first, minitest.first, testUnit.first, phpunit.first, phpDox.first, pest.first, dotnetTest.first, exUnit.first, elixirc.first,
}

// stacks are what programs print that die.
var stacks = []reader{
	pythonTraceback, pythonSyntax.first, nodeStack.first, tapStack, rustPanic.first, goPanic, javaStack, rubyError.first, phpError.first, bunModule.first, gtestCrash,
}

// builders are the programs that start others and say which of them failed.
var builders = []reader{
	gradleBuild.first, mavenError.first, ctest.first, meson.first, ninja.first, prove.first, cargoError.first,
}

// levels holds the readers by how sure they are: what a later level finds counts
// only when no reader of an earlier level found anything, so that a stack trace
// which a passing test logged does not hide the test that failed. Within a level
// the failure that was printed first is the first failure.
var levels = [][]reader{
	runners,
	slices.Concat(stacks, builders),
	{located},
	{tapProcess, makeError, worded},
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
	o.lines = ctestPlain(o.lines)
	for _, readers := range levels {
		if f, ok := earliest(readers, o); ok {
			f.Message += makeFolder(o.lines, f)
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
	lines := withoutChatter(strings.Split(f.Message, "\n"))
	f.Message = strings.Join(shorten(dedent(legend(lines))), "\n")
	f.Test, f.File = cut(strings.TrimSpace(f.Test)), cut(f.File)
	return f.Failure
}

var (
	diffOld  = lazyre.New(`^\s*--- (\S.*?)(?:\t.*)?$`)
	diffNew  = lazyre.New(`^\s*\+\+\+ (\S.*?)(?:\t.*)?$`)
	diffHunk = lazyre.New(`^\s*@@ `)
)

// legend makes one line of the head of a difference that a message begins with: that
// line is what is shown where there is room for one only.
func legend(lines []string) []string {
	for len(lines) > 1 && rulerLine(lines[0]) {
		lines = lines[1:]
	}
	if len(lines) < 3 {
		return lines
	}
	a, b := diffOld.FindStringSubmatch(lines[0]), diffNew.FindStringSubmatch(lines[1])
	if a == nil || b == nil {
		return lines
	}
	rest := lines[2:]
	if diffHunk.MatchString(rest[0]) {
		rest = rest[1:]
	}
	head := lines[0][:indent(lines[0])] + "- " + a[1] + ", + " + b[1] + ":"
	return append([]string{head}, rest...)
}
