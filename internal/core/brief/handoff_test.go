package brief_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/brief"
	"kedge/internal/text/words"
)

func writeHandoff(t testing.TB, h kedge.Handoff) []byte {
	t.Helper()
	b, err := brief.WriteHandoff(h)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestRow72HandoffGoldenAndRoundTrip(t *testing.T) {
	b := writeHandoff(t, sampleHandoff())
	golden(t, "handoff.md", b)
	got, err := brief.ParseHandoff("h.md", b)
	if err != nil {
		t.Fatal(err)
	}
	if want := brief.NormalHandoff(sampleHandoff()); !reflect.DeepEqual(got, want) {
		t.Errorf("read back\n%+v\nwant\n%+v", got, want)
	}
	if f := brief.LintHandoff("h.md", b); len(f) > 0 {
		t.Errorf("findings: %v", f)
	}
}

func TestRow72HandoffLintEnforcesFields(t *testing.T) {
	good := string(writeHandoff(t, sampleHandoff()))
	for _, name := range brief.HandoffSections {
		head := "## " + name + "\n"
		for _, doc := range []string{strings.Replace(good, head, "", 1), strings.Replace(good, head, "## My "+name+"\n", 1)} {
			found := brief.LintHandoff("h.md", []byte(reseal(doc)))
			if !strings.Contains(fmt.Sprint(found), fmt.Sprintf("heading %q is missing", name)) {
				t.Errorf("without %q: %v", name, found)
			}
		}
	}
	tests := []struct{ name, doc, where, want string }{
		{"percent", strings.Replace(good, "60%: ", "most of it: ", 1), "h.md:3", "the line must have"},
		{"over 100", strings.Replace(good, "60%: ", "160%: ", 1), "h.md:1", "percent are done"},
		{"empty state", strings.Replace(good, "60%: refactoring the auth module\n", "", 1), "h.md:1", `"State" must have one line, not 0`},
		{"two approaches", strings.Replace(good, "## Constraints", "and more\n## Constraints", 1), "h.md:8", `"Approach" must have one line, not 2`},
		{"no reason", strings.Replace(good, "OAuth2: too", "OAuth2 too", 1), "h.md:13", "what: reason"},
		{"outside", strings.Replace(good, "src/auth/jwt.ts", "../jwt.ts", 1), "h.md:1", "inside the project"},
		{"large", strings.Replace(good, "## Constraints\n", "## Constraints\n- "+strings.Repeat("word ", 700)+"\n", 1), "h.md:1", "it must have fewer than 600"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found := brief.LintHandoff("h.md", []byte(reseal(tt.doc)))
			if len(found) != 1 || found[0].Where != tt.where || !strings.Contains(found[0].What, tt.want) {
				t.Errorf("findings: %v, want %q at %s", found, tt.want, tt.where)
			}
		})
	}
	changed := strings.Replace(good, "JWT", "OAuth2", 1)
	finds(t, brief.LintHandoff("h.md", []byte(changed)), "h.md:18", "was changed")
}

func TestWriteHandoffRefuses(t *testing.T) {
	tests := []struct {
		want string
		set  func(*kedge.Handoff)
	}{
		{"id of a handoff", func(h *kedge.Handoff) { h.ID = "" }},
		{"id of a session", func(h *kedge.Handoff) { h.Session = "x" }},
		{"percent are done", func(h *kedge.Handoff) { h.Percent = 101 }},
		{`"State" is empty`, func(h *kedge.Handoff) { h.State = "" }},
		{`"Approach" is empty`, func(h *kedge.Handoff) { h.Approach = " " }},
		{`"Next step" is empty`, func(h *kedge.Handoff) { h.Next = "\n" }},
		{"inside the project", func(h *kedge.Handoff) { h.Files = []string{"/etc"} }},
	}
	for _, tt := range tests {
		h := sampleHandoff()
		tt.set(&h)
		if _, err := brief.WriteHandoff(h); !kedge.Invalid.Is(err) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("err = %v, want %q", err, tt.want)
		}
	}
}

func hostileHandoff(s string) kedge.Handoff {
	h := sampleHandoff()
	h.State, h.Approach, h.Next, h.BlockedOn = "s "+s, "a "+s, "n "+s, s
	h.Constraints, h.Risks = []string{s}, []string{s, s}
	h.RuledOut = []kedge.Rejected{{What: s, Reason: s}}
	h.HumanNotes = s
	return h
}

func TestHandoffTextIsData(t *testing.T) {
	for _, s := range append(hostile, "nothing", "open risk: x", "open risk:", "50%: x") {
		h := hostileHandoff(s)
		b := writeHandoff(t, h)
		checkShape(t, b, s, brief.HandoffSections)
		got, err := brief.ParseHandoff("h.md", b)
		if err != nil {
			t.Errorf("%q: %v", s, err)
			continue
		}
		if want := brief.NormalHandoff(h); !reflect.DeepEqual(got, want) {
			t.Errorf("read back\n%+v\nwant\n%+v", got, want)
		}
	}
}

func TestRow44FitHandoffCarriesRisks(t *testing.T) {
	h := sampleHandoff()
	got, ok := brief.FitHandoff(h)
	if !ok || !reflect.DeepEqual(got, brief.NormalHandoff(h)) {
		t.Errorf("a small handoff changed: %+v", got)
	}
	h.Risks = nil
	for i := range 200 {
		h.Risks = append(h.Risks, fmt.Sprintf("risk %d %s", i, strings.Repeat("r", 300)))
	}
	got, ok = brief.FitHandoff(h)
	b := writeHandoff(t, got)
	if n := words.Tokens(string(b)); !ok || n >= brief.MaxHandoff {
		t.Errorf("%d tokens, fits = %v", n, ok)
	}
	last := got.Risks[len(got.Risks)-1]
	if len(got.Risks) < 5 || last != fmt.Sprintf("%d more: kedge risk ls", 201-len(got.Risks)) {
		t.Errorf("%d risks, the last is %q", len(got.Risks), last)
	}
	h.Approach = strings.Repeat("long ", 1000)
	if _, ok := brief.FitHandoff(h); ok {
		t.Error("a handoff of 1,000 words fits")
	}
}

func FuzzHandoffText(f *testing.F) {
	for _, s := range hostile {
		f.Add(s, 50)
	}
	f.Fuzz(func(t *testing.T, s string, percent int) {
		h := hostileHandoff(s)
		h.Percent = percent
		b, err := brief.WriteHandoff(h)
		if err != nil {
			if percent >= 0 && percent <= 100 {
				t.Fatal(err)
			}
			return
		}
		got, err := brief.ParseHandoff("h.md", b)
		if err != nil {
			t.Fatalf("%v in\n%s", err, b)
		}
		if want := brief.NormalHandoff(h); !reflect.DeepEqual(got, want) {
			t.Errorf("read back\n%+v\nwant\n%+v", got, want)
		}
	})
}

func FuzzParseHandoff(f *testing.F) {
	f.Add(writeHandoff(f, sampleHandoff()))
	f.Add([]byte("## State\n%: \n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, doc := range []string{string(b), reseal(string(b))} {
			findings := brief.LintHandoff("h.md", []byte(doc))
			h, err := brief.ParseHandoff("h.md", []byte(doc))
			if err != nil {
				if len(findings) == 0 {
					t.Errorf("lint finds nothing, parse says %v", err)
				}
				continue
			}
			again := string(writeHandoff(t, h))
			if want := strings.ToValidUTF8(doc, "\uFFFD"); again != want && again != want+"\n" {
				t.Errorf("written back\n%q\nwas\n%q", again, want)
			}
		}
	})
}
