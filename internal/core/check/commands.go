package check

import (
	"path"
	"slices"
	"strings"

	"kedge/internal/text/words"
)

// tools are programs that build, test or check whatever they are told, between spaces;
// looks are those that look, move or make, and whose failing says nothing of the work.
const (
	tools = " make gmake cmake ninja bazel mvn gradle gradlew tsc javac gcc clang rustc eslint mypy ruff tox nox mocha rspec phpunit golangci-lint shellcheck pre-commit "
	looks = " grep egrep rg ag ack cat ls find fd head tail sed awk echo printf diff test [ [[ which type stat wc jq git gh rm cp mv mkdir touch chmod ln curl wget kill ps sleep read "
)

// KindWords are those of commands that build, test or check: a place in what
// they print is a finding.
var KindWords = []string{"build", "test", "lint", "vet", "tsc", "check", "compile", "clippy"}

// Checks tells whether a command builds, tests or checks something, by the names of
// its programs and what they are told to do. Names of files say nothing, but for that of
// a script.
func Checks(command string) bool {
	found := false
	EachStatement(command, "", func(_ Place, said []string) {
		_, said = Taken(said)
		for len(said) > 1 && strings.Contains(" bash sh zsh python python3 node npx ", " "+said[0]+" ") {
			said = said[1:]
		}
		if len(said) == 0 || strings.Contains(looks, " "+said[0]+" ") {
			return
		}
		name := path.Base(slashed(said[0]))
		found = found || strings.Contains(tools, " "+name+" ") || checkWord(name)
		for _, w := range said[1:] {
			found = found || !strings.ContainsAny(w, "./=") && checkWord(w)
		}
	})
	return found
}

// Looks tells whether a command does nothing but look, or move files.
func Looks(command string) bool {
	ran, only := false, true
	EachStatement(command, "", func(_ Place, said []string) {
		if _, said = Taken(said); len(said) > 0 {
			ran = true
			only = only && strings.Contains(looks+"cd pwd true ", " "+said[0]+" ") && !strings.Contains(" git gh curl wget ", " "+said[0]+" ")
		}
	})
	return ran && only
}

// checkWord tells whether a name is, by one of its parts, that of a check: "test",
// "lint:go", "pytest", "type-check", "run_tests.sh".
func checkWord(name string) bool {
	parts := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune(":-_.@", r) })
	return slices.ContainsFunc(parts, func(s string) bool {
		s = strings.TrimSuffix(s, "s")
		return slices.Contains(KindWords, s) || slices.Contains([]string{"pytest", "ctest", "vitest", "jest", "unittest", "typecheck", "verify"}, s)
	})
}

// Part is one thing that a check does: what kind, and of what.
type Part struct {
	Kind   string   // "test", "lint:go"
	Paths  []string // none: of everything
	Filter string   // of names of tests; empty: all
}

// Covers tells whether a run of g says all that one of x does.
func (g Part) Covers(x Part) bool {
	gBase, gVariant, _ := strings.Cut(g.Kind, ":")
	xBase, _, _ := strings.Cut(x.Kind, ":")
	if g.Kind != x.Kind && (gBase != xBase || gVariant != "ci" && gVariant != "all") || g.Filter != "" && g.Filter != x.Filter {
		return false
	}
	if len(g.Paths) == 0 {
		return true
	}
	return len(x.Paths) > 0 && !slices.ContainsFunc(x.Paths, func(want string) bool {
		return !slices.ContainsFunc(g.Paths, func(have string) bool {
			return have == want || strings.HasPrefix(want, strings.TrimSuffix(have, "...")) && strings.HasSuffix(have, "...")
		})
	})
}

// filterFlags choose tests by their names, between spaces.
const filterFlags = " -run --run -k -t -m --grep -g --filter --testNamePattern --test-name-pattern -Dtest --tests --only "

// PartsOf gives what a command checks.
func PartsOf(command string) []Part {
	var list []Part
	EachStatement(command, "", func(at Place, said []string) {
		_, said = Taken(said)
		for len(said) > 1 && strings.Contains(" bash sh zsh python python3 node npx uv poetry bundle exec run ", " "+said[0]+" ") {
			said = said[1:]
		}
		if len(said) == 0 || strings.Contains(looks, " "+said[0]+" ") {
			return
		}
		if x, ok := partOf(said); ok {
			if at.Sub != "" && len(x.Paths) == 0 {
				x.Paths = []string{at.Sub + "/..."}
			}
			list = append(list, x)
		}
	})
	return list
}

func partOf(said []string) (Part, bool) {
	var x Part
	name := path.Base(slashed(said[0]))
	if strings.Contains(tools, " "+name+" ") || checkWord(name) {
		x.Kind = kindOfCheck(name)
	}
	for i := 1; i < len(said); i++ {
		flag, value, _ := strings.Cut(said[i], "=")
		switch w := said[i]; {
		case strings.Contains(filterFlags, " "+flag+" "):
			if value == "" && i+1 < len(said) {
				i++
				value = said[i]
			}
			x.Filter += value
		case strings.HasPrefix(w, "-"):
		case checkWord(w) && !strings.ContainsAny(w, "./="):
			x.Kind = kindOfCheck(w)
		case strings.ContainsAny(w, "/.") && w != "." && w != "./..." && w != "...":
			x.Paths = append(x.Paths, strings.TrimPrefix(w, "./"))
		}
	}
	return x, x.Kind != ""
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

// printers are the commands that print the files that they are given, between spaces.
const printers = " cat head tail nl less more bat sed awk "

// Printed gives the files that a command prints.
func Printed(command string) []string {
	var list []string
	for _, said := range Statements(command) {
		_, said = Taken(said)
		if len(said) < 2 || !strings.Contains(printers, " "+said[0]+" ") || said[0] == "sed" && strings.HasPrefix(said[1], "-i") {
			continue
		}
		for _, w := range said[1:] {
			if words.NamesFile(w) && !strings.HasPrefix(w, "-") && !strings.ContainsAny(w, "$*?{<>|") {
				list = append(list, strings.TrimPrefix(w, "./"))
			}
		}
	}
	return list
}

// Taken takes what a statement's output is written to out of its words.
func Taken(said []string) (files, rest []string) {
	for i := 0; i < len(said); i++ {
		switch {
		case said[i] == Aside:
			i++
		case said[i] == Into && i+1 < len(said):
			i++
			files = append(files, said[i])
		case said[i] != Into:
			rest = append(rest, said[i])
		}
	}
	return files, rest
}

// Written gives the files that a command of a session that works in base writes: what
// stands behind ">", ">>" or tee. They are named from where the session works, as far as
// the command says.
func Written(command, base string) []string {
	var list []string
	EachStatement(command, base, func(at Place, said []string) {
		files, rest := Taken(said)
		if len(rest) > 1 && rest[0] == "tee" {
			files = append(files, rest[1:]...)
		}
		for _, w := range files {
			if !words.NamesFile(w) || strings.HasPrefix(w, "-") || strings.ContainsAny(w, "$*?{<>|&") || strings.HasPrefix(w, "/dev/") {
				continue
			}
			if w = strings.TrimPrefix(w, "./"); !Rooted(w) && !strings.HasPrefix(w, "~") {
				w = path.Join(at.Repo, at.Sub, w)
			}
			list = append(list, w)
		}
	})
	return list
}
