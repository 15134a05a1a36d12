package review

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"kedge/internal/core/detect"
	"kedge/internal/text/lazyre"
)

// Gone is what the source of a change had and has no longer: names that it declared, options that it took, and
// files. Tests of it may go.
type Gone struct {
	names     map[string]bool            // no changed source has the word any more
	of        map[string]map[string]bool // names that only one thing has lost, by the thing: Sidekiq, size
	options   map[string]bool            // no changed source has the word, which stood for an argument or a key
	files     []string                   // the last two parts of their paths, without the ending
	renamed   map[string]string          // names whose declaration is still there under another one
	mentioned func(name string) bool
}

// Removed gives what is gone from the source of a change. A declaration whose body is still there has only got
// another name, and its tests may not go. Extra are further globs of tests; mentioned tells whether source that
// did not change has a name, and nil that it does not.
func Removed(changes []detect.Change, extra []string, mentioned func(name string) bool) Gone {
	g := Gone{names: map[string]bool{}, of: map[string]map[string]bool{}, options: map[string]bool{}, renamed: map[string]string{}, mentioned: mentioned}
	var was, is []symbol
	words, keys, owned, bases := map[string]bool{}, map[string]bool{}, map[string]map[string]bool{}, map[string]bool{}
	for _, c := range changes {
		if detect.SideOf(c.Path, extra) != detect.Source || !detect.IsSource(c.Path) || len(c.Before) > detect.MaxSource || len(c.After) > detect.MaxSource {
			continue
		}
		was = append(was, symbols(c.Path, c.Before)...)
		is = append(is, symbols(c.Path, c.After)...)
		for _, m := range optional.FindAllStringSubmatch(plainCode(c.Path, c.Before), -1) {
			keys[m[1]+m[2]+m[3]+m[4]] = true
		}
		code, bare := plainCode(c.Path, c.After), map[string]bool{}
		for _, m := range word.FindAllStringIndex(code, -1) {
			w := code[m[0]:m[1]]
			words[w] = true
			bare[w] = bare[w] || m[0] == 0 || strings.IndexByte(".:>", code[m[0]-1]) < 0 || leads.MatchString(code[strings.LastIndexByte(code[:m[0]], '\n')+1:m[0]])
		}
		for _, s := range symbols(c.Path, c.Before) { // what still stands there as a name of its own may be declared in another form
			if s.of != "" && bare[s.name] {
				own(owned, s.of)[s.name] = true
			}
		}
		if c.After != nil {
			words[stem(c.Path)], bases[path.Base(c.Path)] = true, true
		}
	}
	fresh := added(is, was)
	for _, s := range is {
		for _, n := range fresh {
			if s.name != n.name && s.of == n.of && len(s.body) > 0 && strings.Contains(s.body[0], n.name+"(") && detect.KeptLines(nameWords(s.name), nameWords(n.name)) > 0 {
				g.renamed[s.name] = n.name // it only calls the other any more
			}
		}
	}
	for _, s := range was {
		switch {
		case detect.Common(s.name) || NoSymbol(s.name) || vocabulary.MatchString(s.name):
		case renamed(s, fresh):
			if to := successor(s, fresh); to != "" && len(s.name) > 3 && !words[s.name] {
				g.renamed[s.name] = to
			}
		case len(s.name) > 2 && !words[s.name]:
			g.names[s.name] = true
		case len(s.name) > 1 && s.of != "" && !owned[s.of][s.name]:
			own(g.of, s.of)[s.name] = true
		}
	}
	for w := range keys {
		if len(w) > 3 && !words[w] && !detect.Common(w) && !slices.ContainsFunc(fresh, func(n symbol) bool { return alike(nameWords(w), nameWords(n.name)) }) {
			g.options[w] = true
		}
	}
	for _, c := range changes {
		if c.After == nil && !bases[path.Base(c.Path)] && detect.SideOf(c.Path, extra) == detect.Source && !renamed(symbol{name: stem(c.Path), body: detect.CodeLines(string(c.Before[:min(len(c.Before), 20_000)]))}, fresh) {
			if dir := path.Base(path.Dir(c.Path)); dir != "." {
				g.files = append(g.files, dir+"/"+stem(c.Path))
			}
		}
	}
	return g
}

// own is the set of a name, which is made where there is none.
func own(sets map[string]map[string]bool, name string) map[string]bool {
	if sets[name] == nil {
		sets[name] = map[string]bool{}
	}
	return sets[name]
}

