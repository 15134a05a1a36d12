package resume_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kedge/internal/agents/catalog"
	"kedge/internal/insight/audit"
	"kedge/internal/insight/resume"
	"kedge/internal/insight/transcript"
)

// label is a cut that a person read: the words of the ask in force there.
type label struct {
	Session string `json:"session"`
	At      int    `json:"at"`
	Ask     string `json:"ask"`
	Why     string `json:"why"`
}

func labels(t *testing.T) []label {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "asks.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []label
	if err := json.Unmarshal(b, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// briefOf gives the brief of a transcript before a line; 0 is of all.
func briefOf(t *testing.T, path string, at, budget int) resume.Summary {
	t.Helper()
	p := resume.New()
	f := transcript.File{Agent: "claude", Path: path}
	m, err := catalog.Transcripts().ReadFile(context.Background(), f, transcript.Options{Text: true, Before: at}, p.Add)
	if err != nil {
		t.Fatal(err)
	}
	return p.Brief(m.Dir, budget)
}

// outcome is what a brief says at a labelled cut.
type outcome struct {
	label
	brief   resume.Summary
	applies bool // the words were said in this session before the cut: others may have the same name
}

// looked gives the briefs at the labelled cuts of one session, read once.
func looked(t *testing.T, path string, list []label) []outcome {
	t.Helper()
	var entries []audit.Entry
	m, err := catalog.Transcripts().ReadFile(context.Background(), transcript.File{Agent: "claude", Path: path}, transcript.Options{Text: true},
		func(e *audit.Entry) { entries = append(entries, *e) })
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(list, func(a, b label) int { return a.At - b.At })
	var out []outcome
	p, next := resume.New(), 0
	var said strings.Builder
	for _, l := range list {
		for ; next < len(entries) && entries[next].Line < l.At; next++ {
			e := entries[next]
			if e.Kind == audit.UserText || e.Kind == audit.Queued {
				said.WriteString(folded(e.Text) + "\n")
			}
			p.Add(&e)
		}
		out = append(out, outcome{l, p.Brief(m.Dir, resume.DefaultBudget), strings.Contains(said.String(), folded(l.Ask))})
	}
	return out
}

// folded is a text with its space folded and without the marks of quoting.
func folded(s string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(s, "\n> ", "\n")), " ")
}

// leastRight is the share of labelled cuts whose ask must be found.
const leastRight = 0.95

// TestAsksOfTheCorpus holds the ask in force against cuts that a person labelled
// by reading them: as a whole, and as far as the text of the brief shows it.
func TestAsksOfTheCorpus(t *testing.T) {
	dir := os.Getenv("KEDGE_CORPUS")
	if dir == "" {
		t.Skip("KEDGE_CORPUS names no folder with real sessions (*.jsonl.gz)")
	}
	bySession := map[string][]label{}
	for _, l := range labels(t) {
		bySession[l.Session] = append(bySession[l.Session], l)
	}
	right, shown, leads, of := 0, 0, 0, 0
	for name, list := range bySession {
		path := filepath.Join(dir, name+".jsonl.gz")
		if _, err := os.Stat(path); err != nil {
			t.Logf("%s is not here", name)
			continue
		}
		for _, o := range looked(t, path, list) {
			if !o.applies {
				t.Logf("%s before line %d: nobody said %q here", name, o.At, o.Ask)
				continue
			}
			of++
			shown += has(o.brief.Text, o.Ask)
			now, _, _ := strings.Cut(o.brief.Ask, "\n\nBefore: ")
			leads += has(now, o.Ask)
			if has(o.brief.Ask, o.Ask) == 1 {
				right++
				continue
			}
			t.Logf("%s before line %d: the ask is %q (%s)\n\tand not %q", name, o.At, o.Ask, o.Why, o.brief.Ask[:min(len(o.brief.Ask), 200)])
		}
	}
	if of == 0 {
		t.Skip("KEDGE_CORPUS has none of the sessions that are labelled")
	}
	t.Logf("%d of %d asks are right, %d without the request that a short one follows; the text shows %d", right, of, leads, shown)
	if float64(right) < leastRight*float64(of) {
		t.Errorf("%d of %d asks are right, less than %.0f%%", right, of, leastRight*100)
	}
}

// has is 1 where a text has the words in it.
func has(text, words string) int {
	if strings.Contains(folded(text), folded(words)) {
		return 1
	}
	return 0
}
