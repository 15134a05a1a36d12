package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"kedge/internal/agents/catalog"
	"kedge/internal/insight/audit"
	"kedge/internal/insight/resume"
	"kedge/internal/insight/transcript"
	"kedge/internal/testkit/measure"
)

// What the program itself reaches over 279 real sessions, with a call of a model
// over the whole context and 12,176 characters on average; and what recency alone
// reaches there.
const (
	ownSummary  = 0.966
	ownRecency  = 0.942
	randomCuts  = 30 // of each session
	randomOrder = 5  // which ones
)

// foreseen is what briefs and recency reach at the same cuts.
type foreseen struct{ briefs, recency measure.Sum }

func (f *foreseen) add(entries []audit.Entry, dir string, cuts []int) {
	f.briefs.Add(measure.Session(entries, cuts, measure.NewBriefs(dir))...)
	f.recency.Add(measure.Session(entries, cuts, measure.NewRecency())...)
}

// benchFiles measures how many of the known files that the next twenty actions
// touch a brief names, on real sessions.
func benchFiles(string) ([]result, error) {
	dir := os.Getenv("KEDGE_CORPUS")
	if dir == "" {
		fmt.Fprintln(os.Stderr, "bench look/files: left out: KEDGE_CORPUS names no folder with real sessions of Claude Code (*.jsonl.gz)")
		return nil, nil
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.jsonl.gz"))
	if err != nil || len(paths) == 0 {
		return nil, fmt.Errorf("no session (*.jsonl.gz) in %s: %w", dir, err)
	}
	var compacted, random foreseen
	for _, path := range paths {
		var entries []audit.Entry
		f := transcript.File{Agent: "claude", Path: path}
		m, err := catalog.Transcripts().ReadFile(context.Background(), f, transcript.Options{Text: true}, func(e *audit.Entry) { entries = append(entries, *e) })
		if err != nil {
			return nil, err
		}
		compacted.add(entries, m.Dir, measure.Compactions(entries))
		random.add(entries, m.Dir, measure.Random(entries, randomCuts, randomOrder))
	}
	ten, _ := compacted.briefs.Shares()
	results := []result{
		share(compacted.at("compactions"), "10 files; its own summary", ten, ownSummary, 0.97),
		share(compacted.at("compactions"), "10 files; recency elsewhere", ten, ownRecency, 0.97),
	}
	results = append(results, compacted.results("compactions")...)
	return append(results, random.results("random lines")...), nil
}

// results are those of one kind of cuts. At a cut at which no more than ten files
// were known every order has them all; how many are none of these stands beside.
func (f foreseen) results(cuts string) []result {
	ten, twenty := f.briefs.Shares()
	recent, _ := f.recency.Shares()
	hard := func(s measure.Sum) float64 { return float64(s.HardTen) / float64(max(s.HardNeeded, 1)) }
	most := f.briefs.MostTokens
	return []result{
		share(f.at(cuts), "10 files; recency", ten, recent, 0.97),
		share(fmt.Sprintf("%d with over 10 known", f.briefs.OverTen), "10 files; recency", hard(f.briefs), hard(f.recency), 0.97),
		share(f.at(cuts), "20 files; all", twenty, 1, 1),
		{
			f.at(cuts) + ", tokens of a brief; the limit", fmt.Sprint(most), fmt.Sprint(resume.DefaultBudget),
			float64(most) / resume.DefaultBudget, "<= 1", most <= resume.DefaultBudget,
		},
	}
}

func (f foreseen) at(cuts string) string { return fmt.Sprintf("%d %s", f.briefs.Cuts, cuts) }

// share is one figure: of the known files that are touched next, how many there
// are among the first.
func share(cuts, first string, ours, theirs, goal float64) result {
	return result{cuts + ", first " + first, percent(ours), percent(theirs), ours / theirs, ">= " + percent(goal), ours >= goal}
}

func percent(share float64) string { return fmt.Sprintf("%.1f%%", share*100) }
