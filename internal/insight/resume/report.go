package resume

import (
	"slices"
	"strings"

	"kedge/internal/text/words"
)

// The bounds of what is shown of a report before the ask in force and of the last one, and
// of what is kept of either, in bytes.
const (
	mostReported = 480
	mostFinal    = 800
	keptOfReport = 16 << 10
)

// faultWords are those of sentences that say what is not as it should be; stateWords also
// those of what is.
var (
	faultWords = []string{
		"not working", "doesn't work", "does not work", "isn't working", "still fail", "still red", "still not", "failing", "fails", "failed", "can't ", "cannot ", "couldn't", "not yet", "remaining", "unfinished",
		"incomplete", "left to do", "stuck", "broken", "in progress",
	}
	stateWords = append([]string{"complete", "pass", "pushed", "merged", "committed"}, faultWords...)
)

// proposing are the words of sentences that say what should be done.
var proposing = []string{"recommend", "should ", "could ", "suggest", "propose", "consider ", "needs to ", "need to "}

// openings are the first words of sentences that say nothing but that something is said.
var openings = []string{"done", "all done", "excellent", "perfect", "great", "good catch", "good", "nice", "yes", "yeah", "okay", "ok", "sure", "wonderful", "awesome", "absolutely", "you're right", "got it"}

// leaning are the words with which a sentence begins that says nothing without the one
// before it.
var leaning = []string{"But ", "Then ", "This ", "That ", "These ", "Those ", "It ", "It's ", "So ", "Otherwise", "They ", "However", "Both ", "Instead", "Also ", "And ", "Therefore", "Because "}

// reported keeps what the model reported before the user spoke again; what the user is
// against is none.
func (s *step) reported(x said, n int) {
	switch {
	case objects(x.text):
		s.report = remark{}
	case s.spoke && s.text.text != "" && intention(s.text.text) == "":
		s.report = remark{line: s.text.line, text: strings.Clone(cut(s.text.text, keptOfReport)), acts: n}
	}
}

// unit is a sentence of a report, with the heading that it stands under.
type unit struct {
	text, label string
	block       int // paragraphs and lists have a number each
}

// units gives the sentences of a report. A heading is no sentence: it labels those below
// it, to the next one; one that only leads to a list labels the list.
func units(text string) []unit {
	var list []unit
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
				list = append(list, unit{text: s, block: block})
			}
			if label, leads = head, true; beginsAny(head, leaning) { // it says nothing by itself
				label = ""
			}
			block++
			continue
		}
		item := strings.TrimLeft(l, "-*+•→0123456789") != l
		for _, s := range words.Sentences(l) {
			if code || !strings.Contains(s, " ") && strings.ContainsAny(strings.TrimRight(s, "."), "./`_") || strings.HasPrefix(l, "```") {
				continue // a name alone
			}
			if !item && !leads && block > 0 && len(list) > 0 && list[len(list)-1].block != block && !strings.HasPrefix(label, "#") {
				label = "" // the list is over
			}
			list, leads = append(list, unit{text: s, label: strings.TrimLeft(label, "#"), block: block}), false
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
		all := words.Split(strings.ReplaceAll(bare, "**", ""))
		return strings.TrimRight(all[len(all)-1], ":"), all[:len(all)-1]
	}
	return "", nil
}

// mostHeading is how long a heading in bold type is at most.
const mostHeading = 80

// opens tells whether a sentence is a mere opening: "Done.", "Excellent!".
func opens(s string) bool {
	return slices.Contains(openings, strings.ToLower(strings.Trim(s, " .!,")))
}

// gist gives the sentences of a report that say most, in their order: of the last report
// its end, where the questions and choices are; then the first, those that say how things
// are, and the others as far as there is room. With one that leans on the one before it that
// one comes too, and none is joined to another across a heading.
func gist(all []unit, most int, final bool) string {
	all = slices.DeleteFunc(slices.Clone(all), func(u unit) bool {
		return opens(u.text) || strings.HasSuffix(u.text, ":") || !final && (strings.HasSuffix(u.text, "?") || beginsAny(strings.ToLower(u.text), telling))
	})
	taken := make([]bool, len(all))
	size := 0
	take := func(i int) {
		from, need := i, cost(all, i)
		for from > 0 && beginsAny(all[from].text, leaning) && all[from-1].block == all[from].block && !taken[from-1] {
			from--
			need += cost(all, from)
		}
		if taken[i] || size+need > most || beginsAny(all[from].text, leaning) && from > 0 && all[from-1].block == all[from].block && !taken[from-1] {
			return
		}
		size += need
		for ; from <= i; from++ {
			taken[from] = true
		}
	}
	for pass := range 4 {
		for i, u := range all {
			switch {
			case pass == 0 && (!final || u.block != all[len(all)-1].block), pass == 1 && i > 0, pass == 2 && !hasAny(strings.ToLower(u.text), stateWords):
			default:
				take(i)
			}
		}
	}
	return joined(all, taken)
}

// cost is how much room a sentence takes at most.
func cost(all []unit, i int) int {
	n := len(all[i].text) + 2
	if all[i].label != "" && (i == 0 || all[i-1].label != all[i].label) {
		n += len(all[i].label) + 2
	}
	return n
}

// joined writes the sentences that were taken; what is left out is marked.
func joined(all []unit, taken []bool) string {
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
		if u.label != label && u.label != "" {
			b.WriteString(u.label + ": ")
		}
		label = u.label
		b.WriteString(ended(u.text))
	}
	return b.String()
}

// reportedBefore is what the model reported before the ask in force, unless nobody asked
// anything else since the session began. Of a file that was changed since it tells no fault,
// and proposes nothing.
func (p *Picker) reportedBefore() remark {
	r := p.step.report
	if r.text == "" || p.asks.main.text == p.asks.goal.said.text && len(p.asks.since) == 0 {
		return remark{}
	}
	if slices.ContainsFunc(p.memory.overruled, func(o remark) bool { return o.line >= r.line && r.line > 0 && shared(o.text, r.text) >= leastShared }) {
		return remark{} // it is told as overruled
	}
	r.text = gist(slices.DeleteFunc(units(r.text), func(u unit) bool { return p.settled(u, r.acts) }), mostReported, false)
	return r
}

// settled tells whether a sentence says that something is wrong or should be done with a
// file that was edited after action n.
func (p *Picker) settled(u unit, n int) bool {
	if low := strings.ToLower(u.text); !hasAny(low, faultWords) && !hasAny(low, proposing) {
		return false
	}
	return slices.ContainsFunc(words.Paths(u.label+" "+u.text), func(w string) bool {
		return slices.ContainsFunc(p.files.named(w), func(f *file) bool { return f.lastAt[actEdit] > n })
	})
}

// final is what the model reported last, where the user said nothing since and nothing else
// is to come.
func (p *Picker) final() remark {
	s := &p.step
	if s.text.text == "" || !s.spoke || s.acted && !s.done || s.told.kind == saidStop || intention(s.text.text) != "" {
		return remark{}
	}
	return remark{line: s.text.line, text: gist(units(cut(s.text.text, keptOfReport)), mostFinal, true)}
}
