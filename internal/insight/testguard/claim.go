package testguard

import (
	"slices"
	"strings"

	"kedge/internal/core/detect"
	"kedge/internal/text/lazyre"
)

// claim is something that a test holds the program to: an assertion, or a row of a
// table that assertions are made from.
type claim struct {
	words []string // its tokens; blanks, comments, kinds of quotes and trailing commas are gone
	row   bool
	table int    // which table of its test a row is in
	aside bool   // checks only that the way there was free: err != nil
	owner string // the helper that it stands in; empty in a test
	line  int
}

func (c claim) text() string { return strings.Join(c.words, " ") }

// tokens cuts code into words, numbers, strings and signs.
func tokens(code string) []string {
	var out []string
	for i := 0; i < len(code); {
		n := tokenEnd(code, i)
		if t := code[i:n]; strings.TrimSpace(t) != "" {
			out = append(out, oneQuote(t))
		}
		i = n
	}
	return tidy(out)
}

func tokenEnd(code string, i int) int {
	c := code[i]
	switch {
	case detect.WordByte(c):
		for i++; i < len(code) && (detect.WordByte(code[i]) || code[i] == '.' && c >= '0' && c <= '9'); i++ {
		}
		return i
	case c == '"' || c == '\'' || c == '`':
		for j := i + 1; j < len(code) && code[j] != '\n'; j++ {
			if code[j] == '\\' {
				j++
			} else if code[j] == c {
				return j + 1
			}
		}
	case strings.IndexByte("=!<>&|", c) >= 0:
		for i++; i < len(code) && strings.IndexByte("=!<>&|~", code[i]) >= 0; i++ {
		}
		return i
	}
	return i + 1
}

// oneQuote writes strings with the same quotes.
func oneQuote(t string) string {
	if n := len(t); n > 1 && (t[0] == '\'' || t[0] == '`') && t[n-1] == t[0] && strings.IndexByte(t[1:n-1], '"') < 0 {
		return `"` + t[1:n-1] + `"`
	}
	return t
}

// tidy drops what formatters put and take: semicolons, and commas before a bracket that closes.
func tidy(words []string) []string {
	out := words[:0]
	for i, w := range words {
		if w == ";" || w == "\\" || w == "," && (i+1 == len(words) || strings.Contains(")]}", words[i+1])) {
			continue
		}
		out = append(out, w)
	}
	return out
}

var (
	vocabulary = lazyre.New(`(?i)^(?:\w*(?:assert|expect|should|verify|require|refute)\w*|(?:check|ensure|fail)\w*|must(?:_\w+)?|to(?:Be|Equal|Have|Throw|Match|Strict|Contain|Eql)?\w*|(?:deep|not|strict)?_?(?:equals?|same|eql?|is|ok|be|not)(?:_?to)?|self|this|t|tc?|tt|st|if|else|and|or|in|await|return|true|false|null|nil|none|True|False|None)$`)
	constant   = lazyre.New(`^(?:["'` + "`" + `].*|[0-9].*|true|false|null|nil|none|True|False|None|NULL|undefined)$`)
	wordy      = lazyre.New(`^[\pL_$"'` + "`" + `0-9]`)
)

// meaning are the words of a claim that say what is asserted, not how. A longer text counts by its
// words, so that a change of one is not another text.
func (c claim) meaning() []string {
	var out []string
	for _, w := range c.condition() {
		switch {
		case !wordy.MatchString(w):
		case isText(w):
			out = append(out, inText(w)...)
		case constant.MatchString(w) || !vocabulary.MatchString(w):
			out = append(out, w)
		}
	}
	return out
}

// inText gives the words of a text, told apart from names; of a short one, the text itself.
func inText(w string) []string {
	inner := detect.Words(w)
	if len(inner) < 2 {
		return []string{w}
	}
	for i := range inner {
		inner[i] = `"` + inner[i]
	}
	return inner
}

func isText(w string) bool { return strings.IndexByte("\"'`", w[0]) >= 0 }

