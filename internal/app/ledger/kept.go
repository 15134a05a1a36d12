package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/process/atomicfile"
)

// keepEdited copies the edited files into the project's state and adds to each report
// where its copy is.
func (s *Ledger) keepEdited(p *projects.Project, edits []kedge.HandEditData) error {
	var last string
	for i, e := range edits {
		if e.Path == last {
			continue
		}
		last = e.Path
		kept, err := s.KeepCopy(p, e.Path)
		if err != nil {
			return err
		}
		if kept != "" {
			edits[i].Found += "; Kedge saved the edited file as " + kept
		}
	}
	return nil
}

// KeepCopy copies a file of the project, of any size, to the folder of edited files and
// gives the path of the copy. The path is empty when the file does not exist.
func (s *Ledger) KeepCopy(p *projects.Project, name string) (kept string, err error) {
	root, err := os.OpenRoot(p.Dir)
	if err != nil {
		return "", kedge.Errorf(kedge.Internal, "cannot open the project's folder: %w", err)
	}
	defer func() { _ = root.Close() }()
	if fi, err := root.Stat(name); err != nil || !fi.Mode().IsRegular() {
		return "", nil // there is nothing to keep
	}
	from, err := root.Open(name)
	if err != nil {
		return "", noCopy(name, err)
	}
	defer func() { _ = from.Close() }() // it was only read
	return s.KeepText(p, name, from)
}

// KeepText writes a text to the folder of edited files, under the base name of name, and
// gives its path.
func (s *Ledger) KeepText(p *projects.Project, name string, from io.Reader) (kept string, err error) {
	dir := filepath.Join(s.home.StateDir(p.ID), "edits")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", noCopy(name, err)
	}
	kept, err = copyInto(dir, filepath.Base(name), from)
	if err != nil {
		return "", noCopy(name, err)
	}
	return kept, nil
}

func noCopy(name string, err error) error {
	return kedge.Errorf(kedge.Internal, "cannot save a copy of your edited file %q: %w", name, err)
}

// copyInto writes what from holds to a file in dir. The file is on disk when it returns.
// Its name has the hash of the content, so that the same text is kept once.
func copyInto(dir, base string, from io.Reader) (string, error) {
	to, err := os.CreateTemp(dir, atomicfile.TempPrefix)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(to, h), from)
	if err := errors.Join(err, to.Sync(), to.Close()); err != nil {
		return "", errors.Join(err, os.Remove(to.Name()))
	}
	path := filepath.Join(dir, "edt-"+hex.EncodeToString(h.Sum(nil)[:13])+"-"+base)
	return path, os.Rename(to.Name(), path)
}
