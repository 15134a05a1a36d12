package detect_test

import (
	"testing"

	"kedge/internal/core/detect"
)

func TestRunsTests(t *testing.T) {
	for line, want := range map[string]bool{
		"go test ./...": true,
		"cd api && go test -run 'TestA|TestB' ./pkg":      true,
		"GOFLAGS=-mod=mod go test ./x":                    true,
		"npm test":                                        true,
		"npm run test:unit -- --ci":                       true,
		"pnpm -r test":                                    true,
		"npx vitest run src/a":                            true,
		"node --test":                                     true,
		"node test/all.js":                                true,
		"python -m pytest -q":                             true,
		"python3 -m unittest discover":                    true,
		".venv/bin/pytest tests/test_a.py":                true,
		"tox -e py311":                                    true,
		"cargo test --workspace":                          true,
		"cargo nextest run":                               true,
		"make check":                                      true,
		"make -C build test":                              true,
		"ctest --test-dir build":                          true,
		"./gradlew test":                                  true,
		"mvn -q verify":                                   true,
		"bundle exec rspec spec/a_spec.rb":                true,
		"vendor/bin/phpunit":                              true,
		"for t in test/*_test.sh; do sh $t || exit; done": true,
		"sh test/label_test.sh":                           true,
		"./run-tests.sh":                                  true,
		"bats test":                                       true,

		"test -f done.txt":              false,
		"[ -s test/data ]":              false,
		"grep -q test README.md":        false,
		"go build ./...":                false,
		"go vet ./...":                  false,
		"npm run build":                 false,
		"curl -fs localhost:80/test":    false,
		"./bin/tool --version | grep 2": false,
		"test -d tests && echo yes":     false,
		"cat latest.txt":                false,
		"":                              false,
	} {
		if got := detect.RunsTests(line); got != want {
			t.Errorf("RunsTests(%q) = %v", line, got)
		}
	}
}
