package detect

import (
	"encoding/json"
	"io/fs"
	"path"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/text/lazyre"
)

func test(run string) kedge.Check { return kedge.Check{Name: "test", Kind: kedge.CheckTest, Run: run} }

func build(run string) kedge.Check {
	return kedge.Check{Name: "build", Kind: kedge.CheckBuild, Run: run}
}

func goChecks(f *folder) []kedge.Check {
	packages := ""
	switch {
	case f.has("go.mod"):
		packages = "./..."
	case f.has("go.work"):
		packages = workspace(f.read("go.work"))
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
	return quote("./" + dir + "/...")
}

// packageJSON is what is read of package.json; other people's file, so
// everything else in it is passed over.
type packageJSON struct {
	PackageManager string            `json:"packageManager"`
	Scripts        map[string]string `json:"scripts"`
}

func nodeChecks(f *folder) []kedge.Check {
	if !f.has("package.json") {
		return nil
	}
	var p packageJSON
	if err := json.Unmarshal([]byte(f.read("package.json")), &p); err != nil {
		f.note("package.json cannot be read: " + err.Error())
		return nil
	}
	runner := nodeRunner(f, p)
	checks := []kedge.Check{}
	if c, ok := nodeTest(f, runner, p.Scripts["test"]); ok {
		checks = append(checks, c)
	}
	if p.Scripts["build"] != "" {
		checks = append(checks, build(runner+" run build"))
	}
	if p.Scripts["lint"] != "" {
		checks = append(checks, kedge.Check{Name: "lint", Kind: kedge.CheckBuild, Run: runner + " run lint"})
	}
	if len(checks) == 0 {
		f.note("package.json has no script test, build or lint that could be a check")
	}
	return checks
}

func nodeRunner(f *folder, p packageJSON) string {
	switch {
	case f.has("pnpm-lock.yaml"):
		return "pnpm"
	case f.has("yarn.lock"):
		return "yarn"
	case f.has("bun.lock", "bun.lockb"):
		return "bun"
	case f.has("package-lock.json", "npm-shrinkwrap.json"):
		return "npm"
	}
	runner, _, _ := strings.Cut(p.PackageManager, "@")
	if slices.Contains([]string{"pnpm", "yarn", "bun"}, runner) {
		return runner
	}
	return "npm"
}

var (
	// noTest is what `npm init` puts in the place of a test.
	noTest = lazyre.New(`no test specified`)
	watch  = lazyre.New(`--watch(All)?(\s|$|=true)`)
)

func nodeTest(f *folder, runner, script string) (kedge.Check, bool) {
	switch {
	case script == "":
		return kedge.Check{}, false
	case noTest.MatchString(script):
		f.note("the test script of package.json is npm's placeholder, not a test")
		return kedge.Check{}, false
	case watch.MatchString(script):
		f.note("the test script of package.json watches for changes and never ends: it is not used")
		return kedge.Check{}, false
	case strings.Contains(script, "react-scripts test"):
		return test("CI=true " + runner + " run test"), true // it watches otherwise
	case runner == "bun":
		return test("bun run test"), true // `bun test` is bun's own runner, not the script
	}
	return test(runner + " test"), true
}

func pythonChecks(f *folder) []kedge.Check {
	manifests := []string{"pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "pytest.ini", "requirements.txt", "Pipfile", "manage.py"}
	bare := pythonTests(f).pattern != "" || f.has("conftest.py", "tests/conftest.py")
	if !f.has(manifests...) && (!bare || f.has(otherManifests...)) {
		return nil
	}
	run := pythonTest(f)
	if run == "" {
		f.note("found a Python project and no way to test it: neither pytest nor tox nor a test file")
		return []kedge.Check{}
	}
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
}

func pythonTest(f *folder) string {
	python, found := pythonTool(f)+"python3 ", pythonTests(f)
	switch {
	case usesPytest(f):
		return python + "-m pytest"
	case f.has("tox.ini") || strings.Contains(f.read("pyproject.toml"), "[tool.tox"):
		return "tox"
	case f.has("manage.py"):
		return python + "manage.py test"
	case found.pattern == "":
		return ""
	case found.functions:
		return python + "-m pytest"
	}
	run := python + "-m unittest"
	if found.dir != "." || found.pattern != usualTests {
		run += " discover"
	}
	if found.dir != "." {
		run += " -s " + found.dir
	}
	if found.pattern != usualTests {
		run += " -p " + quote(found.pattern)
	}
	return run
}

// tests are the test files of a Python project. Functions that are in no class are
// tests to pytest and nothing to unittest.
type tests struct {
	dir, pattern string
	functions    bool
}

// usualTests are the files that unittest looks for by itself.
const usualTests = "test*.py"

// testFunction is a test that unittest does not see.
var testFunction = lazyre.New(`(?m)^(async[ \t]+)?def test\w*\(|^(import|from) pytest\b`)

// pythonTests finds them: in a folder for tests, else beside the code.
func pythonTests(f *folder) tests {
	for _, dir := range []string{"tests", "test", "."} {
		for _, pattern := range []string{usualTests, "*_test.py"} {
			if dir == "." && pattern == usualTests && !f.matches("test_*.py") {
				continue // test.py beside the code may be anything
			}
			if names := f.glob(path.Join(dir, pattern)); len(names) > 0 {
				functions := slices.ContainsFunc(names, func(n string) bool { return testFunction.MatchString(f.read(n)) })
				return tests{dir, pattern, functions}
			}
		}
	}
	return tests{}
}

var pytestWord = lazyre.New(`(?m)(^|[^\w-])pytest([^\w-]|$)`)

func usesPytest(f *folder) bool {
	if f.has("pytest.ini", "conftest.py", "tests/conftest.py") {
		return true
	}
	for _, file := range []string{
		"pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "Pipfile", "requirements.txt",
		"requirements-dev.txt", "dev-requirements.txt", "requirements/dev.txt", "requirements/test.txt", "test-requirements.txt",
	} {
		if pytestWord.MatchString(f.read(file)) {
			return true
		}
	}
	return false
}

// pythonTool starts a command line inside the environment that the project's
// lock file stands for.
func pythonTool(f *folder) string {
	switch {
	case f.has("uv.lock"):
		return "uv run "
	case f.has("poetry.lock"):
		return "poetry run "
	case f.has("pdm.lock"):
		return "pdm run "
	case f.has("Pipfile.lock"):
		return "pipenv run "
	}
	return ""
}

func (f *folder) matches(pattern string) bool { return len(f.glob(pattern)) > 0 }

// glob lists the files of the folder that a pattern names, from the folder on.
func (f *folder) glob(pattern string) []string {
	sub, err := fs.Sub(f.fsys, f.dir)
	if err != nil {
		return nil
	}
	names, err := fs.Glob(sub, pattern)
	if err != nil {
		return nil
	}
	return names
}

func rustChecks(f *folder) []kedge.Check {
	if !f.has("Cargo.toml") {
		return nil
	}
	f.leaves("target")
	all := ""
	if strings.Contains(f.read("Cargo.toml"), "[workspace") {
		all = " --workspace"
	}
	return []kedge.Check{test("cargo test" + all), build("cargo build" + all)}
}

func javaChecks(f *folder) []kedge.Check {
	switch {
	case f.has("pom.xml"):
		f.leaves("target")
		mvn := f.wrapper("mvnw", "mvn") + " -B"
		return []kedge.Check{test(mvn + " test"), build(mvn + " -DskipTests package")}
	case f.has("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"):
		f.leaves("build")
		f.leaves(".gradle")
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
