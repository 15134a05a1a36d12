package brief_test

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/brief"
)

// reseal gives a document the hash that belongs to its body.
func reseal(doc string) string {
	i := strings.Index(doc, "<!-- kedge:end ")
	if i < 0 {
		return doc
	}
	_, notes, _ := strings.Cut(doc[i:], "\n")
	return fmt.Sprintf("%s<!-- kedge:end sha256=%x -->\n%s", doc[:i], sha256.Sum256([]byte(doc[:i])), notes)
}

// finds fails when no finding says want at the line.
func finds(t *testing.T, found []kedge.Finding, where, want string) {
	t.Helper()
	for _, f := range found {
		if f.Where == where && strings.Contains(f.What, want) && f.Level == kedge.LevelError && f.Fix != "" {
			return
		}
	}
	t.Errorf("no finding %q at %s in %v", want, where, found)
}

func TestRow36FixedSections(t *testing.T) {
	good := string(write(t, sampleCheckpoint()))
	for _, name := range brief.CheckpointSections {
		head := "## " + name + "\n"
		n := 1 + strings.Count(good[:strings.Index(good, head)], "\n")
		here := fmt.Sprintf("c.md:%d", n)
		for what, doc := range map[string]string{
			"missing": strings.Replace(good, head, "", 1),
			"renamed": strings.Replace(good, head, "## "+name+"s\n", 1),
			"cased":   strings.Replace(good, head, strings.ToUpper(head), 1),
			"level":   strings.Replace(good, head, "#"+head, 1),
		} {
			found := brief.LintCheckpoint("c.md", []byte(reseal(doc)), everything)
			if len(found) == 0 {
				t.Errorf("%s %q passes", what, name)
				continue
			}
			text := fmt.Sprint(found)
			if !strings.Contains(text, fmt.Sprintf("heading %q is missing", name)) {
				t.Errorf("%s %q: %v", what, name, found)
			}
			if what != "missing" {
				finds(t, found, here, "does not belong here")
			}
		}
	}
	swapped := strings.Replace(good, "## Open risks\n", "## Ruled out\n", 1)
	swapped = strings.Replace(swapped, "## Ruled out\n- cobra", "## Open risks\n- cobra", 1)
	finds(t, brief.LintCheckpoint("c.md", []byte(reseal(swapped)), everything), "c.md:9", "in the wrong place")
}

func TestRow31OnlyWhatIsExpensive(t *testing.T) {
	good := string(write(t, sampleCheckpoint()))
	log := func(n int) string { return "```\n" + strings.Repeat("FAIL x\n", n) + "```\n" }
	tests := []struct {
		name, doc, where, want string
	}{
		{"20 lines below the marker", good + log(20), "", ""},
		{"21 lines below the marker", good + log(21), "c.md:19", "fenced block of 21 lines"},
		{"tildes", good + strings.ReplaceAll(log(30), "```", "~~~~"), "c.md:19", "fenced block of 30 lines"},
		{"in a list", good + "- " + log(30), "c.md:19", "fenced block of 30 lines"},
		{"never closed", good + "```\n" + strings.Repeat("x\n", 40), "c.md:19", "fenced block of 40 lines"},
		{"in a section", strings.Replace(good, "## Open risks\n", log(30)+"## Open risks\n", 1), "c.md:7", "fenced block of 30 lines"},
		{"too large", good + strings.Repeat("x", brief.MaxCheckpoint), "c.md:19", "more than 8192"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found := brief.LintCheckpoint("c.md", []byte(tt.doc), everything)
			if tt.want == "" {
				if len(found) > 0 {
					t.Errorf("findings: %v", found)
				}
				return
			}
			finds(t, found, tt.where, tt.want)
		})
	}
}

func TestLintCheckpointDetails(t *testing.T) {
	good := string(write(t, sampleCheckpoint()))
	resume := "Start at Phase 2, item p2.1."
	tests := []struct{ name, doc, where, want string }{
		{"changed", strings.Replace(good, "matcher abstraction", "something else", 1), "c.md:16", "was changed"},
		{"no item", reseal(strings.Replace(good, resume, "Carry on.", 1)), "c.md:15", "names no item"},
		{"two lines", reseal(strings.Replace(good, resume, resume+"\nAnd then.", 1)), "c.md:16", "2 lines"},
		{"no resume", reseal(good[:strings.Index(good, "Start at")] + good[strings.Index(good, "<!-- kedge:end"):]), "c.md:15", "is empty"},
		{"marker", reseal(strings.Replace(good, "session=", "sesion=", 1)), "c.md:1", `attribute "session" is missing in the first line, or is in the wrong place`},
		{"no end", good[:strings.Index(good, "<!-- kedge:end")], "c.md:16", "the marker line that ends Kedge's text is missing"},
		{"bad path", reseal(strings.Replace(good, "cmd/parse.go", "../parse.go", 1)), "c.md:12", "inside the project"},
		{"foreign", "hello\n", "c.md:1", "does not start with"},
		{"empty", "", "c.md:1", "does not start with"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found := brief.LintCheckpoint("c.md", []byte(tt.doc), everything)
			text := fmt.Sprint(found)
			if !strings.Contains(text, tt.where+" ") || !strings.Contains(text, tt.want) {
				t.Errorf("findings: %v, want %q at %s", found, tt.want, tt.where)
			}
		})
	}
	found := brief.LintCheckpoint("c.md", []byte(good), func(p string) bool { return p != "docs/a b.md" })
	finds(t, found, "c.md:13", `"docs/a b.md" does not exist`)
	if len(found) != 1 {
		t.Errorf("findings: %v", found)
	}
}
