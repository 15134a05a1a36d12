package brief_test

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/core/brief"
)

func write(t testing.TB, c kedge.Checkpoint) []byte {
	t.Helper()
	b, err := brief.WriteCheckpoint(c)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestCheckpointGoldenAndRoundTrip(t *testing.T) {
	b := write(t, sampleCheckpoint())
	golden(t, "checkpoint.md", b)
	got, err := brief.ParseCheckpoint("checkpoint.md", b)
	if err != nil {
		t.Fatal(err)
	}
	if want := brief.Normal(sampleCheckpoint()); !reflect.DeepEqual(got, want) {
		t.Errorf("read back\n%+v\nwant\n%+v", got, want)
	}
	if f := brief.LintCheckpoint("checkpoint.md", b, everything); len(f) > 0 {
		t.Errorf("a good checkpoint has findings: %v", f)
	}
}

func everything(string) bool { return true }

func TestCheckpointUnknownFigures(t *testing.T) {
	c := kedge.Checkpoint{ID: kedge.CheckpointID(id("ckp", "9")), At: noon, Resume: "Start at item p1.1."}
	b := write(t, c)
	first, _, _ := strings.Cut(string(b), "\n")
	if !strings.Contains(first, "session=none") || !strings.Contains(first, "tokens=unknown usd=unknown") {
		t.Errorf("marker = %s", first)
	}
	got, err := brief.ParseCheckpoint("c.md", b)
	if err != nil || got.Tokens != nil || got.USD != nil || got.Session != "" {
		t.Errorf("read back %+v, %v", got, err)
	}
}

// every text of a checkpoint is the same hostile one.
func hostileCheckpoint(s string) kedge.Checkpoint {
	c := sampleCheckpoint()
	c.Agent, c.Task, c.Resume = s, s, "item p1.1 "+s
	c.Status = []kedge.StatusLine{{Text: s}, {Done: true, Text: s}}
	c.Decisions = []kedge.DecisionRef{{ID: kedge.DecisionID(id("dec", "4")), Title: s}}
	c.Risks = []string{s}
	c.RuledOut = []kedge.Rejected{{What: s, Reason: s}, {What: s}}
	c.HumanNotes = s
	return c
}

// checkShape fails when stored text became structure.
func checkShape(t *testing.T, b []byte, notes string, names []string) {
	t.Helper()
	body := strings.TrimSuffix(string(b), strings.ToValidUTF8(notes, "\uFFFD"))
	var heads []string
	for _, l := range strings.Split(body, "\n") {
		if h, ok := strings.CutPrefix(l, "## "); ok {
			heads = append(heads, h)
		}
	}
	if !reflect.DeepEqual(heads, names) {
		t.Errorf("headings = %q", heads)
	}
	if n := strings.Count(body, "<!--"); n != 2 {
		t.Errorf("%d comments in\n%s", n, body)
	}
	if first, _, _ := strings.Cut(body, "\n"); strings.Count(first, "--") != 2 {
		t.Errorf("the marker is not one comment: %s", first)
	}
}

func TestCheckpointTextIsData(t *testing.T) {
	for _, s := range hostile {
		t.Run(fmt.Sprintf("%.12q", s), func(t *testing.T) {
			c := hostileCheckpoint(s)
			b := write(t, c)
			checkShape(t, b, c.HumanNotes, brief.CheckpointSections)
			if i := bytes.IndexAny(b[:len(b)-len(strings.ToValidUTF8(s, "\uFFFD"))], "\x1b\u202e\u2028"); i >= 0 {
				t.Errorf("a hidden character at %d", i)
			}
			got, err := brief.ParseCheckpoint("c.md", b)
			if err != nil {
				t.Fatal(err)
			}
			if want := brief.Normal(c); !reflect.DeepEqual(got, want) {
				t.Errorf("read back\n%+v\nwant\n%+v", got, want)
			}
		})
	}
}

func TestCheckpointHumanNotesSurvive(t *testing.T) {
	notes := "\nWritten by hand.\n## Current status\n<!-- kedge:end sha256=1 -->\n"
	c := sampleCheckpoint()
	c.HumanNotes = ""
	b := append(write(t, c), notes...)
	got, err := brief.ParseCheckpoint("c.md", b)
	if err != nil {
		t.Fatal(err)
	}
	if got.HumanNotes != notes || brief.HumanNotes(b) != notes {
		t.Errorf("notes = %q", got.HumanNotes)
	}
	next := sampleCheckpoint()
	next.Resume, next.HumanNotes = "Start at item p3.1.", brief.HumanNotes(b)
	if after := write(t, next); !strings.HasSuffix(string(after), "-->\n"+notes) {
		t.Errorf("notes are gone:\n%s", after)
	}
	damaged := bytes.Replace(b, []byte("## Open risks"), []byte("## Risks?"), 1)
	if got := brief.HumanNotes(damaged); got != notes {
		t.Errorf("notes of a damaged file = %q", got)
	}
	if got := brief.HumanNotes([]byte("my own text\n")); got != "my own text\n" {
		t.Errorf("notes of a foreign file = %q", got)
	}
}

func TestWriteCheckpointRefuses(t *testing.T) {
	tests := []struct {
		name string
		set  func(*kedge.Checkpoint)
		want string
	}{
		{"id", func(c *kedge.Checkpoint) { c.ID = "x" }, "the id of a checkpoint"},
		{"session", func(c *kedge.Checkpoint) { c.Session = "ses-1 --> x" }, "the id of a session"},
		{"plan", func(c *kedge.Checkpoint) { c.Plan = "p" }, "the id of a plan"},
		{"commit", func(c *kedge.Checkpoint) { c.Commit = "HEAD" }, "git hash"},
		{"tree", func(c *kedge.Checkpoint) { c.Tree = "ABCDEF0" }, "git hash"},
		{"tokens", func(c *kedge.Checkpoint) { c.Tokens = ptr(int64(-1)) }, "spent tokens or dollars"},
		{"usd", func(c *kedge.Checkpoint) { c.USD = ptr(math.NaN()) }, "spent tokens or dollars"},
		{"resume", func(c *kedge.Checkpoint) { c.Resume = " \n" }, "how to continue"},
		{"decision", func(c *kedge.Checkpoint) { c.Decisions[0].ID = "d" }, "the id of a decision"},
		{"path up", func(c *kedge.Checkpoint) { c.Files[0].Path = "../x" }, "inside the project"},
		{"path abs", func(c *kedge.Checkpoint) { c.Files[0].Path = "/etc/passwd" }, "inside the project"},
		{"path unclean", func(c *kedge.Checkpoint) { c.Files[0].Path = "a//b" }, "inside the project"},
		{"hash", func(c *kedge.Checkpoint) { c.Files[0].SHA256 = "xyz" }, "eight hex"},
		{"changed by", func(c *kedge.Checkpoint) { c.Files[0].ChangedBy = "a b" }, "this name may have only"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := sampleCheckpoint()
			tt.set(&c)
			_, err := brief.WriteCheckpoint(c)
			if !kedge.Invalid.Is(err) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("err = %v, want %q", err, tt.want)
			}
		})
	}
}

