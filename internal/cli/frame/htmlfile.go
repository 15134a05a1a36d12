package frame

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"kedge"
)

// HTMLPlace tells before anything is read whether a command may write a page there: not over
// a folder, and not over a file that is no page. Name is what the page may be called.
func HTMLPlace(env *Env, place, command, name string) error {
	if place == "" {
		return nil
	}
	if place == "-" {
		if env.JSON {
			return kedge.Errorf(kedge.Invalid, "--html - and --json cannot be combined: both print to standard output").WithHint("write the page to a file: %s --html %s --json", command, name)
		}
		return nil
	}
	path := Abs(env.Dir, place)
	fi, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(filepath.Dir(path)); err != nil {
			return kedge.Errorf(kedge.Invalid, "cannot write %q: there is no folder %q", place, filepath.Dir(path)).WithHint("make the folder: mkdir -p %q", filepath.Dir(path))
		}
		return nil
	case err != nil:
		return kedge.Errorf(kedge.Invalid, "cannot write %q: %w", place, err)
	case fi.IsDir():
		return kedge.Errorf(kedge.Invalid, "cannot write the page to %q: this is a folder", place).WithHint("%s --html %s", command, filepath.Join(place, name))
	case !fi.Mode().IsRegular():
		return kedge.Errorf(kedge.Invalid, "cannot write the page to %q: this is not a plain file", place).WithHint("%s --html %s", command, name)
	case fi.Size() > 0 && !isPage(path):
		return kedge.Errorf(kedge.Conflict, "%q exists and is not an HTML page, so Kedge does not overwrite it", place).WithHint("%s --html %s", command, name)
	}
	return nil
}

// isPage tells whether a file begins as an HTML page does.
func isPage(path string) bool {
	const begin = "<!doctype html"
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // it was only read
	head := make([]byte, len(begin))
	_, err = io.ReadFull(f, head)
	return err == nil && bytes.EqualFold(head, []byte(begin))
}
