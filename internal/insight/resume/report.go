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

// gist gives the sentences of a report that say most, in their order: of the last report
// its end, where the questions and choices are; then the first, those that say how things
// are, and the others as far as there is room. With one that leans on the one before it that
// one comes too, and none is joined to another across a heading.
func gist(all []words.Unit, most int, final bool) string {
	all = slices.DeleteFunc(slices.Clone(all), func(u words.Unit) bool {
		return u.Opens() || strings.HasSuffix(u.Text, ":") || !final && (strings.HasSuffix(u.Text, "?") || beginsAny(strings.ToLower(u.Text), telling))
	})
	taken := make([]bool, len(all))
	size := 0
	take := func(i int) {
		from, need := i, words.Cost(all, i)
		for from > 0 && all[from].Leans() && all[from-1].Block == all[from].Block && !taken[from-1] {
			from--
			need += words.Cost(all, from)
		}
		if taken[i] || size+need > most || all[from].Leans() && from > 0 && all[from-1].Block == all[from].Block && !taken[from-1] {
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
			case pass == 0 && (!final || u.Block != all[len(all)-1].Block), pass == 1 && i > 0, pass == 2 && !hasAny(strings.ToLower(u.Text), stateWords):
			default:
				take(i)
			}
		}
	}
	return words.Joined(all, taken)
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
	r.text = gist(slices.DeleteFunc(words.Units(r.text), func(u words.Unit) bool { return p.settled(u, r.acts) }), mostReported, false)
	return r
}

// settled tells whether a sentence says that something is wrong or should be done with a
// file that was edited after action n.
func (p *Picker) settled(u words.Unit, n int) bool {
	if low := strings.ToLower(u.Text); !hasAny(low, faultWords) && !hasAny(low, proposing) {
		return false
	}
	return slices.ContainsFunc(words.Paths(u.Label+" "+u.Text), func(w string) bool {
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
	return remark{line: s.text.line, text: gist(words.Units(cut(s.text.text, keptOfReport)), mostFinal, true)}
}
