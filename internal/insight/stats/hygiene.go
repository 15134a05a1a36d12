package stats

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"kedge"
)

// FlakyCheck is a check that ended both ways on the same files, in the same environment.
type FlakyCheck struct {
	Name     string      `json:"name"`
	Command  string      `json:"command"`
	Runs     int         `json:"runs"` // in all
	Red      int         `json:"red"`  // of these
	Evidence []FlakyTree `json:"evidence"`
}

// FlakyTree is one state of the files on which a check ended both ways.
type FlakyTree struct {
	Tree  string             `json:"tree"`
	Green []kedge.EvidenceID `json:"green"`
	Red   []kedge.EvidenceID `json:"red"`
}

// SlowCheck is a check that a session waits for.
type SlowCheck struct {
	Name     string             `json:"name"`
	Command  string             `json:"command"`
	Runs     int                `json:"runs"`
	MedianMS int64              `json:"median_ms"`
	MaxMS    int64              `json:"max_ms"`
	TotalMS  int64              `json:"total_ms"`
	Share    float64            `json:"share"`    // of the time of all checks
	Evidence []kedge.EvidenceID `json:"evidence"` // the slowest runs first
}

// How checks count as slow, and how much of the evidence is named.
const (
	noticed   = time.Second // a check of most of the time is slow from here on
	most      = 0.5         // of the time of all checks
	shownRuns = 5
)

// checkRun is one run of one check.
type checkRun struct {
	id    kedge.EvidenceID
	place string // tree and environment; empty: unknown
	tree  string
	ms    int64
	red   bool
}

// checkKey tells checks apart: the same name with another command is another one.
type checkKey struct{ name, command string }

// CheckHygiene finds in verdicts the checks that are flaky, and those whose median run
// takes at least slow, or most of the time of all checks.
func CheckHygiene(verdicts []kedge.Evidence, slow time.Duration) (flaky []FlakyCheck, slows []SlowCheck) {
	order, runs, total := checkRuns(verdicts)
	flaky, slows = []FlakyCheck{}, []SlowCheck{}
	for _, k := range order {
		if f := flakyOf(k, runs[k]); len(f.Evidence) > 0 {
			flaky = append(flaky, f)
		}
		s := slowOf(k, runs[k], total)
		median := time.Duration(s.MedianMS) * time.Millisecond
		if median >= slow || median >= noticed && s.Share > most && len(order) > 1 {
			slows = append(slows, s)
		}
	}
	slices.SortStableFunc(flaky, func(a, b FlakyCheck) int { return cmp.Compare(len(b.Evidence), len(a.Evidence)) })
	slices.SortStableFunc(slows, func(a, b SlowCheck) int { return cmp.Compare(b.TotalMS, a.TotalMS) })
	return flaky, slows
}

// checkRuns sorts verdicts by check. A check that was skipped, or whose result was
// reused, did not run.
func checkRuns(verdicts []kedge.Evidence) (order []checkKey, runs map[checkKey][]checkRun, total int64) {
	runs = map[checkKey][]checkRun{}
	for _, v := range verdicts {
		for _, c := range v.Verdict.Checks {
			if c.Skipped != "" || c.Reused != "" {
				continue
			}
			k := checkKey{c.Name, c.Command}
			if runs[k] == nil {
				order = append(order, k)
			}
			r := checkRun{id: v.ID, tree: v.Verdict.Tree, ms: c.MS, red: c.FirstFailure != nil}
			if r.tree != "" {
				r.place = r.tree + " " + v.Environment
			}
			runs[k] = append(runs[k], r)
			total += c.MS
		}
	}
	return order, runs, total
}

func flakyOf(k checkKey, runs []checkRun) FlakyCheck {
	f := FlakyCheck{Name: k.name, Command: k.command, Runs: len(runs), Evidence: []FlakyTree{}}
	places := map[string]*FlakyTree{}
	var order []string
	for _, r := range runs {
		if r.red {
			f.Red++
		}
		if r.place == "" {
			continue
		}
		t := places[r.place]
		if t == nil {
			t = &FlakyTree{Tree: r.tree, Green: []kedge.EvidenceID{}, Red: []kedge.EvidenceID{}}
			places[r.place] = t
			order = append(order, r.place)
		}
		if r.red {
			t.Red = append(t.Red, r.id)
		} else {
			t.Green = append(t.Green, r.id)
		}
	}
	for _, place := range order {
		if t := places[place]; len(t.Green) > 0 && len(t.Red) > 0 {
			f.Evidence = append(f.Evidence, *t)
		}
	}
	return f
}

func slowOf(k checkKey, runs []checkRun, total int64) SlowCheck {
	s := SlowCheck{Name: k.name, Command: k.command, Runs: len(runs), Evidence: []kedge.EvidenceID{}}
	runs = slices.Clone(runs)
	slices.SortStableFunc(runs, func(a, b checkRun) int {
		return cmp.Or(cmp.Compare(b.ms, a.ms), strings.Compare(string(b.id), string(a.id)))
	})
	for i, r := range runs {
		s.TotalMS += r.ms
		if i < shownRuns {
			s.Evidence = append(s.Evidence, r.id)
		}
	}
	s.MaxMS, s.MedianMS = runs[0].ms, runs[len(runs)/2].ms
	if total > 0 {
		s.Share = thousandths(float64(s.TotalMS) / float64(total))
	}
	return s
}
