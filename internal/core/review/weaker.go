package review

import (
	"slices"
	"strconv"
	"strings"

	"kedge/internal/core/detect"
	"kedge/internal/text/lazyre"
)

// Strength is how much an assertion holds a program to.
type Strength int

const (
	exists  Strength = iota + 1 // there is something, of some kind
	partial                     // it is within bounds, or has something in it
	exact                       // it is this value
)

// The words of assertions, in small letters and without underscores.
var (
	exactly  = lazyre.New(`^(?:===?|.*equals?(?:to)?(?:ignoringcase)?|.*(?:[^a-z]|^|test|assert|expect|check|require)eq|eql|is|be|tobe|.*str(?:case)?eq|.*same(?:instance)?(?:as)?|.*identical|.*exactly\w*|isnull|isnone|tobenull|tobeundefined|benil|assertnull|assertnil|isempty|assertempty|tobenull|tohavelength|tohavebeencalledwith|matcharray|deepequal)$`)
	bounding = lazyre.New(`^(?:[<>]=?|!==?|=~|in|.*(?:contain|include|match|arrayhaskey|haskey|objecthas|like|greater|less|atleast|atmost|above|below|near|close|almost|delta|within|between|startw|startsw|endw|endsw|prefix|suffix|subset|superset|regex|approx|satisf|notequal|notsame|noteq|unequal)\w*|.*(?:assert|expect|check|require)(?:ge|gt|le|lt|ne)|ge|gt|le|lt|ne)$`)
	existing = lazyre.New(`^(?:(?:tobe)?truthy|(?:tobe)?defined|.*(?:not|non)(?:null|nil|none|empty|zero|undefined|blank)|isok|issome|iserr|ok|assert|asserttrue|.*instanceof\w*|isinstance|kindof|bekindof|bea|bean|typeof|anything|any|.*is(?:int|string|array|bool|float|number|object)|exists?|present|respondto|tobetruthy|tomatchsnapshot|(?:expect|assert|check|require)(?:true)?|testassert(?:true|notnull)?)$`)
	kinds    = lazyre.New(`^(?:typeof|instanceof|isinstance|gettype|is_a\?)$`)
	throwing = lazyre.New(`(?:raise|throw|reject|panic|warn|exception|error|success|failure)`)
	general  = lazyre.New(`^(?:Exception|Throwable|BaseException|StandardError|RuntimeException|Error|std|exception|\w*ANY_THROW|class|expect\w*|assert\w*|to_?throw\w*|throws?|raises?|java|lang|\\)$`)
	wildcard = lazyre.New(`^(?:anything|any|ANY|instance_of|kind_of|isA|isa|anyInt|anyString|anyOf|any_args|any_instance)$`)
	inRow    = lazyre.New(`^(?:skip\w*|xfail|pending|todo|ignored?|only)$`)
	digits   = lazyre.New(`^(?:tobecloseto|closeto|places|decimals?|digits|almostequals?|assertalmostequals?)$`)
	widens   = lazyre.New(`^(?:.*(?:delta|near|within|close\w*|approx\w*|almost\w*)|abs|rel|atol|rtol|tol\w*|eps\w*)$`)
	number   = lazyre.New(`^-?[0-9][0-9_]*(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?[a-zA-Z]?$`)
)

// Asks are the tokens of an assertion, or of a row that assertions are made from.
type Asks []string

// Text are the tokens with blanks between.
func (c Asks) Text() string { return strings.Join(c, " ") }

func literals(c Asks) int {
	n := 0
	for _, w := range c {
		if detect.Literal(w) {
			n++
		}
	}
	return n
}

func plain(w string) string { return strings.ToLower(strings.ReplaceAll(w, "_", "")) }

// fails tells whether a claim says when a test fails, as an if does, and not what it wants.
func (c Asks) fails() bool { return len(c) > 0 && c[0] == "if" }

// shell tells whether a claim is a condition of the shell.
func (c Asks) shell() bool { return len(c) > 0 && (c[0] == "[" || c[0] == "[[" || c[0] == "test") }

