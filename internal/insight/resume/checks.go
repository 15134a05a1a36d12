package resume

import (
	"slices"
	"strings"

	"kedge/internal/core/check"
)

// redCheck is a command that builds, tests or checks something, and was red when it last ran.
type redCheck struct {
	command string
	n       int // action at which it ran
	parts   []part
}

// part is one thing that a check does: what kind, and of what.
type part struct {
	kind   string   // "test", "lint:go"
	paths  []string // none: of everything
	filter string   // of names of tests; empty: all
}

// maxChecks bounds the red checks that are remembered.
const maxChecks = 16

// checked takes a check that ended. A green one ends the marks of those that it covers.
func (p *Picker) checked(c *call, failed bool) *redCheck {
	parts := partsOf(c.command)
	if len(parts) == 0 {
		return nil
	}
	p.reds = slices.DeleteFunc(p.reds, func(r *redCheck) bool {
		r.parts = slices.DeleteFunc(r.parts, func(x part) bool {
			return slices.ContainsFunc(parts, func(g part) bool { return g.covers(x) })
		})
		return len(r.parts) == 0
	})
	if !failed {
		return nil
	}
	r := &redCheck{command: c.command, n: c.n, parts: parts}
	if p.reds = append(p.reds, r); len(p.reds) > maxChecks {
		p.reds = append(p.reds[:0:0], p.reds[1:]...)
	}
	return r
}

// isRed tells whether a check is red as far as is known.
func (p *Picker) isRed(r *redCheck) bool { return slices.Contains(p.reds, r) }

// covers tells whether a run of g says all that one of x does.
func (g part) covers(x part) bool {
	gBase, gVariant, _ := strings.Cut(g.kind, ":")
	xBase, _, _ := strings.Cut(x.kind, ":")
	if g.kind != x.kind && (gBase != xBase || gVariant != "ci" && gVariant != "all") || g.filter != "" && g.filter != x.filter {
		return false
	}
	if len(g.paths) == 0 {
		return true
	}
	return len(x.paths) > 0 && !slices.ContainsFunc(x.paths, func(want string) bool {
		return !slices.ContainsFunc(g.paths, func(have string) bool {
			return have == want || strings.HasPrefix(want, strings.TrimSuffix(have, "...")) && strings.HasSuffix(have, "...")
		})
	})
}

// filterFlags choose tests by their names, between spaces.
const filterFlags = " -run --run -k -t -m --grep -g --filter --testNamePattern --test-name-pattern -Dtest --tests --only "

// partsOf gives what a command checks.
func partsOf(command string) []part {
	var list []part
	check.EachStatement(command, "", func(at check.Place, words []string) {
		_, words = taken(words)
		for len(words) > 1 && strings.Contains(" bash sh zsh python python3 node npx uv poetry bundle exec run ", " "+words[0]+" ") {
			words = words[1:]
		}
		if len(words) == 0 || strings.Contains(looks, " "+words[0]+" ") {
			return
		}
		if x, ok := partOf(words); ok {
			if at.Sub != "" && len(x.paths) == 0 {
				x.paths = []string{at.Sub + "/..."}
			}
			list = append(list, x)
		}
	})
	return list
}

func partOf(words []string) (part, bool) {
	var x part
	name := baseOf(words[0])
	if strings.Contains(tools, " "+name+" ") || checkWord(name) {
		x.kind = kindOfCheck(name)
	}
	for i := 1; i < len(words); i++ {
		flag, value, _ := strings.Cut(words[i], "=")
		switch w := words[i]; {
		case strings.Contains(filterFlags, " "+flag+" "):
			if value == "" && i+1 < len(words) {
				i++
				value = words[i]
			}
			x.filter += value
		case strings.HasPrefix(w, "-"):
		case checkWord(w) && !strings.ContainsAny(w, "./="):
			x.kind = kindOfCheck(w)
		case strings.ContainsAny(w, "/.") && w != "." && w != "./..." && w != "...":
			x.paths = append(x.paths, strings.TrimPrefix(w, "./"))
		}
	}
	return x, x.kind != ""
}

// kindOfCheck is what a check is called whatever program does it.
func kindOfCheck(name string) string {
	switch low := strings.ToLower(name); low {
	case "tests", "pytest", "ctest", "vitest", "jest", "unittest", "mocha", "rspec", "phpunit", "tox", "nox":
		return "test"
	case "golangci-lint", "eslint", "ruff", "clippy", "shellcheck", "pre-commit":
		return "lint"
	case "tsc", "mypy", "typecheck", "type-check":
		return "types"
	case "make", "gmake", "cmake", "ninja", "bazel", "mvn", "gradle", "gradlew", "gcc", "clang", "rustc", "javac", "compile":
		return "build"
	default:
		return low
	}
}
