package words

import (
	"slices"
	"strings"
)

// openings are the first words of sentences that say nothing but that something is said.
var openings = []string{"done", "all done", "excellent", "perfect", "great", "good catch", "good", "nice", "yes", "yeah", "okay", "ok", "sure", "wonderful", "awesome", "absolutely", "you're right", "got it"}

// leaning are the words with which a sentence begins that says nothing without the one
// before it.
var leaning = []string{"But ", "Then ", "This ", "That ", "These ", "Those ", "It ", "It's ", "So ", "Otherwise", "They ", "However", "Both ", "Instead", "Also ", "And ", "Therefore", "Because "}

// Unit is a sentence of a report, with the heading that it stands under.
type Unit struct {
	Text, Label string
	Block       int // paragraphs and lists have a number each
}

// Units gives the sentences of a report. A heading is no sentence: it labels those below
// it, to the next one; one that only leads to a list labels the list.
func Units(text string) []Unit {
	var list []Unit
	label, leads, block, code := "", false, 0, false
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(l)
		if strings.HasPrefix(l, "```") {
			code = !code
			if leads && !strings.HasPrefix(label, "#") { // to code, which is not shown
				label, leads = "", false
			}
		}
		if l == "" && !leads {
			block++
		}
		if head, before := heading(l); head != "" && !code {
			for _, s := range before {
				list = append(list, Unit{Text: s, Block: block})
			}
			if label, leads = head, true; leans(head) { // it says nothing by itself
				label = ""
			}
			block++
			continue
		}
		item := strings.TrimLeft(l, "-*+•→0123456789") != l
		for _, s := range Sentences(l) {
			if code || !strings.Contains(s, " ") && strings.ContainsAny(strings.TrimRight(s, "."), "./`_") || strings.HasPrefix(l, "```") {
				continue // a name alone
			}
			if !item && !leads && block > 0 && len(list) > 0 && list[len(list)-1].Block != block && !strings.HasPrefix(label, "#") {
				label = "" // the list is over
			}
			list, leads = append(list, Unit{Text: s, Label: strings.TrimLeft(label, "#"), Block: block}), false
		}
	}
	return list
}

// heading gives what a line says that is a heading, marked with # where it labels more
// than one paragraph, or that leads to what comes next, and the sentences before that.
func heading(l string) (head string, before []string) {
	bare := strings.Trim(strings.TrimLeft(l, "#-*•0123456789. "), "*_ ")
	switch {
	case strings.HasPrefix(l, "#"):
		return "#" + strings.TrimRight(bare, ":"), nil
	case strings.HasPrefix(l, "**") && strings.HasSuffix(l, "**") && len(bare) < mostHeading && !strings.Contains(bare, "**"):
		return strings.TrimRight(bare, ":"), nil
	case strings.HasSuffix(strings.TrimRight(l, "*"), ":") && bare != "":
		all := Split(strings.ReplaceAll(bare, "**", ""))
		return strings.TrimRight(all[len(all)-1], ":"), all[:len(all)-1]
	}
	return "", nil
}

// mostHeading is how long a heading in bold type is at most.
const mostHeading = 80

// Opens tells whether a sentence is a mere opening: "Done.", "Excellent!".
func (u Unit) Opens() bool {
	return slices.Contains(openings, strings.ToLower(strings.Trim(u.Text, " .!,")))
}

// Cost is how much room a sentence takes at most.
func Cost(all []Unit, i int) int {
	n := len(all[i].Text) + 2
	if all[i].Label != "" && (i == 0 || all[i-1].Label != all[i].Label) {
		n += len(all[i].Label) + 2
	}
	return n
}

// Joined writes the sentences that were taken; what is left out is marked.
func Joined(all []Unit, taken []bool) string {
	var b strings.Builder
	label := ""
	for i, u := range all {
		if !taken[i] {
			continue
		}
		switch {
		case b.Len() > 0 && !taken[i-1]:
			b.WriteString(" … ")
		case b.Len() > 0:
			b.WriteByte(' ')
		}
		if u.Label != label && u.Label != "" {
			b.WriteString(u.Label + ": ")
		}
		label = u.Label
		b.WriteString(Ended(u.Text))
	}
	return b.String()
}

// Ended is a sentence with a full stop, so that another one can stand behind it.
func Ended(s string) string {
	if s = strings.TrimRight(s, " ,;:"); s == "" || strings.HasSuffix(s, "…") || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}

// Leans tells whether a sentence says nothing without the one before it.
func (u Unit) Leans() bool { return leans(u.Text) }

func leans(s string) bool {
	return slices.ContainsFunc(leaning, func(begin string) bool { return strings.HasPrefix(s, begin) })
}
