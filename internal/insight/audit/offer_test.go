package audit

import (
	"reflect"
	"testing"
)

func offered(name string, chars int) Entry { return Entry{Kind: Offered, Tool: name, Chars: chars} }

// TestRow23ToolsNeverCalled: of the tools that sessions offered, those that none
// of them called, with how many sessions offered them and what their schemas cost.
func TestRow23ToolsNeverCalled(t *testing.T) {
	one := count(offered("read", 400), offered("browse", 8000), offered("browse", 7000), offered("mystery", NoSchema),
		Entry{Kind: ToolCall, Call: "1", Tool: "read", Act: Read, Path: "a"})
	two := count(offered("read", 400), offered("browse", 9000), offered("mail", 100), Entry{Kind: ToolCall, Call: "1", Tool: "mail"})
	silent := count(Entry{Kind: ToolCall, Call: "1", Tool: "browse"}) // it does not say what it offered
	total := Total([]Figures{one, two, silent})
	want := []Offer{{Name: "browse", Sessions: 2, SchemaChars: ptr(int64(9000))}, {Name: "mystery", Sessions: 1}}
	if got := Unused(total); !reflect.DeepEqual(got, want) {
		t.Errorf("unused %+v", got)
	}
	if o := total.Offered; len(o) != 4 || o[1].Name != "read" || o[1].Sessions != 2 || o[1].Calls != 1 || o[2].Name != "mail" || o[3].Name != "mystery" {
		t.Errorf("offered %+v", o)
	}
	if one.Sources.Sum() != one.Composition.Sum() {
		t.Error("what was offered is not counted with the characters of a transcript")
	}
	if silent.Offered != nil || Unused(Total([]Figures{silent})) != nil {
		t.Error("what nobody wrote down is known")
	}
	all := count(offered("read", 1), Entry{Kind: ToolCall, Call: "1", Tool: "read"})
	if got := Unused(all); got == nil || len(got) != 0 {
		t.Errorf("all were called: %+v", got)
	}
}
