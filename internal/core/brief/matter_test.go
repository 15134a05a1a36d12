package brief_test

import (
	"slices"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/brief"
)

func orders() kedge.Feature {
	return kedge.Feature{Definition: kedge.Definition{
		ID: "order-total", Name: "Orders have a total", Description: "The invoice shows it.", Dependencies: []kedge.FeatureID{"users"}, Paths: []string{"api/**"},
	}}
}

func TestKeywordsOfAFeature(t *testing.T) {
	if got := brief.Keywords(orders()); !slices.Equal(got, []string{"order", "total", "invoice", "show"}) {
		t.Errorf("%q", got)
	}
}

func TestNotesThatMatter(t *testing.T) {
	for _, tc := range []struct {
		name string
		n    kedge.Note
		want bool
	}{
		{"of what it builds on", kedge.Note{Feature: "users"}, true},
		{"of another feature", kedge.Note{Feature: "theme", Title: "Colours"}, false},
		{"about its files", kedge.Note{Title: "x", Files: []string{"api/order.go"}}, true},
		{"two of its words", kedge.Note{Title: "The total of an order", RootCause: "rounding"}, true},
		{"one of its words", kedge.Note{Title: "In order to build"}, false},
	} {
		if got := brief.NoteMatters(tc.n, orders()); got != tc.want {
			t.Errorf("%s: %v", tc.name, got)
		}
	}
}

func TestRow26LikelyFiles(t *testing.T) {
	files := []string{"README.md", "go.sum", "src/Order.ts", "src/sum.ts", "src/theme.ts", "vendor/order/a.go", ".kedge/rules.md", "src/invoice.ts"}
	log := []brief.Mention{
		{Commit: "abcdef0123456789", Message: "orders: round the total", Files: []string{"src/sum.ts", "gone.ts"}},
		{Commit: "1111111111111111", Message: "colours", Files: []string{"src/theme.ts"}},
	}
	got := brief.LikelyFiles(brief.Keywords(orders()), files, log, map[string][]string{"total": {"src/sum.ts", "README.md"}, "order": slices.Repeat([]string{"src/theme.ts"}, 50)})
	var names []string
	for _, l := range got {
		names = append(names, l.Path)
		if l.Why == "" {
			t.Errorf("no reason for %s", l.Path)
		}
	}
	if want := "src/sum.ts src/Order.ts src/invoice.ts README.md"; strings.Join(names, " ") != want {
		t.Errorf("%q, want %q", names, want)
	}
	if len(brief.LikelyFiles(nil, files, log, nil)) != 0 {
		t.Error("without words nothing is likely")
	}
}
