package detect

import (
	"encoding/json"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/text/lazyre"
)

var (
	rakeDefault = lazyre.New(`(?m)^\s*task\s*\(?\s*(default:|:default\b|"default"|'default')`)
	rakeTest    = lazyre.New(`(?m)Rake::TestTask\.new\s*(\(\s*:test\b|do\b|\{|$)|Minitest::TestTask\.create|^\s*task\s*\(?\s*:?["']?test\b`)
	rakeSpec    = lazyre.New(`(?m)RSpec::Core::RakeTask\.new\s*(\(\s*:spec\b|do\b|\{|$)|^\s*task\s*\(?\s*:?["']?spec\b`)
)

func rubyChecks(f *folder) []kedge.Check {
	specs := f.glob("*.gemspec")
	if !f.has("Gemfile", "Rakefile", ".rspec") && len(specs) == 0 {
		return nil
	}
	bundle := ""
	if f.has("Gemfile") {
		bundle = "bundle exec "
		f.prepares("bundle install")
		if !f.has("Gemfile.lock") {
			f.leaves("Gemfile.lock")
		}
	}
	gems := f.read("Gemfile")
	for _, file := range specs {
		gems += "\n" + f.read(file)
	}
	run := rubyTest(f, bundle, gems)
	if run == "" {
		f.note("found a Ruby project and no way to test it: neither a Rakefile with a task for it nor RSpec nor Minitest")
		return []kedge.Check{}
	}
	checks := []kedge.Check{test(run)}
	behind := strings.Contains(f.read("Rakefile"), "ubo"+"cop") // RuboCop, rubocop
	if f.has(".rubocop.yml") && strings.Contains(gems, "rubocop") && !(behind && strings.Contains(run, "rake")) {
		checks = append(checks, kedge.Check{Name: "lint", Kind: kedge.CheckBuild, Run: bundle + "rubocop"})
	}
	return checks
}

// rubyTest is the line that runs the tests, as the project's own CI would.
func rubyTest(f *folder, bundle, gems string) string {
	rakefile := f.read("Rakefile") + f.read("rakefile") + f.read("Rakefile.rb")
	switch {
	case f.has("bin/rails") && f.matches("test/*"):
		return f.executable("bin/rails") + " test"
	case f.has("bin/rails") && f.matches("spec/*"):
		return bundle + "rspec"
	case rakeDefault.MatchString(rakefile):
		return bundle + "rake"
	case rakeTest.MatchString(rakefile):
		return bundle + "rake test"
	case rakeSpec.MatchString(rakefile):
		return bundle + "rake spec"
	case f.has(".rspec") || f.matches("spec/*_spec.rb") || f.matches("spec/*/*_spec.rb") || strings.Contains(gems, `"rspec"`) || strings.Contains(gems, "'rspec'"):
		return bundle + "rspec"
	}
	for _, pattern := range []string{"test/*_test.rb", "test/*/*_test.rb", "test/test_*.rb", "test/*/test_*.rb"} {
		if f.matches(pattern) {
			files := strings.Replace(pattern, "test/", "test/**/", 1)
			files = strings.Replace(files, "**/*/", "**/", 1)
			return bundle + `ruby -Ilib:test -e 'Dir["` + files + `"].sort.each { |f| require "./#{f}" }'`
		}
	}
	return ""
}

// composerJSON is what is read of composer.json.
type composerJSON struct {
	Scripts map[string]any `json:"scripts"`
	Require map[string]any `json:"require"`
	Dev     map[string]any `json:"require-dev"`
}

// script is the text of a script and of those that it calls; empty: there is none.
func (c composerJSON) script(name string, depth int) string {
	var lines []string
	switch v := c.Scripts[name].(type) {
	case string:
		lines = []string{v}
	case []any:
		for _, e := range v {
			if s, ok := e.(string); ok {
				lines = append(lines, s)
			}
		}
	}
	out := strings.Join(lines, "\n")
	for _, line := range lines {
		if called, ok := strings.CutPrefix(line, "@"); ok && depth < maxCalls {
			out += "\n" + called + "\n" + c.script(strings.TrimPrefix(called, "composer "), depth+1)
		}
	}
	return out
}

// maxCalls bounds how deep scripts call each other.
const maxCalls = 8

func phpChecks(f *folder) []kedge.Check {
	var c composerJSON
	if !f.has("composer.json") && !f.has("phpunit.xml", "phpunit.xml.dist") {
		return nil
	}
	if text := f.read("composer.json"); text != "" {
		if err := json.Unmarshal([]byte(text), &c); err != nil {
			f.note("composer.json cannot be read: " + err.Error())
			return nil
		}
	}
	if f.has("composer.json") {
		f.prepares("composer install --no-interaction --no-progress", "vendor")
		f.leaves("vendor/")
		if !f.has("composer.lock") {
			f.leaves("composer.lock")
		}
	}
	checks := []kedge.Check{}
	behind := ""
	switch pest := c.Dev["pestphp/pest"] != nil; {
	case c.script("test", 0) != "":
		behind = c.script("test", 0)
		checks = append(checks, test("composer test"))
	case c.script("tests", 0) != "":
		behind = c.script("tests", 0)
		checks = append(checks, test("composer tests"))
	case pest:
		checks = append(checks, test("vendor/bin/pest"))
	case f.has("phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"):
		checks = append(checks, test("vendor/bin/phpunit"))
		f.leaves(".phpunit.result.cache")
	}
	for _, name := range []string{"lint", "phpstan", "stan", "analyse", "analyze", "psalm", "static-analysis"} {
		if text := c.script(name, 0); text != "" {
			if !slices.Contains(strings.Fields(behind), name) && !strings.Contains(behind, strings.TrimSpace(text)) {
				checks = append(checks, kedge.Check{Name: "lint", Kind: kedge.CheckBuild, Run: "composer " + name})
			}
			break
		}
	}
	if len(checks) == 0 {
		f.note("found a PHP project and no way to test it: composer.json has no script test, and there is no phpunit.xml")
	}
	return checks
}
