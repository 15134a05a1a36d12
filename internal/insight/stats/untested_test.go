package stats_test

import (
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/detect"
	"kedge/internal/insight/stats"
)

func TestRow112SourceThatNoTestCovers(t *testing.T) {
	files := map[string]string{
		"src/orders.py":       "class OrderBook:\n    pass\n",
		"src/lonely.py":       "def nobody_calls():\n    pass\n",
		"src/named.py":        "x = 1\n",
		"pkg/money.go":        "package pkg\n\nfunc roundCents(v int) int { return v }\n",
		"pkg/dark.go":         "package pkg\n\nfunc darkMatter() {}\n",
		"lib/inside.rs":       "fn a() {}\n#[cfg(test)]\nmod tests {}\n",
		"web/order-list.tsx":  "export const list = 1\n",
		"README.md":           "# words\n",
		"tests/test_all.py":   "from src import named\nfrom src.orders import OrderBook\n",
		"pkg/money_test.go":   "package pkg\n\nfunc TestRound(t *testing.T) { roundCents(1) }\n",
		"web/list.test.tsx":   "import { list } from './order-list'\n",
		"src/with_a_test.py":  "def unheard_of():\n    pass\n",
		"tests/test_other.py": "assert True\n",
	}
	change := func(paths ...string) (out []kedge.FileChange) {
		for _, p := range paths {
			out = append(out, kedge.FileChange{Path: p, Status: "M", Added: 3, Removed: 1})
		}
		return out
	}
	works := []stats.Work{
		{Feature: "one", Run: "run-1", Commit: "c1", Files: change("src/orders.py", "src/lonely.py", "src/named.py", "README.md", "src/gone.py")},
		{Feature: "two", Run: "run-1", Commit: "c2", Files: change("pkg/money.go", "pkg/dark.go", "lib/inside.rs", "web/order-list.tsx", "src/lonely.py")},
		{Feature: "three", Run: "run-2", Commit: "c3", Files: change("src/with_a_test.py", "tests/test_other.py")},
	}
	tests := []string{"tests/test_all.py", "pkg/money_test.go", "web/list.test.tsx", "tests/test_other.py"}
	got := stats.UntestedIn(works, tests, func(p string) (string, bool) { text, ok := files[p]; return text, ok })
	var names []string
	for _, u := range got {
		names = append(names, u.Path)
	}
	if strings.Join(names, " ") != "src/lonely.py pkg/dark.go" {
		t.Fatalf("untested: %v", names)
	}
	if got[0].Lines != 8 || len(got[0].Evidence) != 2 || got[0].Evidence[1] != (stats.Untaught{Feature: "two", Run: "run-1", Commit: "c2"}) {
		t.Errorf("%+v", got[0])
	}
}

func FuzzUntested(f *testing.F) {
	f.Add("a.py", "def four(): pass", "four")
	f.Fuzz(func(t *testing.T, name, source, test string) {
		works := []stats.Work{{Feature: "f", Files: []kedge.FileChange{{Path: name, Status: "A"}}}}
		got := stats.UntestedIn(works, []string{"t"}, func(p string) (string, bool) {
			if p == "t" {
				return test, true
			}
			return source, true
		})
		if len(got) > 1 || len(got) == 1 && !detect.IsSource(name) {
			t.Errorf("%q: %+v", name, got)
		}
	})
}
