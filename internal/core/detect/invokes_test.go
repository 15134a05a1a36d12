package detect_test

import (
	"testing"

	"kedge/internal/core/detect"
)

// TestTasksThatRunTests: what starts the tests is known by what it starts, whatever its name, in every kind of file.
func TestTasksThatRunTests(t *testing.T) {
	for _, c := range []struct {
		name, path, before, after string
		stops                     bool
	}{
		{"npm script with another name", "package.json", `{"scripts": {"proof": "jest"}}`, `{"scripts": {"proof": "true"}}`, true},
		{"npm ci script swallows", "package.json", `{"scripts": {"ci": "npm run lint && vitest run"}}`, `{"scripts": {"ci": "npm run lint && vitest run || true"}}`, true},
		{"npm build script", "package.json", `{"scripts": {"build": "tsc"}}`, `{"scripts": {"build": "true"}}`, false},
		{"setup.py", "setup.py", "setup(name='a', test_suite='tests')\n", "setup(name='a')\n", true},
		{"nox", "noxfile.py", "@nox.session\ndef tests(session):\n    session.run('pytest')\n", "@nox.session\ndef tests(session):\n    session.run('python', '-V')\n", true},
		{"tox commented out", "tox.ini", "[testenv]\ncommands =\n    pytest\n", "[testenv]\ncommands =\n    # pytest\n    true\n", true},
		{"composer", "composer.json", `{"scripts": {"verify": "phpunit"}}`, `{"scripts": {"verify": "php -v"}}`, true},
		{"rake task", "Rakefile", "Rake::TestTask.new\ntask :default => [:lint, :test]\n", "Rake::TestTask.new\ntask :default => [:lint]\n", true},
		{"rake another runner", "Rakefile", "Rake::TestTask.new\n", "RSpec::Core::RakeTask.new(:spec)\n", false},
	} {
		got := detect.Stops(detect.Change{Path: c.path, Before: []byte(c.before), After: []byte(c.after)}, []detect.Change{{Path: c.path, Before: []byte(c.before), After: []byte(c.after)}})
		if (got != nil) != c.stops {
			t.Errorf("%s: %+v, want %v", c.name, got, c.stops)
		}
	}
	for name, want := range map[string]bool{"src/werk/test.py": false, "werk/test.py": false, "tests/test.py": true, "test.py": true, "werk/tests.py": true} {
		if got := detect.SideOf(name, nil) == detect.Tests; got != want {
			t.Errorf("%s is on the side of the tests: %v, want %v", name, got, want)
		}
	}
}
