package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"

	"kedge"
	"kedge/internal/text/lazyre"
	"kedge/internal/text/words"
)

// source is one file while it is read: where each of its keys stands, so that
// every message can name a line.
type source struct {
	file  string
	text  []byte
	lines lineIndex
	twice map[int]repeat // what a line has for the second time
	md    toml.MetaData
	form  reflect.Type // what the file may hold
}

// maxFile bounds what is parsed; people do not write configuration this long.
const maxFile = 1 << 20

// decodeFile decodes strictly into v.
func decodeFile(file string, b []byte, v any) (*source, error) {
	s := &source{file: file, text: b, form: reflect.TypeOf(v).Elem()}
	if len(b) > maxFile {
		return nil, s.bad(1, "the file is larger than 1 MB")
	}
	if !utf8.Valid(b) {
		return nil, s.bad(1+bytes.Count(b[:invalidAt(b)], []byte("\n")), "the file is not UTF-8 text")
	}
	s.lines, s.twice = indexLines(string(b))
	md, err := toml.Decode(string(b), v)
	s.md = md
	if err != nil {
		return nil, s.wrap(err, "")
	}
	return s, nil
}

func invalidAt(b []byte) int {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(b)
}

// strict refuses keys that nothing took, and keys that only differ in case from
// one that exists: the decoder would take either.
func (s *source) strict(free func(key string) bool) error {
	for _, k := range s.md.Undecoded() {
		if !free(k.String()) {
			return s.unknown(k)
		}
	}
	for _, k := range s.md.Keys() {
		if name := k.String(); !free(name) && name != strings.ToLower(name) {
			return s.unknown(k)
		}
	}
	return nil
}

// without refuses a key that the decoder has a place for and the file may not have.
func (s *source) without(key string) error {
	for _, k := range s.md.Keys() {
		if k.String() == key {
			return s.unknown(k)
		}
	}
	return nil
}

func (s *source) unknown(k toml.Key) error {
	line := s.lines.find(k.String())
	if near := nearestKey(s.form, k); near != "" && near != featureKey {
		return s.bad(line, "unknown key %q: did you mean %s?", k.String(), near).
			WithHint("correct or remove line %d of %s; docs/reference/config.md of Kedge lists every key", max(line, 1), s.file)
	}
	return s.bad(line, "unknown key %q", k.String()).
		WithHint("remove the key; docs/reference/config.md of Kedge lists every key")
}

// nearestKey gives the key of the form that a misspelt one most likely stands for,
// and nothing where none is near. The tables above the misspelt name stay as written.
func nearestKey(form reflect.Type, k toml.Key) string {
	for i, name := range k {
		for form.Kind() == reflect.Slice || form.Kind() == reflect.Pointer {
			form = form.Elem()
		}
		switch form.Kind() {
		case reflect.Map:
			form = form.Elem()
		case reflect.Struct:
			f, ok := fieldOf(form, name)
			if !ok {
				return nearestIn(form, k[:i], name)
			}
			form = f.Type
		default:
			return ""
		}
	}
	return ""
}

// keyOf gives the key that the decoder reads into a field.
func keyOf(f reflect.StructField) string {
	return cmp.Or(f.Tag.Get("toml"), strings.ToLower(f.Name))
}

func fieldOf(form reflect.Type, name string) (reflect.StructField, bool) {
	for f := range form.Fields() {
		if keyOf(f) == name {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

func nearestIn(form reflect.Type, above toml.Key, name string) string {
	var names []string
	for f := range form.Fields() {
		if f.IsExported() {
			names = append(names, keyOf(f))
		}
	}
	if near := words.Nearest(strings.ToLower(name), names); near != "" {
		return append(slices.Clone(above), near).String()
	}
	return ""
}

// bad makes the one kind of error of this package.
func (s *source) bad(line int, format string, args ...any) *kedge.Error {
	return kedge.Errorf(kedge.Invalid, "%s:%d: %s", s.file, max(line, 1), fmt.Sprintf(format, args...)).
		WithHint("edit %s", s.file)
}

// at makes an error about a key, given by its path with array positions
// ("check[1].timeout").
func (s *source) at(key, format string, args ...any) *kedge.Error {
	return s.bad(s.lines.find(key), format, args...)
}

var (
	typeError = lazyre.New(`(?s)line (\d+) \(last key "(.*?)"\): incompatible types: TOML value has type (\S+); destination has type (.*)$`)
	goName    = lazyre.New(` for (config\.\w+|\w+\.\w+)`)
	lastKey   = lazyre.New(`(?s)last key "(.*?)"\): (.*)$`)
)

// wrap says what the decoder found, with our own line when the key is inside an
// array of tables: the decoder only knows the last of them. prefix is such a
// table's path ("check[1]"), empty elsewhere.
func (s *source) wrap(err error, prefix string) error {
	if pe, ok := errors.AsType[toml.ParseError](err); ok {
		if r, again := s.twice[pe.Position.Line]; again && strings.Contains(pe.Message, "already been defined") {
			return s.defined(r, pe.Position.Line)
		}
		return s.bad(s.lineOf(pe.LastKey, prefix, pe.Position.Line), "%s", strings.TrimPrefix(pe.Message, "toml: "))
	}
	if m := typeError.FindStringSubmatch(err.Error()); m != nil {
		return s.bad(s.lineOf(m[2], prefix, atoi(m[1])), "%q is %s, not %s", last(m[2]), article(m[3]), article(m[4]))
	}
	if m := lastKey.FindStringSubmatch(err.Error()); m != nil {
		return s.bad(s.lineOf(m[1], prefix, 0), "%q: %s", last(m[1]), goName.ReplaceAllString(m[2], ""))
	}
	return s.bad(1, "%s", strings.TrimPrefix(err.Error(), "toml: "))
}

// defined is the error about a key or table that the file has twice: both lines, since
// only you know which one you meant.
func (s *source) defined(r repeat, line int) error {
	if r.table {
		return s.bad(line, "[%s] is defined twice, on lines %d and %d", r.key, r.first, line).
			WithHint("move the keys below line %d of %s to the [%s] on line %d, and remove line %d", line, s.file, r.key, r.first, line)
	}
	return s.bad(line, "%s is set twice, on lines %d and %d", r.key, r.first, line).
		WithHint("remove line %d or %d of %s", r.first, line, s.file)
}

func (s *source) lineOf(key, prefix string, line int) int {
	if prefix == "" {
		if line > 0 {
			return line
		}
		return s.lines.find(key)
	}
	_, rest, _ := strings.Cut(key, ".")
	return s.lines.find(prefix + "." + rest)
}

func last(key string) string {
	if i := strings.LastIndexByte(key, '.'); i >= 0 {
		return key[i+1:]
	}
	return key
}

// goTypes are the decoder's words that only a Go programmer knows.
var goTypes = map[string]string{"int64": "integer", "float64": "float", "bool": "boolean", "map[string]interface": "table", "[]interface": "array"}

func article(typ string) string {
	if t, ok := goTypes[strings.TrimSuffix(typ, " {}")]; ok {
		typ = t
	}
	if strings.HasPrefix(typ, "a ") || strings.HasPrefix(typ, "an ") {
		return typ
	}
	if strings.ContainsRune("aeiou", rune(typ[0])) {
		return "an " + typ
	}
	return "a " + typ
}

func atoi(s string) int {
	n := 0
	for _, c := range s {
		n = min(n*10+int(c-'0'), 1<<30)
	}
	return n
}
