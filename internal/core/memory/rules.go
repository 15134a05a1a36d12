package memory

import (
	"fmt"
	"strings"

	"kedge"
	"kedge/internal/text/lazyre"
	"kedge/internal/text/words"
)

// RulesCap is how many tokens rules.md may cost when nothing else is configured:
// it stands at the top of every session, so it is a runbook and not a manifesto.
const RulesCap = 1500

// RulesReport is what the lint of rules.md found. Its JSON is that of
// `rules lint --json`.
type RulesReport struct {
	OK       bool            `json:"ok"`
	Tokens   int             `json:"tokens"`
	Cap      int             `json:"cap"`
	Findings []kedge.Finding `json:"findings"`
}

// rulePart is one of the three parts of rules.md; instruction order is policy
// order, so theirs is fixed.
type rulePart struct {
	number  int
	name    string
	keyword *lazyre.Regexp
}

var ruleParts = []rulePart{
	{1, "constraints", lazyre.New(`(?i)constraint|invariant`)},
	{2, "code modification", lazyre.New(`(?i)\bmodif|\bedit|\bchang|\bcode\b`)},
	{3, "validation loop", lazyre.New(`(?i)validat|verif`)},
}

// styleRule recognises a rule about how code looks, which must not stand before
// one about what it may do.
var styleRule = lazyre.New(`(?i)\b(style|format(ting|ter)?|gofmt|gofumpt|prettier|black|eslint|indent\w*|tabs?\b.*\bspaces?|spaces?\b.*\btabs?|` +
	`whitespace|semicolons?|(single|double) quotes?|trailing commas?|camel-?case|snake_case|kebab-case|pascal-?case|naming|` +
	`line length|columns? wide|import order|sort imports|comments? (in|should|style)|docstrings?|emojis?|tone)\b`)

// hardRule recognises a rule that binds, even where it mentions style.
var hardRule = lazyre.New(`(?i)\b(public|api|contract|schema|security|secrets?|migrations?|compatib\w+|dependenc\w+|service|data)\b`)

var (
	headingLine = lazyre.New(`^#{1,3}\s+(.*)$`)
	numbered    = lazyre.New(`^(\d+)[.):]?\s+(.*)$`)
	ruleLine    = lazyre.New(`^\s*([-*+]|\d+[.)])\s+(.*\S)`)
)

// ruleSection is a heading of rules.md with the rules below it.
type ruleSection struct {
	part  int // 1 to 3; 0 for any other heading, or none
	title string
	line  int
	rules []item
	text  bool // has any text at all
}

// LintRules checks rules.md: three numbered sections in the order constraints,
// code modification, validation loop; none missing or empty; no style rule
// before a hard constraint; not more tokens than the cap (0 is RulesCap).
func LintRules(file string, b []byte, limit int) RulesReport {
	if limit <= 0 {
		limit = RulesCap
	}
	r := RulesReport{Tokens: words.Tokens(string(b)), Cap: limit, Findings: []kedge.Finding{}}
	sections, last := readRules(string(b))
	r.Findings = append(r.Findings, lintOrder(file, sections)...)
	r.Findings = append(r.Findings, lintMissing(file, sections, last)...)
	r.Findings = append(r.Findings, lintStyle(file, sections)...)
	if r.Tokens > limit {
		r.Findings = append(r.Findings, ruleFinding(file, 1,
			fmt.Sprintf("the rules have %d tokens, and at most %d are allowed", r.Tokens, limit),
			"remove the rules that not every session needs"))
	}
	r.OK = len(r.Findings) == 0
	return r
}

func ruleFinding(file string, line int, what, fix string) kedge.Finding {
	return kedge.Finding{Level: kedge.LevelError, What: what, Where: fmt.Sprintf("%s:%d", file, line), Fix: fix}
}