// negated tells whether the next word says the opposite: not.toBe(4), !equal(a, b).
func (c Asks) negated(i int) bool {
	for j := i - 1; j >= max(0, i-2); j-- {
		switch c[j] {
		case "not", "!", "refute", "isnt":
			return true
		case ".", "to", "be", "is":
		default:
			return c[j] == "not_to" || c[j] == "to_not"
		}
	}
	return i+1 < len(c) && c[i] == "is" && c[i+1] == "not"
}

// Strength is that of the strongest word of a claim; 0: it has none that is known.
func (c Asks) Strength() Strength {
	var s Strength
	for i, w := range c {
		p := plain(w)
		var of Strength
		switch {
		case strings.Contains(p, "snapshot"):
			if of = exists; i+2 < len(c) && c[i+1] == "(" && c[i+2] != ")" {
				of = exact
			}
		case p == "be" && i+1 < len(c) && strings.ContainsAny(c[i+1][:1], "<>"):
			of = partial
		case c.shell() && (w == "=" || w == "=="):
			if of = exact; i+1 < len(c) && c[i+1] == "*" {
				of = exists
			}
		case c.shell() && p == "n":
			of = exists
		case bounding.MatchString(p):
			of = partial
		case exactly.MatchString(p):
			of = exact
		case existing.MatchString(p):
			of = exists
		}
		if c.fails() {
			of = opposite(of, p)
			if p == "equal" || p == "deepequal" {
				of = exact
			}
		} else if of == exact && c.negated(i) {
			of = partial
		}
		s = max(s, of)
	}
	if s >= partial && (c.trivial() || anyOf(c, kinds.MatchString)) {
		return exists
	}
	return s
}

// opposite is the strength of a comparison that says when a test fails.
func opposite(of Strength, word string) Strength {
	switch word {
	case "!=", "!==":
		return exact
	case "==", "===":
		return partial
	}
	return of
}

// trivial tells whether a claim compares only with nothing: x != nil.
func (c Asks) trivial() bool {
	for i, w := range c {
		nothing := i+1 < len(c) && strings.Contains(" nil null None NULL undefined ", " "+c[i+1]+" ")
		switch {
		case !c.fails() && (w == "!=" || w == "!==") && nothing, c.fails() && w == "==" && nothing:
			return true
		case w == "not" && nothing && !c.fails():
			return true
		}
	}
	return false
}

// lostWords and the words instead, as often as they stand there.
func changedWords(was, is Asks) (lostWords, instead []string) {
	return others(was, is), others(is, was)
}

func others(words, than []string) []string {
	have := map[string]int{}
	for _, w := range than {
		have[w]++
	}
	var out []string
	for _, w := range words {
		if have[w] > 0 {
			have[w]--
			continue
		}
		out = append(out, w)
	}
	return out
}

// Telltale tells of a token whether it is a value that only an assertion about this compares with: no 0, no 1, no truth.
func Telltale(w string) bool {
	return detect.Literal(w) && !slices.Contains([]string{"0", "1", `""`, "0.0", "1.0", "true", "false", "True", "False", "null", "nil", "none", "None", "undefined", "NULL"}, w)
}

func anyOf(words []string, is func(string) bool) bool { return slices.ContainsFunc(words, is) }

// Skipped tells whether a row of a table is marked to be skipped.
func (c Asks) Skipped() bool { return anyOf(c, inRow.MatchString) }

// WeakerRow tells whether a row of a table that stands for another has lost values of a list inside it.
func (c Asks) WeakerRow(was Asks) bool {
	lostWords, instead := changedWords(was, c)
	return fewerInside(was, lostWords, instead)
}

