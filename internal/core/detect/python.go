package detect

import (
	"path"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/text/lazyre"
)

// pythonManifests make a folder a Python project.
var pythonManifests = []string{"pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "noxfile.py", "pytest.ini", "requirements.txt", "Pipfile", "manage.py"}

func pythonChecks(f *folder) []kedge.Check {
	bare := pythonTests(f).pattern != "" || f.has("conftest.py", "tests/conftest.py")
	if !f.has(pythonManifests...) && (!bare || f.has(otherManifests...)) {
		return nil
	}
	run := pythonTest(f)
	if run == "" && f.has(otherManifests...) {
		return nil // a helper's manifest
	}
	if run == "" {
		f.note("found a Python project and no way to test it: neither pytest nor tox nor a test file")
		return []kedge.Check{}
	}
	f.pythonSetup(run)
	// Compiled files in the tree would change it under the gate's eyes.
	if !f.ignores("__pycache__", "*.pyc", "*.py[cod]", "*.py[co]") {
		run = "PYTHONDONTWRITEBYTECODE=1 " + run
	}
	return []kedge.Check{test(run)}
}

// otherManifests make a project one of another language: a Python test in it, which
// no manifest speaks of, is some helper's.
var otherManifests = []string{
	"go.mod", "go.work", "package.json", "Cargo.toml", "pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts",
	"Gemfile", "composer.json", "CMakeLists.txt", "meson.build", "configure.ac", "mix.exs", "Package.swift",
}

// pythonTest is the line that runs the tests: by what the project says, as far as this
// machine has the program, else by the tests themselves.
func pythonTest(f *folder) string {
	python, found, runner := f.python()+" ", pythonTests(f), f.environments()
	switch {
	case usesPytest(f):
		return python + "-m pytest"
	case f.has("manage.py"):
		return python + "manage.py test"
	case found.pattern == "":
		return runner
	case found.functions:
		return python + "-m pytest"
	}
	if runner != "" { // it makes its environments first, which a gate has no time for
		f.instead = append(f.instead, test(runner))
	}
	run := python + "-m unittest"
	top := found.dir == "." || found.packaged // unittest looks into packages by itself
	if !top || found.pattern != usualTests {
		run += " discover"
	}
	if !top {
		run += " -s " + found.dir
	}
	if found.pattern != usualTests {
		run += " -p " + quote(found.pattern)
	}
	return run
}

// environments is the program that tests in environments of its own: in the one of this
// machine's Python. Empty: the project, or this machine, has none.
func (f *folder) environments() string {
	switch {
	case (f.has("tox.ini") || strings.Contains(f.read("pyproject.toml"), "[tool.tox")) && f.there("tox"):
		f.leaves(".tox/")
		return "tox -e py"
	case f.has("noxfile.py") && f.there("nox"):
		f.leaves(".nox/")
		return "nox"
	}
	return ""
}

// tests are the test files of a Python project. Functions that are in no class are
// tests to pytest and nothing to unittest.
type tests struct {
	dir, pattern string
	functions    bool
	packaged     bool // the folder is a package
}

// usualTests are the files that unittest looks for by itself.
const usualTests = "test*.py"

// testFunction is a test that unittest does not see.
var testFunction = lazyre.New(`(?m)^(async[ \t]+)?def test\w*\(|^(import|from) pytest\b`)

// pythonTests finds them: in a folder for tests or below one, else beside the code.
func pythonTests(f *folder) tests {
	for _, dir := range []string{"tests", "test", "."} {
		for _, pattern := range []string{usualTests, "*_test.py"} {
			if dir == "." && pattern == usualTests && !f.matches("test_*.py") {
				continue // test.py beside the code may be anything
			}
			names := f.glob(path.Join(dir, pattern))
			if dir != "." {
				names = append(names, f.glob(path.Join(dir, "*", pattern))...)
			}
			if len(names) > 0 {
				functions := slices.ContainsFunc(names, func(n string) bool { return testFunction.MatchString(f.read(n)) })
				return tests{dir, pattern, functions, f.has(path.Join(dir, "__init__.py"))}
			}
		}
	}
	for _, pattern := range []string{"*/tests/test_*.py", "src/*/tests/test_*.py", "*/test/test_*.py"} {
		if names := f.glob(pattern); len(names) > 0 && f.has(pythonManifests...) {
			functions := slices.ContainsFunc(names, func(n string) bool { return testFunction.MatchString(f.read(n)) })
			return tests{".", usualTests, functions, true}
		}
	}
	return tests{}
}

var pytestWord = lazyre.New(`(?m)(^|[^\w-])pytest([^\w-]|$)`)

// devRequirements are files that name what the tests need, as people call them.
var devRequirements = []string{
	"requirements-dev.txt", "requirements-test.txt", "requirements-tests.txt", "dev-requirements.txt", "test-requirements.txt", "requirements_dev.txt",
	"requirements/dev.txt", "requirements/test.txt", "requirements/tests.txt", "requirements/testing.txt", "requirements/development.txt", "tests/requirements.txt",
}

func usesPytest(f *folder) bool {
	if f.has("pytest.ini", "conftest.py", "tests/conftest.py", "test/conftest.py") {
		return true
	}
	return slices.ContainsFunc(append([]string{"pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "noxfile.py", "Pipfile", "requirements.txt"}, devRequirements...),
		func(file string) bool { return pytestWord.MatchString(f.read(file)) })
}
