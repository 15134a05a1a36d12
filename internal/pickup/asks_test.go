package pickup_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge/internal/audit"
	"kedge/internal/pickup"
	"kedge/internal/transcript"
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
func briefOf(t *testing.T, path string, at, budget int) pickup.Brief {
	t.Helper()
	p := pickup.New()
	f := transcript.File{Agent: "claude", Path: path}
	m, err := transcript.ReadFile(context.Background(), f, transcript.Options{Text: true, Before: at}, p.Add)
	if err != nil {
		t.Fatal(err)
	}
	return p.Brief(m.Dir, budget)
}

// applies tells whether a label is of a session in this folder: its words were
// said there before the cut. Other sessions may have the same names.
func applies(t *testing.T, dir string, l label) bool {
	t.Helper()
	path := filepath.Join(dir, l.Session+".jsonl.gz")
	if _, err := os.Stat(path); err != nil {
		return false
	}
	said := false
	_, err := transcript.ReadFile(context.Background(), transcript.File{Agent: "claude", Path: path}, transcript.Options{Text: true, Before: l.At}, func(e *audit.Entry) {
		said = said || (e.Kind == audit.UserText || e.Kind == audit.Queued) && strings.Contains(folded(e.Text), folded(l.Ask))
	})
	if err != nil {
		t.Fatal(err)
	}
	return said
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
	list := labels(t)
	right, shown, leads, of := 0, 0, 0, 0
	for _, l := range list {
		if !applies(t, dir, l) {
			continue
		}
		of++
		b := briefOf(t, filepath.Join(dir, l.Session+".jsonl.gz"), l.At, pickup.DefaultBudget)
		if strings.Contains(folded(b.Text), folded(l.Ask)) {
			shown++
		}
		if strings.Contains(folded(b.Ask), folded(l.Ask)) {
			right++
			now, _, _ := strings.Cut(b.Ask, "\n\nBefore: ")
			if strings.Contains(folded(now), folded(l.Ask)) {
				leads++
			} else {
				t.Logf("%s before line %d: only behind Before: %q (%s)\n\tthe ask is %q", l.Session, l.At, l.Ask, l.Why, now[:min(len(now), 200)])
			}
			continue
		}
		t.Logf("%s before line %d: the ask is %q (%s)\n\tand not %q", l.Session, l.At, l.Ask, l.Why, b.Ask[:min(len(b.Ask), 200)])
	}
	if of == 0 {
		t.Skip("KEDGE_CORPUS has none of the sessions that are labelled")
	}
	t.Logf("%d of %d asks are right, %d without the request that a short one follows; the text shows %d; %d labels are of other sessions",
		right, of, leads, shown, len(list)-of)
	if float64(right) < leastRight*float64(of) {
		t.Errorf("%d of %d asks are right, less than %.0f%%", right, of, leastRight*100)
	}
}