// Weaker tells whether an assertion that stands for another about the same asserts less: it lets more
// through, or can no longer fail.
func (c Asks) Weaker(was Asks) bool {
	lostWords, instead := changedWords(was, c)
	switch {
	case len(lostWords)+len(instead) == 0:
		return false
	case c.orElse(lostWords, instead), c.unawaited(lostWords, instead), c.wider(was), c.hollowMacro(was):
		return true
	case anyOf(lostWords, Telltale) && c.itself() && !was.itself():
		return true
	case anyOf(lostWords, Telltale) && anyOf(instead, wildcard.MatchString) && !anyOf(instead, Telltale):
		return true
	case c.partOf(was, lostWords, instead), c.shorterText(lostWords, instead):
		return true
	case anyOf(was, func(w string) bool { return throwing.MatchString(plain(w)) }):
		return was.anything(lostWords, instead)
	}
	return c.lower(was, lostWords, instead)
}

// partOf tells whether a claim looks at a member of what the other compared as a whole, and at none of
// the values that it had to have.
func (c Asks) partOf(was Asks, lostWords, instead []string) bool {
	if !anyOf(lostWords, Telltale) || anyOf(instead, detect.Literal) || was.Strength() != exact || anyOf(instead, func(w string) bool { return w == "(" }) {
		return false
	}
	for i := 0; i+2 < len(c); i++ {
		if c[i+1] != "." || !slices.Contains(instead, c[i+2]) {
			continue
		}
		if at := slices.Index(was, c[i]); at >= 0 && (at+1 == len(was) || strings.Contains(" == != === !== , ) ", " "+was[at+1]+" ")) {
			return true
		}
	}
	return false
}

// shorterText tells whether a claim that looks for a text in another now looks for a part of it only.
func (c Asks) shorterText(lostWords, instead []string) bool {
	if c.fails() || !anyOf(c, func(w string) bool { return looksFor.MatchString(plain(w)) }) {
		return false
	}
	some := false
	for _, w := range instead {
		if !isText(w) || len(w) < 3 {
			if detect.Literal(w) {
				return false
			}
			continue
		}
		inner := strings.Trim(w, "\"'`")
		if !anyOf(lostWords, func(l string) bool { return isText(l) && len(l) > len(w) && strings.Contains(l, inner) }) {
			return false
		}
		some = true
	}
	return some
}

var looksFor = lazyre.New(`^(?:in|partial|.*(?:contain|include|match|startswith|endswith|substr|regex|haveprefix|havesuffix)\w*|.*(?:str_?contains|has_?prefix|has_?suffix))$`)

// lower tells whether an assertion went down in strength.
func (c Asks) lower(was Asks, lostWords, instead []string) bool {
	before, after := was.Strength(), c.Strength()
	switch {
	case before <= exists && after <= exists && fewerInside(was, lostWords, instead): // a check of the project's own, with values
		return true
	case after == 0 || after >= before:
		return after == partial && before == partial && (anyOf(lostWords, Telltale) || slices.Contains(instead, "*")) && !anyOf(instead, detect.Wordy) || before == exact && looserKind(lostWords, instead)
	case after == partial && !anyOf(instead, c.bounds):
		return false // the word was there before
	case after == partial && anyOf(instead, func(w string) bool { return strings.HasPrefix(plain(w), "match") }):
		return anyOf(lostWords, Telltale) && !anyOf(instead, Telltale)
	case after == partial:
		return !anyOf(lostWords, was.bounds)
	}
	return anyOf(lostWords, Telltale) && (literals(c) < literals(was) || anyOf(instead, kinds.MatchString))
}

// bounds tells of a word of an assertion whether it lets several values through.
func (c Asks) bounds(w string) bool {
	return bounding.MatchString(plain(w)) && !(c.fails() && (w == "!=" || w == "!=="))
}

// looserKinds are pairs of assertions of the same library: the second does not look at types.
var looserKinds = map[string]string{
	"assertSame": "assertEquals", "strictEqual": "equal", "deepStrictEqual": "deepEqual", "toStrictEqual": "toEqual", "===": "==", "!==": "!=",
}

func looserKind(lostWords, instead []string) bool {
	return len(lostWords) == 1 && len(instead) == 1 && looserKinds[lostWords[0]] == instead[0] && instead[0] != ""
}