func TestParseCheckpointStrict(t *testing.T) {
	good := string(write(t, sampleCheckpoint()))
	tests := []struct{ name, old, new, want string }{
		{"hash", "matcher abstraction", "matcher  abstraction", "c.md:16: the text above this marker line was changed"},
		{"renamed", "## Ruled out", "## Ruled In", `c.md:9: heading "Ruled In" is in the wrong place`},
		{"lower case", "## Open risks", "## open risks", "c.md:7:"},
		{"removed", "## Open risks\n", "", `c.md:8: heading "Ruled out" is in the wrong place`},
		{"twice", "## Open risks\n", "## Open risks\n## Open risks\n", "c.md:8:"},
		{"last missing", "## Resume instruction\n", "", `c.md:14: heading "Resume instruction" is missing`},
		{"stray text", "## Open risks\n", "## Open risks\nhello\n", `c.md:8: the line must start with "- "`},
		{"before", "## Current status\n", "hello\n## Current status\n", "c.md:2: text before the first heading"},
		{"box", "- [x] Phase 1", "- [X] Phase 1", "c.md:3:"},
		{"two resume lines", "Start at Phase 2", "One.\nStart at Phase 2", "c.md:15: section"},
		{"version", "checkpoint v1", "checkpoint v2", "c.md:1: the line does not start"},
		{"unknown attribute", "agent=", "colour=red agent=", "c.md:1: attribute \"agent\" is missing in the first line, or is in the wrong place"},
		{"duplicate attribute", "agent=", "session=none agent=", "c.md:1:"},
		{"extra attribute", " -->\n## Cur", " x=1 -->\n## Cur", "c.md:1: the first line has the unknown attribute"},
		{"no end", "<!-- kedge:end", "<!-- kedge:fin", "c.md:15: section"},
		{"bad escape", "matcher abstraction", `matcher \q`, "c.md:4: unknown escape"},
		{"bad decision", "- dec-", "- doc-", "c.md:6:"},
		{"bad file", " sha256:1f3a9c0b", "", "c.md:12:"},
		{"time", "at=2026", "at=x026", "is not a time"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := strings.Replace(good, tt.old, tt.new, 1)
			if b == good {
				t.Fatal("nothing was replaced")
			}
			_, err := brief.ParseCheckpoint("c.md", []byte(b))
			if !kedge.Invalid.Is(err) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("err = %v, want %q", err, tt.want)
			}
		})
	}
}

