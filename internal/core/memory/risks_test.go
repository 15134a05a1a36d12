package memory_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/core/memory"
)

func risk(n byte, text string) kedge.Risk {
	return kedge.Risk{ID: kedge.RiskID(id("rsk", n)), Text: text, OpenedAt: at, By: kedge.Human("ann")}
}

func closed(r kedge.Risk, reason string) kedge.Risk {
	when := at.Add(time.Hour)
	r.ClosedAt, r.Reason = &when, reason
	return r
}

func TestRow44RisksRoundTrip(t *testing.T) {
	risks := []kedge.Risk{
		risk('1', "the migration is not reversible"),
		risk('3', "- ## looks like markup"),
		closed(risk('2', "no load test"), "measured: 4,000 requests per second"),
	}
	got, err := memory.ParseRisks("risks.md", memory.WriteRisks(risks))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, risks) {
		t.Errorf("have %+v\nwant %+v", got, risks)
	}
	golden(t, "risks.md", memory.WriteRisks(risks))
	golden(t, "risks-none.md", memory.WriteRisks(nil))
	if got, err := memory.ParseRisks("risks.md", memory.WriteRisks(nil)); err != nil || len(got) != 0 {
		t.Errorf("no risks come back as %v, %v", got, err)
	}
}

func TestRow44RiskNeedsReasonToClose(t *testing.T) {
	wantInvalid(t, memory.CheckRisk(closed(risk('1', "x"), "")), "the reason for closing is empty")
	open := risk('1', "x")
	open.Reason = "because"
	wantInvalid(t, memory.CheckRisk(open), "risk \"rsk-")
	wantInvalid(t, memory.CheckRisk(risk('1', "")), "the risk is empty")
	wantInvalid(t, memory.CheckRisk(risk('1', "a\nb")), "the risk must be one line of plain text, not")
	wantInvalid(t, memory.CheckRisk(kedge.Risk{ID: "1"}), `"1" is not the id of a risk`)
}

func TestParseRisksRefuses(t *testing.T) {
	good := string(memory.WriteRisks([]kedge.Risk{risk('1', "one"), closed(risk('2', "two"), "gone")}))
	tests := []struct{ name, old, new, want string }{
		{"no id", "- " + id("rsk", '1') + " one", "- one", `risks.md:9: "one" is not the id of a risk`},
		{"no opened", "\n  opened: 2026-03-12T09:30:00Z by human:ann\n\n## Closed", "\n\n## Closed", "risks.md:10: this line must begin with"},
		{"open among closed", "\n  closed: 2026-03-12T10:30:00Z\n  reason: gone", "", "risks.md:16: this line must begin with"},
		{"reason gone", "  reason: gone", "  reason:", "risks.md:17: this line must begin with"},
		{"twice", "## Closed\n", "## Closed\n\n- " + id("rsk", '1') + " one\n  opened: 2026-03-12T09:30:00Z by human:ann\n  closed: 2026-03-12T09:30:00Z\n  reason: x\n", "risks.md:14: risk \"rsk-"},
		{"unknown line", "by human:ann\n\n## Closed", "by human:ann\n  colour: red\n\n## Closed", `risks.md:11: unknown line "  colour: red"`},
		{"text", "## Open\n", "## Open\n\nsome text\n", "risks.md:9: this line must begin with"},
		{"title", "# Risks", "# Dangers", "risks.md:5: the file must begin with the title"},
		{"section", "## Open", "## Ajar", `risks.md:7: unknown section "Ajar"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := strings.Replace(good, tt.old, tt.new, 1)
			if in == good {
				t.Fatalf("%q is not in the document:\n%s", tt.old, good)
			}
			_, err := memory.ParseRisks("risks.md", []byte(in))
			wantInvalid(t, err, tt.want)
		})
	}
}

func FuzzParseRisks(f *testing.F) {
	f.Add(memory.WriteRisks([]kedge.Risk{risk('1', "one"), closed(risk('2', "two"), "gone")}))
	f.Add(memory.WriteRisks(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		risks, err := memory.ParseRisks("risks.md", b)
		if err != nil {
			return
		}
		for _, r := range risks {
			if err := memory.CheckRisk(r); err != nil {
				t.Errorf("accepted %q: %v", b, err)
			}
		}
		again, err := memory.ParseRisks("risks.md", memory.WriteRisks(risks))
		if err != nil || !reflect.DeepEqual(again, risks) {
			t.Errorf("%+v comes back as %+v, %v", risks, again, err)
		}
	})
}