// anything tells whether an assertion about a failure no longer says which.
func (c Asks) anything(lostWords, instead []string) bool {
	if !anyOf(lostWords, detect.Wordy) && anyOf(instead, func(w string) bool {
		return (strings.HasSuffix(w, "Error") || strings.HasSuffix(w, "Exception")) && !slices.Contains(c, w)
	}) {
		return true // another one will do as well
	}
	specific := func(w string) bool {
		return detect.Wordy(w) && !general.MatchString(w) && (detect.Literal(w) || w[0] >= 'A' && w[0] <= 'Z' || strings.Contains(w, "_error"))
	}
	return anyOf(lostWords, specific) && !anyOf(instead, func(w string) bool { return detect.Wordy(w) && !general.MatchString(w) })
}

// orElse tells whether something else will do as well: all that was asked is still there, with a way
// out beside it.
func (c Asks) orElse(lostWords, instead []string) bool {
	if anyOf(lostWords, detect.Wordy) {
		return false
	}
	out := []string{"||", "or"}
	if c.fails() {
		out = []string{"&&", "and"}
	}
	return anyOf(instead, func(w string) bool { return slices.Contains(out, w) }) && (c[0] != "[" && c[0] != "[[")
}

// unawaited tells whether nobody waits for an assertion any more.
func (c Asks) unawaited(lostWords, instead []string) bool {
	return len(instead) == 0 && len(lostWords) == 1 && (lostWords[0] == "await" || lostWords[0] == "return") &&
		anyOf(c, func(w string) bool {
			return strings.Contains(plain(w), "resolve") || strings.Contains(plain(w), "reject") || strings.HasSuffix(w, "Async")
		})
}

// hollowMacro tells whether a macro that made tests fail no longer does.
func (c Asks) hollowMacro(was Asks) bool {
	return len(c) > 2 && c[0] == "#" && c[1] == "define" && effects.MatchString(was.Text()) && !effects.MatchString(c.Text())
}

var effects = lazyre.New(`\+ \+|\+ =|\b(?:exit|abort|return|longjmp|throw|\w*fail\w*|\w*[Aa]ssert\w*) \(?`)

// fewerInside tells whether a row has lost values of a list inside it, and has got nothing.
func fewerInside(was Asks, lostWords, instead []string) bool {
	if len(instead) > 0 || len(lostWords) > 12 || !anyOf(lostWords, Telltale) || anyOf(lostWords, func(w string) bool { return strings.Contains(": => [ { (", w) }) {
		return false
	}
	var open []string
	for _, w := range was {
		switch {
		case w == "(" || w == "[" || w == "{":
			open = append(open, w)
		case (w == ")" || w == "]" || w == "}") && len(open) > 0:
			open = open[:len(open)-1]
		case Telltale(w) && slices.Contains(lostWords, w):
			return len(open) > 1 && open[len(open)-1] != "("
		}
	}
	return false
}

var (
	exponent = lazyre.New(`([0-9][eE]) ([-+]) ([0-9])`)
	minus    = lazyre.New(`([(,=<>:]) - ([0-9])`)
)

// numbered are the words of a claim with whole numbers.
func (c Asks) numbered() []string {
	text := exponent.ReplaceAllString(c.Text(), "$1$2$3")
	return strings.Fields(minus.ReplaceAllString(text, "$1 -$2"))
}

