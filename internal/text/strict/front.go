package strict

import (
	"slices"
	"strings"
	"unicode/utf8"

	"kedge"
)

const fence = "---"

// Doc is a file with front matter. Body is everything after the closing line,
// byte for byte; BodyLine is the number of its first line.
type Doc struct {
	Fields   []Field
	Body     string
	BodyLine int

	opening, closing string // as they were read, line ends included
}

// NewDoc makes a document of fields in their order.
func NewDoc(body string, fields ...Field) Doc {
	return Doc{Fields: fields, Body: body, BodyLine: len(fields) + 3}
}

// ParseDoc reads b, which came from the named file. Only the known keys are
// accepted; which of them must be there is for the caller to say.
func ParseDoc(file string, b []byte, known ...string) (Doc, error) {
	if !utf8.Valid(b) {
		return Doc{}, invalid(file, badLine(string(b)), "not UTF-8 text")
	}
	line, rest := cutLine(string(b))
	if trim(line) != fence {
		return Doc{}, invalid(file, 1, "no front matter: the first line must be %q", fence)
	}
	d := Doc{opening: line}
	for n := 2; ; n++ {
		if rest == "" {
			return Doc{}, invalid(file, n, "the front matter has no closing %q", fence)
		}
		line, rest = cutLine(rest)
		if trim(line) == fence {
			d.Body, d.BodyLine, d.closing = rest, n+1, line
			return d, nil
		}
		f, err := parseField(file, n, line)
		if err != nil {
			return Doc{}, err
		}
		if err := d.add(file, f, known); err != nil {
			return Doc{}, err
		}
	}
}

func (d *Doc) add(file string, f Field, known []string) error {
	if !slices.Contains(known, f.Key) {
		return invalid(file, f.Line, "unknown key %q", f.Key).
			WithHint("the keys are %s", strings.Join(known, ", "))
	}
	if first, dup := d.Get(f.Key); dup {
		return invalid(file, f.Line, "key %q is already on line %d", f.Key, first.Line)
	}
	d.Fields = append(d.Fields, f)
	return nil
}

// Get gives the field with the key.
func (d *Doc) Get(key string) (Field, bool) {
	for _, f := range d.Fields {
		if f.Key == key {
			return f, true
		}
	}
	return Field{}, false
}

// Set replaces the field that has the same key, or adds it at the end. A field
// whose value does not change keeps the line that was read.
func (d *Doc) Set(f Field) {
	for i, old := range d.Fields {
		if old.Key != f.Key {
			continue
		}
		if !old.same(f) {
			f.Line = old.Line
			d.Fields[i] = f
		}
		return
	}
	f.Line = d.BodyLine - 1
	d.Fields = append(d.Fields, f)
	d.BodyLine++
}

// Bytes writes the document.
func (d *Doc) Bytes() []byte {
	eol := "\n"
	if strings.HasSuffix(d.opening, "\r\n") {
		eol = "\r\n"
	}
	var b strings.Builder
	b.WriteString(orElse(d.opening, fence+eol))
	for _, f := range d.Fields {
		b.WriteString(orElse(f.raw, f.line()+eol))
	}
	b.WriteString(orElse(d.closing, fence+eol))
	b.WriteString(d.Body)
	return []byte(b.String())
}

func orElse(s, otherwise string) string {
	if s != "" {
		return s
	}
	return otherwise
}

// cutLine gives the first line of s with its line end, and the rest.
func cutLine(s string) (line, rest string) {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return s[:i+1], s[i+1:]
	}
	return s, ""
}

// trim takes the line end off, and blanks that an editor left there.
func trim(line string) string { return strings.TrimRight(line, " \t\r\n") }

func badLine(s string) int {
	n := 1
	for line := range strings.Lines(s) {
		if !utf8.ValidString(line) {
			return n
		}
		n++
	}
	return n
}

func invalid(file string, line int, format string, args ...any) *kedge.Error {
	return kedge.Errorf(kedge.Invalid, "%s:%d: "+format, append([]any{file, line}, args...)...)
}
