// Package condense shortens the long output of a command and keeps what it means. Package
// failure knows what a failure is; this package finds the lines that repeat others or say
// nothing.
//
// It promises to keep every line that complains, names a place or counts. It counts the
// lines that it leaves out, at their place. It never panics, whatever the output is.
package condense

import (
	"fmt"
	"strings"

	"kedge/internal/insight/failure"
	"kedge/internal/text/lazyre"
)

// MinLines is from how many lines on an output is condensed at all.
const MinLines = 40

// How much of what is neither a finding nor noise stays: at the ends of the whole
// output, at the ends of each stretch of it, and around what complains.
const (
	keepFirst  = 5
	keepLast   = 12
	sureLast   = 4 // of all kinds: a runner's last words are its totals
	runHead    = 3
	runTail    = 2
	before     = 3
	after      = 6
	body       = 40 // lines that are indented below a finding
	listHead   = 20
	listTail   = 10
	diffHead   = 6
	many       = 20 // stretches from which on each is shown by less
	manyHead   = 1
	manyTail   = 1
	manyDiff   = 3
	repeats    = 3    // of equal findings that are shown
	longLine   = 2000 // bytes from which on a line is shown by its ends
	lineHead   = 1200
	lineTail   = 600
	lineRead   = 1 << 20 // bytes between them that are looked at
	spotBefore = 40      // bytes that are shown around what matters between them
	spotAfter  = 120
	mostSpots  = 8       // of each kind
	noteRead   = 4 << 10 // bytes at the end in which the note of an earlier turn is looked for
	matchShown = 5       // matches of a file that are shown whole
	matchText  = 40      // bytes of the others, after their place
)

// Condensed is a long output made short.
type Condensed struct {
	// Text is what is left, with a line for every stretch that was left out and a
	// note at its end; the output itself, byte for byte, where nothing was.
	Text string
	// Lines is how many lines the output had.
	Lines int
	// Shown is how many of them are in Text.
	Shown int
	// Cut is what was left out, in the order of its first appearance; lines that
	// are shown without their middle or end are counted last, as shortened. It is
	// empty when Text is the output itself.
	Cut []Cut
}

// Cut counts the lines of one kind that were left out.
type Cut struct {
	Kind  string `json:"kind"`
	Lines int    `json:"lines"`
}

// Condense makes the output of a command short and keeps what it means: every
// line with a failure, an error, a warning, a place (path:line) of the project or
// a total is there, a repeated one up to three times; one with the same words at
// further places is there by its place, with its source left out. What is folded is counted in
// place by kind: passing tests, progress, installing, frames of libraries, equal
// lines, and the middle of long stretches of other text; of a line of more than 2,000
// bytes its ends stay, and the first of what complains or names a place between them. Of
// lines that are alike the odd one out stays. Files of source that were printed stay. Of a
// line that was written over, as progress is, the last state stays. Outputs of fewer than
// MinLines lines without such, and those that were condensed before, come back as they are; the
// text is never longer than the output and its last line, the note.
//
// The command chooses between the rules for listings, matches and differences,
// whose lines are data and may speak of errors without being one, and all others.
func Condense(command, out string) Condensed { return Pointing(command, out, "") }

// Pointing is Condense with a line behind what it cut, which says where the whole
// output is. Where that saves nothing, the output comes back as it is, without it.
func Pointing(command, out, pointer string) Condensed {
	n := countLines(out)
	whole := Condensed{Text: out, Lines: n, Shown: n}
	if n < MinLines && !overwrites(out) || condensed(out) {
		return whole
	}
	f := newFolding(command, out)
	if n >= MinLines {
		f.group()
		f.classify()
		f.passingLogs()
		f.context()
		f.odd()
		f.fold()
	}
	c := f.result(n)
	if len(c.Cut) == 0 || len(c.Text)+len(pointer) >= len(out) {
		return whole
	}
	c.Text += pointer
	return c
}

func countLines(out string) int {
	n := strings.Count(out, "\n")
	if out != "" && !strings.HasSuffix(out, "\n") {
		n++
	}
	return n
}

var noteLine = lazyre.New(`^\[kedge: \d+ of \d+ lines shown`)

// condensed tells whether one of the last lines is the note: after it may stand
// one that says where the whole output is.
func condensed(out string) bool {
	lines := strings.Split(strings.TrimRight(out[max(len(out)-noteRead, 0):], "\n"), "\n")
	for _, l := range lines[max(len(lines)-2, 0):] {
		if noteLine.MatchString(l) {
			return true
		}
	}
	return false
}

// class is what a line is to the person who reads the output.
type class int

const (
	other   class = iota // text that says nothing by itself
	empty                // a blank line
	noise                // of a kind that is folded
	finding              // is always shown
	trouble              // a finding that what stands around it belongs to
	context              // shown because of its neighbour
)

type line struct {
	text    string
	is      class
	kind    string // of noise, and of what is left out
	gone    bool
	short   bool   // its text is not whole
	odd     bool   // it differs from the lines that are like it
	instead string // what stands for the lines before it that are gone, and for it
}