// wider tells whether a claim differs from another only by a bound that lets more through.
func (c Asks) wider(was Asks) bool {
	before, after := was.numbered(), c.numbered()
	at, ok := onlyOther(before, after)
	if !ok || !number.MatchString(before[at]) || !number.MatchString(after[at]) {
		return replacedWay(before, after)
	}
	from, to := value(before[at]), value(after[at])
	last := !slices.ContainsFunc(after[at+1:], number.MatchString)
	has := func(r *lazyre.Regexp) bool {
		return anyOf(after, func(w string) bool { return r.MatchString(plain(w)) })
	}
	switch {
	case last && has(digits):
		return to < from
	case last && has(widens), last && len(c.arguments()) > 2 && anyOf(after, func(w string) bool { return exactly.MatchString(plain(w)) }) && strings.Contains(before[at], "."):
		return to > from
	}
	for i, w := range after {
		p := plain(w)
		up := strings.HasPrefix(p, "<") || strings.Contains(p, "less") || strings.Contains(p, "atmost") || strings.Contains(p, "below") || p == "lt" || p == "le" || strings.HasSuffix(w, "_LT") || strings.HasSuffix(w, "_LE")
		down := strings.HasPrefix(p, ">") || strings.Contains(p, "greater") || strings.Contains(p, "atleast") || strings.Contains(p, "above") || p == "gt" || p == "ge" || strings.HasSuffix(w, "_GT") || strings.HasSuffix(w, "_GE")
		if !up && !down {
			continue
		}
		if sign := w[0] == '<' || w[0] == '>'; sign && at != i+1 {
			if at != i-1 {
				continue
			}
			up = !up
		}
		if c.fails() {
			up = !up
		}
		return up == (to > from)
	}
	return false
}

// replacedWay tells whether a bound stands where a number of places was: places=7, delta=50.
func replacedWay(before, after []string) bool {
	has := func(words []string, name string) bool { return slices.Contains(words, name) }
	return has(before, "places") && has(after, "delta")
}

// onlyOther is the place of the one word that differs.
func onlyOther(a, b []string) (int, bool) {
	if len(a) != len(b) {
		return 0, false
	}
	at, n := 0, 0
	for i := range a {
		if a[i] != b[i] {
			at, n = i, n+1
		}
	}
	return at, n == 1
}

func value(w string) float64 {
	w = strings.TrimRight(strings.ReplaceAll(w, "_", ""), "abcdfghijklmnopqrstuvwxyzLFDU")
	f, _ := strconv.ParseFloat(w, 64)
	return f
}

// itself tells whether a claim compares something with itself: a word or more on both sides of an
// equality, or two arguments that are the same.
func (c Asks) itself() bool {
	for i, w := range c {
		if w == "==" || w == "===" || w == "!=" || w == "!==" {
			for n := 1; n <= i && i+n < len(c); n++ {
				left, right := c[i-n:i], c[i+1:i+1+n]
				ends := i+n+1 == len(c) || strings.Contains(") , { ; || && : ]", c[i+n+1])
				starts := i-n == 0 || strings.Contains("( , if assert && || ; [", c[i-n-1])
				if ends && starts && slices.Equal(left, right) && detect.Wordy(left[0]) {
					return true
				}
			}
		}
	}
	args := c.arguments()
	for i, a := range args {
		for _, b := range args[i+1:] {
			if a == b && detect.Wordy(a) && !detect.Literal(a) {
				return true
			}
		}
	}
	return false
}

// arguments are those of the outermost calls of a claim, as texts.
func (c Asks) arguments() []string {
	var out []string
	depth, start := 0, 0
	end := func(i int) {
		if start < i {
			out = append(out, strings.Join(c[start:i], " "))
		}
		start = i + 1
	}
	for i, w := range c {
		switch w {
		case "(", "[", "{":
			if depth++; depth == 1 {
				start = i + 1
			}
		case ")", "]", "}":
			if depth--; depth == 0 {
				end(i)
			}
		case ",":
			if depth == 1 {
				end(i)
			}
		}
	}
	return out
}

// Computed tells whether a claim compares a variable with the very expression that gave it its value, and
// no longer with a value that was written down.
func (c Asks) Computed(was Asks, body []string) bool {
	if !slices.ContainsFunc(was, func(w string) bool { return detect.Literal(w) && !slices.Contains(c, w) }) {
		return false
	}
	text, before := c.Text(), was.Text()
	for _, l := range body {
		words := detect.Tokens(l)
		for i, w := range words {
			if i == 0 || w != "=" && w != ":=" || i+3 > len(words) || strings.Contains(text, words[i-1]+" "+w+" ") {
				continue
			}
			given := strings.Join(words[i+1:], " ")
			if strings.Contains(given, "(") && strings.Contains(text, given) && !strings.Contains(before, given) && c.Things()[words[i-1]] {
				return true
			}
			break
		}
	}
	return false
}