// successor is the only new declaration that has the body of one that is gone, and part of its name; empty: there is
// none, or several.
func successor(s symbol, fresh []symbol) string {
	to, words := "", nameWords(s.name)
	for _, n := range fresh {
		if n.name == to || n.of != s.of || detect.KeptLines(words, nameWords(n.name)) == 0 || 2*detect.KeptLines(s.body, n.body) < len(s.body) {
			continue
		}
		if to != "" {
			return ""
		}
		to = n.name
	}
	return to
}

// Renamed gives a text of tests with the names that the source has now, as far as the later text took them over.
func (g Gone) Renamed(text, later []byte) []byte {
	if len(g.renamed) == 0 || text == nil || later == nil {
		return text
	}
	more := map[string]int{}
	for _, w := range detect.Words(string(later)) {
		more[w]++
	}
	for _, w := range detect.Words(string(text)) {
		more[w]--
	}
	return word.ReplaceAllFunc(text, func(w []byte) []byte {
		if to, ok := g.renamed[string(w)]; ok && more[to] > 0 && more[string(w)] < 0 {
			return []byte(to)
		}
		return w
	})
}

// leads is what stands before a name that a line declares for something else: def self.name, exports.name.
var leads = lazyre.New(`^\s*(?:\w+[ \t]+)*(?:\w+\.)+$`)

var word = regexp.MustCompile(`[A-Za-z_]\w*`)

// optional are words that stand for an argument that may be left out, or for a key: of a declaration, an object
// or a call.
var optional = lazyre.New(`(?m)(?:[(,{]|^)\s*\**:?(\w+)\s*(?:=[^=>]|\?\s*:|:[^:])|["'](?:--(\w[\w-]+)|(\w+_\w+|[a-z]+[A-Z]\w*))["']|^[ \t]+(?:(?:public|private|protected|internal|readonly|final|pub|val|var)[ \t]+)*([A-Za-z]+[a-z][A-Z]\w*|[a-z]\w*_\w+)[ \t]*(?:[ \t]|\?:|:)[ \t]*[\w.*<>\[\]&:]+[ \t]*(?:` + "`[^`\n]*`" + `|;|,|=[^\n]*)?[ \t]*$`)

// option is where a test uses such a word.
var option = lazyre.New(`(?:[(,{]|^)\s*\**(\w+)\s*(?:=[^=>]|:)|\.(\w+)|["']-{0,2}([\w-]+)["']|:(\w+)`)

// plainCode is the source of a file without its tests, comments and longer texts; a text that is one word stays.
func plainCode(name string, src []byte) string {
	if src == nil {
		return ""
	}
	text := detect.WithoutTests(name, string(src))
	masked, bare := text, text
	if x, ok := syntaxOf(name); ok {
		masked, bare = x.Mask(text)
	}
	out := []byte(masked)
	for _, m := range oneWord.FindAllStringIndex(bare, -1) {
		copy(out[m[0]:m[1]], bare[m[0]:m[1]])
	}
	return string(out)
}

var oneWord = lazyre.New(`"[\w.:/-]+"|'[\w.:/-]+'`)

// Any tells whether anything is gone.
func (g Gone) Any() bool { return len(g.names)+len(g.of)+len(g.options)+len(g.files) > 0 }

// Has tells whether no source has a name any more. Whether source that did not change has it is asked only
// when it matters, and once.
func (g Gone) Has(name string) bool { return g.lost(g.names, name) }

func (g Gone) lost(names map[string]bool, name string) bool {
	if names[name] && g.mentioned != nil && g.mentioned(name) {
		delete(names, name)
	}
	return names[name]
}

// Names tells whether code names something that is gone: by a word that no source has any more, but for its own
// ones, or by the word of something with what it belonged to.
func (g Gone) Names(code []string, own map[string]bool) bool {
	for i, w := range code {
		if w = strings.Trim(w, "\"'`"); own[w] {
			continue
		}
		if g.Has(w) {
			return true
		}
		if of := g.of[w]; of != nil {
			next := i + 1
			for next < len(code) && next < i+3 && (code[next] == "." || code[next] == ":" || code[next] == "->") {
				next++
			}
			if next > i+1 && next < len(code) && of[code[next]] {
				return true
			}
		}
	}
	return false
}

