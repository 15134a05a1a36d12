package detect

import (
	"path"
	"slices"
	"strings"

	"kedge/internal/text/lazyre"
)

// declared finds what a source file declares, in any language: functions in C and
// Java, methods, and what JavaScript exports.
var declared = lazyre.New(`(?m)\b(?:func|def|class|function|fn|type|struct|interface|enum|trait|module|object|protocol|record|fun|sub|const|static|val|var|macro_rules!|define|defmodule|attr_\w+)\s+(?:\([^)\n]*\)\s*)?(?:[\w<>?*]+\.)*:?([\pL_][\pL\pN_]*)` +
	`|^[ \t]*(?:[\w*&<>:,\[\]]+[ \t]+)+[*&]*(\w+)[ \t]*\([^;{}]*\)\s*(?:\w+\s*)?\{` +
	`|^[ \t]*(?:async[ \t]+|static[ \t]+|get[ \t]+|set[ \t]+)*(\w+)[ \t]*\([^;{}\n]*\)[ \t]*\{` +
	`|^[ \t]*(\w+):[ \t]*(?:\{|function\b|async\b|\()` +
	`|\b(?:exports|prototype|\w+)\.(\w+)[ \t]*=[ \t]*(?:async\b|function\b|\(|[\w.]+\.bind\b|\w+[ \t]*=>)|^([A-Za-z_]\w*)[ \t]*=[^=]`)

// notSymbols are words that look declared and are not.
var notSymbols = map[string]bool{"if": true, "for": true, "while": true, "switch": true, "catch": true, "return": true, "else": true, "function": true, "constructor": true, "new": true}

// NoSymbol tells of a word of a language that it only looks declared.
func NoSymbol(word string) bool { return notSymbols[word] }

// symbol is something that a source file declares, with the lines behind its declaration.
type symbol struct {
	name string
	body []string
}

// Change is one file in its two versions; nil stands for no file.
type Change struct {
	Path          string
	Before, After []byte
}

// Removed gives the names that the source of a change declared and that it has no longer: no
// changed source mentions them. One whose body is still there has only got another name, and its
// tests may not go. Extra are further globs of tests.
func Removed(changes []Change, extra []string) map[string]bool {
	var was, is []symbol
	words := map[string]bool{}
	for _, c := range changes {
		if SideOf(c.Path, extra) != Source || !IsSource(c.Path) || len(c.Before) > MaxSource || len(c.After) > MaxSource {
			continue
		}
		was = append(was, symbols(c.Path, c.Before)...)
		is = append(is, symbols(c.Path, c.After)...)
		for _, w := range Words(WithoutTests(c.Path, string(c.After))) {
			words[w] = true
		}
		if c.After != nil {
			words[stem(c.Path)] = true
		}
	}
	out := map[string]bool{}
	fresh := added(is, was)
	for _, s := range was {
		if len(s.name) > 2 && !Common(s.name) && !NoSymbol(s.name) && !words[s.name] && !renamed(s, fresh) {
			out[s.name] = true
		}
	}
	return out
}

func stem(name string) string { return strings.TrimSuffix(path.Base(name), path.Ext(name)) }

// mostCompared bounds how many lines of declarations are compared.
const mostCompared = 200_000

// maxBody is how many lines behind a declaration are looked at.
const maxBody = 30

func symbols(name string, src []byte) []symbol {
	if src == nil {
		return nil
	}
	out := []symbol{{name: stem(name), body: CodeLines(string(src[:min(len(src), 20_000)]))}}
	text := WithoutTests(name, string(src))
	found := declared.FindAllStringSubmatchIndex(text, -1)
	local := locals(name, text)
	for i, m := range found {
		if variable.MatchString(text[m[0]:m[1]]) && local(m[0]) {
			continue // no test can name it
		}
		end := len(text)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		for g := 1; g < len(m)/2; g++ {
			if m[2*g] >= 0 {
				lines := CodeLines(text[m[1]:max(m[1], min(end, m[1]+4000))])
				out = append(out, symbol{name: text[m[2*g]:m[2*g+1]], body: lines[:min(len(lines), maxBody)]})
			}
		}
	}
	return out
}

