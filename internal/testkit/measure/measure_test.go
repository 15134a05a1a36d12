package measure_test

import (
	"path/filepath"
	"slices"
	"testing"

	"kedge/internal/insight/audit"
	"kedge/internal/testkit/measure"
)

func call(line int, a audit.Act, path string) audit.Entry {
	return audit.Entry{Kind: audit.ToolCall, Line: line, Act: a, Path: path}
}

// fixed names the same files at every cut.
type fixed []string

func (fixed) Add(*audit.Entry)        {}
func (f fixed) Look() ([]string, int) { return f, 7 }

func TestSession(t *testing.T) {
	entries := []audit.Entry{call(1, audit.Read, "a"), call(2, audit.Read, "b"), call(3, audit.Edit, "a"), call(4, audit.Read, "new"), call(5, audit.Edit, "b")}
	var eleventh fixed
	for range 10 {
		eleventh = append(eleventh, "x")
	}
	eleventh = append(eleventh, "b", "a")
	got := measure.Session(entries, []int{1, 3, 6}, eleventh)
	if len(got) != 3 || got[0].Needed != 0 || got[0].Known != 0 || got[2].Needed != 0 || got[2].Known != 3 {
		t.Fatalf("%+v", got)
	}
	// What the cut's own line does is to be foreseen; what was never named before is not.
	if o := got[1]; o.Known != 2 || o.Needed != 2 || o.Ten != 0 || o.Twenty != 2 || o.Tokens != 7 || !slices.Equal(o.Missed, []string{"a", "b"}) || !slices.Equal(o.Places, []int{12, 11}) {
		t.Errorf("%+v", o)
	}
	if got := measure.Session(entries, []int{3}, fixed{"b"})[0]; got.Ten != 1 || got.Twenty != 1 || got.Places[0] != 0 {
		t.Errorf("%+v", got)
	}
}

// TestAhead: only the next twenty actions count, whatever they do.
func TestAhead(t *testing.T) {
	entries := []audit.Entry{call(1, audit.Read, "a"), call(1, audit.Read, "b")}
	for range measure.Ahead - 1 {
		entries = append(entries, call(2, audit.Shell, ""))
	}
	entries = append(entries, call(3, audit.Read, "a"), call(4, audit.Read, "b"))
	if o := measure.Session(entries, []int{2}, fixed{})[0]; o.Needed != 1 || o.Missed[0] != "a" {
		t.Errorf("%+v", o)
	}
}

// TestSumTellsWhatCanFail: cuts at which any order is right are told apart.
func TestSumTellsWhatCanFail(t *testing.T) {
	var s measure.Sum
	s.Add(measure.Outcome{Known: 10, Needed: 2, Ten: 2, Twenty: 2, Tokens: 9}, measure.Outcome{Known: 11, Needed: 2, Ten: 1, Twenty: 2},
		measure.Outcome{Known: 21, Needed: 4, Ten: 1, Twenty: 3}, measure.Outcome{Known: 30, Tokens: 12})
	want := measure.Sum{
		Cuts: 3, Needed: 8, Ten: 4, Twenty: 7, MostTokens: 12,
		OverTen: 2, HardNeeded: 6, HardTen: 2, OverTwenty: 1, HardNeeded20: 4, HardTwenty: 3,
	}
	if s != want {
		t.Errorf("%+v, want %+v", s, want)
	}
	if ten, twenty := s.Shares(); ten != 0.5 || twenty != 0.875 {
		t.Errorf("%v, %v", ten, twenty)
	}
}

func TestRecency(t *testing.T) {
	r := measure.NewRecency()
	for _, e := range []audit.Entry{call(1, audit.Edit, "old"), call(2, audit.Read, "b"), call(3, audit.Read, "a"), call(4, audit.Shell, "")} {
		r.Add(&e)
	}
	if got, _ := r.Look(); !slices.Equal(got, []string{"old", "a", "b"}) {
		t.Errorf("%v", got)
	}
}

func TestRandomIsFixed(t *testing.T) {
	entries := []audit.Entry{{Line: 1}, {Line: 1000}}
	a, b := measure.Random(entries, 30, 5), measure.Random(entries, 30, 5)
	if !slices.Equal(a, b) || len(a) < 25 || !slices.IsSorted(a) || a[0] < 1 || a[len(a)-1] > 1000 {
		t.Errorf("%v and %v", a, b)
	}
	if slices.Equal(a, measure.Random(entries, 30, 6)) || measure.Random(nil, 3, 1) != nil {
		t.Error("the seed decides nothing")
	}
}

// TestExcerpt measures a session that is always here: it knows more than ten
// files, and the plan names those that come next although they were read long
// ago, which recency alone does not see.
func TestExcerpt(t *testing.T) {
	s := read(t, filepath.Join("testdata", "plan.jsonl"))
	cuts := measure.Compactions(s.entries)
	var b, r measure.Sum
	b.Add(measure.Session(s.entries, cuts, measure.NewBriefs(s.dir))...)
	r.Add(measure.Session(s.entries, cuts, measure.NewRecency())...)
	if b.Cuts != 1 || b.OverTen != 1 || b.Needed != 3 {
		t.Fatalf("the excerpt shows nothing: %+v", b)
	}
	if b.Ten != 3 || b.MostTokens > 1500 || r.Ten >= b.Ten {
		t.Errorf("briefs %+v, recency %+v", b, r)
	}
}

func TestSummaries(t *testing.T) {
	entries := []audit.Entry{
		call(1, audit.Read, "/r/a.go"), call(2, audit.Read, "/r/b.go"), call(3, audit.Read, "/r/c.go"),
		{Kind: audit.UserText, Line: 4, Summary: true, Chars: 9, Text: "see a.go, c.go"},
		call(5, audit.Edit, "/r/a.go"), call(6, audit.Edit, "/r/b.go"),
	}
	if got, want := measure.Summaries(entries), (measure.Summary{Summaries: 1, Needed: 2, Named: 1, Chars: 9}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
