package brief

import "strings"

// form is how one kind of document is read: by the marker of its first line and by its
// sections. Notes takes what you wrote below the end marker.
type form[T any] struct {
	name     string // of the document, and of the command that saves one
	sections []string
	marker   func(file, text string) (T, error)
	read     func(file string, secs [][]row, v *T) error
	write    func(T) ([]byte, error)
	notes    func(v *T, text string)
}

// parse reads a document. It takes only what write gives: anything else is refused with
// its line.
func (f form[T]) parse(file string, b []byte) (T, error) {
	var none T
	p := split(b)
	first, secs, err := readSections(file, p.body, f.sections)
	if err != nil {
		return none, err
	}
	v, err := f.marker(file, first)
	if err != nil {
		return none, err
	}
	if err := f.read(file, secs, &v); err != nil {
		return none, err
	}
	if err := p.checkEnd(); err != nil {
		return none, bad(file, p.endLine, "%v", err).WithHint("save a new %s: %s; write notes of your own only below its last marker line", f.name, SaveCommand(f.name))
	}
	f.notes(&v, strings.ToValidUTF8(p.notes, "\uFFFD"))
	again, err := f.write(v)
	if err != nil {
		return none, bad(file, 1, "%v", err)
	}
	if n := differs(again, p.body); n > 0 {
		return none, bad(file, n, "this line differs from what Kedge would write here")
	}
	return v, nil
}
