package detect_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	rules "kedge/internal/core/check"
	"kedge/internal/core/detect"
)

// shown is what is found, a line for each part.
func shown(found detect.Found) string {
	var out []string
	add := func(what, text string) {
		if text != "" {
			out = append(out, what+" "+text)
		}
	}
	add("setup", found.Setup)
	for _, c := range found.Checks {
		add(c.Name, fmt.Sprintf("%s: %s", c.Kind, c.Run))
	}
	for _, m := range found.Missing {
		add("no "+m.Program+",", m.Check.Name+": "+m.Check.Run)
	}
	for _, c := range found.Instead {
		add("instead", c.Name+": "+c.Run)
	}
	add("made", strings.Join(found.Made, " "))
	add("ignore", strings.Join(found.Ignore, " "))
	return strings.Join(out, "\n")
}

// lines joins what is wanted.
func lines(list ...string) string { return strings.Join(list, "\n") }

// TestProposals: what a maintainer would have written, with what a fresh worktree needs.
func TestProposals(t *testing.T) {
	const project = "cmake_minimum_required(VERSION 3.5)\nproject(x C)\n"
	for _, c := range []struct {
		name  string
		tree  fstest.MapFS
		lacks string // programs
		want  string
		note  string // a part of one
	}{
		// Node: installs, what runs behind another script, workspaces
		{
			"npm with a lock file", files("package.json", `{"scripts":{"test":"jest"},"devDependencies":{"jest":"1"}}`, "package-lock.json", "{}", ".gitignore", "node_modules\n"), "",
			lines("setup npm ci", "test test: npm test", "made node_modules"), "",
		},
		{
			"npm without one", files("package.json", `{"scripts":{"test":"tap"},"devDependencies":{"tap":"1"}}`), "",
			lines("setup npm install --no-package-lock", "test test: npm test", "made node_modules", "ignore /node_modules/"), "",
		},
		{
			"pnpm", files("package.json", `{"scripts":{"test":"vitest run"},"devDependencies":{"vitest":"1"}}`, "pnpm-lock.yaml", "", ".gitignore", "node_modules/"), "",
			lines("setup pnpm install --frozen-lockfile", "test test: pnpm test", "made node_modules"), "",
		},
		{
			"Yarn with Plug'n'Play", files("package.json", `{"packageManager":"yarn@4.1.0","scripts":{"test":"jest"},"devDependencies":{"jest":"1"}}`, "yarn.lock", ""), "",
			lines("setup yarn install --immutable", "test test: yarn test"), "",
		},
		{
			"hooks of git that a package installs", files("package.json", `{"scripts":{"test":"jest","prepare":"husky"},"devDependencies":{"jest":"1"}}`, "package-lock.json", "{}", ".gitignore", "node_modules"), "",
			lines("setup HUSKY=0 npm ci", "test test: npm test", "made node_modules"), "",
		},
		{"a linter before the tests", files("package.json", scripts("test", "eslint . && jest", "lint", "eslint .")), "", "test test: npm test", ""},
		{"a linter after the tests", files("package.json", scripts("test", "tap", "posttest", "npm run lint", "lint", "npm run eslint", "eslint", "eslint x", "postlint", "check")), "", "test test: npm test", ""},
		{"a linter behind two scripts", files("package.json", scripts("test", "run-s check:* unit", "check:a", "npm:none", "check:lint", "npm run lint", "unit", "jest", "lint", "biome check")), "", "test test: npm test", ""},
		{"another linter", files("package.json", scripts("test", "eslint . && jest", "lint", "eslint . && stylelint css")), "", lines("test test: npm test", "lint build: npm run lint"), ""},
		{"a build behind the tests", files("package.json", scripts("test", "npm run build && node --test", "build", "tsc")), "", "test test: npm test", ""},
		{"types, checked by the build", files("package.json", scripts("test", "jest", "build", "tsc -p .", "typecheck", "tsc --noEmit")), "", lines("test test: npm test", "build build: npm run build"), ""},
		{"types, checked by nothing else", files("package.json", scripts("test", "vitest run", "build", "vite build", "typecheck", "tsc --noEmit")), "", lines("test test: npm test", "build build: npm run build", "types build: npm run typecheck"), ""},
		{
			"only what changed", files("package.json", scripts("test", "pnpm run test:ci", "test:ci", "nx run-many -t test", "build", "nx affected -t build", "build:all", "nx run-many -t build"), "pnpm-lock.yaml", "", "nx.json", "{}"), "",
			lines("test test: pnpm test", "build build: pnpm run build:all"), "",
		},
		{"what the tests of a workspace run besides", files("package.json", scripts("test", "nx run-many --targets=test:lib,build,lint", "build", "nx affected -t build", "lint", "nx run-many -t lint"), "nx.json", "{}"), "", "test test: npm test", ""},
		{"only what changed, and nothing else", files("package.json", scripts("test", "nx affected -t test")), "", "test test: npm test", "tests only what changed"},
		{"tests of another name", files("package.json", scripts("test:unit", "jest")), "", "test test: npm run test:unit", ""},
		{
			"npm workspaces", files("package.json", `{"workspaces":["packages/*"]}`, "package-lock.json", "", "packages/a/package.json", scripts("test", "jest", "build", "tsc"), ".gitignore", "node_modules"), "",
			lines("setup npm ci", "test test: npm run test --workspaces --if-present", "build build: npm run build --workspaces --if-present", "made node_modules"), "",
		},
		{
			"pnpm workspaces", files("package.json", `{"name":"x"}`, "pnpm-lock.yaml", "", "pnpm-workspace.yaml", "catalog:\n  - no\npackages:\n  - 'libs/**' # ours\n", "libs/x/a/package.json", scripts("test", "jest", "lint", "eslint ."), ".gitignore", "node_modules"), "",
			lines("setup pnpm install --frozen-lockfile", "test test: pnpm -r run test", "lint build: pnpm -r run lint", "made node_modules"), "",
		},
		{
			"Turborepo", files("package.json", `{"workspaces":{"packages":["apps/*"]}}`, "yarn.lock", "", "turbo.json", `{"tasks":{"test":{}}}`, "apps/web/package.json", scripts("test", "jest"), ".gitignore", "node_modules"), "",
			lines("setup yarn install --frozen-lockfile", "test test: yarn turbo run test", "made node_modules"), "",
		},
		{
			"Nx", files("package.json", `{"workspaces":["packages/*"]}`, "nx.json", "{}", "packages/a/package.json", scripts("test", "jest"), ".gitignore", "node_modules"), "",
			lines("setup npm install --no-package-lock", "test test: npx nx run-many -t test", "made node_modules"), "",
		},
		{
			"Lerna", files("package.json", `{"name":"x"}`, "lerna.json", `{"packages":["modules/*"]}`, "modules/a/package.json", scripts("test", "jest"), ".gitignore", "node_modules"), "",
			lines("setup npm install --no-package-lock", "test test: npx lerna run test", "made node_modules"), "",
		},
		{"workspaces of placeholders", files("package.json", `{"workspaces":["packages/*"]}`, "packages/a/package.json", scripts("test", placeholder)), "", "", "no script test"},
		{"Playwright", files("package.json", scripts("test", "vitest run"), "playwright.config.ts", "x"), "", lines("test test: npm test", "e2e-playwright e2e: npx playwright test", "ignore /test-results/ /playwright-report/"), ""},
		{"Playwright by a script", files("package.json", scripts("test", "vitest run", "test:e2e", "playwright test --reporter=list"), "pnpm-lock.yaml", "", "playwright.config.ts", "x", ".gitignore", "/test-results/\nplaywright-report\n"), "", lines("test test: pnpm test", "e2e-playwright e2e: pnpm run test:e2e"), ""},
		{"Playwright in a folder", files("package.json", scripts("test", "vitest run", "test:integration", "npm run build && playwright test -c integration/x.ts", "build", "tsc")), "", lines("test test: npm test", "build build: npm run build", "e2e-playwright e2e: npm run test:integration", "ignore /test-results/ /playwright-report/"), ""},
		{"Playwright is the test", files("package.json", scripts("test", "playwright test"), "playwright.config.js", "x"), "", "test test: npm test", ""},
		{"Cypress", files("package.json", scripts("test", "jest", "cy:run", "cypress run"), "cypress.config.js", "x", ".gitignore", "cypress/videos\ncypress/screenshots/\n"), "", lines("test test: npm test", "e2e-cypress e2e: npm run cy:run"), ""},

		// Python: the runner, the layout, the environment
		{"tox is not here", files("tox.ini", "[testenv]\ncommands = python -m unittest\n", "tests/__init__.py", "", "tests/test_a.py", "import unittest\n", ".gitignore", "*.pyc"), "tox", "test test: python3 -m unittest", ""},
		{"tox is here", files("tox.ini", "[testenv]\ncommands = python -m unittest\n", "tests/test_a.py", "", ".gitignore", "*.pyc\n.tox"), "", lines("test test: python3 -m unittest discover -s tests", "instead test: tox -e py"), ""},
		{"only tox knows", files("tox.ini", "[testenv]\ncommands = trial x\n", ".gitignore", "*.pyc\n.tox"), "", "test test: tox -e py", ""},
		{"nox is not here", files("noxfile.py", "import nox\n", "tests/test_a.py", "import unittest\n", ".gitignore", "*.pyc"), "nox", "test test: python3 -m unittest discover -s tests", ""},
		{"tests in a package", files("setup.py", "", "lib/tests/test_a.py", "import unittest\n", ".gitignore", "*.pyc"), "", "test test: python3 -m unittest", ""},
		{"tests in folders of tests", files("setup.py", "", "tests/unit/test_a.py", "def test_a(): pass\n", ".gitignore", "*.pyc"), "", "test test: python3 -m pytest", ""},
		{
			"a helper's manifest in another project", files("meson.build", "project('x', 'c')\n", "requirements.txt", "x\n", ".gitignore", "build"), "",
			lines("test test: { test -f build/build.ninja || meson setup build; } && meson test -C build --print-errorlogs", "build build: { test -f build/build.ninja || meson setup build; } && meson compile -C build"), "",
		},
		{"src, with pytest on this machine", files("pyproject.toml", "[project]\n[tool.pytest.ini_options]\n", "src/x/__init__.py", "", ".gitignore", "*.pyc"), "", "test test: PYTHONPATH=src python3 -m pytest", ""},
		{
			"src, without", files("pyproject.toml", "[project]\n[project.optional-dependencies]\ntest = [\n  \"pytest>=8\",\n]\n[tool.x]\n", "src/x/__init__.py", "", ".gitignore", "*.pyc\n.venv/\n*.egg-info\n"), "pytest",
			lines("setup python3 -m venv .venv && .venv/bin/python -m pip install -q -e '.[test]'", "test test: .venv/bin/python -m pytest", "made .venv/bin/python"), "",
		},
		{
			"an environment in the folder", files("requirements.txt", "flask\n", "requirements-dev.txt", "pytest\n", "venv/pyvenv.cfg", "home = x\n", ".gitignore", "*.pyc\nvenv\n"), "",
			lines("setup python3 -m venv venv && venv/bin/python -m pip install -q -r requirements.txt -r requirements-dev.txt", "test test: venv/bin/python -m pytest", "made venv/bin/python"), "",
		},
		{
			"groups of dependencies", files("pyproject.toml", "[project]\ndependencies = [\n  \"attrs\",\n]\n[dependency-groups]\ntest = [\"pytest\"]\n", ".gitignore", "*.pyc\n.venv/\n*.egg-info\n"), "pytest",
			lines("setup python3 -m venv .venv && .venv/bin/python -m pip install -q 'pip>=25.1' && .venv/bin/python -m pip install -q -e . --group test", "test test: .venv/bin/python -m pytest", "made .venv/bin/python"), "",
		},
		{
			"pytest that nothing names as a package", files("setup.py", "", "conftest.py", ""), "pytest",
			lines("setup python3 -m venv .venv && .venv/bin/python -m pip install -q -e . pytest", "test test: PYTHONDONTWRITEBYTECODE=1 .venv/bin/python -m pytest", "made .venv/bin/python", "ignore /.venv/ /*.egg-info/"), "",
		},
		{
			"requirements that install the project", files("pyproject.toml", "[project]\ndependencies = [\"x\"]\n[tool.pytest.ini_options]\n", "requirements.txt", "-e .[all]\npytest==8\n", ".gitignore", "*.pyc\nvenv/\n"), "pytest",
			lines("setup python3 -m venv venv && venv/bin/python -m pip install -q -r requirements.txt", "test test: venv/bin/python -m pytest", "made venv/bin/python"), "",
		},
		{
			"unittest that needs packages", files("requirements.txt", "# ours\nrequests\n", "test_a.py", "import unittest\n", ".gitignore", "*.pyc\n.venv\n"), "",
			lines("setup python3 -m venv .venv && .venv/bin/python -m pip install -q -r requirements.txt", "test test: .venv/bin/python -m unittest", "made .venv/bin/python"), "",
		},
		{
			"a workspace of uv", files("pyproject.toml", "[tool.uv.workspace]\nmembers = [\"a\"]\n[dependency-groups]\ndev = [\"pytest\"]\n", "uv.lock", "", ".gitignore", "*.pyc"), "",
			lines("setup uv sync --all-packages", "test test: uv run python3 -m pytest"), "",
		},
		{
			"uv is not here", files("pyproject.toml", "[dependency-groups]\ndev = [\"pytest\"]\n", "uv.lock", "", ".gitignore", "*.pyc"), "uv pytest",
			lines("setup python3 -m venv .venv && .venv/bin/python -m pip install -q 'pip>=25.1' && .venv/bin/python -m pip install -q --group dev", "test test: .venv/bin/python -m pytest", "made .venv/bin/python", "ignore /.venv/"), "and not uv.lock",
		},

		// C and C++
		{
			"CMake and CTest", files("CMakeLists.txt", project+"enable_testing()\n", ".gitignore", "build/\n"), "",
			lines("test test: cmake -S . -B build && cmake --build build --parallel 4 && cd build && ctest --output-on-failure", "build build: cmake -S . -B build && cmake --build build --parallel 4"), "",
		},
		{
			"CMake, nothing ignored", files("CMakeLists.txt", project, "tests/CMakeLists.txt", "include(CTest)\n"), "",
			lines("test test: cmake -S . -B build && cmake --build build --parallel 4 && cd build && ctest --output-on-failure", "build build: cmake -S . -B build && cmake --build build --parallel 4", "ignore /build/"), "",
		},
		{"CMake beside a folder called build", files("CMakeLists.txt", project, "build/x.sh", ""), "", lines("build build: cmake -S . -B builddir && cmake --build builddir --parallel 4", "ignore /builddir/"), "no test that ctest"},
		{
			"CMake is not here, make is", files("CMakeLists.txt", project+"enable_testing()\n", "Makefile", "test:\n\t./t\n", ".gitignore", "build"), "cmake",
			lines("test test: make test",
				"no cmake, test: cmake -S . -B build && cmake --build build --parallel 4 && cd build && ctest --output-on-failure",
				"no cmake, build: cmake -S . -B build && cmake --build build --parallel 4"), "cmake is not installed, so Kedge left out: ",
		},
		{"a part of a CMake project", files("CMakeLists.txt", "add_library(x x.c)\n"), "", "", "no test or build"},
		{
			"Meson", files("meson.build", "project('x', 'c')\n", ".gitignore", "_build"), "",
			lines("test test: { test -f _build/build.ninja || meson setup _build; } && meson test -C _build --print-errorlogs", "build build: { test -f _build/build.ninja || meson setup _build; } && meson compile -C _build"), "",
		},
		{
			"Autotools", files("configure.ac", "", "Makefile.am", "", ".gitignore", "config.status"), "",
			lines("setup autoreconf -fi && ./configure", "test test: make check", "build build: make", "made config.status"), "",
		},
		{"Autotools that are not here", files("configure.ac", "", "Makefile.am", ""), "autoreconf", lines("no autoreconf, test: make check", "no autoreconf, build: make"), "autoreconf is not installed, so Kedge left out: "},
		{
			"Autotools with a script", files("configure.ac", "", "autogen.sh*", "", ".gitignore", "config.*"), "",
			lines("setup NOCONFIGURE=1 ./autogen.sh && ./configure", "test test: make check", "build build: make", "made config.status"), "",
		},

		// Ruby and PHP
		{
			"a gem by Rake", files("Gemfile", "gemspec\n", "x.gemspec", "", "Rakefile", "require 'rake/testtask'\ntask default: :test\n", ".gitignore", "Gemfile.lock"), "",
			lines("setup bundle install", "test test: bundle exec rake"), "",
		},
		{
			"a gem by RSpec", files("Gemfile", "gem 'rspec'\ngem 'rubocop'\n", ".rspec", "", ".rubocop.yml", ""), "",
			lines("setup bundle install", "test test: bundle exec rspec", "lint build: bundle exec rubocop", "ignore /Gemfile.lock"), "",
		},
		{
			"a linter behind Rake", files("Gemfile", "gem 'rubocop'\n", "Gemfile.lock", "", "Rakefile", "RuboCop::RakeTask.new\ntask default: %i[test rubocop]\n", ".rubocop.yml", ""), "",
			lines("setup bundle install", "test test: bundle exec rake"), "",
		},
		{
			"Minitest alone", files("Gemfile", "", "Gemfile.lock", "", "test/a/x_test.rb", ""), "",
			lines("setup bundle install", `test test: bundle exec ruby -Ilib:test -e 'Dir["test/**/*_test.rb"].sort.each { |f| require "./#{f}" }'`), "",
		},
		{"Ruby without tests", files("Gemfile", ""), "", "", "no way to test it"},
		{"Ruby is not here", files("Gemfile", "", "Rakefile", "Rake::TestTask.new\n"), "bundle", "no bundle, test: bundle exec rake test", "bundle is not installed, so Kedge left out: "},
		{
			"Composer", files("composer.json", `{"scripts":{"test":["@lint","phpunit"],"lint":"phpcs","phpstan":"phpstan analyse"}}`, "composer.lock", "", ".gitignore", "vendor"), "",
			lines("setup composer install --no-interaction --no-progress", "test test: composer test", "made vendor"), "",
		},
		{
			"Composer and PHPStan", files("composer.json", `{"scripts":{"test":"@php vendor/bin/phpunit","phpstan":"@php vendor/bin/phpstan analyse"}}`, ".gitignore", "/vendor/\ncomposer.lock\n"), "",
			lines("setup composer install --no-interaction --no-progress", "test test: composer test", "lint build: composer phpstan", "made vendor"), "",
		},
		{"PHPUnit without Composer", files("composer.json", `{}`, "phpunit.xml.dist", ""), "composer", "no composer, test: vendor/bin/phpunit", "composer is not installed, so Kedge left out: "},
		{
			"PHPUnit", files("composer.json", `{}`, "composer.lock", "", "phpunit.xml.dist", "", ".gitignore", "vendor/\n.phpunit.result.cache"), "",
			lines("setup composer install --no-interaction --no-progress", "test test: vendor/bin/phpunit", "made vendor"), "",
		},

		// others
		{"a crate without a lock file", files("Cargo.toml", "[package]\n"), "", lines("test test: cargo test", "build build: cargo build", "ignore /target/ /Cargo.lock"), ""},
		{
			"a wrapper without Java", files("build.gradle", "", "gradlew*", "", ".gitignore", "build\n.gradle"), "java",
			lines("no java, test: ./gradlew --console=plain test", "no java, build: ./gradlew --console=plain assemble"), "java is not installed, so Kedge left out: ",
		},
		{"modules of Maven", files("pom.xml", "<project/>", "a/pom.xml", ""), "", lines("test test: mvn -B test", "build build: mvn -B -DskipTests package", "ignore target/"), ""},
		{".NET", files("x.sln", "", ".gitignore", "[Bb]in/\n[Oo]bj/\n"), "", lines("test test: dotnet test", "build build: dotnet build"), ""},
		{"a Go module with a workspace", files("go.mod", "module x\n", "go.work", "go 1.26\nuse (\n\t.\n\t./tools\n)\n"), "", lines("test test: go test ./... ./tools/...", "build build: go build ./... ./tools/..."), ""},
		{"Elixir", files("mix.exs", "", ".gitignore", "/_build/\n/deps/\n"), "", lines("setup mix deps.get", "test test: mix test", "build build: mix compile --warnings-as-errors"), ""},
		{"a script that tests", files("scripts/test*", "#!/bin/sh\n"), "", "test test: ./scripts/test", ""},
		{"a runner of tests", files("test_runner*", "#!/bin/sh\n", "a_test.sh", ""), "", "test test: ./test_runner", ""},
		{"a folder of tests that cannot be started", files("tests/test", "data\n", "lib/a.sh", ""), "", "", "found no test"},
		{"scripts that are tests", files("lib.sh", "", "test/a_test.sh", "#!/usr/bin/env bash\n"), "", "test test: for t in test/*_test.sh; do bash \"$t\" || exit 1; done", ""},
		{"scripts that are tests, too", files("go.mod", "module x\n", "test/a_test.sh", "#!/bin/sh\n"), "", lines("test test: go test ./...", "build build: go build ./..."), ""},
		{"a script that tests, too", files("go.mod", "module x\n", "test.sh", ""), "", lines("test test: go test ./...", "build build: go build ./...", "instead test: sh test.sh"), ""},
		{"Bats", files("test/a.bats", "", "run.sh", ""), "", "test test: bats -r test", ""},
		{"Bazel", files("MODULE.bazel", "module(name = 'x')\n", "go.mod", "module x\n"), "", lines("test test: go test ./...", "build build: go build ./..."), "Bazel workspace"},

		// folders
		{
			"two folders with set-ups", files("api/requirements.txt", "requests\n", "api/test_a.py", "import unittest\n", "web/package.json", `{"scripts":{"test":"jest"},"devDependencies":{"jest":"1"}}`, "web/package-lock.json", "{}", ".gitignore", "*.pyc\n.venv\nnode_modules\n"), "",
			lines("setup (cd api && python3 -m venv .venv && .venv/bin/python -m pip install -q -r requirements.txt) && (cd web && npm ci)",
				"api-test test: cd api && .venv/bin/python -m unittest", "web-test test: cd web && npm test", "made api/.venv/bin/python web/node_modules"), "",
		},
		{
			"a group of folders", files("services/a/go.mod", "module a\n", "services/b/Cargo.toml", "[package]\n", ".gitignore", "target\nCargo.lock"), "",
			lines("services-a-test test: cd services/a && go test ./...", "services-a-build build: cd services/a && go build ./...", "services-b-test test: cd services/b && cargo test", "services-b-build build: cd services/b && cargo build"), "",
		},
		{"tools at the top, projects below", files("package.json", `{"devDependencies":{"husky":"1"}}`, "api/go.mod", "module a\n"), "", lines("api-test test: cd api && go test ./...", "api-build build: cd api && go build ./..."), "no script"},
		{
			"everything is ignored", files("package.json", `{"scripts":{"test":"tap"},"devDependencies":{"tap":"1"}}`, ".gitignore", "/*\n!/package.json\n!/.gitignore\n"), "",
			lines("setup npm install --no-package-lock", "test test: npm test", "made node_modules"), "",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			has := func(program string) bool { return !slices.Contains(strings.Fields(c.lacks), program) }
			found := detect.Project(c.tree, has)
			if got := shown(found); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			for _, check := range found.Checks {
				if f := rules.Validate(check); f != nil {
					t.Error(f.What)
				}
			}
			if said := strings.Join(found.Notes, "\n"); !strings.Contains(said, c.note) || c.note == "" && said != "" {
				t.Errorf("notes %q, want %q", said, c.note)
			}
		})
	}
}

func TestPrograms(t *testing.T) {
	for line, want := range map[string]string{
		"go test ./...":                                "go",
		"CI=true npm run test":                         "npm",
		"cd web && A=1 B=2 pnpm test":                  "pnpm",
		"cmake -B b && cmake --build b && ctest":       "cmake ctest",
		"(cd a && npm ci) && (cd b && bundle install)": "npm bundle",
		"{ test -f x || meson setup x; } && ninja":     "meson ninja",
		".venv/bin/python -m pytest":                   "",
		"sh mvnw -B test":                              "java",
		"./gradlew test":                               "java",
		"":                                             "",
	} {
		if got := strings.Join(detect.Programs(line), " "); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