// readRules cuts the file at its headings, outside fenced blocks, and gives the
// number of its last line.
func readRules(text string) (sections []ruleSection, last int) {
	cur, fence, n := ruleSection{line: 1}, "", 0
	for line := range strings.SplitSeq(strings.TrimRight(text, "\r\n"), "\n") {
		n++
		line = strings.TrimRight(line, " \t\r")
		was := fence
		fence = nextFence(fence, line)
		h := headingLine.FindStringSubmatch(line)
		switch {
		case was != "" || fence != "":
			cur.text = true
		case h != nil:
			sections = append(sections, cur)
			cur = ruleSection{part: partOf(h[1]), title: h[1], line: n}
		case line != "":
			cur.text = true
			if m := ruleLine.FindStringSubmatch(line); m != nil {
				cur.rules = append(cur.rules, item{n, m[2]})
			}
		}
	}
	return append(sections, cur), n
}

// nextFence says which fence is open after the line: "" is none.
func nextFence(open, line string) string {
	t := strings.TrimLeft(line, " ")
	for _, mark := range []string{"```", "~~~"} {
		if !strings.HasPrefix(t, mark) {
			continue
		}
		if open == "" {
			return mark
		}
		if open == mark && strings.Trim(t, mark[:1]) == "" {
			return ""
		}
	}
	return open
}

// partOf says which of the three parts a heading opens, by its number and its
// words together; either alone is somebody's own heading.
func partOf(title string) int {
	m := numbered.FindStringSubmatch(title)
	if m == nil {
		return 0
	}
	for _, p := range ruleParts {
		if m[1] == fmt.Sprint(p.number) && p.keyword.MatchString(m[2]) {
			return p.number
		}
	}
	return 0
}

// lintOrder reports parts that stand before an earlier one or twice, and rules
// outside the three parts.
func lintOrder(file string, sections []ruleSection) []kedge.Finding {
	var out []kedge.Finding
	highest, first := 0, map[int]int{}
	for _, s := range sections {
		switch {
		case s.part == 0 && len(s.rules) > 0:
			out = append(out, ruleFinding(file, s.rules[0].line,
				fmt.Sprintf("a rule is outside the three sections: %q", s.rules[0].text),
				"move the rule below the right heading"))
		case s.part == 0:
		case first[s.part] > 0:
			out = append(out, ruleFinding(file, s.line,
				fmt.Sprintf("section %d appears twice: it is on line %d already", s.part, first[s.part]), "merge the two sections"))
		case s.part < highest:
			out = append(out, ruleFinding(file, s.line,
				fmt.Sprintf("section %d (%s) comes after section %d", s.part, ruleParts[s.part-1].name, highest),
				"put the sections in the order constraints, code modification, validation loop"))
		}
		if s.part > 0 && first[s.part] == 0 {
			first[s.part] = s.line
		}
		highest = max(highest, s.part)
	}
	return out
}

// lintMissing reports parts that are not there or say nothing.
func lintMissing(file string, sections []ruleSection, last int) []kedge.Finding {
	var out []kedge.Finding
	for _, p := range ruleParts {
		line, there, says := last, false, false
		for _, s := range sections {
			if s.part == p.number {
				line, there, says = s.line, true, says || s.text
			}
		}
		switch {
		case !there:
			out = append(out, ruleFinding(file, line, fmt.Sprintf("section %d (%s) is missing", p.number, p.name),
				fmt.Sprintf("add a heading \"# %d. %s\" and its rules", p.number, heading(p))))
		case !says:
			out = append(out, ruleFinding(file, line, fmt.Sprintf("section %d (%s) is empty", p.number, p.name),
				"write down its rules, one to a line"))
		}
	}
	return out
}

func heading(p rulePart) string { return strings.ToUpper(p.name[:1]) + p.name[1:] }

// lintStyle reports every style rule that a hard constraint still follows: in
// the constraints themselves, or in a section that stands before them.
func lintStyle(file string, sections []ruleSection) []kedge.Finding {
	lastHard := 0
	for _, s := range sections {
		for _, r := range s.rules {
			if s.part == 1 && !isStyle(r.text) {
				lastHard = r.line
			}
		}
	}
	var out []kedge.Finding
	for _, s := range sections {
		for _, r := range s.rules {
			if r.line < lastHard && isStyle(r.text) {
				out = append(out, ruleFinding(file, r.line,
					fmt.Sprintf("the rule about style %q comes before the hard constraint on line %d", r.text, lastHard),
					"move the rule about style to section 2 (code modification)"))
			}
		}
	}
	return out
}

func isStyle(rule string) bool { return styleRule.MatchString(rule) && !hardRule.MatchString(rule) }