// A body with a right hash that Kedge would have written otherwise is refused.
func TestParseCheckpointCanonical(t *testing.T) {
	good := write(t, sampleCheckpoint())
	for _, r := range [][2]string{{"usd=1.25", "usd=1.250"}, {"agent=claude:opus", `agent="claude:opus"`}, {"- completion", "-  completion"}} {
		b := reseal(strings.Replace(string(good), r[0], r[1], 1))
		if _, err := brief.ParseCheckpoint("c.md", []byte(b)); err == nil || !strings.Contains(err.Error(), "differs from what Kedge would write") {
			t.Errorf("%q: err = %v", r[1], err)
		}
	}
}

func TestRow40CompareFiles(t *testing.T) {
	files := []kedge.FileRef{
		{Path: "same.go", SHA256: brief.Hash([]byte("same"))},
		{Path: "other.go", SHA256: brief.Hash([]byte("before"))},
		{Path: "gone.go", SHA256: brief.Hash([]byte("x"))},
	}
	tree := map[string]string{"same.go": "same", "other.go": "after"}
	got := brief.Compare(files, func(p string) (string, bool) {
		s, ok := tree[p]
		return brief.Hash([]byte(s)), ok
	})
	want := []kedge.FileState{kedge.FileUnchanged, kedge.FileChanged, kedge.FileGone}
	for i, w := range want {
		if got[i].State != w || got[i].Path != files[i].Path {
			t.Errorf("%s is %q, want %q", files[i].Path, got[i].State, w)
		}
	}
	if files[0].State != "" {
		t.Error("the input was changed")
	}
}

// Four classes of state: a change of one section leaves the others as they were.
func TestRow30SectionsAreApart(t *testing.T) {
	before := sectionsOf(write(t, sampleCheckpoint()))
	changes := map[string]func(*kedge.Checkpoint){
		"Current status":     func(c *kedge.Checkpoint) { c.Status[1].Done = true },
		"Decisions locked":   func(c *kedge.Checkpoint) { c.Decisions = nil },
		"Open risks":         func(c *kedge.Checkpoint) { c.Risks = append(c.Risks, "new") },
		"Ruled out":          func(c *kedge.Checkpoint) { c.RuledOut = nil },
		"Files to re-read":   func(c *kedge.Checkpoint) { c.Files[0].SHA256 = "ffffffff" },
		"Resume instruction": func(c *kedge.Checkpoint) { c.Resume = "Start at item p9.9." },
	}
	for name, change := range changes {
		c := sampleCheckpoint()
		change(&c)
		for other, text := range sectionsOf(write(t, c)) {
			if (text != before[other]) != (other == name) {
				t.Errorf("changing %q: section %q is %q, was %q", name, other, text, before[other])
			}
		}
	}
}

func sectionsOf(b []byte) map[string]string {
	body, _, _ := strings.Cut(string(b), "<!-- kedge:end")
	out := map[string]string{}
	for _, s := range strings.Split(body, "\n## ")[1:] {
		name, text, _ := strings.Cut(s, "\n")
		out[name] = strings.TrimSpace(text)
	}
	return out
}

func TestRow44FitKeepsRisks(t *testing.T) {
	c := sampleCheckpoint()
	for i := range 3000 {
		c.Status = append(c.Status, kedge.StatusLine{Done: i%2 == 0, Text: fmt.Sprintf("item %d %s", i, strings.Repeat("é", 300))})
		c.Decisions = append(c.Decisions, kedge.DecisionRef{ID: kedge.DecisionID(id("dec", fmt.Sprint(i))), Title: strings.Repeat("t", 500)})
		c.Files = append(c.Files, kedge.FileRef{Path: fmt.Sprintf("d/%d.go", i), SHA256: "01234567"})
		c.RuledOut = append(c.RuledOut, kedge.Rejected{What: strings.Repeat("w", 300), Reason: strings.Repeat("r", 900)})
	}
	c.Risks = []string{"risk one", "risk two", "risk three"}
	c.HumanNotes = strings.Repeat("people's own text\n", 1000)
	got := brief.Fit(c)
	b := write(t, got)
	if n := len(b) - len(c.HumanNotes); n > brief.MaxCheckpoint {
		t.Errorf("%d bytes", n)
	}
	for _, r := range c.Risks {
		if !bytes.Contains(b, []byte("- "+r+"\n")) {
			t.Errorf("%q is gone", r)
		}
	}
	if last := got.Status[len(got.Status)-1].Text; !strings.Contains(last, "left out here") || !strings.Contains(last, "decisions") {
		t.Errorf("last status line = %q", last)
	}
	if !strings.HasSuffix(string(b), c.HumanNotes) {
		t.Error("people's text was touched")
	}
	small := brief.Normal(sampleCheckpoint())
	if fit := brief.Fit(sampleCheckpoint()); !reflect.DeepEqual(fit, small) {
		t.Errorf("a small checkpoint changed:\n%+v", fit)
	}
}

