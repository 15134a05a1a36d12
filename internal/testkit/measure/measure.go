// Package measure tells how well a brief predicts what a session does next. It owns the
// measure. A transcript is cut at some place; the next actions after the cut touch files
// that were known before it. The measure is how many of these files are among the first
// ten, and the first twenty, that a brief names.
//
// It promises that the same entries and cuts give the same figures, whatever is measured.
// It never reads a file or a clock: entries come in as arguments.
package measure

import (
	"strings"

	"kedge/internal/insight/audit"
	"kedge/internal/insight/resume"
)

// Ahead is how many actions after a cut count.
const Ahead = 20

// Ranker is what is measured: it takes the entries before a cut, in their order,
// and says which files are needed next, the likeliest first, and how many tokens
// it took to say so.
type Ranker interface {
	Add(e *audit.Entry)
	Look() (files []string, tokens int)
}

// Outcome is what came of one cut.
type Outcome struct {
	Line   int
	Known  int // files that were known
	Needed int // known files that the next actions touch
	Ten    int // of them among the first ten
	Twenty int
	Tokens int
	Missed []string // not among the first ten
	Places []int    // their places, from 1; 0 is nowhere
}

// Sum is the outcomes of many cuts.
type Sum struct {
	Cuts       int // that had a file to foresee
	Needed     int
	Ten        int
	Twenty     int
	MostTokens int

	// OverTen and OverTwenty are the cuts at which more than that many files were
	// known. At all others every order has them all: such cuts show nothing, and
	// a figure must be read with these beside it.
	OverTen, OverTwenty      int
	HardNeeded, HardTen      int // of the cuts in OverTen alone
	HardNeeded20, HardTwenty int // of the cuts in OverTwenty alone
}

// Add sums up.
func (s *Sum) Add(list ...Outcome) {
	for _, o := range list {
		s.MostTokens = max(s.MostTokens, o.Tokens)
		if o.Needed == 0 {
			continue
		}
		s.Cuts++
		s.Needed += o.Needed
		s.Ten += o.Ten
		s.Twenty += o.Twenty
		if o.Known > 10 {
			s.OverTen++
			s.HardNeeded += o.Needed
			s.HardTen += o.Ten
		}
		if o.Known > 20 {
			s.OverTwenty++
			s.HardNeeded20 += o.Needed
			s.HardTwenty += o.Twenty
		}
	}
}

// Shares gives the parts of the needed files among the first ten and twenty.
func (s Sum) Shares() (ten, twenty float64) {
	if s.Needed == 0 {
		return 1, 1
	}
	return float64(s.Ten) / float64(s.Needed), float64(s.Twenty) / float64(s.Needed)
}

// touched gives the file that a call reads or writes, by its path.
func touched(e *audit.Entry) string {
	if e.Kind != audit.ToolCall || (e.Act != audit.Read && e.Act != audit.Edit) {
		return ""
	}
	return e.Path
}

// Session measures the cuts of one session; they are lines in rising order, and
// what stands before them is seen.
func Session(entries []audit.Entry, cuts []int, r Ranker) []Outcome {
	known := map[string]bool{}
	var list []Outcome
	next := 0
	for _, cut := range cuts {
		for ; next < len(entries) && entries[next].Line < cut; next++ {
			e := entries[next]
			if path := touched(&e); path != "" {
				known[path] = true
			}
			r.Add(&e)
		}
		o := outcome(cut, needed(entries[next:], known), r)
		o.Known = len(known)
		list = append(list, o)
	}
	return list
}

// needed gives the known files that the next actions touch.
func needed(entries []audit.Entry, known map[string]bool) []string {
	var list []string
	seen := map[string]bool{}
	actions := 0
	for i := range entries {
		if entries[i].Kind != audit.ToolCall {
			continue
		}
		if actions++; actions > Ahead {
			break
		}
		if path := touched(&entries[i]); known[path] && !seen[path] {
			seen[path] = true
			list = append(list, path)
		}
	}
	return list
}

func outcome(line int, need []string, r Ranker) Outcome {
	files, tokens := r.Look()
	place := map[string]int{}
	for i, path := range files {
		if place[path] == 0 {
			place[path] = i + 1
		}
	}
	o := Outcome{Line: line, Needed: len(need), Tokens: tokens}
	for _, path := range need {
		at := place[path]
		if at > 0 && at <= 20 {
			o.Twenty++
		}
		if at > 0 && at <= 10 {
			o.Ten++
			continue
		}
		o.Missed = append(o.Missed, path)
		o.Places = append(o.Places, at)
	}
	return o
}

// Compactions gives the lines at which a session was compacted.
func Compactions(entries []audit.Entry) []int {
	var list []int
	for i := range entries {
		if entries[i].Kind == audit.Compaction {
			list = append(list, entries[i].Line)
		}
	}
	return list
}

// Random gives n lines of a session in rising order, by a seed.
func Random(entries []audit.Entry, n int, seed uint64) []int {
	if len(entries) == 0 {
		return nil
	}
	last := entries[len(entries)-1].Line
	drawn := make([]bool, last+1)
	for range n {
		seed += 0x9e3779b97f4a7c15 // splitmix64
		z := (seed ^ seed>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		drawn[1+(z^z>>31)%uint64(last)] = true
	}
	var list []int
	for line, on := range drawn {
		if on {
			list = append(list, line)
		}
	}
	return list
}

// Briefs measures the briefs of package resume.
type Briefs struct {
	*resume.Picker
	Dir string // of the session
}

// NewBriefs measures briefs of a session that worked in dir.
func NewBriefs(dir string) Briefs { return Briefs{resume.New(), dir} }

// Look implements Ranker.
func (b Briefs) Look() (files []string, tokens int) {
	out := b.Brief(b.Dir, resume.DefaultBudget)
	return out.Files, out.Tokens
}

// Summary is what a program's own summaries name at compactions.
type Summary struct {
	Summaries int
	Needed    int // known files that the next actions touch
	Named     int // of them in the summary
	Chars     int // of all summaries
}

// Add sums up.
func (s *Summary) Add(o Summary) {
	s.Summaries += o.Summaries
	s.Needed += o.Needed
	s.Named += o.Named
	s.Chars += o.Chars
}

// Summaries measures the summaries that a program itself wrote at the compactions
// of a session: a file is named where its path, or its last element, stands in
// one.
func Summaries(entries []audit.Entry) Summary {
	known := map[string]bool{}
	var sum Summary
	for i := range entries {
		e := &entries[i]
		if path := touched(e); path != "" {
			known[path] = true
		}
		if e.Kind != audit.UserText || !e.Summary {
			continue
		}
		sum.Summaries++
		sum.Chars += e.Chars
		for _, path := range needed(entries[i:], known) {
			sum.Needed++
			if strings.Contains(e.Text, path[strings.LastIndexByte(path, '/')+1:]) {
				sum.Named++
			}
		}
	}
	return sum
}
