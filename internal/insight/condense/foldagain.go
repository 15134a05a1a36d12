package condense

import (
	"strings"

	"kedge/internal/text/lazyre"
)

// A complaint that a compiler or a linter has at many places is shown whole at the
// first ones; at all others the place is, and what is new there.
var (
	// leadPlace is a place with which a line begins: "a.c:7:3: ", "a.ts(7,3): ".
	leadPlace = lazyre.New(`^\s*(?:\[[A-Z]+\] )?(?:[A-Za-z]:)?[\w./\\@+~-]*\w\.\w+[:(\[]{1,2}\d+(?:[:,]\d+)?[)\]]?:?(?: -)? +`)
	// arrow is a line that has nothing but the place of the complaint above it.
	arrow = lazyre.New(`^\s*--> \S+:\d+:\d+$`)
	// excerpt is a line of source as compilers quote it, by its number: "12 | code".
	excerpt = lazyre.New(`^\s*\d+ +\|`)
	// pointer is a line that only points at something in the one above it.
	pointer = lazyre.New(`^\s*[~^]+\s*$`)
)

// headWords is how many words of a complaint stay that was shown before: what kind it
// is, its code or its first word, and one more to tell it by.
const headWords = 3

// asAbove stands for the rest of it.
const asAbove = " … as above"

// again counts the complaints of an output and finds those that were there before.
type again struct {
	seen   map[string]int
	begins map[string]string // the complaint with this beginning; empty: there are several
	on     bool              // only source stood yet below a complaint that was there before
	blank  bool              // a blank line stood below it
}

// known tells whether a text was there more often than it is shown.
func (a *again) known(text string) bool {
	a.seen[text]++
	return a.seen[text] > repeats
}

// begin says that what follows belongs to a complaint.
func (a *again) begin(known bool) { a.on, a.blank = known, false }

// passed takes a blank line: one may stand between a complaint and its source.
func (a *again) passed() {
	a.on = a.on && !a.blank
	a.blank = true
}

// quoted tells whether a line is source that is quoted for a complaint which was
// there before, and has nothing new to say; below is the line after it. Source is
// told by the bar beside it or by what points at it from below; nothing that says
// something by itself is source, and the first line that is none ends it.
func (a *again) quoted(is class, l, below string) bool {
	if !a.on && firstByte(l) != '|' || arrow.MatchString(l) {
		return false
	}
	if !pointer.MatchString(l) {
		old := is == other && a.source(l, below)
		a.on = a.on && old
	}
	return a.on
}

// source tells whether a line is source, or words beside it that were there before.
func (a *again) source(l, below string) bool {
	if firstByte(l) == '|' { // "   | ^^^ why"
		why := strings.TrimSpace(strings.TrimLeft(l, " \t|-+~^"))
		return why == "" || a.known("\x00why "+why)
	}
	return strings.IndexByte(l, '|') >= 0 && excerpt.MatchString(l) || pointer.MatchString(below)
}

// complaint takes a line that is always shown, and leaves of one whose words were
// there before, at other places, its own place.
func (a *again) complaint(l *line) {
	if arrow.MatchString(l.text) {
		return
	}
	at := leadPlace.FindStringIndex(l.text)
	if at == nil {
		a.begin(false)
		return
	}
	said := l.text[at[1]:]
	a.begin(a.known("\x00said " + said))
	head := opening(said)
	if a.clear(head, said) && a.on && len(head)+len(asAbove) < len(said) {
		l.text, l.short = l.text[:at[1]]+head+asAbove, true
	}
}

// clear tells whether no other complaint begins with the same words, so that it is
// clear which one is meant.
func (a *again) clear(head, said string) bool {
	if first, there := a.begins[head]; !there {
		a.begins[head] = said
	} else if first != said {
		a.begins[head] = ""
	}
	return a.begins[head] == said
}

// opening is the beginning of a complaint, by whole words.
func opening(said string) string {
	end := 0
	for range headWords {
		n := strings.IndexByte(said[end:], ' ')
		if n < 0 {
			return said
		}
		end += n + 1
	}
	return strings.TrimRight(said[:end], " ")
}
