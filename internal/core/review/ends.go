package review

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"kedge/internal/core/detect"
	"kedge/internal/text/lazyre"
)

// family is what ends or falsifies the run of tests in a language.
type family struct {
	syntax  detect.Syntax
	ends    *lazyre.Regexp // leaves the program with success, or the run without its tests
	spared  *lazyre.Regexp // on the same line or above: the end is the thing under test, or a child's
	defines *lazyre.Regexp // gives a name of the framework a body; the name is its first group that is not empty
	replace *lazyre.Regexp // takes a function of the framework's away
}

// given are the assertions of the frameworks.
const given = `(assert(?:_?(?:that|equals?|not_?equals?|same|not_?same|true|false|is_?none|is_?not_?none|null|not_?null|nil|not_?nil|in|not_?in|raises?|raises_?regex|throws|array_?equals|almost_?equal|instance_?of|includes?|empty|match|output|success|failure|predicate|operator|contains|eq|ne))?|refute\w*|flunk|expect|fail|should|must_equal|` +
	`(?-i:TEST_ASSERT\w*|(?:ASSERT|EXPECT|CHECK|REQUIRE)(?:_(?:EQ|NE|LT|LE|GT|GE|TRUE|FALSE|THAT|THROWS?\w*|NOTHROW|NO_THROW|ANY_THROW|STREQ|STRNE|STRCASEEQ|NEAR|FLOAT_EQ|DOUBLE_EQ|DEATH|MESSAGE|EQUAL|CLOSE|NOFAIL))?|ck_assert\w*|RUN_TEST|TEST|TEST_F|TEST_CASE))`

