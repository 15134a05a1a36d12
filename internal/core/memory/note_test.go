package memory_test

import (
	"reflect"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/memory"
)

func note(n byte, title, text string) kedge.Note {
	return kedge.Note{
		ID: kedge.NoteID(id("not", n)), Title: title, Date: at, RootCause: text,
		Commits: []string{}, Tags: []string{}, Files: []string{},
	}
}

// seedNote is the task note of the first seed document.
func seedNote() kedge.Note {
	n := note('1', "auth token refresh bug", "Retry middleware recreated expired token state on 401.")
	n.Feature, n.Commits, n.Tags = "auth-refresh", []string{"4f1c2ab"}, []string{"auth"}
	n.Files = []string{"src/auth/token_manager.ts", "src/http/retry_client.ts", "tests/auth/token_refresh.test.ts"}
	n.Constraints = "- no API contract changes\n- no schema changes"
	n.Validation = "- unit tests passed\n- integration auth flow passed\n- build passed"
	return n
}

func TestRow17NoteRoundTrip(t *testing.T) {
	odd := seedNote()
	odd.Files = []string{"a b", " lead", "new\nline", `"quoted"`, `back\slash`, "é"}
	odd.DeadEnds = "# heading\n## Validation\n### kept\n\n\\## twice"
	for _, n := range []kedge.Note{note('2', "Short", "x"), seedNote(), odd} {
		if err := memory.CheckNote(n); err != nil {
			t.Fatal(err)
		}
		got, err := memory.ParseNote("n.md", memory.WriteNote(n))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, n) {
			t.Errorf("have %+v\nwant %+v", got, n)
		}
	}
	golden(t, "note.md", memory.WriteNote(seedNote()))
	golden(t, "note-odd.md", memory.WriteNote(odd))
}

func TestNoteFiles(t *testing.T) {
	a, b, c := note('3', "Same title", "x"), note('1', "Same: title!", "x"), note('2', "Other", "x")
	got := memory.NoteFiles([]kedge.Note{a, b, c})
	want := map[kedge.NoteID]string{
		b.ID: "2026-03-12-same-title.md",
		c.ID: "2026-03-12-other.md",
		a.ID: "2026-03-12-same-title-000003.md",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("have %v\nwant %v", got, want)
	}
}

func TestNoteInvalid(t *testing.T) {
	tests := []struct {
		name   string
		change func(*kedge.Note)
		want   string
	}{
		{"id", func(n *kedge.Note) { n.ID = "x" }, `"x" is not the id of a note`},
		{"feature", func(n *kedge.Note) { n.Feature = "a/b" }, `"a/b" is not the id of a feature`},
		{"commit", func(n *kedge.Note) { n.Commits = []string{"--all"} }, `"--all" is not the hash of a commit`},
		{"tag", func(n *kedge.Note) { n.Tags = []string{"a\nb"} }, "a tag must be one line"},
		{"title", func(n *kedge.Note) { n.Title = "" }, "the title is empty"},
		{"file", func(n *kedge.Note) { n.Files = []string{"../x"} }, `"../x" is not a path`},
		{"text", func(n *kedge.Note) { n.Validation = " \n" }, "validation has control characters, or spaces"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n := seedNote()
			tt.change(&n)
			wantInvalid(t, memory.CheckNote(n), tt.want)
		})
	}
}

