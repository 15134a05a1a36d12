package failure

import (
	"strings"

	"kedge"
	"kedge/internal/text/lazyre"
)

var (
	sureSuite    = lazyre.New(`^(?:\[ERROR\] )?Tests run: .*<<< (?:FAILURE|ERROR)! -+ in (\S+)`)
	sureTest     = lazyre.New(`^(?:\[ERROR\] )?(\S.*?)(?:\(([\w.$]+)\))? +(?:-- )?Time elapsed: .*<<< (?:FAILURE|ERROR)!`)
	javaFrame    = lazyre.New(`^\s+at ([\w.$/@<>]+)\(([^():]+):(\d+)\)`)
	mavenPlace   = lazyre.New(`^\[ERROR\] (\S+):\[(\d+),\d+\] (.+)`)
	gradleFail   = lazyre.New(`^([^\s>].* > .+?)(?: \([\d.]+m?s\))? FAILED$`)
	gradleAt     = lazyre.New(`\bat ([\w.$]+\.(?:java|kt|groovy|scala)):(\d+)$`)
	mavenSaid    = lazyre.New(`^\[ERROR\] (.*\S.*)`)
	gradleWrong  = lazyre.New(`^\* What went wrong:$`)
	gradleWhere  = lazyre.New(`^\* Where:$`)
	gradleScript = lazyre.New(`^\w+ file '(.+)' line: (\d+)$`)
	javaThrown   = lazyre.New(`^(?:Exception in thread ".*" )?((?:[a-z]\w*\.)+[A-Z]\w*(?:Error|Exception|Throwable)\b.*)`)
)

// javaForeign are packages of the runtime and of test frameworks.
var javaForeign = []string{
	"java.", "javax.", "jdk.", "sun.", "com.sun.", "org.junit.", "junit.", "org.opentest4j.", "org.testng.", "org.hamcrest.",
	"org.assertj.", "io.kotest.", "org.spockframework.", "groovy.", "org.codehaus.groovy.", "org.apache.groovy.", "org.jetbrains.", "kotlinx.", "com.google.common.truth.", "org.mockito.", "org.apache.maven.", "org.gradle.", "kotlin.", "worker.org.gradle.",
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
var mavenCompiler = rule{keys{"[ERROR] "}, mavenPlace, func(o output, at int, m []string) (failure, bool) {
	more := until(o.lines, at+1, func(l string) bool { return indent(l) == 0 && !strings.HasPrefix(l, "[ERROR]   ") })
	return found("", m[1], m[2], join(append([]string{m[3]}, more...)))
}}

// gradleTest reads the first "Class > test FAILED" and what is indented below.
var gradleTest = rule{keys{" FAILED"}, gradleFail, func(o output, at int, m []string) (failure, bool) {
	body := until(o.lines, at+1, func(l string) bool { return !blank(l) && indent(l) == 0 })
	file, line := placeIn(body, gradleAt)
	f, _ := found(m[1], file, line, javaMessage(body))
	if file, line := javaPlace(body); file != "" {
		f.File, f.Line = file, line
	}
	return f, true
}}

// gradleBuild reads what Gradle itself says went wrong.
var gradleBuild = rule{keys{"* What went wrong:"}, gradleWrong, func(o output, at int, _ []string) (failure, bool) {
	file, line := placeIn(above(o.lines, at, gradleWhere.MatchString), gradleScript)
	msg := join(until(o.lines, at+1, blank))
	f, _ := found("", file, line, msg)
	return f, msg != ""
}}

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
var mavenError = rule{keys{"[ERROR] "}, mavenSaid, func(_ output, _ int, m []string) (failure, bool) {
	return found("", "", "", m[1])
}}