// About tells whether a test is about what is gone: its code names that, gives it as an argument or a key, or
// loads a file that is gone.
func (g Gone) About(lines []string) bool {
	if !g.Any() {
		return false
	}
	own := OwnNames(lines)
	for _, l := range lines {
		if g.Names(detect.Tokens(l), own) || slices.ContainsFunc(detect.Words(l), func(w string) bool { return !own[w] && g.Has(w) }) {
			return true
		}
		for _, m := range option.FindAllStringSubmatch(l, -1) {
			if w := m[1] + m[2] + m[3] + m[4]; !own[w] && g.lost(g.options, w) {
				return true
			}
		}
	}
	return g.Loads(lines)
}

// Loads tells whether lines load a file that is gone, or name it by its path.
func (g Gone) Loads(lines []string) bool {
	for _, f := range g.files {
		dir, name := path.Split(f)
		forms := []string{f, strings.Replace(f, "/", ".", 1), strings.Replace(f, "/", "::", 1), strings.Replace(f, "/", `\`, 1), "from " + strings.TrimSuffix(dir, "/") + " import " + name}
		for _, l := range lines {
			for _, form := range forms {
				if i := strings.Index(l, form); i >= 0 && (i+len(form) == len(l) || !detect.WordByte(l[i+len(form)])) && (i == 0 || !detect.WordByte(l[i-1])) {
					return true
				}
			}
		}
	}
	return false
}

// Gave tells whether a claim of a test is about what something gave that is gone: the last line above it that gives
// one of its variables a value names that.
func (g Gone) Gave(body []string, claim Asks) bool {
	if !g.Any() {
		return false
	}
	things, text := claim.Things(), claim.Text()
	var given Asks
	for _, l := range body {
		words := detect.Tokens(l)
		if strings.HasPrefix(strings.Join(words, " "), text) && g.Names(given, nil) {
			return true
		}
		at := slices.IndexFunc(words, binders.MatchString)
		if at > 0 && at+1 < len(words) && slices.ContainsFunc(words[:at], func(w string) bool { return things[w] }) {
			given = words[at+1:]
		}
	}
	return false
}

var aTest = lazyre.New(`^(?:Test|test_)|(?:_?[tT]ests?|_?[sS]pec|TestCase)$`)

// Tested tells whether one of the suites of a test is named after something that is gone.
func (g Gone) Tested(name string) bool {
	return slices.ContainsFunc(detect.Words(name), func(w string) bool {
		plain := aTest.ReplaceAllString(w, "")
		return plain != w && len(plain) > 3 && g.Has(plain)
	})
}

// Called tells whether a test is named after something that is gone.
func (g Gone) Called(name string, plain func(string) string) bool {
	for _, names := range []map[string]bool{g.names, g.options} {
		for r := range names {
			p, many := plain(r), len(nameWords(r)) > 1 && len(r) > 7
			if len(r) > 3 && (name == p || many && strings.Contains(name, p)) && g.lost(names, r) {
				return true
			}
		}
	}
	return false
}

// declaring finds what a source file declares, in any language: functions in C and
// Java, methods, and what JavaScript exports.
var declaring = lazyre.New(`(?m)\b(?:static[ \t]+(?:async[ \t]+)?(?:function|fun|fn|def)|func|def|class|function|fn|type|struct|interface|enum|trait|module|object|protocol|record|fun|sub|const|static|val|var|macro_rules!|define|defmodule|attr_\w+)\s+(?:\([^)\n]*\)\s*)?(?:[\w<>?*]+\.)*:?([\pL_][\pL\pN_]*)` +
	`|^[ \t]*(?:[\w*&<>:,\[\]]+[ \t]+)+[*&]*(\w+)[ \t]*\([^;{}]*\)\s*(?:\w+\s*)?\{` +
	`|^[ \t]*(?:async[ \t]+|static[ \t]+|get[ \t]+|set[ \t]+)*(\w+)[ \t]*\([^;{}\n]*\)[ \t]*\{` +
	`|^[ \t]*(\w+):[ \t]*(?:\{|function\b|async\b|\()` +
	`|\b(?:exports|prototype|\w+)\.(\w+)[ \t]*=[ \t]*(?:async\b|function\b|\(|[\w.]+\.bind\b|\w+[ \t]*=>)|^([A-Za-z_]\w*)[ \t]*=[^=]|^\}[ \t]*(\w+)[ \t]*;`)

// notSymbols are words that look declared and are not.
var notSymbols = map[string]bool{"if": true, "for": true, "while": true, "switch": true, "catch": true, "return": true, "else": true, "function": true, "constructor": true, "new": true, "with": true, "do": true, "try": true, "print": true, "puts": true, "foreach": true, "elif": true, "elsif": true, "unless": true, "until": true, "when": true, "super": true, "raise": true, "throw": true, "await": true, "yield": true, "import": true, "sizeof": true}

// NoSymbol tells of a word of a language that it only looks declared.
func NoSymbol(word string) bool { return notSymbols[word] }

// symbol is something that a source file declares, with the lines behind its declaration.
type symbol struct {
	name string
	of   string // what it belongs to, such as a class
	body []string
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
	out := []symbol{{name: stem(name), body: detect.CodeLines(string(src[:min(len(src), 20_000)]))}}
	text := detect.WithoutTests(name, string(src))
	found := declaring.FindAllStringSubmatchIndex(text, -1)
	local, owner := locals(name, text), owners(text)
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
				lines := detect.CodeLines(text[m[1]:max(m[1], min(end, m[1]+4000))])
				out = append(out, symbol{name: text[m[2*g]:m[2*g+1]], of: owner(m[0], m[2*g]), body: lines[:min(len(lines), maxBody)]})
			}
		}
	}
	return out
}

var (
	owning   = lazyre.New(`(?m)^([ \t]*)(?:[a-z]+[ \t]+)*(?:class|module|impl(?:<[^>\n]*>)?(?:[ \t]+[\w:<>, ]+[ \t]for)?|struct|interface|trait|object|enum|namespace|record|protocol)[ \t]+(?:[\w.:]*[.:])?(\w+)`)
	receiver = lazyre.New(`^func\s*\(\s*(?:\w+\s+)?\*?(\w+)`)
)

// owners tells of a declaration what it belongs to: the class or its like above it that stands further out, or the
// type that is its receiver.
func owners(text string) func(at, name int) string {
	found := owning.FindAllStringSubmatchIndex(text, -1)
	return func(at, name int) string {
		if m := receiver.FindStringSubmatch(text[at:name]); m != nil {
			return m[1]
		}
		line := text[strings.LastIndexByte(text[:name], '\n')+1 : name]
		indent := len(line) - len(strings.TrimLeft(line, " \t"))
		for _, m := range slices.Backward(found) {
			if m[4] < name && m[3]-m[2] < indent {
				return text[m[4]:m[5]]
			}
		}
		return ""
	}
}

var (
	variable = lazyre.New(`^(?:const|static|val|var)\s|^\s*\w+:`)
	funcHead = lazyre.New(`\b(?:func|function|fn|fun)\b[^;{}]*$|\)\s*(?:const|noexcept|override|throws\s+[\w., ]+|=>|->\s*\w+)?\s*$|=>\s*$|\b(?:else|try|do|finally|init)\s*$`)
)

// locals tells of a place whether it stands in the body of a function, in languages with braces.
func locals(name, text string) func(at int) bool {
	x, ok := syntaxOf(name)
	if !ok || !x.Braced() {
		return func(int) bool { return false }
	}
	c := x.Code(text)
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

// syntaxOf is how strings and comments are told from code in the language of a file.
func syntaxOf(name string) (detect.Syntax, bool) {
	switch ext := strings.ToLower(path.Ext(name)); ext {
	case ".go":
		return detect.GoSyntax, true
	case ".rs":
		return detect.RustSyntax, true
	case ".java", ".kt", ".scala", ".cs", ".swift":
		return detect.JavaSyntax, true
	case ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts":
		return detect.JSSyntax, true
	case ".php":
		return detect.PHPSyntax, true
	case ".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".m", ".mm":
		return detect.CSyntax, true
	case ".py":
		return detect.PythonSyntax, true
	case ".rb":
		return detect.RubySyntax, true
	case ".sh", ".bash":
		return detect.ShellSyntax, true
	}
	return detect.Syntax{}, false
}

// renamed tells whether a declaration that was not there before has the body of one that is gone, or
// nearly its name.
func renamed(s symbol, fresh []symbol) bool {
	if len(fresh)*max(len(s.body), 1) > mostCompared {
		return false
	}
	words := nameWords(s.name)
	for _, n := range fresh {
		if len(s.body) > 1 && len(n.body) > 1 && 2*detect.KeptLines(s.body, n.body) > len(s.body) || alike(words, nameWords(n.name)) {
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
	return slices.DeleteFunc(slices.Clone(is), func(s symbol) bool { return old[s.name] })
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
	same := detect.KeptLines(a, b)
	return 2*same > len(a)+len(b)-same
}