var (
	jsFamily = &family{
		syntax:  detect.JSSyntax,
		ends:    lazyre.New(`\bprocess\s*\.\s*(?:exit|reallyExit)\s*\(\s*0?\s*\)|\bprocess\s*\.\s*exitCode\s*=\s*0\b|\bDeno\s*\.\s*exit\s*\(\s*0?\s*\)|\bprocess\s*\.\s*kill\s*\(\s*process\s*\.\s*pid`),
		replace: lazyre.New(`\b(?:assert(?:\.strict)?|chai\.(?:assert|Assertion\.prototype))\s*\.\s*(?:strictEqual|equal|deepEqual|deepStrictEqual|notEqual|notStrictEqual|notDeepEqual|ok|throws|rejects|doesNotThrow|doesNotReject|match|fail|ifError|true|false)\s*=[^=>]|\b(?:global|globalThis|window)\s*\.\s*(?:expect|assert|it|test|describe|should)\s*=\s*(?:async\s*)?(?:\(|function\b|\w+\s*=>)|\b(?:jest|vi|mock)\s*\.\s*(?:mock|module|doMock)\s*\(\s*["'](?:node:)?(?:assert|test|chai|expect)["']|\bexpect\s*\.\s*prototype\b`),
	}
	pyFamily = &family{
		syntax:  detect.PythonSyntax,
		ends:    lazyre.New(`(?m)\bpytest\s*\.\s*exit\s*\(|\bos\s*\.\s*(?:_exit\s*\(\s*0?\s*\)|exec[lv]p?e?\s*\()|\bos\s*\.\s*kill\s*\(\s*os\s*\.\s*getpid|^(?:sys\s*\.\s*)?(?:exit|quit)\s*\(\s*(?:0|None|)\s*\)|^raise\s+(?:SystemExit(?:\(\s*0?\s*\))?|(?:unittest\.)?SkipTest)`),
		spared:  lazyre.New(`raises|multiprocessing`),
		defines: lazyre.New(`(?i)^[ \t]*def\s+` + given + `\s*\(`),
		replace: lazyre.New(`(?m)\b(?:unittest\s*\.\s*)?(?:TestCase|case\.TestCase)\s*\.\s*(?:assert|fail)\w*\s*=[^=]|\bsetattr\s*\(\s*(?:unittest\s*\.\s*)?TestCase\s*,|\bpytest\s*\.\s*(?:raises|fail|approx)\s*=[^=]|\bbuiltins\s*\.\s*AssertionError\s*=[^=]|^AssertionError\s*=[^=]`),
	}
	rubyFamily = &family{
		syntax:  detect.RubySyntax,
		ends:    lazyre.New(`(?m)(?:^|[;&|{]|\bdo\b|\bthen\b)[ \t]*(?:Kernel\.|Process\.)?exit!?(?:[ \t]*\(?[ \t]*(?:0|true)[ \t]*\)?)?[ \t]*(?:$|[;}]|\b(?:if|unless)\b)|\bMinitest\s*\.\s*(?:run|seed)\b[^\n]*=[^=]|\bProcess\s*\.\s*kill\b[^\n]*\$\$`),
		spared:  lazyre.New(`raise|SystemExit|expect|lambda|proc\b|->`),
		defines: lazyre.New(`(?i)^[ \t]*def\s+(?:self\.)?` + given + `\b[?!]?`),
		replace: lazyre.New(`\b(?:remove_method|undef_method|undef|define_method|alias_method|alias)\b[ \t(]*:?(?:assert|refute|expect)\w*`),
	}
	javaFamily = &family{
		syntax:  detect.JavaSyntax,
		ends:    lazyre.New(`\b(?:System\s*\.\s*exit|exitProcess)\s*\(\s*0\s*\)|\bgetRuntime\s*\(\s*\)\s*\.\s*(?:halt|exit)\s*\(\s*0\s*\)`),
		defines: lazyre.New(`(?i)^[ \t]*(?:(?:public|protected|private|static|final|internal|override|inline)\s+)*(?:void|fun(?:\s*<[^>]*>)?|<\w+>\s*void)\s+` + given + `\s*\(`),
	}
	cFamily = &family{
		syntax:  detect.CSyntax,
		ends:    lazyre.New(`(?:^|[^\w.>])(?:_exit|_Exit|quick_exit)\s*\(\s*(?:0|EXIT_SUCCESS)\s*\)`),
		spared:  lazyre.New(`EXIT`),
		defines: lazyre.New(`^[ \t]*#[ \t]*define[ \t]+` + given + `\s*\(`),
		replace: lazyre.New(`(?m)^[ \t]*#[ \t]*(?:undef[ \t]+(?:assert|TEST_ASSERT\w*|EXPECT_\w+|ASSERT_\w+|CHECK|REQUIRE)\b|define[ \t]+assert[ \t]*\([^)\n]*\)[ \t]*(?:\(\(?void\)?[^\n]*|do\s*\{\s*\}[^\n]*)?$)`),
	}
	shFamily = &family{
		syntax:  detect.ShellSyntax,
		ends:    lazyre.New(`(?m)^[ \t]*(?:exec[ \t]+(?:/(?:usr/)?bin/)?(?:true|:)(?:[ \t]|$)|set[ \t]+-n\b|set[ \t]+-o[ \t]+noexec|kill[ \t]+[^\n]*\$\$)|^[ \t]*trap[ \t]+["']?exit(?:\s+0)?["'\s]`),
		defines: lazyre.New(`^[ \t]*(?:function[ \t]+)?(assert\w*|refute\w*|expect\w*|fail|test|\[|grep|diff|cmp)[ \t]*\(\)`),
		replace: lazyre.New(`(?m)^[ \t]*alias[ \t]+(?:assert\w*|test|\[|diff|cmp|grep)=`),
	}
	families = map[string]*family{
		".js": jsFamily, ".jsx": jsFamily, ".mjs": jsFamily, ".cjs": jsFamily, ".ts": jsFamily, ".tsx": jsFamily, ".mts": jsFamily, ".cts": jsFamily,
		".py": pyFamily, ".rb": rubyFamily, ".java": javaFamily, ".kt": javaFamily,
		".c": cFamily, ".h": cFamily, ".cc": cFamily, ".cpp": cFamily, ".cxx": cFamily, ".hpp": cFamily, ".hh": cFamily,
		".sh": shFamily, ".bash": shFamily, ".bats": shFamily,
		".go": {
			syntax: detect.GoSyntax,
			ends:   lazyre.New(`\b(?:syscall|unix)\s*\.\s*Exit\s*\(\s*0\s*\)|\bsyscall\s*\.\s*Kill\s*\(\s*(?:os|syscall)\s*\.\s*Getpid`),
		},
		".rs": {
			syntax:  detect.RustSyntax,
			ends:    lazyre.New(`\bprocess\s*::\s*exit\s*\(\s*0\s*\)|\b_?exit\s*\(\s*0\s*\)`),
			defines: lazyre.New(`^[ \t]*macro_rules!\s*(assert(?:_eq|_ne)?|panic)\b`),
		},
		".php": {
			syntax:  detect.PHPSyntax,
			ends:    lazyre.New(`(?m)(?:^|[;{}):])[ \t]*(?:exit|die)[ \t]*(?:\([ \t]*(?:0|"[^"\n]*"|'[^'\n]*')?[ \t]*\))?[ \t]*;|\b__halt_compiler\b`),
			defines: lazyre.New(`(?i)^[ \t]*(?:(?:public|protected|private|static|final)\s+)*function\s+` + given + `\s*\(`),
		},
	}
	// can are words by which a body of a function can fail, or asks somebody who can.
	can = lazyre.New(`(?i)\b(?:\w*assert\w*|\w*expect\w*|\w*fail\w*|raise\w*|throws?|super|panic|abort|die|flunk|parent|error|require\w*|check\w*|verify\w*|match\w*|do_\w+|__\w+)\b|\$[@*1-9]|exit[ \t]+[1-9]|return[ \t]+(?:[1-9]|\w+\s*[=!<>]=)|\[ |\|\||!=|==`)
	// forks begins a program of its own, which has to end.
	forks = lazyre.New(`\b(?:pcntl_)?fork\b`)
	// setAside are folders with programs that tests start.
	setAside = lazyre.New(`(?i)(^|/)(fixtures?|testdata|__fixtures__|data|examples?|bin|scripts?|programs?|cmds?|bench(?:marks?)?)/`)
)