// standard are the names of assertions that libraries bring along. A call of any other, with constants
// only, calls a helper that may compute something.
var standard = lazyre.New(`^(?:assert|expect|self|this|t|assert_(?:eq|ne|true|false|equal|nil|not_nil)|debug_assert|assert(?:s|True|False|Equals?|Same|NotNull|Null|NotEquals?|IsNone|IsNotNone|That)|to|be|not|is|ok|eq|equals?|same|pass|should|true|false|strictEqual|deepEqual|must_equal|must_be|toBe\w*|toEqual|toStrictEqual|TEST_(?:ASSERT|PASS)\w*|(?:ASSERT|EXPECT)_(?:TRUE|FALSE|EQ|NE)|CHECK|REQUIRE|SUCCEED|True|False|Equal)$`)

// vacuous tells whether an assertion names nothing that a program has computed.
func (c claim) vacuous() bool {
	if c.row {
		return false
	}
	for _, w := range c.condition() {
		if wordy.MatchString(w) && (!constant.MatchString(w) || strings.ContainsAny(w, "$#")) && !standard.MatchString(w) {
			return false
		}
	}
	return true
}

// shellWord are the words of the command test.
var shellWord = lazyre.New(`^(?:test|eq|ne|lt|le|gt|ge|n|z)$`)

// condition is what a claim asks: of a line of shell, what stands before the way out.
func (c claim) condition() []string {
	if len(c.words) > 0 && slices.Contains([]string{"[", "[[", "test", "true", ":", "!"}, c.words[0]) {
		if i := slices.Index(c.words, "||"); i > 0 {
			return slices.DeleteFunc(slices.Clone(c.words[:i]), shellWord.MatchString)
		}
	}
	return c.words
}

// ofCase tells whether a claim is about a case of its own: it calls something with a literal first.
func (c claim) ofCase() bool {
	for i := range max(0, len(c.words)-3) {
		w := c.words[i : i+4]
		called := wordy.MatchString(w[0]) && !constant.MatchString(w[0]) && !library.MatchString(w[0]) && !standard.MatchString(w[0])
		if called && w[1] == "(" && constant.MatchString(w[2]) && (w[3] == ")" || w[3] == ",") {
			return true
		}
	}
	return false
}

// constants counts the literals of a claim that hold the program to a value.
func (c claim) constants() int {
	n := 0
	for _, w := range c.words {
		if constant.MatchString(w) {
			n++
		}
	}
	return n
}

// covers gives the share of a claim's meaning that another one has as well.
func (c claim) covers(other claim) float64 {
	want := other.meaning()
	if len(want) == 0 {
		return 0
	}
	have := map[string]int{}
	for _, w := range c.meaning() {
		have[w]++
	}
	kept := 0
	for _, w := range want {
		if have[w] > 0 {
			have[w]--
			kept++
		}
	}
	return float64(kept) / float64(len(want))
}

// values are the words of a claim that hold the program to something: texts, numbers of some length, and
// names of types.
func (c claim) values() []string {
	var out []string
	for _, w := range c.words {
		if len(w) > 3 && (constant.MatchString(w) && !vocabulary.MatchString(w) || w[0] >= 'A' && w[0] <= 'Z' && !vocabulary.MatchString(w)) {
			out = append(out, w)
		}
	}
	return out
}

// holds tells whether a claim has all the values of another.
func (c claim) holds(other claim) bool {
	values := other.values()
	text := c.text()
	for _, v := range values {
		if !slices.Contains(c.words, v) && (!isText(v) || !strings.Contains(text, strings.Trim(v, "\"'`"))) {
			return false
		}
	}
	return len(values) > 0
}

// specific tells whether a claim is one of its own, and not one that every other test makes.
func (c claim) specific() bool { return len(c.values()) > 0 || len(c.meaning()) > 3 }

// telling tells whether a claim has values that no other claim has by chance: several, or a text of
// several words.
func (c claim) telling() bool {
	values := c.values()
	return len(values) > 1 || len(values) == 1 && len(detect.Words(values[0])) > 1
}

