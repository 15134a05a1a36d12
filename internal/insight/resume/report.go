package resume

import (
	"slices"
	"strings"

	"kedge/internal/text/words"
)

// mostReported bounds what is kept of a report, in bytes.
const mostReported = 480

// stateWords are those of sentences that say how things are: what works, and what does not.
var stateWords = []string{
	"not working", "doesn't work", "does not work", "isn't working", "still fail", "still red", "still not", "failing", "fails", "failed", "can't ", "cannot ", "couldn't", "not yet", "remaining", "unfinished",
	"incomplete", "left to do", "stuck", "broken", "complete", "pass", "pushed", "merged", "committed",
}

// reported keeps what the model reported before the user spoke again; what the user is
// against is none.
func (s *step) reported(x said) {
	switch {
	case objects(x.text):
		s.report = remark{}
	case s.spoke && s.text.text != "" && intention(s.text.text) == "":
		if text := gist(s.text.text, mostReported); text != "" {
			s.report = remark{line: s.text.line, text: text}
		}
	}
}

// gist gives the sentences of a report that say most, in their order: its first, those that
// say how things are, then the others as far as there is room. Questions are none.
func gist(text string, most int) string {
	var whole []string
	for _, s := range words.Sentences(text) {
		if low := strings.ToLower(s); !strings.HasSuffix(s, "?") && !beginsAny(low, telling) && !strings.HasSuffix(s, ":") && (strings.Contains(s, " ") || !strings.ContainsAny(strings.TrimRight(s, "."), "./`_")) {
			whole = append(whole, s)
		}
	}
	taken := make([]bool, len(whole))
	size := 0
	for pass := range 3 {
		for i, s := range whole {
			fits := size+len(s)+1 <= most
			if taken[i] || !fits || pass == 0 && i > 0 || pass == 1 && !hasAny(strings.ToLower(s), stateWords) {
				continue
			}
			taken[i], size = true, size+len(s)+1
		}
	}
	var b strings.Builder
	for i, s := range whole {
		switch {
		case !taken[i]:
			continue
		case b.Len() > 0 && !taken[i-1]:
			b.WriteString(" … ")
		case b.Len() > 0:
			b.WriteByte(' ')
		}
		b.WriteString(ended(s))
	}
	return b.String()
}

// reportedBefore is what the model reported before the ask in force, unless nobody asked
// anything else since the session began.
func (p *Picker) reportedBefore() remark {
	r := p.step.report
	if r.text == "" || p.asks.main.text == p.asks.goal.said.text && len(p.asks.since) == 0 {
		return remark{}
	}
	if slices.ContainsFunc(p.memory.overruled, func(o remark) bool { return o.line >= r.line && r.line > 0 && shared(o.text, r.text) >= leastShared }) {
		return remark{} // it is told as overruled
	}
	return r
}
