package review

import (
	"path"
	"slices"
	"strings"

	"kedge/internal/core/detect"
	"kedge/internal/text/lazyre"
)

// takes are the names of files in which the runners of a language look for tests, unless a project says
// otherwise.
var takes = map[string]*lazyre.Regexp{
	".go":   lazyre.New(`(^|/)[^_./][^/]*_test\.go$`),
	".py":   lazyre.New(`(^|/)(test_[^/]*|[^/]*_test|tests?|__init__)\.py$`),
	".rb":   lazyre.New(`(^|/)([^/]*_(spec|test)|test_[^/]*)\.rb$`),
	".php":  lazyre.New(`Test\.php$`),
	".java": lazyre.New(`(^|/)(Test[^/]*|[^/]*(Test|Tests|TestCase|IT|Spec))\.java$`),
	".kt":   lazyre.New(`(^|/)(Test[^/]*|[^/]*(Test|Tests|TestCase|IT|Spec))\.kt$`),
	".bats": lazyre.New(`\.bats$`),
	".rs":   lazyre.New(`(^|/)tests/([^/]+|[^/]+/main)\.rs$`),
}

var (
	jsMarked  = lazyre.New(`(?i)([._-](test|tests|spec|cy|e2e)\.[cm]?[jt]sx?$|(^|/)__tests__/)`)
	jsHelping = lazyre.New(`(?i)(^|/)(helpers?|fixtures?|support|utils?|__mocks__|lib)/`)
	goSystem  = lazyre.New(`_(aix|android|darwin|dragonfly|freebsd|illumos|ios|js|linux|netbsd|openbsd|plan9|solaris|wasip1|windows|386|amd64|arm|arm64|loong64|mips\w*|ppc64\w*|riscv64|s390x|wasm)_test\.go$`)
	aside     = lazyre.New(`(^|/)(testdata|_[^/]*|\.[^/]*)/`)
)

// Left tells how much less a runner takes a test that went from one file to another: Never where it takes
// the first by its name and not the second, Sometimes where it does on one system only.
func Left(from, to string, all []detect.Change) Skip {
	ext := strings.ToLower(path.Ext(to))
	switch {
	case from == to || strings.ToLower(path.Ext(from)) != ext && !script(from, to):
		return Always
	case script(from, to):
		if jsMarked.MatchString(from) && !jsMarked.MatchString(to) && !namedTest(to) || !jsHelping.MatchString(from) && jsHelping.MatchString(to) && !jsMarked.MatchString(path.Base(to)) {
			return Never
		}
		return Always
	}
	re := takes[ext]
	switch {
	case re == nil || !re.MatchString(from):
		return Always
	case ext == ".go" && aside.MatchString(to) && !aside.MatchString(from):
		return Never
	case ext == ".go" && re.MatchString(to) && system(to) != "" && system(from) != system(to):
		return Sometimes
	case re.MatchString(to) || ext == ".rs" && declared(to, all):
		return Always
	}
	return Never
}

// system is the system that a file of Go is built for; empty: every one.
func system(name string) string {
	if m := goSystem.FindStringSubmatch(name); m != nil {
		return m[1]
	}
	return ""
}

// namedTest tells whether a script lies where mocha or node look for tests.
func namedTest(name string) bool {
	return (strings.HasPrefix(name, "test/") || strings.Contains(name, "/test/")) && !jsHelping.MatchString(name)
}

func script(names ...string) bool {
	return !slices.ContainsFunc(names, func(n string) bool { return !jsExt.MatchString(n) })
}

var jsExt = lazyre.New(`(?i)\.[cm]?[jt]sx?$`)

// declared tells whether a changed file has the module that a file of Rust is: no module is found by its
// place alone.
func declared(name string, all []detect.Change) bool {
	mod := strings.TrimSuffix(path.Base(name), ".rs")
	if mod == "mod" {
		mod = path.Base(path.Dir(name))
	}
	if !strings.Contains("/"+name, "/tests/") {
		return true
	}
	for _, c := range all {
		if strings.HasSuffix(c.Path, ".rs") && slices.ContainsFunc(detect.CodeLines(string(c.After)), func(l string) bool {
			return strings.HasSuffix(l, "mod "+mod+";")
		}) {
			return true
		}
	}
	return false
}

// BaseOf tells whether a class of the file has another one as its base.
func BaseOf(src, name string) bool {
	for _, m := range bases.FindAllStringSubmatch(src, -1) {
		if slices.Contains(detect.Words(m[1]), name) {
			return true
		}
	}
	return false
}

var bases = lazyre.New(`(?m)^[ \t]*class\s+\w+\s*\(([^)]*)\)`)
