package condense

import (
	"strings"

	"kedge"
	"kedge/internal/text/lazyre"
)

var (
	sureSuite  = lazyre.New(`^(?:\[ERROR\] )?Tests run: .*<<< (?:FAILURE|ERROR)! -+ in (\S+)`)
	sureTest   = lazyre.New(`^(?:\[ERROR\] )?(\S.*?)(?:\(([\w.$]+)\))? +(?:-- )?Time elapsed: .*<<< (?:FAILURE|ERROR)!`)
	javaFrame  = lazyre.New(`^\s+at ([\w.$/@<>]+)\(([^():]+):(\d+)\)`)
	mavenPlace = lazyre.New(`^\[ERROR\] (\S+):\[(\d+),\d+\] (.+)`)
	gradleFail = lazyre.New(`^([^\s>].* > .+?)(?: \([\d.]+m?s\))? FAILED$`)
	gradleAt   = lazyre.New(`\bat ([\w.$]+\.(?:java|kt|groovy|scala)):(\d+)$`)
	javaThrown = lazyre.New(`^(?:Exception in thread ".*" )?((?:[a-z]\w*\.)+[A-Z]\w*(?:Error|Exception|Throwable)\b.*)`)
)

// javaForeign are packages of the runtime and of test frameworks.
var javaForeign = []string{
	"java.", "javax.", "jdk.", "sun.", "com.sun.", "org.junit.", "junit.", "org.opentest4j.", "org.testng.", "org.hamcrest.",
	"org.assertj.", "org.mockito.", "org.apache.maven.", "org.gradle.", "kotlin.", "worker.org.gradle.",
}

// javaPlace gives the innermost frame of the project.
func javaPlace(body []string) (string, int) {
	for _, l := range body {
		m := javaFrame.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		name := m[1][strings.LastIndexByte(m[1], '/')+1:] // before it stands the module
		if !hasPrefix(name, javaForeign) {
			return m[2], number(m[3])
		}
	}
	return "", 0
}

func hasPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// javaMessage is what stands before the stack.
func javaMessage(body []string) string {
	return join(until(body, 0, func(l string) bool { return javaFrame.MatchString(l) }))
}

// surefire reads the first test that Maven reports as failed.
func surefire(o output) (failure, bool) {
	suite := ""
	for i, line := range o.lines {
		if !strings.Contains(line, "<<< ") {
			continue
		}
		if m := sureSuite.FindStringSubmatch(line); m != nil {
			suite = m[1]
			continue
		}
		m := sureTest.FindStringSubmatch(line)
		if m == nil || strings.HasPrefix(m[1], "Tests run:") {
			continue
		}
		body := until(o.lines, i+1, func(l string) bool {
			return blank(l) || strings.HasPrefix(l, "[INFO]") || strings.HasPrefix(l, "[ERROR]")
		})
		f := failure{Failure: kedge.Failure{Test: sureName(m[1], m[2], suite), Message: javaMessage(body)}, at: i}
		f.File, f.Line = javaPlace(body)
		return f, true
	}
	return failure{}, false
}

// sureName puts the class before the method, which older versions leave out.
func sureName(name, class, suite string) string {
	switch {
	case class != "":
		return class + "." + name
	case suite != "" && !strings.HasPrefix(name, suite):
		return suite + "." + name
	}
	return name
}

// mavenCompiler reads the first diagnostic of a compilation under Maven.
func mavenCompiler(o output) (failure, bool) {
	for i, line := range o.lines {
		if !strings.HasPrefix(line, "[ERROR] ") {
			continue
		}
		if m := mavenPlace.FindStringSubmatch(line); m != nil {
			more := until(o.lines, i+1, func(l string) bool { return indent(l) == 0 && !strings.HasPrefix(l, "[ERROR]   ") })
			msg := join(append([]string{m[3]}, more...))
			return failure{Failure: kedge.Failure{File: m[1], Line: number(m[2]), Message: msg}, at: i}, true
		}
	}
	return failure{}, false
}

// gradleTest reads the first "Class > test FAILED" and what is indented below.
func gradleTest(o output) (failure, bool) {
	for i, line := range o.lines {
		if !strings.HasSuffix(line, " FAILED") {
			continue
		}
		m := gradleFail.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		body := until(o.lines, i+1, func(l string) bool { return !blank(l) && indent(l) == 0 })
		f := failure{Failure: kedge.Failure{Test: m[1], Message: javaMessage(body)}, at: i}
		f.File, f.Line = javaPlace(body)
		for _, l := range body {
			if p := gradleAt.FindStringSubmatch(l); p != nil && f.File == "" {
				f.File, f.Line = p[1], number(p[2])
			}
		}
		return f, true
	}
	return failure{}, false
}

// gradleBuild reads what Gradle itself says went wrong.
func gradleBuild(o output) (failure, bool) {
	for i, line := range o.lines {
		if line == "* What went wrong:" {
			msg := join(until(o.lines, i+1, blank))
			return failure{Failure: kedge.Failure{Message: msg}, at: i}, msg != ""
		}
	}
	return failure{}, false
}

// javaStack reads a program that ended with an exception.
func javaStack(o output) (failure, bool) {
	for i := 0; i+1 < len(o.lines); i++ {
		if !strings.HasPrefix(strings.TrimLeft(o.lines[i+1], "\t "), "at ") {
			continue
		}
		m := javaThrown.FindStringSubmatch(o.lines[i])
		if m == nil || !javaFrame.MatchString(o.lines[i+1]) {
			continue
		}
		body := until(o.lines, i+1, func(l string) bool { return !blank(l) && indent(l) == 0 && !strings.HasPrefix(l, "Caused by: ") })
		f := failure{Failure: kedge.Failure{Message: m[1]}, at: i}
		f.File, f.Line = javaPlace(body)
		return f, true
	}
	return failure{}, false
}

// mavenError reads what Maven itself says went wrong.
func mavenError(o output) (failure, bool) {
	for i, line := range o.lines {
		if msg, ok := strings.CutPrefix(line, "[ERROR] "); ok && !blank(msg) {
			return failure{Failure: kedge.Failure{Message: msg}, at: i}, true
		}
	}
	return failure{}, false
}