// Stops tells whether a file on the side of the tests newly ends the run with success, or takes the place
// of what makes tests fail; nil: it does not.
func Stops(c detect.Change, tests bool, all []detect.Change) *detect.Stop {
	f := families[strings.ToLower(path.Ext(c.Path))]
	if f == nil || c.After == nil || len(c.After) > detect.MaxSource || setAside.MatchString(path.Dir(c.Path)+"/") {
		return nil
	}
	if strings.HasSuffix(c.Path, ".go") && LoadExits(string(c.After), tests) && !LoadExits(string(c.Before), tests) {
		return stop(c, "%q exits the program when it is loaded, which ends the run of its tests", "remove the exit")
	}
	if c.Before == nil { // a file that went elsewhere has what it had
		for _, o := range all {
			if o.After == nil && path.Base(o.Path) == path.Base(c.Path) {
				c.Before = o.Before
			}
		}
	}
	was, is := f.code(c.Path, c.Before, tests), f.code(c.Path, c.After, tests)
	switch {
	case f.leaves(is) > f.leaves(was):
		return stop(c, "%q exits the program, which also ends the run of its tests", "remove the exit")
	case f.replace != nil && len(f.replace.FindAllStringIndex(is, -1)) > len(f.replace.FindAllStringIndex(was, -1)):
		return stop(c, "%q replaces what makes tests fail", "leave the assertions of the framework as they are")
	}
	if name := emptied(f, c, was, is, all); tests && name != "" {
		return stop(c, fmt.Sprintf("%%q empties the list %s, so tests that go through the list check nothing", name), "leave the cases of other tests as they are")
	}
	old := f.hollow(was)
	for name := range f.hollow(is) {
		if !old[name] {
			return stop(c, fmt.Sprintf("%%q replaces the function %s with a function that cannot fail", name), "leave the assertions of the framework as they are")
		}
	}
	return nil
}

func stop(c detect.Change, what, fix string) *detect.Stop {
	return &detect.Stop{What: fmt.Sprintf(what, c.Path), Fix: fix}
}

// code is what of a file the tests are, without comments and the insides of strings.
func (f *family) code(name string, src []byte, tests bool) string {
	if src == nil {
		return ""
	}
	text := string(src)
	if !tests {
		parts, ok := detect.TestParts(name, text)
		if !ok {
			return ""
		}
		var b strings.Builder
		for _, p := range parts {
			b.WriteString(text[p.From:p.To] + "\n")
		}
		text = b.String()
	}
	masked, bare := f.syntax.Mask(text)
	if f == jsFamily || f == shFamily { // names of modules and words of shell stand in quotes
		return keepWords(masked, bare)
	}
	return masked
}

var shortText = lazyre.New(`["'](?:node:)?(?:assert|test|chai|expect|exit|exit 0)["']`)

// keepWords is masked code with the short texts in it that name something.
func keepWords(masked, bare string) string {
	out := []byte(masked)
	for _, m := range shortText.FindAllStringIndex(bare, -1) {
		if masked[m[0]] == bare[m[0]] {
			copy(out[m[0]:m[1]], bare[m[0]:m[1]])
		}
	}
	return string(out)
}