func TestFitManyRisks(t *testing.T) {
	c := sampleCheckpoint()
	for i := range 500 {
		c.Risks = append(c.Risks, fmt.Sprintf("%d %s", i, strings.Repeat("\\", 400)))
	}
	if b := write(t, brief.Fit(c)); len(b) > brief.MaxCheckpoint {
		t.Errorf("%d bytes", len(b))
	}
}

func TestNamesItem(t *testing.T) {
	tests := map[string]bool{
		"Start at Phase 2, item p2.1. Re-read":     true,
		"p10.2: go on":                             true,
		"Start at feature order-entity, then stop": true,
		"Nothing to start: item none.":             true,
		"Item `user-login`.":                       true,
		"carry on":                                 false,
		"":                                         false,
		"Start at the next item":                   false,
		"item":                                     false,
		"Start at Phase 2":                         false,
		"p2.x":                                     false,
		"feature Üx":                               false,
	}
	for s, want := range tests {
		if got := brief.NamesItem(s); got != want {
			t.Errorf("NamesItem(%q) = %v", s, got)
		}
	}
}

func TestRow67Summary(t *testing.T) {
	want := "1 of 2 items done, 1 open risk. Start at Phase 2, item p2.1. Re-read the files above before editing. First command: go test ./cmd/..."
	if got := brief.Summary(sampleCheckpoint()); got != want {
		t.Errorf("summary = %q", got)
	}
}

func FuzzCheckpointText(f *testing.F) {
	for _, s := range hostile {
		f.Add(s, s, "notes "+s, int64(3))
	}
	f.Fuzz(func(t *testing.T, a, b, notes string, n int64) {
		c := hostileCheckpoint(a)
		c.Task, c.Risks, c.HumanNotes = b, []string{b, a}, notes
		c.At, c.Tokens = time.UnixMilli(n%(1<<45)).UTC(), ptr(max(n, 0))
		doc, err := brief.WriteCheckpoint(c)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.HasSuffix(doc, []byte(strings.ToValidUTF8(notes, "\uFFFD"))) {
			checkShape(t, doc, notes, brief.CheckpointSections)
		} else {
			t.Error("people's text was changed")
		}
		got, err := brief.ParseCheckpoint("c.md", doc)
		if err != nil {
			t.Fatalf("%v in\n%s", err, doc)
		}
		if want := brief.Normal(c); !reflect.DeepEqual(got, want) {
			t.Errorf("read back\n%+v\nwant\n%+v", got, want)
		}
		if fit := brief.Fit(c); len(write(t, fit))-len(strings.ToValidUTF8(notes, "\uFFFD")) > brief.MaxCheckpoint {
			t.Error("does not fit")
		}
	})
}

func FuzzParseCheckpoint(f *testing.F) {
	good := write(f, sampleCheckpoint())
	f.Add(good)
	f.Add([]byte(strings.ReplaceAll(string(good), "- ", "-  ")))
	f.Add([]byte("<!-- kedge:checkpoint v1 id=\"\\"))
	f.Add([]byte("\n```\n\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, doc := range [][]byte{b, []byte(reseal(string(b)))} {
			findings := brief.LintCheckpoint("c.md", doc, everything)
			c, err := brief.ParseCheckpoint("c.md", doc)
			if err != nil {
				if len(findings) == 0 {
					t.Errorf("lint finds nothing, parse says %v", err)
				}
				continue
			}
			again := write(t, c)
			if want := strings.ToValidUTF8(string(doc), "\uFFFD"); string(again) != want && string(again) != want+"\n" {
				t.Errorf("written back\n%q\nwas\n%q", again, want)
			}
		}
	})
}
