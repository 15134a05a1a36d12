package detect

import (
	"path"
	"strings"

	"kedge"
	"kedge/internal/text/lazyre"
)

func test(run string) kedge.Check { return kedge.Check{Name: "test", Kind: kedge.CheckTest, Run: run} }

func build(run string) kedge.Check {
	return kedge.Check{Name: "build", Kind: kedge.CheckBuild, Run: run}
}

func goChecks(f *folder) []kedge.Check {
	packages := workspace(f.read("go.work"))
	if packages == "" && f.has("go.mod") {
		packages = "./..."
	}
	if packages == "" {
		return nil
	}
	return []kedge.Check{test("go test " + packages), build("go build " + packages)}
}

// workspace gives the packages of the modules that go.work uses: without a
// module at the top ./... names nothing.
func workspace(text string) string {
	var out []string
	inUse := false
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "//")
		line = strings.TrimSpace(line)
		one, single := strings.CutPrefix(line, "use ")
		switch {
		case line == "use (" || line == "use(":
			inUse = true
		case line == ")":
			inUse = false
		case single && !strings.HasPrefix(strings.TrimSpace(one), "("):
			out = append(out, modulePackages(one))
		case inUse && line != "":
			out = append(out, modulePackages(line))
		}
	}
	return strings.Join(out, " ")
}

func modulePackages(dir string) string {
	dir = path.Clean(strings.Trim(strings.TrimSpace(dir), `"`))
	if dir == "." {
		return "./..."
	}
	return quote("./" + dir + "/...")
}

func rustChecks(f *folder) []kedge.Check {
	if !f.has("Cargo.toml") {
		return nil
	}
	f.leaves("target/")
	if !f.has("Cargo.lock") {
		f.leaves("Cargo.lock") // cargo writes it
	}
	all := ""
	if strings.Contains(f.read("Cargo.toml"), "[workspace") {
		all = " --workspace"
	}
	return []kedge.Check{test("cargo test" + all), build("cargo build" + all)}
}

func javaChecks(f *folder) []kedge.Check {
	switch {
	case f.has("pom.xml"):
		f.leavesEverywhere("target/")
		mvn := f.wrapper("mvnw", "mvn") + " -B"
		return []kedge.Check{test(mvn + " test"), build(mvn + " -DskipTests package")}
	case f.has("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"):
		f.leavesEverywhere("build/")
		f.leaves(".gradle/")
		gradle := f.wrapper("gradlew", "gradle") + " --console=plain"
		return []kedge.Check{test(gradle + " test"), build(gradle + " assemble")}
	}
	return nil
}

// wrapper prefers the version of the tool that the project brings along.
func (f *folder) wrapper(script, tool string) string {
	if f.has(script) {
		return f.executable(script)
	}
	return tool
}

var makeTarget = lazyre.New(`(?m)^([A-Za-z0-9_.\-]+(?:[ \t]+[A-Za-z0-9_.\-]+)*)[ \t]*::?(?:[^=:]|$)`)

// makeTargets gives the targets test (else check) and build.
func makeTargets(f *folder) []kedge.Check {
	has, text := makefile(f)
	if text == "" {
		return nil
	}
	checks := []kedge.Check{}
	switch {
	case has["test"]:
		checks = append(checks, test("make test"))
	case has["check"]:
		checks = append(checks, test("make check"))
	}
	if has["build"] {
		checks = append(checks, build("make build"))
	}
	return checks
}

// testScript is a script of the project that runs its tests, as people call them.
func testScript(f *folder) []kedge.Check {
	for _, script := range []string{
		"script/test", "scripts/test", "scripts/test.sh", "test.sh", "run-tests.sh", "run_tests.sh", "runtests.sh", "bin/test", "test/run.sh", "tests/run.sh",
	} {
		if f.has(script) {
			return []kedge.Check{test(f.executable(script))}
		}
	}
	for _, dir := range []string{".", "script", "scripts", "bin", "test", "tests", "tools"} {
		for _, name := range []string{"run-tests", "run_tests", "runtests", "run-test", "run_test", "test-runner", "test_runner", "test-all", "run-all", "test", "tests"} {
			for _, end := range []string{"", ".sh"} {
				script := path.Join(dir, name+end)
				if started := f.executable(script); f.has(script) && (end != "" || strings.HasPrefix(started, "./")) {
					return []kedge.Check{test(started)}
				}
			}
		}
	}
	return shellTests(f)
}

// shellTests are scripts that are tests, each started by itself. A folder with another way to test has them
// for something else.
func shellTests(f *folder) []kedge.Check {
	if f.has(otherManifests...) {
		return nil
	}
	for _, pattern := range []string{"*_test.sh", "*-test.sh", "test_*.sh", "test-*.sh"} {
		for _, dir := range []string{"", "test/", "tests/"} {
			if names := f.glob(dir + pattern); len(names) > 0 {
				return []kedge.Check{test("for t in " + dir + pattern + "; do " + shellOf(f.read(names[0])) + " \"$t\" || exit 1; done")}
			}
		}
	}
	return nil
}

// shellOf is the shell that the first line of a script names.
func shellOf(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	for _, shell := range []string{"bash", "zsh", "ksh", "dash"} {
		if strings.HasPrefix(line, "#!") && strings.HasSuffix(strings.TrimSpace(line), shell) {
			return shell
		}
	}
	return "sh"
}