func TestParseNoteRefuses(t *testing.T) {
	good := string(memory.WriteNote(seedNote()))
	tests := []struct{ name, old, new, want string }{
		{"commit", "[4f1c2ab]", "[HEAD]", `n.md:5: "HEAD" is not the hash of a commit`},
		{"no date", "Date: 2026-03-12T09:30:00Z\n", "", "n.md:10: there must be a line"},
		{"path outside", "- src/auth/token_manager.ts", "- ../x", `n.md:17: "../x" is not a path`},
		{"path with an open quote", "- src/auth/token_manager.ts", `- "x`, "n.md:19: the quoted path"},
		{"section renamed", "## Dead ends", "## Dead-ends", `n.md:34: unknown section "Dead-ends"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := strings.Replace(good, tt.old, tt.new, 1)
			if in == good {
				t.Fatalf("%q is not in the document:\n%s", tt.old, good)
			}
			_, err := memory.ParseNote("n.md", []byte(in))
			wantInvalid(t, err, tt.want)
		})
	}
}

func TestRow18NotesLint(t *testing.T) {
	tests := []struct {
		text string
		ok   bool
	}{
		{"Strict by default, fuzzy flag optional", true},
		{"Retry at most once", true},
		{"Never cache tokens because they expire", true},
		{"Chose SQLite over files", true},
		{"The parser lives in cmd/parse.go", true},
		{"see token_manager.ts", true},
		{"see a.c", true},
		{"look below internal/store/", true},
		{"Validate with `make`", true},
		{"$ ./check.sh", true},
		{"go test ./... covers it", true},
		{"the --fuzzy flag", true},
		{"Matching done", false},
		{"matching done.", false},
		{"Done", false},
		{"Not done yet", false},
		{"Everything works now, no problems", false},
		{"All tests pass. No issues. Finished.", false},
		{"Fixed the bug", false},
		{"Matching done.All good", false},
		{"Matching is done and/or finished, e.g. complete", false},
		{"Must not", false},
		{"The parser was improved", false},
		{"", false},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			found := memory.LintNote("n.md:1", note('1', "A title", tt.text))
			if (len(found) == 0) != tt.ok {
				t.Errorf("findings %v, want accepted: %v", found, tt.ok)
			}
			for _, f := range found {
				if f.Level != kedge.LevelError || f.Where != "n.md:1" || f.Fix == "" {
					t.Errorf("finding %+v", f)
				}
			}
		})
	}
	if found := memory.LintNote("n.md:1", seedNote()); len(found) > 0 {
		t.Errorf("the seed's note is refused: %v", found)
	}
}

func TestRow18NoteFileLint(t *testing.T) {
	empty := memory.WriteNote(note('1', "Matching", "Matching done"))
	found := memory.LintNoteFile("notes/n.md", empty)
	if len(found) != 1 || found[0].Where != "notes/n.md:1" || !strings.Contains(found[0].What, "no decision, no file and no command") {
		t.Errorf("findings %+v", found)
	}
	broken := strings.Replace(string(empty), "feature:", "colour:", 1)
	found = memory.LintNoteFile("notes/n.md", []byte(broken))
	if len(found) != 1 || found[0].Where != "notes/n.md:4" || found[0].What != `unknown key "colour"` || found[0].Fix == "" {
		t.Errorf("findings %+v", found)
	}
	if found := memory.LintNoteFile("n.md", memory.WriteNote(seedNote())); found != nil {
		t.Errorf("findings %+v", found)
	}
}

func FuzzParseNote(f *testing.F) {
	f.Add(memory.WriteNote(seedNote()))
	f.Add(memory.WriteNote(note('2', "Short", "## x")))
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := memory.ParseNote("n.md", b)
		if err != nil {
			return
		}
		if err := memory.CheckNote(n); err != nil {
			t.Errorf("accepted %q: %v", b, err)
		}
		again, err := memory.ParseNote("n.md", memory.WriteNote(n))
		if err != nil || !reflect.DeepEqual(again, n) {
			t.Errorf("%+v comes back as %+v, %v", n, again, err)
		}
	})
}

// FuzzWriteNote: whatever was said and whatever files are called, it comes back.
func FuzzWriteNote(f *testing.F) {
	f.Add("title", "text\n## Validation", "a b", "tag")
	f.Add("# t", "Date: x", "\"\n", "[,]")
	f.Fuzz(func(t *testing.T, title, text, file, tag string) {
		n := note('1', memory.OneLine(title), memory.Clean(text))
		n.DeadEnds, n.Files, n.Tags = memory.Clean(text), []string{file}, []string{memory.OneLine(tag)}
		if memory.CheckNote(n) != nil {
			return
		}
		got, err := memory.ParseNote("n.md", memory.WriteNote(n))
		if err != nil || !reflect.DeepEqual(got, n) {
			t.Errorf("%+v comes back as %+v, %v", n, got, err)
		}
		memory.LintNote("n.md", n)
	})
}
