package measure_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"kedge/internal/agents/catalog"
	"kedge/internal/insight/audit"
	"kedge/internal/insight/transcript"
	"kedge/internal/testkit/measure"
)

// perSession is how many random lines of a session are cut, and seed decides
// which.
const (
	perSession = 30
	seed       = 5
)

// session is a transcript in memory.
type session struct {
	name    string
	dir     string
	entries []audit.Entry
}

func read(t *testing.T, path string) session {
	t.Helper()
	s := session{name: filepath.Base(path)}
	f := transcript.File{Agent: "claude", Path: path}
	m, err := catalog.Transcripts().ReadFile(context.Background(), f, transcript.Options{Text: true}, func(e *audit.Entry) { s.entries = append(s.entries, *e) })
	if err != nil {
		t.Fatal(err)
	}
	s.dir = m.Dir
	return s
}

// corpus gives the sessions in the folder KEDGE_CORPUS.
func corpus(t *testing.T) []session {
	t.Helper()
	dir := os.Getenv("KEDGE_CORPUS")
	if dir == "" {
		t.Skip("KEDGE_CORPUS names no folder with real sessions (*.jsonl.gz)")
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.jsonl.gz"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no session in %s: %v", dir, err)
	}
	var list []session
	for _, p := range paths {
		list = append(list, read(t, p))
	}
	return list
}

// sum measures briefs and recency at the cuts of all sessions.
func sum(t *testing.T, list []session, cuts func(session) []int) (briefs, recency measure.Sum) {
	t.Helper()
	for _, s := range list {
		at := cuts(s)
		got := measure.Session(s.entries, at, measure.NewBriefs(s.dir))
		briefs.Add(got...)
		recency.Add(measure.Session(s.entries, at, measure.NewRecency())...)
		for _, o := range got {
			if len(o.Missed) > 0 && testing.Verbose() {
				t.Logf("%s line %d: %d of %d among ten; missed %v at %v", s.name, o.Line, o.Ten, o.Needed, o.Missed, o.Places)
			}
		}
	}
	return briefs, recency
}

// What briefs must reach at real cuts.
const (
	leastTen    = 0.97
	leastTwenty = 1
	mostTokens  = 1500
)

// TestCorpus holds the measure at every compaction and at random lines of real
// sessions. It says how many of the cuts could fail at all: where no more files
// are known than a brief names, every order has them.
func TestCorpus(t *testing.T) {
	list := corpus(t)
	for name, cuts := range map[string]func(session) []int{
		"compactions": func(s session) []int { return measure.Compactions(s.entries) },
		"random":      func(s session) []int { return measure.Random(s.entries, perSession, seed) },
	} {
		t.Run(name, func(t *testing.T) {
			b, r := sum(t, list, cuts)
			ten, twenty := b.Shares()
			oldTen, oldTwenty := r.Shares()
			t.Logf("%d cuts, %d files: briefs %.1f%% in ten, %.1f%% in twenty, at most %d tokens; recency %.1f%%, %.1f%%",
				b.Cuts, b.Needed, ten*100, twenty*100, b.MostTokens, oldTen*100, oldTwenty*100)
			t.Logf("more than ten files were known at %d of them: briefs have %d of %d in ten, recency %d; more than twenty at %d: %d of %d in twenty",
				b.OverTen, b.HardTen, b.HardNeeded, r.HardTen, b.OverTwenty, b.HardTwenty, b.HardNeeded20)
			if ten < leastTen || twenty < leastTwenty || b.MostTokens > mostTokens {
				t.Errorf("less than %.0f%% in ten or %d%% in twenty, or more than %d tokens", leastTen*100, leastTwenty*100, mostTokens)
			}
		})
	}
}

// TestSummariesOfTheCorpus tells what a model's own summaries name at the same
// places: what briefs are compared with.
func TestSummariesOfTheCorpus(t *testing.T) {
	var all measure.Summary
	for _, s := range corpus(t) {
		all.Add(measure.Summaries(s.entries))
	}
	if all.Summaries == 0 {
		t.Skip("no session has a summary")
	}
	t.Logf("%d summaries name %d of %d files, in %d characters each", all.Summaries, all.Named, all.Needed, all.Chars/all.Summaries)
	if all.Named > all.Needed || all.Needed == 0 {
		t.Errorf("%+v", all)
	}
}
