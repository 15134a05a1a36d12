package detect_test

import (
	"testing"

	"kedge/internal/core/detect"
)

func TestSideOf(t *testing.T) {
	for side, names := range map[detect.Side][]string{
		detect.Tests: {
			// Go
			"a_test.go", "pkg/testdata/in.json", "internal/testutil/fake.go", "cmd/out.golden", "testdata/a.go",
			// Python
			"test_a.py", "a_test.py", "tests/helpers.py", "conftest.py", "pkg/conftest.py", "pytest.ini", "tox.ini", "app/tests.py", "noxfile.py",
			"sitecustomize.py", "unittest.py", "src/pytest/__init__.py",
			// JavaScript, TypeScript
			"a.test.ts", "a.spec.jsx", "src/__tests__/a.js", "src/__snapshots__/a.snap", "src/__mocks__/fs.js", "jest.config.ts", "jest.setup.js", "vitest.config.mts", "vitest.workspace.ts",
			".mocharc.json", ".mocharc", "karma.conf.js", "cypress.config.ts", "cypress/support/e2e.js", "playwright.config.ts", ".taprc", ".npmrc", "test/fixtures/range.js", "fixtures/a.json",
			// Rust
			"test.js", "tests.mjs", "spec.ts", "packages/a/test.js", "tests/it.rs", "src/tests.rs", "crates/x/tests/data/in.txt", ".config/nextest.toml",
			// Java, Kotlin
			"src/test/java/A.java", "src/test/resources/a.xml", "src/androidTest/java/A.kt", "CartTest.java", "src/testFixtures/java/F.java",
			// C, C++
			"tests/CMakeLists.txt", "test/parse.c", "tests/unity/src/unity.c", "t/basic.c", "foo_unittest.cc", "test_parse.c", "CTestConfig.cmake", "unit_tests/a.cpp",
			// Ruby, PHP, shell
			"spec/a_spec.rb", "spec/spec_helper.rb", ".rspec", "test/test_helper.rb", "spec/support/x.rb", "tests/ATest.php", "phpunit.xml", "phpunit.xml.dist", "src/CartTest.php",
			"a.bats", "t/t0001-init.sh", "test/run.sh", "run-tests.sh", "t/lib.t",
		},
		detect.Source: {
			"a.go", "src/lib.rs", "contest.py", "latest.ts", "src/attest.js", "lib/a.rb", "src/Main.java", "cJSON.c", "cJSON.h", "index.html", "data/countries.json", "bin/tool",
			"src/test.ts", "node_modules/x/a.test.js", "vendor/github.com/x/a_test.go", "lib/specification.rb", "src/testing.go", "src/protest/a.go",
		},
		detect.Build: {
			"go.mod", "go.sum", "package.json", "package-lock.json", "Cargo.toml", "Cargo.lock", "pyproject.toml", "requirements-dev.txt", "setup.cfg", "Gemfile.lock", "a.gemspec",
			"composer.json", "pom.xml", "build.gradle.kts", "Makefile", "CMakeLists.txt", "lib/CMakeLists.txt",
		},
		detect.Neither: {
			"README.md", "CHANGELOG", "LICENSE", "LICENSE.txt", "docs/guide.rst", "docs/conf.py", ".github/workflows/test.yml", ".gitlab-ci.yml", ".travis.yml", ".gitignore", "man/a.1",
			"HISTORY.rst", ".eslintrc.json", "doc/a.txt", "AUTHORS", "spec/format.md",
		},
	} {
		for _, name := range names {
			if got := detect.SideOf(name, nil); got != side {
				t.Errorf("%s is %s, want %s", name, got, side)
			}
		}
	}
	if got := detect.SideOf("qa/login.lua", []string{"qa/**"}); got != detect.Tests {
		t.Errorf("a file of the user's own globs is %s", got)
	}
}

func TestIsTest(t *testing.T) {
	for _, name := range []string{
		"a_test.go", "x/y/a_test.go", "test_a.py", "pkg/a_test.py", "tests/helpers.py", "conftest.py", "a.test.ts", "src/a.spec.jsx", "b.test.mjs",
		"src/__tests__/a.js", "test/a.js", "cypress/e2e/login.cy.js", "tests/it.rs", "src/test/java/A.java", "CartTest.java", "CartTests.kt", "CartIT.java", "TestCart.java",
		"spec/a_spec.rb", "CartTest.php", "a.bats", `win\a_test.go`,
	} {
		if !detect.IsTest(name) {
			t.Errorf("%s is not taken for a test", name)
		}
	}
	for _, name := range []string{
		"a.go", "test.go", "testing.go", "contest.py", "latest.ts", "src/test.ts", "attest.js", "Latest.java", "src/lib.rs", "testdata/a_test.go", "tests/data.json", "node_modules/x/a.test.js", "README.md", "",
	} {
		if detect.IsTest(name) {
			t.Errorf("%s is taken for a test", name)
		}
	}
}