// leaves counts the ends of the run in a text, but for those that the test itself is about.
func (f *family) leaves(text string) int {
	n := 0
	for _, m := range f.ends.FindAllStringIndex(text, -1) {
		line := strings.LastIndexByte(text[:m[0]], '\n')
		line = strings.LastIndexByte(text[:max(line, 0)], '\n') + 1
		end := m[1] + len(text[m[1]:]) - len(strings.TrimLeft(text[m[1]:], "\n \t"))
		end += max(0, strings.IndexByte(text[end:], '\n'))
		if !forks.MatchString(text[max(0, m[0]-400):m[0]]) && (f.spared == nil || !f.spared.MatchString(text[line:end])) {
			n++
		}
	}
	return n
}

// hollow are the functions with a framework's name that a text declares and that can never fail.
func (f *family) hollow(text string) map[string]bool {
	out := map[string]bool{}
	if f.defines == nil {
		return out
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		m := f.defines.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		name := m[slices.IndexFunc(m[1:], func(g string) bool { return g != "" })+1]
		_, body, _ := strings.Cut(l, name)
		if end := strings.IndexByte(body, ')'); end >= 0 {
			body = body[end+1:]
		}
		indent := len(l) - len(strings.TrimLeft(l, " \t"))
		for j := i + 1; j < min(len(lines), i+40); j++ {
			t := strings.TrimLeft(lines[j], " \t")
			if t != "" && len(lines[j])-len(t) <= indent && !strings.HasPrefix(t, "{") && !strings.HasSuffix(strings.TrimSpace(lines[j-1]), `\`) {
				break
			}
			body += "\n" + lines[j]
		}
		if !can.MatchString(body) {
			out[name] = true
		}
	}
	return out
}

var (
	shared   = lazyre.New(`(?m)^(?:export[ \t]+)?(?:(?:var|const|let|static|val|final|private|public)[ \t]+)*(?:[\w<>\[\]]+[ \t]+)?(\w+)(?:[ \t]*:[^=\n]*)?[ \t]*:?=[ \t]*(?:new[ \t]+)?[\w.*<>\[\](]*[ \t]*[\[{]`)
	emptying = lazyre.New(`\b(\w+)[ \t]*:?=[ \t]*(?:(\w+)\[:[01]?\]|nil\b|\[\][ \t]*;?[ \t]*$|None\b|(?:list|dict|set)\(\)|\w+\.slice\(0,[ \t]*[01]?\)|\{\}[ \t]*;?[ \t]*$)|\b(\w+)\s*\.\s*(?:clear\(\)|length\s*=\s*[01]\b|splice\(|drain\(|truncate\(|pop\(|shift\(\))|\bclear\((\w+)\)|\bdel[ \t]+(\w+)\[|^[ \t]*(\w+)\[:\][ \t]*=`)
)

// emptied gives the name of a table of existing tests that a file newly empties or shortens: one that a file
// of the change had at its top, or in Go one that the file itself does not declare.
func emptied(f *family, c detect.Change, was, is string, all []detect.Change) string {
	tables := map[string]bool{}
	for _, o := range all {
		if families[strings.ToLower(path.Ext(o.Path))] == f && o.Before != nil && len(o.Before) <= detect.MaxSource {
			masked, _ := f.syntax.Mask(string(o.Before))
			for _, m := range shared.FindAllStringSubmatch(masked, -1) {
				tables[m[1]] = true
			}
		}
	}
	had := map[string]bool{}
	for _, l := range detect.CodeLines(was) {
		had[l] = true
	}
	for _, l := range detect.CodeLines(is) {
		if had[l] {
			continue
		}
		for _, m := range emptying.FindAllStringSubmatch(l, -1) {
			for i, name := range m[1:] {
				if name == "" || i == 1 || i == 0 && m[2] == "" && strings.Contains(m[0], ":=") {
					continue
				}
				if tables[name] || strings.HasSuffix(c.Path, ".go") && strings.Contains(m[0], "= nil") && !declares(is, name) {
					return name
				}
			}
		}
	}
	return ""
}

// declares tells whether a text of Go gives a name to something, or names it anywhere else.
func declares(text, name string) bool {
	n := 0
	for _, w := range detect.Words(text) {
		if w == name {
			n++
		}
	}
	return n > 1
}
