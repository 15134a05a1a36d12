package strict_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/text/strict"
)

type inner struct {
	Name string `json:"name"`
}

type outer struct {
	inner
	Version int               `json:"version"`
	List    []inner           `json:"list"`
	Map     map[string]inner  `json:"map"`
	Raw     json.RawMessage   `json:"raw"`
	Any     any               `json:"any"`
	Ptr     *inner            `json:"ptr"`
	Strings map[string]string `json:"strings"`
	hidden  int               //nolint:unused // an unexported field is no key
}

func TestDecode(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"ok", `{"version":1,"name":"x","list":[{"name":"a"}],"map":{"k":{"name":"b"}},"raw":{"any":1},"any":{"x":[1]},"ptr":null}`, ""},
		{"unknown", "{\n\"version\":1,\n\"other\":2}", `f.json:3: unknown key "other"`},
		{"unknown inside", "{\"list\":[\n{\"name\":\"a\"},\n{\"nam\":\"b\"}]}", `f.json:3: unknown key "nam"`},
		{"unknown in map", "{\"map\":{\n\"k\":{\"x\":1}}}", `f.json:2: unknown key "x"`},
		{"unexported", `{"hidden":1}`, `f.json:1: unknown key "hidden"`},
		{"case", `{"Version":1}`, `f.json:1: unknown key "Version"`},
		{"duplicate", "{\"version\":1,\n\n\"version\":2}", `f.json:3: duplicate key "version"`},
		{"duplicate in raw", "{\"raw\":{\"a\":1,\n\"a\":2}}", `f.json:2: duplicate key "a"`},
		{"after", "{}\n{}", `f.json:1: text after the end of the JSON value`},
		{"type", "{\n\"version\":\"one\"}", `f.json:2: "version" cannot be a JSON string`},
		{"cut", "{\n\"version\":", `f.json:2: the file ends in the middle of a value`},
		{"empty", "", `f.json:1: the file is empty`},
		{"blank", " \n\n", `f.json:1: the file is empty`},
		{"syntax", "{\n\"version\": x}", `f.json:2: invalid character 'x' looking for beginning of value`},
		{"deep", strings.Repeat("[", 200), `f.json:1: nested deeper than 100 levels`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var v outer
			var target any = &v
			if tc.name == "deep" {
				target = new(any)
			}
			err := strict.Decode("f.json", []byte(tc.in), target)
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || err.Error() != tc.want) {
				t.Fatalf("got %v, want %q", err, tc.want)
			}
			if err != nil && kedge.KindOf(err) != kedge.Invalid {
				t.Errorf("kind %s", kedge.KindOf(err))
			}
		})
	}
}

func TestLenientReportsUnknownKeys(t *testing.T) {
	var v outer
	got, err := strict.Lenient("f", []byte(`{"version":1,"extra":1,"list":[{"name":"a","more":{}}]}`), &v)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"extra", "list[0].more"}; !reflect.DeepEqual(got, want) {
		t.Errorf("unknown = %q, want %q", got, want)
	}
	if _, err := strict.Lenient("f", []byte(`{"a":1,"a":2}`), &v); err == nil {
		t.Error("a duplicate key was accepted")
	}
}

// FuzzF24Decode: whatever strict decoding accepts, encoding/json accepts and
// gives back without loss; nothing panics.
func FuzzF24Decode(f *testing.F) {
	f.Add([]byte(`{"version":1,"list":[{"name":"x"}]}`))
	f.Add([]byte(`{"a":1,"a":2}`))
	f.Add([]byte("{\"version\":1}\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var v outer
		if strict.Decode("f", b, &v) != nil {
			return
		}
		if !json.Valid(b) {
			t.Fatalf("accepted invalid JSON %q", b)
		}
		again, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var w outer
		if err := strict.Decode("f", again, &w); err != nil {
			t.Fatalf("its own output is refused: %v", err)
		}
	})
}
