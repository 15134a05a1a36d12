package pickup_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
	right, shown, leads := 0, 0, 0
	for _, l := range list {
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
	t.Logf("%d of %d asks are right, %d without the request that a short one follows; the text shows %d", right, len(list), leads, shown)
	if float64(right) < leastRight*float64(len(list)) {
		t.Errorf("%d of %d asks are right, less than %.0f%%", right, len(list), leastRight*100)
	}
}
