package strict_test

import (
	"fmt"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/text/strict"
)

// TestF24HostileJSON: what is made to hurt is refused with a short message that
// names the place, and leaves the target alone.
func TestF24HostileJSON(t *testing.T) {
	const mb = 1 << 20
	hugeKey := strings.Repeat("k", mb)
	var many strings.Builder
	many.WriteString("{\"strings\":{\n")
	for i := range 40_000 {
		fmt.Fprintf(&many, "\"key-%06d\":\"a value of some size\",\n", i)
	}
	last := strings.Count(many.String(), "\n") + 1
	if many.Len() < mb {
		t.Fatalf("only %d bytes", many.Len())
	}
	for _, c := range []struct{ name, in, want string }{
		{"deep lists", `{"any":` + strings.Repeat("[", mb), "nested deeper than 100 levels"},
		{"deep objects", `{"any":` + strings.Repeat(`{"a":`, mb/5), "nested deeper than 100 levels"},
		{"deep and closed", `{"any":` + strings.Repeat("[", 101) + strings.Repeat("]", 101) + "}", "nested deeper than 100 levels"},
		{"deep in what is kept raw", `{"raw":` + strings.Repeat("[", mb), "nested deeper than 100 levels"},
		{"a huge key", `{"` + hugeKey + `":1}`, "unknown key"},
		{"a huge key twice", `{"strings":{"` + hugeKey + `":"a","` + hugeKey + `":"b"}}`, "duplicate key"},
		{"a duplicate at the end of a megabyte", many.String() + `"key-000000":"again"}}`, fmt.Sprintf(`f.json:%d: duplicate key "key-000000"`, last)},
		{"a duplicate written differently", `{"strings":{"a":"1","` + `\u0061` + `":"2"}}`, `duplicate key "a"`},
		{"a megabyte that is cut off", many.String(), "the file ends in the middle of a value"},
		{"a huge string that is cut off", `{"name":"` + strings.Repeat("x", mb), "the file ends in the middle of a value"},
		{"a huge number", `{"version":` + strings.Repeat("9", mb) + `}`, `"version" cannot be a JSON number`},
		{"values after the value", `{}` + strings.Repeat("{}", mb/2), "text after the end"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := outer{Version: 7}
			err := strict.Decode("f.json", []byte(c.in), &v)
			if !kedge.Invalid.Is(err) || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "f.json:") {
				t.Fatalf("got %.300v", err)
			}
			if len(err.Error()) > 1000 {
				t.Errorf("a message of %d bytes", len(err.Error()))
			}
			if v.Version != 7 || v.Strings != nil || v.Any != nil {
				t.Errorf("the target was changed: %.300v", v)
			}
		})
	}
}

// TestF24LargeJSON: 30 MB that are sound are read; the same with one key twice
// are refused. What it costs is linear, or this would not end.
func TestF24LargeJSON(t *testing.T) {
	entry := `{"name":"` + strings.Repeat("x", 1000) + `"}`
	const n = 30 << 10
	body := strings.Repeat(entry+",\n", n-1) + entry
	var v outer
	if err := strict.Decode("f.json", []byte(`{"list":[`+body+`]}`), &v); err != nil || len(v.List) != n || len(v.List[n-1].Name) != 1000 {
		t.Fatalf("%d entries, %v", len(v.List), err)
	}
	err := strict.Decode("f.json", []byte(`{"list":[`+body+`],"list":[]}`), &v)
	if want := fmt.Sprintf(`f.json:%d: duplicate key "list"`, n); err == nil || err.Error() != want {
		t.Errorf("got %.300v, want %s", err, want)
	}
}
