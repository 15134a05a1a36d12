package resume

import (
	"slices"
	"strings"
	"unicode/utf8"

	"kedge/internal/text/words"
)

// asks are what the user wants: the request in force, and what was said about
// it since.
type asks struct {
	main    said   // the newest request that stands by itself
	since   []said // what was said about it, oldest first
	dropped int    // of those, how many are no longer kept
	before  said   // the request before it
	earlier said   // and the one before that
	stopped bool   // the user stopped the model, and said nothing yet
	plan    string // title of the newest plan that was shown
	goal    goal
}

// maxSince bounds what is kept of what was said since the request.
const maxSince = 6

// take takes what the user said; true when it is a new request.
func (a *asks) take(s said) bool {
	switch s.kind {
	case saidStop:
		a.stopped = true
		return false
	case saidSummary:
		a.goal.summarized(s)
		if a.goal.said.text == "" || a.goal.weak() {
			a.goal.fromSummary(s)
		}
		if a.main.text == "" {
			a.fromSummary(s)
			return a.main.text != ""
		}
		return false
	case saidSteering:
		a.add(s)
	case saidAsk:
		return a.request(s)
	case saidNothing, saidShell:
	}
	return false
}

// request takes a request, a question or a correction.
func (a *asks) request(s said) bool {
	stopped := a.stopped
	a.stopped = false
	switch {
	case s.text == a.newest().text:
		return false // it waited in a queue, or was sent twice
	case a.main.text == "":
	case stopped && resent(a.newest().text, s.text):
		a.goal.take(s, len(a.since) == 0)
		a.replace(s)
		return false
	case s.refuse, (stopped || s.inside) && !standsAlone(s.text):
		a.add(s)
		return false
	}
	a.goal.take(s, false)
	if s.text != a.main.text { // the same command again follows what the first one did
		a.earlier, a.before = a.before, a.main
	}
	if last := a.newest(); last.kind == saidAsk && last.text != a.main.text && last.text != s.text { // asked in its place
		a.earlier, a.before = a.before, last
	}
	a.main, a.since, a.dropped = s, nil, 0
	return true
}

// newest gives what was said last.
func (a *asks) newest() said {
	if n := len(a.since); n > 0 {
		return a.since[n-1]
	}
	return a.main
}

// replace takes a request that was sent again, with other words.
func (a *asks) replace(s said) {
	if n := len(a.since); n > 0 {
		a.since[n-1] = s
		return
	}
	a.main = s
}

func (a *asks) add(s said) {
	if a.main.text == "" {
		a.main, a.goal.said = s, s
		return
	}
	if s.text == a.newest().text {
		return
	}
	a.since = append(a.since, s)
	if len(a.since) > maxSince {
		a.since = append(a.since[:0:0], a.since[1:]...)
		a.dropped++
	}
}

// planned keeps a plan that was shown to the user.
func (a *asks) planned(plan string) { a.plan = planTitle(plan) }

// resent tells whether a text is an earlier one, sent again with changes: both
// begin the same.
func resent(old, text string) bool {
	n := min(len(old), len(text), 24)
	return n >= 12 && old[:n] == text[:n]
}

// alone is how many characters a text has at least that needs no other.
const alone = 160

// standsAlone tells whether a request can be understood without the one before.
func standsAlone(text string) bool { return utf8.RuneCountInString(text) >= alone }

// text is the ask in force, whole. A short request carries the one it follows, and
// that one, where it is short too, the one before; what was said about it since
// comes after it.
func (a *asks) text() string {
	text := a.near()
	if a.before.text != "" && a.earlier.text != "" && !standsAlone(a.main.text) && !standsAlone(a.before.text) {
		text += "\n\nBefore that: " + a.earlier.text
	}
	return text
}

// near is the ask with the one request before it.
func (a *asks) near() string {
	if a.before.text == "" || standsAlone(a.main.text) {
		return a.own()
	}
	return a.own() + "\n\nBefore: " + a.before.text
}

// own is the ask with what was said about it since.
func (a *asks) own() string {
	var b strings.Builder
	b.WriteString(a.main.text)
	if a.main.ref != "" {
		b.WriteString(" (" + a.main.ref + ")")
	}
	if a.dropped > 0 {
		b.WriteString("\n\n(" + words.Count(a.dropped, "later word") + " about it left out)")
	}
	for _, s := range a.since {
		b.WriteString("\n\nThen: " + s.text)
		if s.to != "" {
			b.WriteString(" (to: " + s.to + ")")
		}
	}
	return b.String()
}

// asked gives what was asked between the goal and what is shown of the ask in force, a
// line each.
func (p *Picker) asked() []string {
	a := &p.asks
	shown := []said{a.main}
	if !standsAlone(a.main.text) {
		if shown = append(shown, a.before); !standsAlone(a.before.text) {
			shown = append(shown, a.earlier)
		}
	}
	list := []string{}
	for _, s := range a.goal.between(shown...) {
		list = append(list, title(s.text, mostTitle)+atLine(s.line))
	}
	return list
}

// mostTitle is how long a request is in one line.
const mostTitle = 220

// overruled gives what no longer holds, the goals that the user gave up first.
func (p *Picker) overruled() []string {
	list := []string{}
	for _, s := range slices.Backward(p.asks.goal.left) {
		list = append(list, "by the user"+atLine(s.line)+": "+words.Ended(shortened(s.to, mostOverrul))+" The goal was before: "+title(s.text, mostTitle))
	}
	return append(list, newest(p.memory.overruled)...)
}

// ruledOut gives the ways that are closed, what the user refused among them.
func (p *Picker) ruledOut() []string {
	refused := slices.DeleteFunc(slices.Clone(p.memory.overruled), func(r remark) bool { return !r.user })
	return append(newest(p.memory.ruled), newest(refused)...)
}

// fromSummary takes the ask out of a summary: the last of the user's messages
// that it lists, else what it says that the user wants.
func (a *asks) fromSummary(s said) {
	list := items(section(s.text, "All user messages"))
	for i := len(list) - 1; i >= 0; i-- {
		text := strings.Trim(list[i], `"“” `)
		if text == "" || steering(text) || strings.HasPrefix(text, "[Request interrupted") {
			continue
		}
		a.main = said{kind: saidAsk, line: s.line, text: text}
		return
	}
	if want := section(s.text, "Primary Request and Intent"); want != "" {
		a.main = said{kind: saidAsk, line: s.line, text: want}
	}
}

// section gives what stands under a numbered heading of a summary.
func section(text, title string) string {
	var lines []string
	inside := false
	for l := range strings.Lines(text) {
		l = strings.TrimRight(l, " \n\r")
		if numbered(l) {
			if inside {
				break
			}
			inside = strings.Contains(l, title)
			if _, rest, ok := strings.Cut(l, ":"); inside && ok {
				lines = append(lines, strings.Trim(rest, "* "))
			}
			continue
		}
		if inside {
			lines = append(lines, l)
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// numbered tells whether a line is a heading such as "6. All user messages:".
func numbered(l string) bool {
	l = strings.TrimLeft(l, "#* ")
	dot := strings.IndexByte(l, '.')
	return dot > 0 && dot <= 2 && strings.Trim(l[:dot], "0123456789") == "" && strings.Contains(l, ":")
}

// items gives the entries of a list; lines that begin none belong to the last.
func items(text string) []string {
	var list []string
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(l)
		rest, ok := strings.CutPrefix(l, "- ")
		switch {
		case ok:
			list = append(list, rest)
		case l != "" && len(list) > 0:
			list[len(list)-1] += "\n" + l
		}
	}
	return list
}
