package resume

import (
	"slices"
	"strconv"
	"strings"

	"kedge/internal/text/lazyre"
	"kedge/internal/text/words"
)

// goal is what the session is for: the first request, until the user says that it is no
// longer that.
type goal struct {
	said   said
	since  []said // what was asked after it, oldest first
	left   []said // goals that the user gave up, with what they said in to
	told   string // what was asked by the newest summary
	toldAt int
}

// maxAsked bounds the requests that are kept between the goal and the ask in force.
const maxAsked = 12

// greetings ask for nothing, between spaces.
const greetings = " hi hello hey there good morning afternoon evening test testing ping are you "

// abandons are how a user says that the goal is another one now.
var abandons = []string{
	"forget that", "forget about", "forget this", "forget it", "never mind", "nevermind", "scrap that", "scrap this", "new task", "different task", "new goal", "change of plan",
	"let's abandon", "lets abandon", "let's drop", "stop working on", "switch gears", "let's switch to", "something else instead", "instead of that, ", "leave that for now", "put that aside",
}

// take takes a request that stands by itself; again is one that was sent again with
// other words.
func (g *goal) take(s said, again bool) {
	switch {
	case g.said.text == "", g.weak(), again && len(g.since) == 0, begins(g.said.text, s.text) && len(g.since) == 0:
		g.said = s
	case again:
		g.since[len(g.since)-1] = s
	case s.text == g.said.text:
	case givesUp(s.text):
		g.left = append(g.left, said{line: s.line, text: g.said.text, to: s.text})
		g.said, g.since = s, nil
	default:
		g.since = append(g.since, s)
		if len(g.since) > maxAsked {
			g.since = append(g.since[:0:0], g.since[1:]...)
		}
	}
}

// begins tells whether a command was sent again, with what it is to work on.
func begins(old, text string) bool {
	return strings.HasPrefix(old, "/") && strings.HasPrefix(text, old+" ")
}

// weak tells whether the goal is none yet: a greeting, or words that steer what nobody
// here has seen.
func (g *goal) weak() bool {
	if g.said.kind == saidSteering {
		return true
	}
	words := strings.FieldsFunc(strings.ToLower(g.said.text), func(r rune) bool { return strings.ContainsRune(" \n,.!?", r) })
	return len(words) <= 5 && !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(greetings, " "+w+" ") })
}

// givesUp tells whether a request says that what was wanted before no longer is.
func givesUp(text string) bool {
	low := strings.ToLower(text[:min(len(text), mostTold)])
	return hasAny(strings.ReplaceAll(low, "’", "'"), abandons) && !strings.Contains(low, "don't forget") && len(text) >= leastPlan
}

// between gives what was asked after the goal and is not shown elsewhere.
func (g *goal) between(shown ...said) []said {
	return slices.DeleteFunc(slices.Clone(g.since), func(s said) bool {
		return slices.ContainsFunc(shown, func(x said) bool { return x.text == s.text })
	})
}

// summarized takes what a summary says was asked.
func (g *goal) summarized(s said) {
	var list []string
	size := 0
	for _, item := range items(section(s.text, "Primary Request and Intent")) {
		if item = words.Ended(strings.Join(strings.Fields(strings.ReplaceAll(item, "**", "")), " ")); size+len(item) > mostSummarized {
			break
		}
		size += len(item)
		list = append(list, item)
	}
	if len(list) > 0 {
		g.told, g.toldAt = strings.Join(list, " "), s.line
	}
}

// mostSummarized bounds what is shown of it.
const mostSummarized = 420

// text is the goal, with what a summary made of it where it says little.
func (g *goal) text() string {
	text := g.said.text
	if g.said.ref != "" {
		text += " (" + g.said.ref + ")"
	}
	if g.told != "" && g.toldAt > g.said.line && !standsAlone(strings.ReplaceAll(g.said.text, "\n", " ")) {
		text += "\n\nThe summary of line " + strconv.Itoa(g.toldAt) + " says what was asked until then: " + g.told
	}
	return text
}

// fromSummary takes the goal out of a summary with which a transcript begins.
func (g *goal) fromSummary(s said) {
	for _, text := range items(section(s.text, "All user messages")) {
		text = quoted(text)
		if len(text) < leastPlan || steering(text) || strings.HasPrefix(text, "[Request interrupted") || strings.HasPrefix(text, "Initial message") {
			continue
		}
		g.said = said{kind: saidAsk, line: s.line, text: text}
		return
	}
	if want := section(s.text, "Primary Request and Intent"); want != "" {
		g.said = said{kind: saidAsk, line: s.line, text: want}
	}
}

