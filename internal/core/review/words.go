package review

import (
	"slices"
	"strings"

	"kedge/internal/core/detect"
	"kedge/internal/text/lazyre"
)

var vocabulary = lazyre.New(`(?i)^(?:\w*(?:assert|expect|should|verify|require|refute)\w*|(?:check|ensure|fail)\w*|must(?:_\w+)?|to(?:Be|Equal|Have|Throw|Match|Strict|Contain|Eql)?\w*|(?:deep|not|strict)?_?(?:equals?|same|eql?|is|ok|be|not)(?:_?to)?|self|this|t|tc?|tt|st|if|else|and|or|in|await|return|true|false|null|nil|none|True|False|None)$`)

// Meaning are the words of a claim that say what is asserted, not how. A longer text counts by its
// words, so that a change of one is not another text.
func (c Asks) Meaning() []string {
	var out []string
	for _, w := range c.Condition() {
		switch {
		case !detect.Wordy(w):
		case isText(w):
			out = append(out, inText(w)...)
		case detect.Literal(w) || !vocabulary.MatchString(w):
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

// Vacuous tells whether an assertion names nothing that a program has computed.
func (c Asks) Vacuous() bool {
	if anyway.MatchString(c.Text()) || c[0] == "if" && falsely.MatchString(c.Text()) || tupled.MatchString(c.Text()) || idly.MatchString(c.Text()) {
		return true
	}
	asks := c.Condition()
	for i, w := range asks {
		if w == "$" && i+1 < len(asks) && asks[i+1] != "this" {
			return false
		}
		if detect.Wordy(w) && (!detect.Literal(w) || strings.ContainsAny(w, "$#")) && !standard.MatchString(w) {
			return false
		}
	}
	return true
}

var (
	anyway  = lazyre.New(`(?:\|\||\bor) (?:true|True|1|:|echo\b.*|printf\b.*|(?:exit|return)(?: 0)?)(?: \))*$`)
	falsely = lazyre.New(`&& false\b|\bfalse &&|\band False\b`)
	idly    = lazyre.New(`\b(?:expectNotToPerformAssertions|doesNotPerformAssertions|addToAssertionCount)\b`)
	tupled  = lazyre.New(`^assert \( [^()]*(?:\([^()]*\)[^()]*)* , (?:f )?"[^()]*\)$`)
)

// commands ask in a condition of the shell.
var commands = []string{"[", "[[", "test", "grep", "cmp", "diff"}

// shellWord are the words of the command test.
var shellWord = lazyre.New(`^(?:test|eq|ne|lt|le|gt|ge|n|z)$`)

// Condition is what a claim asks: of a line of shell, what stands before the way out.
func (c Asks) Condition() []string {
	if len(c) > 3 && c[0] == "if" && (slices.Contains(commands, c[1]) || c[1] == "!" && slices.Contains(commands, c[2])) {
		end := len(c)
		if i := slices.Index(c, "then"); i > 0 {
			end = i
		}
		return slices.DeleteFunc(slices.Clone(c[1:end]), shellWord.MatchString)
	}
	if len(c) > 0 && slices.Contains([]string{"[", "[[", "test", "true", ":", "!"}, c[0]) {
		if i := slices.Index(c, "||"); i > 0 {
			return slices.DeleteFunc(slices.Clone(c[:i]), shellWord.MatchString)
		}
	}
	return c
}

// OfCase tells whether a claim is about a case of its own: it calls something with a literal first.
func (c Asks) OfCase() bool {
	for i := range max(0, len(c)-3) {
		w := c[i : i+4]
		called := detect.Wordy(w[0]) && !detect.Literal(w[0]) && !library.MatchString(w[0]) && !standard.MatchString(w[0])
		if called && w[1] == "(" && detect.Literal(w[2]) && (w[3] == ")" || w[3] == ",") {
			return true
		}
	}
	return false
}

// Constants counts the literals of a claim that hold the program to a value.
func (c Asks) Constants() int {
	n := 0
	for _, w := range c {
		if detect.Literal(w) {
			n++
		}
	}
	return n
}

// Covers gives the share of a claim's meaning that another one has as well.
func (c Asks) Covers(other Asks) float64 {
	want := other.Meaning()
	if len(want) == 0 {
		return 0
	}
	have := map[string]int{}
	for _, w := range c.Meaning() {
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

// Values are the words of a claim that hold the program to something: texts, numbers of some length, and
// names of types.
func (c Asks) Values() []string {
	var out []string
	for _, w := range c {
		if len(w) > 3 && (detect.Literal(w) && !vocabulary.MatchString(w) || w[0] >= 'A' && w[0] <= 'Z' && !vocabulary.MatchString(w)) {
			out = append(out, w)
		}
	}
	return out
}

// Holds tells whether a claim has all the values of another.
func (c Asks) Holds(other Asks) bool {
	values := other.Values()
	text := c.Text()
	for _, v := range values {
		if !slices.Contains(c, v) && (!isText(v) || !strings.Contains(text, strings.Trim(v, "\"'`"))) {
			return false
		}
	}
	return len(values) > 0
}

// Specific tells whether a claim is one of its own, and not one that every other test makes.
func (c Asks) Specific() bool { return len(c.Values()) > 0 || len(c.Meaning()) > 3 }

// Telling tells whether a claim has values that no other Asks has by chance: several, or a text of
// several words.
func (c Asks) Telling() bool {
	values := c.Values()
	return len(values) > 1 || len(values) == 1 && len(detect.Words(values[0])) > 1
}

var loose = lazyre.New(`(?i)^(?:assert_?(?:true|not_?null|not_?nil|is_?not_?none|is_?not_?null|ok|instance_?of|is_?instance|nothing_?raised)|refute_?nil|be_?truthy|to_?be_?(?:truthy|defined)|be_?present|be_a|be_an|TEST_ASSERT(?:_NOT_NULL|_TRUE)?|ok|truthy|notnull|notnil|exist|(?:is_?)?(?:not_?)?(?:empty|blank|null|nil|none|defined|some)\??)$`)

// Loose tells whether an assertion only asks whether there is something.
func (c Asks) Loose() bool { return is(c, loose) && !Compares(c) }

// keywords are words between the things that a claim names.
var keywords = lazyre.New(`^(?:assert|should|must|to|be|in|is|not|and|or|if|else|true|false|null|nil|none|True|False|None|NULL|new|await|return|self|this|t)$`)

// Bare is the call that a statement consists of, whose result goes nowhere; nil: it is no such statement.
func Bare(words []string) []string {
	for len(words) > 2 && (words[0] == "_" || words[0] == ",") {
		words = words[1:]
	}
	if len(words) > 1 && (words[0] == "=" || words[0] == ":=") {
		words = words[1:]
	}
	if len(words) < 4 || words[len(words)-1] != ")" || !detect.Wordy(words[0]) || detect.Literal(words[0]) || frameworks.MatchString(words[0]) || slices.ContainsFunc(words, binders.MatchString) {
		return nil
	}
	depth := 0
	for i, w := range words {
		switch w {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		default:
			if depth == 0 && w != "." && w != "::" && w != "->" && w != ":" && !detect.Wordy(w) || i > 0 && depth == 0 && detect.Wordy(w) && detect.Wordy(words[i-1]) {
				return nil
			}
		}
	}
	return words
}

var measuring = lazyre.New(`(?i)^(?:str)?(?:len|length|size|count|have_?length|lengthOf)$`)

// Measures tells whether a claim is about how long something is, or how many there are.
func (c Asks) Measures() bool { return is(c, measuring) }

// Whole tells whether a claim compares all of something, and no property of it.
func (c Asks) Whole() bool {
	return c.Strength() == exact && !c.Measures() && (len(c.Values()) > 0 || len(c.Things()) > 1)
}

var (
	frameworks = lazyre.New(`^(?i:` + given + `)$`)
	asserted   = lazyre.New(`(?i)^(?:assert|check|expect|verify)\w+$`)
)

// Framework tells whether a claim calls an assertion of a framework.
func (c Asks) Framework() bool { return is(c, frameworks) || is(c, throwing) }

// HasLiterals tells whether a claim has all values that another is written with.
func (c Asks) HasLiterals(other Asks) bool {
	return !slices.ContainsFunc(other, func(w string) bool { return Telltale(w) && !slices.Contains(c, w) })
}

// Throws tells whether two claims expect the same to be thrown, by its name.
func (c Asks) Throws(other Asks) bool {
	if !is(c, throwing) || !is(other, throwing) {
		return false
	}
	some := false
	for _, w := range other {
		if !thrownType.MatchString(w) {
			continue
		}
		if some = true; !slices.Contains(c, w) {
			return false
		}
	}
	return some
}

var thrownType = lazyre.New(`^[A-Z]\w*(?:Error|Exception|Exists|Warning|Failure)$`)

// Own tells whether a claim calls a helper of the project with values of its own.
func (c Asks) Own() bool {
	at := slices.IndexFunc(c, func(w string) bool { return w == "(" })
	return at > 0 && at < 5 && asserted.MatchString(c[at-1]) && !frameworks.MatchString(c[at-1]) && slices.ContainsFunc(c[at:], Telltale)
}

// library are the names of assertions that say nothing about what is asserted.
var library = lazyre.New(`(?i)^(?:assert\w*|expect\w*|should\w*|require\w*|refute\w*|test_assert\w*|equals?|same|ok|is|not|to\w*|be)$`)

// Things are the names in a claim, without numbers at their ends, and the longer words of its texts.
func (c Asks) Things() map[string]bool {
	out := map[string]bool{}
	asks := c.Condition()
	for i, w := range asks {
		called := i+1 < len(asks) && (asks[i+1] == "(" || asks[i+1] == "!" || asks[i+1] == ".")
		switch {
		case !detect.Wordy(w) || keywords.MatchString(w):
		case isText(w):
			for _, inner := range detect.Words(w) {
				if len(inner) > 3 {
					out["\""+inner] = true
				}
			}
		case !detect.Literal(w) && (!called || !library.MatchString(w)):
			out[strings.TrimRight(w, "0123456789")] = true
		}
	}
	return out
}

// Shares tells whether two claims name the same thing.
func (c Asks) Shares(other Asks) bool {
	mine := c.Things()
	for w := range other.Things() {
		if mine[w] {
			return true
		}
	}
	return false
}

func is(c Asks, words *lazyre.Regexp) bool { return slices.ContainsFunc(c, words.MatchString) }

// Compares tells whether a claim has a comparison of its own, as assertTrue(a == b) has.
func Compares(c Asks) bool {
	return slices.ContainsFunc(c, func(w string) bool { return strings.IndexByte("=<>!", w[0]) >= 0 && w != "=" && w != "=>" && w != "!" })
}

// NamesAll tells whether a claim names all that another one does.
func (c Asks) NamesAll(other Asks) bool {
	mine := c.Things()
	for w := range other.Things() {
		if !mine[w] && !library.MatchString(w) && !loose.MatchString(w) {
			return false
		}
	}
	return true
}

// setsUp is a call that teaches all values to assert.
var setsUp = lazyre.New(`^chai \. should \( \)$`)

// Heads tells whether a statement begins a helper or a test, or only sets up what asserts.
func (c Asks) Heads() bool {
	if len(c) == 0 {
		return true
	}
	return defines.MatchString(c[0]) || setsUp.MatchString(strings.Join(c[:min(5, len(c))], " ")) || len(c) > 1 && suites.MatchString(c[0]) && (c[1] == "(" || c[1] == ".")
}

var suites = lazyre.New(`^[xf]?(?:it|test|describe|specify|context|suite)$`)

// defines are words that begin a declaration.
var defines = lazyre.New(`^(?:def|fn|pub|func|function|static|extern|public|private|protected|void|class|abstract|define|import|from|use|module|export|typedef|fun|sub|test_expect_\w+|@test)$`)
