package strict

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Field is one line of the block. List is nil for a text and not nil, though
// perhaps empty, for a list.
type Field struct {
	Key  string
	Text string
	List []string
	Line int

	raw string // the line as it was read, so that it is written back the same
}

// Text is a field that holds one line of text. A value that would not read back
// as itself (line breaks, blanks at its ends) is quoted when it is written.
func Text(key, value string) Field { return Field{Key: key, Text: value} }

// List is a field that holds a list of texts.
func List(key string, values []string) Field {
	return Field{Key: key, List: append([]string{}, values...)}
}

func (f Field) same(g Field) bool {
	return f.Text == g.Text && slices.Equal(f.List, g.List) && (f.List == nil) == (g.List == nil)
}

// line writes the field without a line end.
func (f Field) line() string {
	if f.List == nil {
		return strings.TrimRight(f.Key+": "+quoteIf(f.Text, ""), " ")
	}
	items := make([]string, len(f.List))
	for i, s := range f.List {
		items[i] = quoteIf(s, `,[]"`)
		if s == "" {
			items[i] = `""`
		}
	}
	return f.Key + ": [" + strings.Join(items, ", ") + "]"
}

// quoteIf quotes s when it would otherwise not read back as itself.
func quoteIf(s, special string) string {
	plain := s == strings.TrimSpace(s) && !strings.HasPrefix(s, `"`) && !strings.HasPrefix(s, "[") &&
		!strings.ContainsAny(s, special+"\r\n\t") && strings.IndexFunc(s, control) < 0
	if plain {
		return s
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always encodes, into memory
	return strings.TrimSuffix(b.String(), "\n")
}

func control(r rune) bool { return r < ' ' || r == 0x7f }

func parseField(file string, n int, raw string) (Field, error) {
	key, value, ok := strings.Cut(trim(raw), ":")
	if !ok || !validKey(key) {
		return Field{}, invalid(file, n, "the line must have the form %q, not %q", "key: value", trim(raw))
	}
	f := Field{Key: key, Line: n, raw: raw}
	value = strings.TrimLeft(value, " \t")
	var err error
	if strings.HasPrefix(value, "[") {
		f.List, err = parseList(file, n, value)
	} else {
		f.Text, err = parseText(file, n, value)
	}
	return f, err
}

func validKey(s string) bool {
	for _, c := range []byte(s) {
		if !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_') {
			return false
		}
	}
	return s != ""
}

func parseText(file string, n int, s string) (string, error) {
	if !strings.HasPrefix(s, `"`) {
		if strings.IndexFunc(s, control) >= 0 {
			return "", invalid(file, n, "a control character in the value")
		}
		return s, nil
	}
	text, rest, ok := unquote(s)
	if !ok || rest != "" {
		return "", invalid(file, n, "the quoted value %s does not end where its line does", s)
	}
	return text, nil
}

func parseList(file string, n int, s string) ([]string, error) {
	inner, ok := strings.CutSuffix(s[1:], "]")
	if !ok {
		return nil, invalid(file, n, "the list has no closing %q", "]")
	}
	list := []string{}
	rest := strings.TrimSpace(inner)
	for rest != "" {
		item, after, ok := cutItem(rest)
		if !ok {
			return nil, invalid(file, n, "the list must have the form [a, b], not %q", s)
		}
		list = append(list, item)
		rest = after
	}
	return list, nil
}

// cutItem takes the first item off a list. A comma must be followed by another
// item.
func cutItem(s string) (item, rest string, ok bool) {
	if strings.HasPrefix(s, `"`) {
		if item, rest, ok = unquote(s); !ok {
			return "", "", false
		}
		rest = strings.TrimSpace(rest)
		if rest == "" {
			return item, "", true
		}
		rest, ok = strings.CutPrefix(rest, ",")
		rest = strings.TrimSpace(rest)
		return item, rest, ok && rest != ""
	}
	item, rest, comma := strings.Cut(s, ",")
	item, rest = strings.TrimSpace(item), strings.TrimSpace(rest)
	plain := item != "" && !strings.ContainsAny(item, `[]"`) && strings.IndexFunc(item, control) < 0
	return item, rest, plain && comma == (rest != "")
}

// unquote reads the quoted text at the start of s, in JSON's quoting.
func unquote(s string) (text, rest string, ok bool) {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			err := json.Unmarshal([]byte(s[:i+1]), &text)
			return text, s[i+1:], err == nil
		}
	}
	return "", "", false
}