// quoted gives what stands in the quotes that a text begins with, or the text.
func quoted(text string) string {
	if rest, ok := strings.CutPrefix(text, `"`); ok {
		if end := strings.LastIndexByte(rest, '"'); end > 0 {
			return rest[:end]
		}
	}
	return strings.Trim(text, `"“” `)
}

// title gives a request in one line: its first sentence, or of a plan its title. What was
// pasted is not what is asked.
func title(text string, most int) string {
	var own []string
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(l)
		if bare := strings.Trim(l, "#*>- \t"); bare != "" && !strings.ContainsAny(bare[:1], "{}[]|│╭╰├└") && !printed(l) {
			own = append(own, bare)
		}
	}
	switch {
	case len(own) == 0:
		return shortened(text, most)
	case printed(text[:strings.IndexByte(text+"\n", '\n')]): // the words come after the output
		return shortened(own[len(own)-1], most)
	case len(own) > 1 && strings.HasSuffix(own[0], ":") && len(own[0]) < leastPlan+8:
		return shortened(own[0]+" "+own[1], most)
	case len(own) > 1 && strings.Count(own[0], " ") < 3 && !strings.ContainsAny(own[0][len(own[0])-1:], ".?!"): // a heading
		return shortened(strings.TrimRight(own[0], ":")+": "+own[1], most)
	default:
		return strings.TrimRight(shortened(own[0], most), ":")
	}
}

// chosen is how a request names one of several things by its number; numbers alone are an
// answer.
var (
	chosen  = lazyre.New(`(?i)\b(?:options?|approach|fix(?: for)?|number|go with|choice|#) ?#?([1-9])\b`)
	numbers = lazyre.New(`(?i)^(?:ok(?:ay)?,? |yes,? |please |let's do |do |both |and |, ?|[1-9]\b ?)+[.!]?$`)
	digit   = lazyre.New(`[1-9]`)
)

// meant gives, of the numbers in a request, what they stood for in what the agent said
// before it.
func meant(text, before string) string {
	if len(text) > mostTold || before == "" {
		return ""
	}
	if strings.Count(text, "\n") > 1 { // of what was pasted below it nobody chooses
		text, _, _ = strings.Cut(text, "\n")
	}
	found := chosen.FindAllStringSubmatch(text, 4)
	if len(found) == 0 && numbers.MatchString(text) {
		for _, at := range digit.FindAllStringIndex(text, 4) {
			found = append(found, []string{"", text[at[0]:at[1]]})
		}
	}
	var list []string
	for _, m := range found {
		if item := numberedItem(before, m[1]); item != "" && !slices.Contains(list, m[1]+" is: "+item) {
			list = append(list, m[1]+" is: "+item)
		}
	}
	return strings.Join(list, "; ")
}

// numberedItem gives what a text has under a number, where it has one such thing: of two
// lists nobody knows which was meant, unless one names its items.
func numberedItem(text, number string) string {
	var plain, named []string
	for l := range strings.Lines(text) {
		l = strings.TrimLeft(strings.TrimSpace(strings.ReplaceAll(l, "**", "")), "#-* ")
		for _, word := range []string{"", "Option ", "Approach ", "Issue ", "Bug ", "Fix ", "Problem "} {
			rest, ok := strings.CutPrefix(l, word+number)
			if !ok || rest == "" || !strings.ContainsAny(rest[:1], ".):") {
				continue
			}
			if item := shortened(strings.Trim(rest, ".): "), mostTitle); word == "" {
				plain = append(plain, item)
			} else {
				named = append(named, item)
			}
		}
	}
	if len(named) > 0 {
		plain = named
	}
	if len(plain) != 1 || plain[0] == "" || strings.Contains(plain[0], "?") {
		return ""
	}
	return plain[0]
}

// shortened gives as many whole sentences as there is room for; where the first has none,
// as many whole words.
func shortened(text string, most int) string {
	if text = strings.Join(strings.Fields(text), " "); len(text) <= most {
		return text
	}
	out := ""
	for _, s := range words.Split(text) {
		if len(out)+len(s)+1 > most {
			break
		}
		out = strings.TrimSpace(out + " " + s)
	}
	if out != "" {
		return out
	}
	out = cut(text, most)
	at := max(strings.LastIndex(out, ", "), strings.LastIndex(out, "; "), strings.LastIndex(out, " - "), strings.LastIndex(out, " — "), strings.LastIndex(out, ": "))
	if at > most/3 { // whole clauses, where there are some
		return out[:at] + " …"
	}
	return out
}
