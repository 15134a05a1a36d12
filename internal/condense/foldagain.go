package condense

import (
	"strings"

	"kedge/internal/lazyre"
)

// A complaint that a compiler or a linter has at many places is shown whole at the
// first ones; at all others the place is, and what is new there.
var (
	// leadPlace is a place with which a line begins: "a.c:7:3: ", "a.ts(7,3): ".
	leadPlace = lazyre.New(`^\s*(?:\[[A-Z]+\] )?(?:[A-Za-z]:)?[\w./\\@+~-]*\w\.\w+[:(\[]{1,2}(\d+)(?:[:,]\d+)?[)\]]?:?(?: -)? +`)
	// arrow is a line that has nothing but the place of the complaint above it.
	arrow = lazyre.New(`^\s*--> \S+:\d+:\d+$`)
	// excerpt is a line of source as compilers quote it: "12 | code", "   | ^^^ why".
	excerpt = lazyre.New(`^\s*\d* *\|`)
	// pointer is a line that only points at something in the one above it.
	pointer = lazyre.New(`^\s*[~^]+\s*$`)
	// mark is what points at something in such a line; behind it may stand why.
	mark = lazyre.New(`^\s*\| *[-+~^ |]*[-+~^]`)
)

// severity is how many bytes of a complaint stay that was shown before: what kind it
// is, and its code.
const severity = 20

// asAbove stands for the rest of it.
const asAbove = " … as above"

// again counts the complaints of an output and finds those that were there before.
type again struct {
	seen   map[string]int
	begins map[string]string // the complaint with this beginning; empty: there are several
	on     bool              // what stands below the last complaint was shown before
	at     string            // the number of its line, as it is quoted
	blank  bool              // a blank line stood below it
}

// known tells whether a text was there more often than it is shown.
func (a *again) known(text string) bool {
	a.seen[text]++
	return a.seen[text] > repeats
}

// begin says that what follows belongs to a complaint.
func (a *again) begin(known bool, at string) { a.on, a.at, a.blank = known, at, false }

// passed takes a blank line: one may stand between a complaint and its source.
func (a *again) passed() {
	a.on = a.on && !a.blank
	a.blank = true
}

// quoted tells whether a line is source that is quoted for a complaint which was
// there before, and has nothing new to say; below is the line after it. Source that
// has no bar beside it is told by what stands around it, unless it complains itself.
func (a *again) quoted(is class, l, below string) bool {
	bar := strings.IndexByte(l, '|') >= 0 && excerpt.MatchString(l)
	if !bar && !a.on || hasPlace(l) && place.MatchString(l) {
		return false
	}
	if !bar {
		return pointer.MatchString(l) || is == other && (pointer.MatchString(below) || a.at != "" && strings.HasPrefix(l, a.at+" "))
	}
	why := ""
	if at := mark.FindStringIndex(l); at != nil {
		why = strings.TrimSpace(l[at[1]:])
	}
	old := why == "" || a.known("\x00why "+why)
	return a.on && old
}

// complaint takes a line that is always shown, and leaves of one whose words were
// there before, at other places, its own place.
func (a *again) complaint(l *line) {
	if arrow.MatchString(l.text) {
		return
	}
	at := leadPlace.FindStringSubmatchIndex(l.text)
	if at == nil {
		a.begin(false, "")
		return
	}
	said := l.text[at[1]:]
	a.begin(a.known("\x00said "+said), l.text[at[2]:at[3]])
	if len(said) > severity+len(asAbove) && a.clear(said) && a.on {
		l.text, l.short = l.text[:at[1]]+opening(said)+asAbove, true
	}
}

// clear tells whether no other complaint begins with the same words, so that it is
// clear which one is meant.
func (a *again) clear(said string) bool {
	head := opening(said)
	if first, there := a.begins[head]; !there {
		a.begins[head] = said
	} else if first != said {
		a.begins[head] = ""
	}
	return a.begins[head] == said
}

// opening is the beginning of a complaint, by whole words.
func opening(said string) string {
	head := said[:severity]
	return strings.ToValidUTF8(head[:max(strings.LastIndexByte(head, ' '), 0)], "")
}