var (
	variable = lazyre.New(`^(?:const|static|val|var)\s|^\s*\w+:`)
	funcHead = lazyre.New(`\b(?:func|function|fn|fun)\b[^;{}]*$|\)\s*(?:const|noexcept|override|throws\s+[\w., ]+|=>|->\s*\w+)?\s*$|=>\s*$|\b(?:else|try|do|finally|init)\s*$`)
)

// locals tells of a place whether it stands in the body of a function, in languages with braces.
func locals(name, text string) func(at int) bool {
	c, ok := bracesOf(name, text)
	if !ok {
		return func(int) bool { return false }
	}
	var bodies [][2]int
	for i := 0; i < len(c.Masked); i++ {
		if c.Masked[i] != '{' {
			continue
		}
		head := c.Masked[max(0, i-300):i]
		if funcHead.MatchString(head[strings.LastIndexAny(head, ";{}")+1:]) && !wraps(c.Masked, i) {
			end := max(c.Partner(i), i+1)
			bodies = append(bodies, [2]int{i, end})
			i = end - 1
		}
	}
	return func(at int) bool {
		n, found := slices.BinarySearchFunc(bodies, at, func(b [2]int, at int) int { return b[0] - at })
		return found || n > 0 && at < bodies[n-1][1]
	}
}

// wraps tells whether a function is the wrapper around a module, which gives out what stands in it.
func wraps(masked string, open int) bool {
	before := strings.TrimSpace(masked[max(0, open-200):open])
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return strings.HasPrefix(line, "(function") || strings.HasPrefix(line, ";(function") || strings.HasPrefix(line, "define(") || strings.HasPrefix(line, "(() =>") || strings.HasPrefix(line, "module.exports = function")
}

// bracesOf masks a source in a language whose blocks stand in braces.
func bracesOf(name, text string) (Code, bool) {
	switch ext := strings.ToLower(path.Ext(name)); ext {
	case ".go":
		return GoSyntax.Code(text), true
	case ".rs":
		return RustSyntax.Code(text), true
	case ".java", ".kt", ".scala", ".cs", ".swift":
		return JavaSyntax.Code(text), true
	case ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts":
		return JSSyntax.Code(text), true
	case ".php":
		return PHPSyntax.Code(text), true
	case ".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".m", ".mm":
		return CSyntax.Code(text), true
	}
	return Code{}, false
}

// renamed tells whether a declaration that was not there before has the body of one that is gone, or
// nearly its name.
func renamed(s symbol, fresh []symbol) bool {
	if len(fresh)*max(len(s.body), 1) > mostCompared {
		return false
	}
	words := nameWords(s.name)
	for _, n := range fresh {
		if len(s.body) > 1 && len(n.body) > 1 && 2*KeptLines(s.body, n.body) > len(s.body) || alike(words, nameWords(n.name)) {
			return true
		}
	}
	return false
}

// added are the declarations whose names are new.
func added(is, was []symbol) []symbol {
	old := map[string]bool{}
	for _, w := range was {
		old[w.name] = true
	}
	return slices.DeleteFunc(is, func(s symbol) bool { return old[s.name] })
}

var nameParts = lazyre.New(`[A-Z]+[a-z]*|[a-z]+`)

// nameWords are the words that a name is made of, without numbers.
func nameWords(name string) []string {
	var out []string
	for _, m := range nameParts.FindAllStringIndex(name, -1) {
		out = append(out, strings.ToLower(name[m[0]:m[1]]))
	}
	return out
}

// alike tells whether more than half of the words of two names are the same.
func alike(a, b []string) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	same := KeptLines(a, b)
	return 2*same > len(a)+len(b)-same
}

// KeptLines counts the lines that are still there.
func KeptLines(was, is []string) int {
	have := map[string]int{}
	for _, l := range is {
		have[l]++
	}
	kept := 0
	for _, l := range was {
		if have[l] > 0 {
			have[l]--
			kept++
		}
	}
	return kept
}