var loose = lazyre.New(`(?i)^(?:assert_?(?:true|not_?null|not_?nil|is_?not_?none|is_?not_?null|ok|instance_?of|is_?instance|nothing_?raised)|refute_?nil|be_?truthy|to_?be_?(?:truthy|defined)|be_?present|be_a|be_an|TEST_ASSERT(?:_NOT_NULL|_TRUE)?|ok|truthy|notnull|notnil|exist|(?:is_?)?(?:not_?)?(?:empty|blank|null|nil|none|defined|some)\??)$`)

// looser tells whether a claim asserts less about the same than another did: it only asks whether there
// is something, and has given up the values that the other compared with.
func (c claim) looser(was claim) bool {
	return c.loose() && !was.row && !was.loose() && c.constants() < was.constants() && c.shares(was)
}

// loose tells whether an assertion only asks whether there is something.
func (c claim) loose() bool { return !c.row && is(c, loose) && !compares(c) }

// keywords are words between the things that a claim names.
var keywords = lazyre.New(`^(?:assert|should|must|to|be|in|is|not|and|or|if|else|true|false|null|nil|none|True|False|None|NULL|new|await|return|self|this|t)$`)

// library are the names of assertions that say nothing about what is asserted.
var library = lazyre.New(`(?i)^(?:assert\w*|expect\w*|should\w*|require\w*|refute\w*|test_assert\w*|equals?|same|ok|is|not|to\w*|be)$`)

// things are the names in a claim, without numbers at their ends, and the longer words of its texts.
func (c claim) things() map[string]bool {
	out := map[string]bool{}
	asks := c.condition()
	for i, w := range asks {
		called := i+1 < len(asks) && (asks[i+1] == "(" || asks[i+1] == "!" || asks[i+1] == ".")
		switch {
		case !wordy.MatchString(w) || keywords.MatchString(w):
		case isText(w):
			for _, inner := range detect.Words(w) {
				if len(inner) > 3 {
					out["\""+inner] = true
				}
			}
		case !constant.MatchString(w) && (!called || !library.MatchString(w)):
			out[strings.TrimRight(w, "0123456789")] = true
		}
	}
	return out
}

// shares tells whether two claims name the same thing.
func (c claim) shares(other claim) bool {
	mine := c.things()
	for w := range other.things() {
		if mine[w] {
			return true
		}
	}
	return false
}

func is(c claim, words *lazyre.Regexp) bool { return slices.ContainsFunc(c.words, words.MatchString) }

// compares tells whether a claim has a comparison of its own, as assertTrue(a == b) has.
func compares(c claim) bool {
	return slices.ContainsFunc(c.words, func(w string) bool { return strings.IndexByte("=<>!", w[0]) >= 0 && w != "=" && w != "=>" && w != "!" })
}

// claimsIn gives the assertions and rows of a part of a text.
func (c code) claimsIn(from, to int, asserts *lazyre.Regexp, lines *lineCounter) []claim {
	var out []claim
	var spans [][2]int
	end := from
	for _, m := range asserts.FindAllStringIndex(c.Masked[from:to], -1) {
		at := from + m[0]
		if at < end || definer.MatchString(c.Masked[max(from, at-20):at]) {
			continue
		}
		start := max(end, c.statementStart(at, from))
		end = c.statementEnd(at, to)
		cl := claim{words: tokens(c.Bare[start:end]), line: lines.at(at)}
		if heading(cl.words) {
			end = at + m[1] - m[0]
			continue // the head of a helper
		}
		cl.aside = sideways.MatchString(cl.text()) || bareExit.MatchString(cl.text()) || stubs.MatchString(cl.text()) && !demands.MatchString(cl.text())
		out = append(out, cl)
		spans = append(spans, [2]int{start, end})
	}
	return append(out, c.rowsIn(from, to, spans, lines)...)
}

