package detect_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"kedge"
	rules "kedge/internal/core/check"
	"kedge/internal/core/detect"
)

// files makes a tree from "path", "content" pairs; a path ending in * is
// executable.
func files(pairs ...string) fstest.MapFS {
	m := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		name, mode := strings.TrimSuffix(pairs[i], "*"), fs.FileMode(0o644)
		if name != pairs[i] {
			mode = 0o755
		}
		m[name] = &fstest.MapFile{Data: []byte(pairs[i+1]), Mode: mode}
	}
	return m
}

func scripts(pairs ...string) string {
	var list []string
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, fmt.Sprintf("%q:%q", pairs[i], pairs[i+1]))
	}
	return `{"name":"x","scripts":{` + strings.Join(list, ",") + `}}`
}

const placeholder = `echo "Error: no test specified" && exit 1`

func TestProject(t *testing.T) {
	for _, c := range []struct {
		name  string
		tree  fstest.MapFS
		kinds string
		want  []string // "name kind: run"
		notes []string // a part of each
	}{
		{"nothing", files("README", "x"), "", nil, []string{"no test or build command"}},
		{"empty", files(), "", nil, []string{"no test or build command"}},

		{"go", files("go.mod", "module x\n"), "go", []string{"test test: go test ./...", "build build: go build ./..."}, nil},
		{
			"go workspace", files("go.work", "go 1.26\n\nuse (\n\t./app // the app\n\t\"./lib\"\n)\nuse ./tool\n"), "go",
			[]string{"test test: go test ./app/... ./lib/... ./tool/...", "build build: go build ./app/... ./lib/... ./tool/..."},
			nil,
		},
		{"go workspace of nothing", files("go.work", "go 1.26\n"), "", nil, []string{"no test"}},

		{
			"npm", files("package.json", scripts("test", "jest", "build", "tsc", "lint", "eslint ."), "package-lock.json", "{}"), "node",
			[]string{"test test: npm test", "build build: npm run build", "lint build: npm run lint"},
			nil,
		},
		{"pnpm", files("package.json", scripts("test", "vitest"), "pnpm-lock.yaml", ""), "node", []string{"test test: pnpm test"}, nil},
		{"yarn", files("package.json", scripts("test", "jest", "build", "x"), "yarn.lock", ""), "node", []string{"test test: yarn test", "build build: yarn run build"}, nil},
		{"bun", files("package.json", scripts("test", "vitest run"), "bun.lock", ""), "node", []string{"test test: bun run test"}, nil},
		{"no lock file", files("package.json", scripts("test", "jest")), "node", []string{"test test: npm test"}, nil},
		{"packageManager", files("package.json", `{"packageManager":"pnpm@9.1.0","scripts":{"test":"x"}}`), "node", []string{"test test: pnpm test"}, nil},
		{"an unknown packageManager", files("package.json", `{"packageManager":"rm -rf;@1","scripts":{"test":"x"}}`), "node", []string{"test test: npm test"}, nil},
		{"placeholder", files("package.json", scripts("test", placeholder, "build", "tsc")), "node", []string{"build build: npm run build"}, []string{"placeholder"}},
		{"only the placeholder", files("package.json", scripts("test", placeholder)), "node", nil, []string{"placeholder", "no script", "no test or build"}},
		{"watching", files("package.json", scripts("test", "jest --watch")), "node", nil, []string{"never ends", "no script", "no test or build"}},
		{"not watching", files("package.json", scripts("test", "jest --watchAll=false")), "node", []string{"test test: npm test"}, nil},
		{"react-scripts", files("package.json", scripts("test", "react-scripts test")), "node", []string{"test test: CI=true npm run test"}, nil},
		{"broken package.json", files("package.json", "{"), "", nil, []string{"package.json cannot be read", "no test or build"}},

		{"pytest in pyproject", files("pyproject.toml", "[tool.pytest.ini_options]\n", ".gitignore", "__pycache__/\n"), "python", []string{"test test: python3 -m pytest"}, nil},
		{"pytest required", files("requirements.txt", "flask\npytest==8.0\n", ".gitignore", "*.pyc"), "python", []string{"test test: python3 -m pytest"}, nil},
		{"bytecode in the tree", files("setup.py", "", "conftest.py", ""), "python", []string{"test test: PYTHONDONTWRITEBYTECODE=1 python3 -m pytest"}, nil},
		{"uv", files("pyproject.toml", "dev = [\"pytest>=8\"]", "uv.lock", "", ".gitignore", "**/__pycache__"), "python", []string{"test test: uv run python3 -m pytest"}, nil},
		{"poetry", files("pyproject.toml", "pytest = \"*\"", "poetry.lock", "", ".gitignore", "*.py[cod]"), "python", []string{"test test: poetry run python3 -m pytest"}, nil},
		{"a plug-in is not pytest", files("requirements.txt", "pytest-cov\n", "tox.ini", "[tox]", ".gitignore", "__pycache__"), "python", []string{"test test: tox -e py"}, nil},
		{"tox in pyproject", files("pyproject.toml", "[tool.tox]\n", ".gitignore", "__pycache__"), "python", []string{"test test: tox -e py"}, nil},
		{"django", files("manage.py", "", ".gitignore", "__pycache__"), "python", []string{"test test: python3 manage.py test"}, []string{"runserver is not proposed"}},
		{"unittest", files("setup.py", "", "tests/test_a.py", "", ".gitignore", "__pycache__"), "python", []string{"test test: python3 -m unittest discover -s tests"}, nil},
		{"unittest at the top", files("setup.py", "", "test_a.py", "", ".gitignore", "__pycache__"), "python", []string{"test test: python3 -m unittest"}, nil},
		{"no manifest, unittest", files("app.py", "", "test_app.py", "import unittest\n\nclass T(unittest.TestCase):\n    def test_a(self): pass\n", ".gitignore", "__pycache__"), "python", []string{"test test: python3 -m unittest"}, nil},
		{"no manifest, functions", files("app.py", "", "test_app.py", "from app import add\n\ndef test_add():\n    assert add(1, 2) == 3\n"), "python", []string{"test test: PYTHONDONTWRITEBYTECODE=1 python3 -m pytest"}, nil},
		{"no manifest, tests at their names' ends", files("app_test.py", "import unittest\n", ".gitignore", "*.pyc"), "python", []string{"test test: python3 -m unittest discover -p '*_test.py'"}, nil},
		{"no manifest, a folder of tests", files("app.py", "", "tests/test_app.py", "import unittest\n", ".gitignore", "*.pyc"), "python", []string{"test test: python3 -m unittest discover -s tests"}, nil},
		{"no manifest, a folder of functions", files("tests/test_app.py", "async def test_it():\n    pass\n", ".gitignore", "*.pyc"), "python", []string{"test test: python3 -m pytest"}, nil},
		{"no manifest, a folder called test", files("test/app_test.py", "import unittest\n", ".gitignore", "*.pyc"), "python", []string{"test test: python3 -m unittest discover -s test -p '*_test.py'"}, nil},
		{"no manifest, conftest", files("conftest.py", "", ".gitignore", "*.pyc"), "python", []string{"test test: python3 -m pytest"}, nil},
		{"a script called test.py", files("test.py", "print(1)\n"), "", nil, []string{"no test or build"}},
		{"functions under a manifest", files("setup.py", "", "test_a.py", "import pytest\n", ".gitignore", "__pycache__"), "python", []string{"test test: python3 -m pytest"}, nil},
		{"a helper's test in another project", files("go.mod", "", "test_tool.py", "def test_x(): pass\n"), "go", []string{"test test: go test ./...", "build build: go build ./..."}, nil},
		{"python one folder below", files("app/test_app.py", "import unittest\n", ".gitignore", "*.pyc"), "python", []string{"app-test test: cd app && python3 -m unittest"}, nil},
		{"python without tests", files("pyproject.toml", "[project]\n"), "python", nil, []string{"no way to test", "no test or build"}},

		{"rust", files("Cargo.toml", "[package]\n", ".gitignore", "/target\n"), "rust", []string{"test test: cargo test", "build build: cargo build"}, nil},
		{"rust workspace", files("Cargo.toml", "[workspace]\nmembers=[]\n", ".gitignore", "target/"), "rust", []string{"test test: cargo test --workspace", "build build: cargo build --workspace"}, nil},
		{"rust unignored", files("Cargo.toml", "[package]\n"), "rust", []string{"test test: cargo test", "build build: cargo build"}, nil},

		{"maven", files("pom.xml", "<project/>", ".gitignore", "target"), "java", []string{"test test: mvn -B test", "build build: mvn -B -DskipTests package"}, nil},
		{"maven wrapper", files("pom.xml", "<project/>", "mvnw*", "", ".gitignore", "target"), "java", []string{"test test: ./mvnw -B test", "build build: ./mvnw -B -DskipTests package"}, nil},
		{"wrapper that lost its mode", files("pom.xml", "<project/>", "mvnw", "", ".gitignore", "target"), "java", []string{"test test: sh mvnw -B test", "build build: sh mvnw -B -DskipTests package"}, nil},
		{"gradle", files("build.gradle.kts", "", "gradlew*", "", ".gitignore", "build\n.gradle\n"), "java", []string{"test test: ./gradlew --console=plain test", "build build: ./gradlew --console=plain assemble"}, nil},

		{"make", files("Makefile", ".PHONY: test build\nall: build\ntest: build\n\t./run\nbuild:\n\tcc\n"), "make", []string{"test test: make test", "build build: make build"}, nil},
		{"make check", files("GNUmakefile", "check lint:\n\t./run\n", "Makefile", "test:\n"), "make", []string{"test test: make check"}, nil},
		{"make variables are no targets", files("Makefile", "test := 1\nbuild ::= 2\n.PHONY: test\nFOO = test: x\n"), "make", nil, []string{"no test or build"}},
		{"make beside a language", files("go.mod", "", "Makefile", "test:\nbuild:\n"), "go make", []string{"test test: go test ./...", "build build: go build ./..."}, []string{"`make test` is not used", "`make build` is not used"}},
		{"make fills in", files("setup.py", "", "conftest.py", "", ".gitignore", "__pycache__", "Makefile", "build:\n"), "python make", []string{"test test: python3 -m pytest", "build build: make build"}, nil},

		{
			"several at once", files("go.mod", "", "package.json", scripts("test", "jest"), "Cargo.toml", "", ".gitignore", "target"), "go node rust",
			[]string{"go-test test: go test ./...", "go-build build: go build ./...", "node-test test: npm test", "rust-test test: cargo test", "rust-build build: cargo build"},
			nil,
		},
		{
			"a package.json for tools only", files("go.mod", "", "package.json", `{"devDependencies":{}}`), "go node",
			[]string{"test test: go test ./...", "build build: go build ./..."},
			[]string{"no script"},
		},
		{
			"one folder below", files("api/go.mod", "", "web ui/package.json", scripts("test", "x"), "node_modules/package.json", scripts("test", "x"), ".x/go.mod", ""), "go node",
			[]string{"api-test test: cd api && go test ./...", "api-build build: cd api && go build ./...", "web-ui-test test: cd 'web ui' && npm test"},
			nil,
		},
		{
			"folders whose names meet", files("a b/go.mod", "", "a-b/go.mod", ""), "go",
			[]string{
				"a-b-test test: cd 'a b' && go test ./...", "a-b-build build: cd 'a b' && go build ./...",
				"a-b-test-2 test: cd a-b && go test ./...", "a-b-build-2 build: cd a-b && go build ./...",
			},
			nil,
		},
		{
			"names that could harm", files("-rf/go.mod", "", "it's $(x)/go.mod", ""), "go",
			[]string{
				"rf-test test: cd ./-rf && go test ./...", "rf-build build: cd ./-rf && go build ./...",
				`it-s---x--test test: cd 'it'\''s $(x)' && go test ./...`, `it-s---x--build build: cd 'it'\''s $(x)' && go build ./...`,
			},
			nil,
		},
		{"folders in the place of files", files("go.mod/x", "", "package.json/x", "", "Makefile/x", ""), "", nil, []string{"no test or build"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := detect.Project(c.tree, nil)
			if got := strings.Join(found.Kinds, " "); got != c.kinds {
				t.Errorf("kinds %q, want %q", got, c.kinds)
			}
			var got []string
			for _, check := range found.Checks {
				got = append(got, fmt.Sprintf("%s %s: %s", check.Name, check.Kind, check.Run))
				if f := rules.Validate(check); f != nil {
					t.Error(f.What)
				}
			}
			if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("checks\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
			if len(found.Notes) != len(c.notes) {
				t.Fatalf("notes %q, want %q", found.Notes, c.notes)
			}
			for i, part := range c.notes {
				if !strings.Contains(found.Notes[i], part) {
					t.Errorf("note %q does not say %q", found.Notes[i], part)
				}
			}
		})
	}
}

func FuzzManifests(f *testing.F) {
	f.Add("package.json", scripts("test", "jest"), "sub")
	f.Add("go.work", "use (\n./a\n)", "a b")
	f.Add("Makefile", "test build:\n\tx\n", "-x")
	f.Add("pyproject.toml", "[tool.pytest]", "é")
	f.Add("package.json", `{"scripts":null}`, "a'b")
	f.Add("package.json", `{"workspaces":["a/*"],"scripts":{"test":"run-s a:* && npm test","a:b":"npm run test"}}`, "packages")
	f.Add("composer.json", `{"scripts":{"test":["@test","x"]}}`, "a")
	f.Add("CMakeLists.txt", "project(x)\nenable_testing()\n", "a")
	f.Add("Gemfile", "gem 'rspec'\n", "services")
	f.Add("requirements.txt", "-e .\npytest\n", "a")
	f.Fuzz(func(t *testing.T, file, text, dir string) {
		if !fs.ValidPath(file) || !fs.ValidPath(dir) || strings.Contains(dir, "/") || file == "." || dir == "." || file == dir {
			t.Skip("not a path in a tree")
		}
		for _, tree := range []fstest.MapFS{files(file, text), files(dir+"/"+file, text, dir+"2/go.mod", "")} {
			names := map[string]bool{}
			found := detect.Project(tree, nil)
			for _, m := range detect.Project(tree, func(string) bool { return false }).Missing {
				if !kedge.ValidName(m.Check.Name) || m.Program == "" {
					t.Fatalf("missing %+v", m)
				}
			}
			for _, c := range found.Checks {
				if !kedge.ValidName(c.Name) || names[c.Name] || c.Run == "" || rules.Named(c.Kind).Marker == "" {
					t.Fatalf("check %+v", c)
				}
				names[c.Name] = true
			}
		}
	})
}
