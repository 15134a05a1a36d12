package plan_test

import (
	"slices"
	"testing"

	"kedge"
	"kedge/internal/core/plan"
	"kedge/internal/text/glob"
)

func TestFilesOf(t *testing.T) {
	text := "The parser and its tests:\n- `cmd/parse.go`: flags\n- cmd/**/*_test.go\n* docs/ (all of it)\n- nothing else\n- ...\n- a.txt, `b.txt` and c.txt: as in old.txt\n- d.txt like e.txt\n"
	p := kedge.Plan{Fields: []kedge.PlanField{
		{Name: "Risks", Text: "- a/b.go"},
		{Name: "Files expected to change", Text: text},
	}}
	want := []string{"cmd/parse.go", "cmd/**/*_test.go", "docs/**", "a.txt", "b.txt", "c.txt", "d.txt"}
	if got := plan.FilesOf(p); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := plan.FilesOf(kedge.Plan{}); got != nil {
		t.Errorf("no plan names %q", got)
	}
}

func FuzzFilesOf(f *testing.F) {
	f.Add("- a/b.go: text\n* `c/`\n- **\n-  ./x\n")
	f.Fuzz(func(t *testing.T, text string) {
		p := kedge.Plan{Fields: []kedge.PlanField{{Name: "Files expected to change", Text: text}}}
		for _, pattern := range plan.FilesOf(p) {
			if err := glob.Valid(pattern); err != nil {
				t.Errorf("%q: %v", pattern, err)
			}
		}
	})
}
