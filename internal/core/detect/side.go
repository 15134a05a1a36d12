package detect

import (
	"path"
	"slices"
	"strings"

	"kedge/internal/text/glob"
	"kedge/internal/text/lazyre"
)

// Side says what a changed file is to the proof of the work.
type Side int

// The sides. A Build file belongs to both: the new tests may need the dependency
// that it names, and so may the new source.
const (
	Neither Side = iota // documentation, licences, CI, editors: no check reads it
	Source              // what the tests test, and whatever is not known
	Build               // manifests and lock files
	Tests               // tests, their helpers, data and expectations, and the runner's configuration
)

var sideNames = []string{Neither: "neither", Source: "source", Build: "build", Tests: "tests"}

func (s Side) String() string { return sideNames[s] }

// SideOf tells by a file's name on which side it stands. Extra are further globs of tests.
// Some files hold both sides: see Split.
func SideOf(name string, extra []string) Side {
	name = strings.ReplaceAll(name, `\`, "/")
	switch {
	case slices.ContainsFunc(extra, func(p string) bool { return glob.Match(p, name) }):
		return Tests
	case inFolder(name, "node_modules", "vendor", "third_party"):
		return Source
	case ciFiles.MatchString(name) && !isCode(name):
		return Neither
	case IsRunner(name) || testFiles.MatchString(name) && !supports(name) || IsTest(name):
		return Tests
	case buildFiles.MatchString(path.Base(name)):
		return testFolder(name, Build)
	case proseFiles.MatchString(name) && !isCode(name):
		return testFolder(name, Neither)
	}
	return testFolder(name, Source)
}

// isCode tells whether a file is source by its ending, whatever its name announces: todo.py is no
// list of what is to do. What configures editors and CI runs nowhere else.
func isCode(name string) bool {
	return IsSource(name) && !ciFolder.MatchString(name) && !toolFiles.MatchString(path.Base(name)) && !docScripts.MatchString(name)
}

// testFolder gives Tests for a file in a folder of tests, and otherwise what it is elsewhere.
// Text in a folder of specifications is mostly a specification.
func testFolder(name string, otherwise Side) Side {
	dir := path.Dir(name) + "/"
	switch {
	case testFolders.MatchString(dir):
		return Tests
	case specFolders.MatchString(dir) && otherwise != Neither:
		return Tests
	}
	return otherwise
}

// inFolder tells whether a file lies below a folder of one of the names.
func inFolder(name string, folders ...string) bool {
	for part := range strings.SplitSeq(path.Dir(name), "/") {
		if slices.Contains(folders, part) {
			return true
		}
	}
	return false
}

// IsRunner tells by its name whether a file configures or replaces the runner of tests.
func IsRunner(name string) bool {
	return runnerFiles.MatchString(strings.ReplaceAll(name, `\`, "/")) || Shadows(name)
}

// Shadows tells whether a file takes the place of a module that the runner of tests loads: with
// a unittest.py beside the code, Python's own is not loaded.
func Shadows(name string) bool {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	if base == "__init__.py" || base == "__main__.py" {
		base = path.Base(path.Dir(name)) + ".py"
	}
	return shadowing[base] && !inFolder(path.Dir(name), "node_modules", "vendor", "third_party")
}

var shadowing = map[string]bool{
	"sitecustomize.py": true, "usercustomize.py": true, "unittest.py": true, "pytest.py": true, "_pytest.py": true,
	"doctest.py": true, "nose.py": true, "nose2.py": true,
}

// The names of files. A folder ends with a slash.
var (
	ciFolder   = lazyre.New(`(?i)^(\.github|\.gitlab|\.circleci|\.buildkite|\.azure|\.azure-pipelines|\.vscode|\.idea|\.devcontainer|\.husky|\.kedge)/`)
	docScripts = lazyre.New(`(?i)^(docs?|man)/.*\.(py|rb|sh|php|[cm]?[jt]sx?)$`)
	toolFiles  = lazyre.New(`(?i)^(eslint|prettier|stylelint|commitlint|lint-staged|release)\.config\.\w+$|^\.(eslint|prettier|stylelint)rc\.\w+$`)

	runnerFiles = lazyre.New(`(?i)(^|/)(` + strings.Join([]string{
		`conftest\.py`, `pytest\.ini`, `\.pytest\.ini`, `tox\.ini`, `noxfile\.py`, `nose2?\.cfg`, `\.coveragerc`,
		`(jest|vitest|vite-?test|karma|cypress|playwright|ava|wdio|web-test-runner|nightwatch|testcafe|stryker)([.-][\w-]+)*\.(config|conf|setup|preset|workspace|shared)\.[\w.]+`,
		`(jest|vitest|karma|cypress|playwright|ava|wdio|nightwatch)[.-](config|conf|setup|preset|workspace|global)[\w.-]*`,
		`\.mocharc(\.\w+)?`, `mocha\.opts`, `\.taprc`, `\.nycrc(\.\w+)?`, `\.c8rc(\.\w+)?`, `\.jestrc(\.\w+)?`, `jasmine\.json`, `setupTests\.[jt]sx?`,
		`phpunit(\.[\w-]+)*\.xml(\.dist)?`, `pest\.php`, `behat\.ya?ml(\.dist)?`, `codeception(\.dist)?\.ya?ml`, `infection\.json5?(\.dist)?`,
		`\.rspec(-local)?`, `(spec|rails|test|minitest|acceptance)_helper\.rb`, `\.simplecov`, `cucumber\.ya?ml`,
		`nextest\.toml`, `tarpaulin\.toml`, `CTest(Config|Custom|Testfile)(\.\w+)*\.cmake`, `Testing\.cmake`, `tests?\.(cmake|mk)`,
		`junit-platform\.properties`, `testng(-[\w-]+)?\.xml`, `kotest\.properties`, `\.npmrc`, `\.yarnrc(\.ya?ml)?`, `\.batsrc`, `\.proverc`,
		`run[-_]?(all[-_]?)?tests?(\.\w+)?`, `tests?\.(sh|bash)`,
	}, "|") + `)$`)

	testFolders = lazyre.New(`(?i)(^|/)(tests?|t|__tests__|__mocks__|__fixtures__|__snapshots__|testdata|test[-_](data|utils?|helpers?|fixtures?|lib|support|resources|files)|` +
		`testutils?|testhelpers?|testlib|testkit|testsuite|testsupport|unit_?tests?|integration_?tests?|e2e|cypress|fixtures|goldens?|snapshots|` +
		`(?-i:src/(\w+Test|testFixtures|testIntegration))|[\w-]+[-_]tests?|tests?_\w+)/`)
	specFolders = lazyre.New(`(^|/)specs?/`)

	testFiles = lazyre.New(`(?i)\.(snap|golden|approved|verified|received|bats|feature|t)(\.\w+)?$|\.(golden|approved|verified)\.\w+$|` +
		`(^|[/_.-])unittests?\.(c|cc|cpp|cxx|py)$|(^|/)tests?\.(py|rs|c|cc|cpp|php|rb)$|^((packages|modules|libs)/[^/]+/)?(tests?|specs?)\.[cm]?[jt]sx?$|_tests\.(rs|c|cc|cpp|py)$`)

	buildFiles = lazyre.New(`(?i)^(go\.(mod|sum|work|work\.sum)|package(-lock)?\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-(lock|workspace)\.yaml|bun\.lockb?|deno\.(jsonc?|lock)|` +
		`(dev-|test-)?requirements([-_.][\w-]+)?\.(txt|in)|constraints\.txt|pyproject\.toml|setup\.(py|cfg)|pipfile(\.lock)?|poetry\.lock|uv\.lock|pdm\.lock|environment\.ya?ml|` +
		`cargo\.(toml|lock)|rust-toolchain(\.toml)?|gemfile(\.lock)?|gems\.(rb|locked)|.*\.gemspec|rakefile|composer\.(json|lock)|` +
		`pom\.xml|(build|settings)\.gradle(\.kts)?|gradle\.properties|libs\.versions\.toml|build\.sbt|(gnu)?makefile(\.\w+)?|justfile|taskfile\.ya?ml|cmakelists\.txt|.*\.cmake|` +
		`configure\.(ac|in)|meson\.build|meson_options\.txt|build(\.bazel)?|workspace(\.bazel)?|module\.bazel|conanfile\.(txt|py)|vcpkg\.json|\.gitmodules)$`)

	ciFiles = lazyre.New(`(?i)^(\.github|\.gitlab|\.circleci|\.buildkite|\.azure|\.azure-pipelines|\.vscode|\.idea|\.devcontainer|\.husky|\.kedge)/|` +
		`(^|/)(\.gitlab-ci\.ya?ml|\.travis\.ya?ml|\.?appveyor\.ya?ml|azure-pipelines\.ya?ml|bitbucket-pipelines\.ya?ml|\.cirrus\.ya?ml|jenkinsfile|\.drone\.ya?ml|codecov\.ya?ml|\.codecov\.ya?ml|` +
		`\.gitignore|\.gitattributes|\.git-blame-ignore-revs|\.mailmap|\.editorconfig|\.pre-commit-config\.yaml|\.readthedocs\.ya?ml|renovate\.json5?|\.npmignore|\.dockerignore|` +
		`\.prettier(rc|ignore).*|\.eslint(rc|ignore).*|eslint\.config\..*|biome\.jsonc?|\.golangci\..*|\.rubocop.*|\.pylintrc|\.flake8|ruff\.toml|mypy\.ini|\.clang-(format|tidy)|rustfmt\.toml|\.rustfmt\.toml|clippy\.toml|` +
		`phpstan[^/]*|psalm[^/]*|\.php[-_]cs.*|\.scrutinizer\.ya?ml|\.styleci\.ya?ml|\.all-contributorsrc|release-please-config\.json|\.release-please-manifest\.json)$`)

	proseFiles = lazyre.New(`(?i)\.(md|markdown|rst|adoc|asciidoc|org|pod|[1-9])$|(^|/)(docs?|man|changes|changelog\.d|newsfragments|\.changeset)/|` +
		`(^|/)(change(s|log)|history|news|releases?|licen[sc]e|copying|copyright|notice|authors|contributors|contributing|maintainers|codeowners|readme|todo|thanks|security|code_of_conduct|upgrad(e|ing)|citation)([-_.][\w.-]+)?$`)
)

// testNames are the names that runners look for. Rust keeps tests beside the
// code, so there every file is read, whatever its name.
var testNames = lazyre.New(`(?i)` + strings.Join([]string{
	`_(test|tests|unittest)\.(go|py|rs|rb|exs|dart|c|cc|cpp|cxx|php|sh)$`,
	`(^|/)(test_[^/]*|conftest)\.py$`, `(^|/)test[_-][^/]*\.(c|cc|cpp|cxx|rb|sh|bash|php|[cm]?[jt]sx?)$`,
	`[._-](test|tests|spec|cy|e2e|test-d)\.[cm]?[jt]sx?$`,
	`_spec\.rb$`, `\.(bats|feature)$`,
	`(^|/)(__tests__|tests?|specs?|e2e|cypress|[a-z]+[-_]tests?|tests?_\w+)/([^/]+/)*[^/]+\.([cm]?[jt]sx?|py|rs|rb|php|exs|sh|bash|bats|c|cc|cpp|cxx|h|hpp|hh|m|mm|t|pl)$`,
	`(^|/)t/([^/]+/)*[^/]+\.(sh|bash|t|c|pl)$`, `(^|/)(tests?|test[_-][^/]*|[^/]*[_-]tests?)\.(c|cc|cpp|cxx|rb|php|sh|bash)$`, `^((packages|modules|libs)/[^/]+/)?(tests?|specs?)\.[cm]?[jt]sx?$|[_-](tests?|spec)\.[cm]?[jt]sx?$`,
}, "|") + `|` + `(?-i:(Test|Tests|IT|Spec)\.(java|kt|scala|groovy|php|cs|swift)$|(^|/)(Test[A-Z]\w*\.(java|kt)$|src/test/))`)

// support is a part of a library that helps its users to test: test.py among its source. No runner of Python collects
// that name by itself, wherever it stands in a package.
var support = lazyre.New(`(?i)(^|/)(lib|src)/([^/]+/)+test\.(py|rb|php)$|^[^/]+/([^/]+/)*test\.py$`)

func supports(name string) bool {
	return support.MatchString(name) && !testFolders.MatchString(path.Dir(name)+"/")
}

// mainCode is where builds of Java and Kotlin keep the source: TypeSpec.kt there specifies a type.
var mainCode = lazyre.New(`(^|/)src/(main|\w+Main)/.*\.(java|kt|scala|groovy)$`)

// IsTest tells by its name whether a file holds tests. Files of data below
// testdata do not.
func IsTest(name string) bool {
	name = strings.ReplaceAll(name, `\`, "/")
	if supports(name) || mainCode.MatchString(name) {
		return false
	}
	return testNames.MatchString(name) && !strings.Contains("/"+name, "/testdata/") && !strings.Contains("/"+name, "/node_modules/")
}

// sources are the names of files that programs are written in. A file with settings or
// text needs no test.
var sources = lazyre.New(`(?i)\.(go|py|rb|rs|java|kt|kts|scala|groovy|cs|fs|swift|php|c|cc|cpp|cxx|h|hpp|m|mm|[cm]?[jt]sx?|vue|svelte|ex|exs|erl|clj|hs|ml|dart|lua|pl|pm|jl|r|zig|nim|sql|sh|bash)$`)

// IsSource tells by its name whether a file is source that a test could cover.
func IsSource(name string) bool {
	return sources.MatchString(name) && !IsTest(name) && !strings.HasSuffix(strings.ToLower(name), ".d.ts") &&
		!strings.Contains("/"+name, "/testdata/") && !strings.Contains("/"+name, "/node_modules/")
}
