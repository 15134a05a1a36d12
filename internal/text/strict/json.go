// Package strict reads the files that Kedge writes itself, and refuses what it would have to
// guess at. It owns two notations and nothing of what their keys mean.
//
// JSON: unlike encoding/json it refuses duplicate keys, keys that the target does not have
// (compared exactly, not by folded case), text after the value, and nesting deeper than
// MaxDepth. It never changes its target when it refuses.
//
// Front matter: the block of "key: value" lines between two "---" lines at the top of a
// Markdown file. A document that was read is written back to the same bytes, a changed field
// changes its own line only, and unknown and duplicate keys are refused. It is not YAML and
// never tries to be: a value is one line of text, or a list [a, b].
//
// Each refusal names file and line.
package strict

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"

	"kedge"
	"kedge/internal/text/words"
)

// MaxDepth bounds nesting, so that hostile input cannot exhaust the stack.
const MaxDepth = 100

// Decode reads exactly one JSON value from b into v, a pointer. file is only
// used in messages.
func Decode(file string, b []byte, v any) error {
	if err := check(file, b, reflect.TypeOf(v)); err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return refuse(file, b, offsetOf(err, len(b)), "%s", tidy(err))
	}
	return nil
}

// Lenient is Decode for other people's files: keys that v does not have are
// allowed and returned, in order, as paths like "features[0].owner".
func Lenient(file string, b []byte, v any) (unknown []string, err error) {
	w := &walker{file: file, src: b, lenient: true}
	if err := w.document(reflect.TypeOf(v)); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return nil, refuse(file, b, offsetOf(err, len(b)), "%s", tidy(err))
	}
	return w.unknown, nil
}

func check(file string, b []byte, t reflect.Type) error {
	w := &walker{file: file, src: b}
	return w.document(t)
}

// refuse makes the error for a place in the file.
func refuse(file string, src []byte, offset int64, format string, args ...any) error {
	line := 1 + bytes.Count(src[:min(max(offset, 0), int64(len(src)))], []byte("\n"))
	e := kedge.Errorf(kedge.Invalid, format, args...)
	return kedge.Errorf(kedge.Invalid, "%s:%d: %s", file, line, short(e.Msg))
}

// short cuts a message that quotes a hostile file at length.
func short(msg string) string {
	const most = 300
	return words.ClipBytes(msg, most)
}

func offsetOf(err error, size int) int64 {
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		return e.Offset - 1
	}
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return e.Offset - 1
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return int64(size)
	}
	return 0
}

// tidy says an error of encoding/json in words for the person who wrote the file.
func tidy(err error) string {
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return "\"" + e.Field + "\" cannot be a JSON " + e.Value
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return "the file ends in the middle of a value"
	}
	return err.Error()
}