type folding struct {
	mode  mode
	lines []line
}

func newFolding(command, out string) *folding {
	f := &folding{lines: visible(out)}
	f.mode = modeOf(command)
	if f.mode == unsure {
		f.mode = printedOrLog(f.lines)
	}
	for i := range f.lines {
		l := &f.lines[i]
		text, cut := ends(l.text)
		l.text, l.short = text, l.short || cut
	}
	return f
}

// ends gives a very long line by its ends and by what complains or names a place
// between them; true when it did.
func ends(l string) (string, bool) {
	if len(l) <= longLine {
		return l, false
	}
	var b strings.Builder
	b.WriteString(strings.ToValidUTF8(l[:lineHead], ""))
	from, tail := lineHead, len(l)-lineTail
	for _, at := range failure.Spots(l[from:min(tail, from+lineRead)], mostSpots) {
		begin, end := max(at[0]+lineHead-spotBefore, from), min(at[1]+lineHead+spotAfter, tail)
		if begin > from {
			fmt.Fprintf(&b, " … %d bytes … ", begin-from)
		}
		if end > begin {
			b.WriteString(strings.ToValidUTF8(l[begin:end], ""))
			from = end
		}
	}
	if tail > from {
		fmt.Fprintf(&b, " … %d bytes … ", tail-from)
	}
	b.WriteString(strings.ToValidUTF8(l[tail:], ""))
	return b.String(), true
}

// classify looks at every line by itself, and at findings that were there before.
func (f *folding) classify() {
	a := again{seen: map[string]int{}, begins: map[string]string{}}
	frame, source := false, false
	for i := range f.lines {
		l := &f.lines[i]
		if l.gone {
			continue
		}
		l.is, l.kind = f.mode.look(l.text)
		if source = frame && l.is == other && indent(l.text) >= 4 || source && pointer.MatchString(l.text); source {
			l.is, l.kind = noise, frames // the source below a frame, and what points at it
		}
		frame = l.is == noise && l.kind == frames && strings.Contains(l.text, `File "`)
		switch {
		case l.is == empty:
			a.passed()
		case f.mode == reporting && a.quoted(l.is, l.text, f.below(i)):
			l.is, l.kind = noise, equal
		case l.is < finding:
		case a.known(stamp.ReplaceAllString(l.text, "")):
			l.is, l.kind = noise, equal
			a.begin(true)
		case f.mode == reporting:
			a.complaint(l)
		}
	}
	f.shortenMatches()
}

// below is the line after one.
func (f *folding) below(i int) string {
	if i+1 >= len(f.lines) {
		return ""
	}
	return f.lines[i+1].text
}

// stamp is the time that a line of a log begins with.
var stamp = lazyre.New(`^\[?(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]? *`)

// shortenMatches cuts the texts of all but the first matches of a file.
func (f *folding) shortenMatches() {
	if f.mode != matches {
		return
	}
	all := make([]int, len(f.lines))
	for i := range all {
		all[i] = i
	}
	f.oddAmong(all, false)
	file, n := "", 0
	for i := range f.lines {
		m := matchPlace.FindStringSubmatch(f.lines[i].text)
		if m == nil {
			continue
		}
		if m[1] != file {
			file, n = m[1], 0
		}
		if n++; n <= matchShown || f.lines[i].odd || len(f.lines[i].text) <= len(m[0])+matchText {
			continue
		}
		end := len(m[0]) + matchText - len("…")
		f.lines[i].text, f.lines[i].short = strings.ToValidUTF8(f.lines[i].text[:end], "")+"…", true
	}
}

// context keeps what stands around trouble, the lines indented below findings,
// and the ends of the output.
func (f *folding) context() {
	for i := range f.lines {
		switch f.lines[i].is {
		case trouble:
			f.keep(i-before, i)
			f.keep(i+1, i+1+after)
			f.keepBody(i)
		case finding:
			if f.mode != listing { // there it is a heading, and below it are names
				f.keepBody(i)
			}
		default: // nothing stands around the others that matters
		}
	}
	first, last := keepFirst, keepLast
	if f.mode == listing {
		first, last = listHead, listTail
	}
	f.keep(0, first)
	f.keep(len(f.lines)-last, len(f.lines))
	for i := max(len(f.lines)-sureLast, 0); i < len(f.lines); i++ {
		f.lines[i].is = max(f.lines[i].is, finding)
	}
}

func (f *folding) keep(from, to int) {
	for i := max(from, 0); i < min(to, len(f.lines)); i++ {
		if f.lines[i].is <= empty {
			f.lines[i].is = context
		}
	}
}

// keepBody keeps the lines that are indented below line at.
func (f *folding) keepBody(at int) {
	depth := indent(f.lines[at].text)
	for i := at + 1; i < min(len(f.lines), at+body); i++ {
		l := f.lines[i]
		if l.is != empty && indent(l.text) <= depth {
			return
		}
		f.keep(i, i+1)
	}
}
