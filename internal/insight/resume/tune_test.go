package resume_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge/internal/agents/catalog"
	"kedge/internal/insight/audit"
	"kedge/internal/insight/resume"
	"kedge/internal/insight/transcript"
	"kedge/internal/testkit/measure"
)

// briefs measures the briefs of one Picker.
type briefs struct {
	*resume.Picker
	dir string
}

func (b briefs) Look() ([]string, int) {
	out := b.Brief(b.dir, resume.DefaultBudget)
	return out.Files, out.Tokens
}

// realSession is a session of KEDGE_CORPUS in memory.
type realSession struct {
	name, dir string
	entries   []audit.Entry
}

func realSessions(t *testing.T) []realSession {
	t.Helper()
	dir := os.Getenv("KEDGE_CORPUS")
	if dir == "" {
		t.Skip("KEDGE_CORPUS names no folder with real sessions (*.jsonl.gz)")
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.jsonl.gz"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no session in %s: %v", dir, err)
	}
	var list []realSession
	for _, path := range paths {
		s := realSession{name: filepath.Base(path)}
		m, err := catalog.Transcripts().ReadFile(context.Background(), transcript.File{Agent: "claude", Path: path}, transcript.Options{Text: true},
			func(e *audit.Entry) { s.entries = append(s.entries, *e) })
		if err != nil {
			t.Fatal(err)
		}
		s.dir = m.Dir
		list = append(list, s)
	}
	return list
}

// TestCorpusBearsOtherNumbers: the goals do not hang on a figure. Each number by which
// files are ordered may be a third more or less, and the measure still holds at cuts
// that no other test draws.
func TestCorpusBearsOtherNumbers(t *testing.T) {
	list := realSessions(t)
	sum := func(make func() *resume.Picker) measure.Sum {
		var all measure.Sum
		for i, s := range list {
			cuts := measure.Random(s.entries, 40, uint64(1000+i))
			all.Add(measure.Session(s.entries, cuts, briefs{make(), s.dir})...)
		}
		return all
	}
	for _, number := range resume.Numbers() {
		for _, by := range []float64{0.7, 1.3} {
			change := func(v float64) float64 {
				if strings.HasSuffix(number, "pace") {
					return 1 - (1-v)*by // it is how much is left after each action
				}
				return v * by
			}
			got := sum(func() *resume.Picker { return resume.With(number, change) })
			ten, twenty := got.Shares()
			t.Logf("%-16s x %.1f: %.2f%% in ten, %.2f%% in twenty of %d, at most %d tokens", number, by, ten*100, twenty*100, got.Needed, got.MostTokens)
			if ten < 0.97 || twenty < 1 || got.MostTokens > resume.DefaultBudget {
				t.Errorf("%s times %.1f: %.2f%% in ten, %.2f%% in twenty", number, by, ten*100, twenty*100)
			}
		}
	}
}

// TestCorpusAtManyCuts: the measure holds at thousands of lines that nobody chose, and
// says how the worst session fares.
func TestCorpusAtManyCuts(t *testing.T) {
	var all measure.Sum
	worst, worstTen := "", 1.0
	for _, s := range realSessions(t) {
		var one measure.Sum
		for seed := range uint64(6) {
			got := measure.Session(s.entries, measure.Random(s.entries, 40, 777+seed), briefs{resume.New(), s.dir})
			one.Add(got...)
			all.Add(got...)
			for _, o := range got {
				if o.Twenty < o.Needed {
					t.Logf("%s line %d: not among twenty: %v at %v of %d known", s.name, o.Line, o.Missed, o.Places, o.Known)
				}
			}
		}
		ten, twenty := one.Shares()
		t.Logf("%s: %d cuts, %.2f%% in ten, %.2f%% in twenty", s.name, one.Cuts, ten*100, twenty*100)
		if ten < worstTen {
			worst, worstTen = s.name, ten
		}
	}
	ten, twenty := all.Shares()
	t.Logf("%d cuts, %d files: %.2f%% in ten, %.3f%% in twenty, at most %d tokens; worst: %s with %.2f%%", all.Cuts, all.Needed, ten*100, twenty*100, all.MostTokens, worst, worstTen*100)
	if ten < 0.97 || twenty < 0.995 || all.MostTokens > resume.DefaultBudget {
		t.Errorf("%.2f%% in ten, %.2f%% in twenty, %d tokens", ten*100, twenty*100, all.MostTokens)
	}
}
