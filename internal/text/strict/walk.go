package strict

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strconv"
	"strings"
)

// walker goes through the tokens beside the type that will hold them.
type walker struct {
	file    string
	src     []byte
	dec     *json.Decoder
	lenient bool
	unknown []string
}

func (w *walker) document(t reflect.Type) error {
	if len(bytes.TrimSpace(w.src)) == 0 {
		return refuse(w.file, w.src, 0, "the file is empty")
	}
	w.dec = json.NewDecoder(bytes.NewReader(w.src))
	w.dec.UseNumber()
	if err := w.value(t, "", 0); err != nil {
		return err
	}
	at := w.dec.InputOffset()
	if _, err := w.dec.Token(); !errors.Is(err, io.EOF) {
		return refuse(w.file, w.src, at, "text after the end of the JSON value")
	}
	return nil
}

func (w *walker) value(t reflect.Type, path string, depth int) error {
	if depth > MaxDepth {
		return refuse(w.file, w.src, w.dec.InputOffset(), "nested deeper than %d levels", MaxDepth)
	}
	tok, err := w.dec.Token()
	if err != nil {
		return refuse(w.file, w.src, w.errorAt(err), "%s", tidy(err))
	}
	switch tok {
	case json.Delim('{'):
		return w.object(target(t), path, depth)
	case json.Delim('['):
		return w.array(target(t), path, depth)
	}
	return nil
}

func (w *walker) errorAt(err error) int64 {
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		return e.Offset - 1
	}
	return int64(len(w.src))
}

func (w *walker) object(t reflect.Type, path string, depth int) error {
	known, open := fields(t)
	seen := map[string]bool{}
	for w.dec.More() {
		tok, err := w.dec.Token()
		if err != nil {
			return refuse(w.file, w.src, w.errorAt(err), "%s", tidy(err))
		}
		key, ok := tok.(string)
		at := w.dec.InputOffset() - 1
		if !ok {
			return refuse(w.file, w.src, at, "a key must be a string")
		}
		if seen[key] {
			return refuse(w.file, w.src, at, "duplicate key %q", key)
		}
		seen[key] = true
		inner, has := known[key]
		if !has && !open {
			if !w.lenient {
				return refuse(w.file, w.src, at, "unknown key %q", key)
			}
			w.unknown = append(w.unknown, join(path, key))
		}
		if open {
			inner = elem(t)
		}
		if err := w.value(inner, join(path, key), depth+1); err != nil {
			return err
		}
	}
	return w.close()
}

func (w *walker) array(t reflect.Type, path string, depth int) error {
	inner := elem(t)
	for i := 0; w.dec.More(); i++ {
		if err := w.value(inner, path+"["+strconv.Itoa(i)+"]", depth+1); err != nil {
			return err
		}
	}
	return w.close()
}

func (w *walker) close() error {
	if _, err := w.dec.Token(); err != nil {
		return refuse(w.file, w.src, w.errorAt(err), "%s", tidy(err))
	}
	return nil
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// target follows pointers. A type that decodes itself is opaque: nil.
func target(t reflect.Type) reflect.Type {
	unmarshaler := reflect.TypeFor[json.Unmarshaler]()
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || reflect.PointerTo(t).Implements(unmarshaler) {
		return nil
	}
	return t
}

func elem(t reflect.Type) reflect.Type {
	if t == nil {
		return nil
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return t.Elem()
	default:
		return nil
	}
}

// fields gives the keys of a struct type. open means that any key is allowed:
// a map, an interface, or a type that decodes itself.
func fields(t reflect.Type) (known map[string]reflect.Type, open bool) {
	if t == nil || t.Kind() != reflect.Struct {
		return nil, true
	}
	known = map[string]reflect.Type{}
	addFields(known, t)
	return known, false
}

func addFields(known map[string]reflect.Type, t reflect.Type) {
	for f := range t.Fields() {
		tag, tagged := f.Tag.Lookup("json")
		name, _, _ := strings.Cut(tag, ",")
		embedded := f.Anonymous && name == "" && target(f.Type) != nil && target(f.Type).Kind() == reflect.Struct
		switch {
		case embedded:
			addFields(known, target(f.Type))
		case !f.IsExported() || (tagged && tag == "-"):
		case name != "":
			known[name] = f.Type
		default:
			known[f.Name] = f.Type
		}
	}
}
