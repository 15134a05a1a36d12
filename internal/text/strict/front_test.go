package strict_test

import (
	"reflect"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/text/strict"
)

var known = []string{"version", "id", "title", "tags"}

func TestParseDoc(t *testing.T) {
	in := "---\nversion: 1\ntitle: a: b # c\ntags: [x, \"y, z\", w]\n---\n\nbody\n"
	d, err := strict.ParseDoc("f.md", []byte(in), known...)
	if err != nil {
		t.Fatal(err)
	}
	title, _ := d.Get("title")
	if title.Text != "a: b # c" || title.Line != 3 || title.List != nil {
		t.Errorf("title = %+v", title)
	}
	tags, _ := d.Get("tags")
	if !reflect.DeepEqual(tags.List, []string{"x", "y, z", "w"}) {
		t.Errorf("tags = %q", tags.List)
	}
	if d.Body != "\nbody\n" || d.BodyLine != 6 {
		t.Errorf("body %q on line %d", d.Body, d.BodyLine)
	}
	if _, ok := d.Get("id"); ok {
		t.Error("a key that is not there was found")
	}
}

func TestParseDocRefuses(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"empty", "", "f.md:1: no front matter"},
		{"no opening", "# Title\n", "f.md:1: no front matter"},
		{"no closing", "---\nid: x\n", "f.md:3: the front matter has no closing"},
		{"unknown key", "---\nid: x\ncolour: red\n---\n", `f.md:3: unknown key "colour"`},
		{"duplicate key", "---\nid: x\nversion: 1\nid: y\n---\n", `f.md:4: key "id" is already on line 2`},
		{"no colon", "---\nid\n---\n", "f.md:2: the line must have the form"},
		{"blank line", "---\n\n---\n", "f.md:2: the line must have the form"},
		{"indented", "---\n  id: x\n---\n", "f.md:2: the line must have the form"},
		{"open list", "---\ntags: [a, b\n---\n", "f.md:2: the list has no closing"},
		{"empty item", "---\ntags: [a, , b]\n---\n", "f.md:2: the list must have the form"},
		{"trailing comma", "---\ntags: [a, ]\n---\n", "f.md:2: the list must have the form"},
		{"trailing comma after a quote", "---\ntags: [\"a\",]\n---\n", "f.md:2: the list must have the form"},
		{"nested list", "---\ntags: [[a]]\n---\n", "f.md:2: the list must have the form"},
		{"bad quote", "---\nid: \"x\n---\n", "f.md:2: the quoted value"},
		{"text after a quote", "---\nid: \"x\" y\n---\n", "f.md:2: the quoted value"},
		{"not text", "---\nid: \xff\n---\n", "f.md:2: not UTF-8"},
		{"escape byte", "---\nid: a\x1b[2Jb\n---\n", "f.md:2: a control character"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := strict.ParseDoc("f.md", []byte(tt.in), known...)
			if !kedge.Invalid.Is(err) || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("error %v, want %q…", err, tt.want)
			}
		})
	}
}

func TestWriteBackIsByteStable(t *testing.T) {
	for _, in := range []string{
		"---\nid:   x   \ntags: [ a,b ]\ntitle:\n---\nbody",
		"---\r\nid: x\r\n---\r\nbody\r\n",
		"---\n---",
		"---  \nid: \"x\\u0041\"\n---\n---\n",
	} {
		d, err := strict.ParseDoc("f.md", []byte(in), known...)
		if err != nil {
			t.Fatalf("%q: %v", in, err)
		}
		if got := string(d.Bytes()); got != in {
			t.Errorf("%q is written back as %q", in, got)
		}
	}
}

func TestSetChangesItsOwnLineOnly(t *testing.T) {
	d, err := strict.ParseDoc("f.md", []byte("---\r\nid:  x\r\ntags: [ a ]\r\n---\r\nbody"), known...)
	if err != nil {
		t.Fatal(err)
	}
	d.Set(strict.Text("id", "x"))
	d.Set(strict.List("tags", []string{"a", "b,c"}))
	d.Set(strict.Text("title", "new"))
	want := "---\r\nid:  x\r\ntags: [a, \"b,c\"]\r\ntitle: new\r\n---\r\nbody"
	if got := string(d.Bytes()); got != want {
		t.Errorf("have %q, want %q", got, want)
	}
	if d.BodyLine != 6 {
		t.Errorf("the body starts on line %d, want 6", d.BodyLine)
	}
}

func TestWriteAnyValue(t *testing.T) {
	for _, v := range []string{"", "plain", " x ", `"q"`, "[x]", "a\nb", "\x1b", "a, b", "a: b", "é", "\\", "<&>"} {
		d := strict.NewDoc("body\n", strict.Text("title", v), strict.List("tags", []string{v, v}))
		got, err := strict.ParseDoc("f.md", d.Bytes(), known...)
		if err != nil {
			t.Errorf("%q: %v", v, err)
			continue
		}
		title, _ := got.Get("title")
		tags, _ := got.Get("tags")
		if title.Text != v || !reflect.DeepEqual(tags.List, []string{v, v}) {
			t.Errorf("%q comes back as %q and %q", v, title.Text, tags.List)
		}
	}
}

// FuzzParse: what is accepted is written back to the same bytes.
func FuzzParseDoc(f *testing.F) {
	f.Add([]byte("---\nid: x\ntags: [a, \"b\"]\n---\nbody\n"))
	f.Add([]byte("---\r\nid:x\r\n---\r\n"))
	f.Add([]byte("---\n---"))
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := strict.ParseDoc("f.md", b, known...)
		if err != nil {
			return
		}
		if got := d.Bytes(); string(got) != string(b) {
			t.Errorf("%q is written back as %q", b, got)
		}
	})
}

// FuzzWrite: whatever the values are, they come back.
func FuzzWriteDoc(f *testing.F) {
	f.Add("a", "b, c")
	f.Add("\n---\n", `"`)
	f.Add("0", `0"`)
	f.Add("\u2028", "\u00a0")
	f.Fuzz(func(t *testing.T, text, item string) {
		text, item = strings.ToValidUTF8(text, ""), strings.ToValidUTF8(item, "")
		d := strict.NewDoc("", strict.Text("title", text), strict.List("tags", []string{item}))
		got, err := strict.ParseDoc("f.md", d.Bytes(), known...)
		if err != nil {
			t.Fatal(err)
		}
		title, _ := got.Get("title")
		tags, _ := got.Get("tags")
		if title.Text != text || !reflect.DeepEqual(tags.List, []string{item}) {
			t.Errorf("%q, %q come back as %q, %q", text, item, title.Text, tags.List)
		}
	})
}
