package testguard

import (
	"slices"

	"kedge/internal/core/detect"
	"kedge/internal/core/review"
	"kedge/internal/text/lazyre"
)

// claim is something that a test holds the program to: an assertion, or a row of a
// table that assertions are made from.
type claim struct {
	review.Asks // its tokens; blanks, comments, kinds of quotes and trailing commas are gone
	row         bool
	table       int    // which table of its test a row is in
	aside       bool   // checks only that the way there was free: err != nil
	owner       string // the helper that it stands in; empty in a test
	line        int
}

// vacuous tells whether an assertion names nothing that a program has computed.
func (c claim) vacuous() bool { return !c.row && c.Vacuous() }

// loose tells whether an assertion only asks whether there is something.
func (c claim) loose() bool { return !c.row && c.Loose() }

// looser tells whether a claim asserts less about the same than another did: it only asks whether there
// is something, and has given up the values that the other compared with.
func (c claim) looser(was claim) bool {
	return c.loose() && !was.row && !was.loose() && c.Constants() < was.Constants() && c.Shares(was.Asks)
}

// claimsIn gives the assertions and rows of a part of a text.
func (c code) claimsIn(from, to int, asserts *lazyre.Regexp, lines *detect.LineCounter) []claim {
	var out []claim
	var spans [][2]int
	end := from
	for _, m := range asserts.FindAllStringIndex(c.Masked[from:to], -1) {
		at := from + m[0]
		if at < end || definer.MatchString(c.Masked[max(from, at-60):at]) {
			continue
		}
		if slices.ContainsFunc(c.Silent, func(q [2]int) bool { return q[0] <= at && at < q[1] }) {
			continue
		}
		start := max(end, c.StatementStart(at, from))
		end = c.StatementEnd(at, to)
		cl := claim{Asks: detect.Tokens(c.Bare[start:end]), line: lines.At(at)}
		if head := c.HeadOf(at, from); c.Braced && head != "" && bareExit.MatchString(cl.Text()) {
			cl.Asks = detect.Tokens(head) // what the way out depends on
		}
		if cl.Heads() {
			end = at + m[1] - m[0]
			continue // the head of a helper
		}
		if binds.MatchString(cl.Text()) && !cl.Framework() {
			continue // a call that gives something is no assertion by its name
		}
		cl.aside = sideways.MatchString(cl.Text()) || bareExit.MatchString(cl.Text()) || stubs.MatchString(cl.Text()) && !demands.MatchString(cl.Text())
		out = append(out, cl)
		spans = append(spans, [2]int{start, end})
	}
	return append(out, c.rowsIn(from, to, spans, lines)...)
}

// bareExit is the end of a branch; what it depends on stands elsewhere.
var bareExit = lazyre.New(`^(?:return|exit)(?: \()? (?:- )?(?:[0-9]+|EXIT_FAILURE)(?: \))?$`)

// binds is a statement that gives a name to what a call gives.
var binds = lazyre.New(`^(?:(?:const|let|var|val|auto|final|my) )?(?:\$ )?\w+ (?:: [\w<> ]+ )?:?= (?:await )?[\w. :>-]+ \(`)

// definer is what stands before the name of a function that is being defined, or gets another name.
var definer = lazyre.New(`\b(?:def|fn|func|function|fun|sub)\s+(?:self\.)?$|\balias(?:_method)?[ \t]+:?[\w, :?!]*$`)

// sideways are assertions about the way to a result, not about the result.
var sideways = lazyre.New(`(?i)^if (?:[^&|]* )?\w*err\w* != nil$|no_?error \(|^(?:t \. (?:fatal|error)|check|must|(?:assert|require) \. nil) \( (?:t , )?err \)$`)

// stubs are statements that set a double up; with a demand of how often, they are assertions.
var (
	stubs   = lazyre.New(`\bshouldReceive\b|\breceive_messages\b|^allow \(|\bwillReturn\b|\bandReturns?\b|\bthenReturn\b|\bmockReturnValue`)
	demands = lazyre.New(`\b(?:once|twice|times|never|exactly|atLeast|expects|expect)\b`)
)