// heading tells whether a statement begins a helper or a test.
func heading(words []string) bool {
	if len(words) == 0 {
		return true
	}
	return defines.MatchString(words[0]) || len(words) > 1 && suites.MatchString(words[0]) && (words[1] == "(" || words[1] == ".")
}

var suites = lazyre.New(`^[xf]?(?:it|test|describe|specify|context|suite)$`)

// defines are words that begin a declaration.
var defines = lazyre.New(`^(?:def|fn|pub|func|function|static|extern|public|private|protected|void|class|abstract|define|import|from|use|module|export|typedef|fun|sub|test_expect_\w+|@test)$`)

// bareExit is the end of a branch; what it depends on stands elsewhere.
var bareExit = lazyre.New(`^(?:return|exit)(?: \()? (?:- )?(?:[0-9]+|EXIT_FAILURE)(?: \))?$`)

// definer is what stands before the name of a function that is being defined.
var definer = lazyre.New(`\b(?:def|fn|func|function|fun|sub)\s+(?:self\.)?$`)

// sideways are assertions about the way to a result, not about the result.
var sideways = lazyre.New(`(?i)^if (?:[^&|]* )?\w*err\w* != nil$|no_?error \(|^(?:t \. (?:fatal|error)|check|must|(?:assert|require) \. nil) \( (?:t , )?err \)$`)

// stubs are statements that set a double up; with a demand of how often, they are assertions.
var (
	stubs   = lazyre.New(`\bshouldReceive\b|\breceive_messages\b|^allow \(|\bwillReturn\b|\bandReturns?\b|\bthenReturn\b|\bmockReturnValue`)
	demands = lazyre.New(`\b(?:once|twice|times|never|exactly|atLeast|expects|expect)\b`)
)

// statementStart is where the statement around an offset begins.
func (c code) statementStart(at, from int) int {
	start := from + strings.LastIndexAny(c.Masked[from:at], "\n;") + 1
	for i := start; i < at; i++ {
		if c.Masked[i] != '{' {
			continue
		}
		if end := c.Partner(i); end > i+1 && end <= at {
			i = end - 1
			continue
		}
		start = i + 1
	}
	return start
}

// statementEnd is where the statement around an offset ends: at a semicolon, at a bracket that
// was open before, or at the end of a line that is not continued.
func (c code) statementEnd(at, to int) int {
	if c.lined {
		return min(to, c.textEnd(at))
	}
	last := byte(0)
	for i := at; i < to; i++ {
		switch b := c.Masked[i]; b {
		case '(', '[', '{':
			if p := c.Partner(i); p > i+1 {
				i = min(p, to) - 1
			}
			last = ')'
		case ')', ']', '}', ';':
			return i
		case '\n':
			if !c.continued(i, last) {
				return i
			}
		case ' ', '\t', '\r':
		default:
			last = b
		}
	}
	return to
}

// textEnd is the end of the line that an offset is in, or of the one in which a text ends that began
// there.
func (c code) textEnd(at int) int {
	end := lineEnd(c.Masked, at)
	for n := 0; n < maxText && end < len(c.Masked) && openText(c.Masked[at:end]); n++ {
		end = lineEnd(c.Masked, end+1)
	}
	return end
}

// openText tells whether a piece of masked code ends inside a text.
func openText(s string) bool { return strings.Count(s, `"`)%2 == 1 || strings.Count(s, "'")%2 == 1 }

// maxText is how many lines a text may have.
const maxText = 40

// continued tells whether the statement goes on behind a line's end.
func (c code) continued(newline int, last byte) bool {
	if strings.IndexByte(",=&|+\\.(<>", last) >= 0 && last != 0 {
		return true
	}
	next := c.Blanks(newline)
	return next < len(c.Masked) && (c.Masked[next] == '.' || strings.HasPrefix(c.Masked[next:], "->") || strings.HasPrefix(c.Masked[next:], "?.") || c.Masked[next] == '=' || strings.HasPrefix(c.Masked[next:], "&&") || strings.HasPrefix(c.Masked[next:], "||"))
}
