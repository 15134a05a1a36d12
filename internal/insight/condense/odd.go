package condense

import (
	"cmp"
	"slices"
	"strings"

	"kedge/internal/text/lazyre"
)

// The odd one out: a line among many like it that differs in one thing, and says so by no
// word: a pod that is Pending among 149 Running, a port, a test of a minute among
// milliseconds. Every line is cut into words and numbers; what stands at the same place of
// lines that are built alike is a column. A column in which values nearly always repeat has
// rare ones, one of numbers has some that are far from the others, and clocks have gaps.
const (
	likeLines   = 12  // lines from which on a column says what is usual
	rareCount   = 2   // lines that may share a value that is rare,
	rareShare   = 50  // or one in so many,
	irregular   = 20  // of a column in which rare ones are at most one line in so many
	unlike      = 8   // for how a line is built
	categories  = 6   // values of a column of which each is shown once
	oddMost     = 16  // lines that are kept because they are odd,
	oddShare    = 100 // and one in so many
	oddTokens   = 64  // tokens of a line that are looked at
	oddDecades  = 10  // tenths of a power of ten between numbers that are far from each other
	oddFew      = 100 // one number in so many, or rareCount, may be far
	oddDiverse  = 128 // different values at which a column may be given up
	oddBytes    = 1 << 10
	oddLines    = 400_000 // lines that are looked at, from the ends
	oddNumbers  = 1 << 10 // numbers of a column that are compared with each other
	scoreFar    = 400
	leastGap    = 0.1 // seconds: less between two lines is no time
	scoreSample = 1
	leastScore  = 2 // of one that is odd
	manyValues  = 8
)

// oddity is a line that is odd.
type oddity struct {
	at    int
	score float64
	marks []mark
}

// mark is what is odd about a line: lines that have it too need not all be shown.
type mark struct {
	column *column
	value  uint64
	score  float64
}

// odd marks the lines that stay although they say nothing by themselves.
func (f *folding) odd() {
	var rest, noises, silent []int
	for i := range f.lines {
		switch l := &f.lines[i]; {
		case l.gone || f.mode == difference && !strings.Contains(l.text, " | "): // but of its summary
		case l.is == other || l.is == context:
			rest = append(rest, i)
		case l.is == noise && l.kind != equal && l.kind != frames && !strings.HasPrefix(l.text, "=== "):
			if noises = append(noises, i); l.kind != logs {
				silent = append(silent, i)
			}
		}
	}
	f.oddAmong(rest, false)
	f.oddAmong(noises, true)
	if len(silent) < len(noises) { // beside what tests log, one that was skipped is one line of many kinds
		f.oddAmong(silent, true)
	}
	f.keepGaps(rest)
}

// oddAmong looks at lines beside each other.
func (f *folding) oddAmong(at []int, names bool) {
	if len(at) < likeLines || len(at) > oddLines {
		return
	}
	t := newTable()
	t.names = names
	for _, i := range at {
		t.count(f.lines[i].text)
	}
	for _, i := range at {
		t.learn(f.lines[i].text)
	}
	t.settle()
	f.keepOdd(t, at)
}

// identity is a line of a record that says which one it is.
var identity = lazyre.New(`^\s*(?:- )?["']?(?:[nN]ame|id|ID|key|path|file|title|host|hostname|url|address|arn)["']?\s*[:=]`)

// recordLines is how many lines above an odd one its record may say what it is.
const recordLines = 200

// keepIdentity keeps, of a record over several lines, what it is: "name: x" above
// "phase: Pending".
func (f *folding) keepIdentity(at int) {
	depth := indent(f.lines[at].text)
	if depth == 0 || !strings.ContainsAny(f.lines[at].text, ":=") {
		return
	}
	for i := at - 1; i >= max(at-recordLines, 0); i-- {
		l := &f.lines[i]
		if indent(l.text) <= depth && identity.MatchString(l.text) {
			l.odd = true
			return
		}
	}
}

// keepOdd takes the lines with the strongest marks first, and leaves out those whose
// marks others have shown.
func (f *folding) keepOdd(t *table, at []int) {
	shown := map[mark]int{}
	var list []oddity
	for _, i := range at {
		marks := t.marks(f.lines[i].text)
		if f.lines[i].is == context {
			for _, m := range marks {
				shown[m]++
			}
			continue
		}
		if len(marks) > 0 {
			best := slices.MaxFunc(marks, func(a, b mark) int { return cmp.Compare(a.score, b.score) })
			list = append(list, oddity{i, best.score, marks})
		}
	}
	slices.SortStableFunc(list, func(a, b oddity) int { return cmp.Compare(b.score, a.score) })
	left := oddMost + len(at)/oddShare
	for _, o := range list {
		if left == 0 {
			return
		}
		if fresh(shown, o.marks) {
			f.lines[o.at].odd = true
			f.keepIdentity(o.at)
			left--
			for _, m := range o.marks {
				shown[m]++
			}
		}
	}
}

// fresh tells whether one of the marks was not shown often enough.
func fresh(shown map[mark]int, marks []mark) bool {
	for _, m := range marks {
		most := rareCount
		if m.score == scoreSample {
			most = 1
		}
		if shown[m] < most {
			return true
		}
	}
	return false
}

// keepGaps keeps both sides of where a log stood still for far longer than it does, and of
// where its clock went back.
func (f *folding) keepGaps(at []int) {
	type step struct {
		before, after int
		seconds       float64
	}
	var steps []step
	var buf []token
	last, was := -1, 0.0
	for _, i := range at {
		l := f.lines[i].text
		buf = tokensOf(buf, l[:min(len(l), oddBytes)])
		now, ok := clockOf(buf)
		if !ok {
			continue
		}
		if last >= 0 {
			steps = append(steps, step{last, i, now - was})
		}
		last, was = i, now
	}
	if len(steps) < likeLines {
		return
	}
	usual := make([]float64, len(steps))
	back := 0
	for k, s := range steps {
		usual[k] = max(s.seconds, 0)
		if s.seconds < 0 {
			back++
		}
	}
	slices.Sort(usual)
	few := max(rareCount, len(steps)/oddFew)
	far := max(usual[len(usual)*9/10], leastGap) * 10
	above, _ := slices.BinarySearch(usual, far)
	long := len(usual) - above
	for _, s := range steps {
		if s.seconds >= far && long <= few || s.seconds < 0 && back <= few {
			f.lines[s.before].odd, f.lines[s.after].odd = true, true
		}
	}
}

// clockOf reads the clock that a line begins with, in seconds; a date before it is
// counted where it is plain.
func clockOf(list []token) (float64, bool) {
	seen := 0
	for _, k := range list {
		if k.class == 'T' {
			return seconds(k.text), true
		}
		if seen++; seen > 4 {
			break
		}
	}
	return 0, false
}
