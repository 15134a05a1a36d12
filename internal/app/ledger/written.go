package ledger

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/process/atomicfile"
)

// ReplaceFile writes a file whose text is entirely Kedge's. If somebody changed the file
// since hand edits were resolved, for example while a gate ran, it keeps a copy first.
func (s *Ledger) ReplaceFile(p *projects.Project, name string, b []byte) error {
	if p.RunSession != nil || p.Stays(name) {
		return nil
	}
	old, ok, err := p.Read(name)
	if (err != nil || ok) && !bytes.Equal(old, b) && !s.Projected(p)[projects.Sum(old)] {
		kept, err := s.KeepCopy(p, name)
		if err != nil {
			return err
		}
		if kept != "" {
			s.home.Log.Warn("somebody edited a file that Kedge overwrites; Kedge saved a copy of the edited file first", "path", name, "kept", kept)
		}
	}
	return s.WriteFile(p, name, b)
}

// WriteFile writes a file and remembers that Kedge wrote this text. It remembers first:
// after a crash in between, Kedge's own text must not look like an edit.
func (s *Ledger) WriteFile(p *projects.Project, name string, b []byte) error {
	if p.RunSession != nil {
		return nil
	}
	if p.Still != nil {
		switch r := p.Still(name); {
		case r.Stays:
			return nil
		case r.Back != nil:
			return p.Put(name, r.Back)
		}
	}
	was := s.projectedLines(p)
	if err := s.RememberProjected(p, projects.Sum(b)); err != nil {
		return err
	}
	err := p.Put(name, b)
	if err != nil && !slices.Contains(was, projects.Sum(b)) {
		err = errors.Join(err, s.saveProjected(p, was))
	}
	return err
}

// projectedMax is how many hashes of its own texts Kedge remembers.
const projectedMax = 4000

// ProjectedPath is the file with the hashes that Projected gives.
func (s *Ledger) ProjectedPath(p *projects.Project) string {
	return filepath.Join(s.home.StateDir(p.ID), "projected")
}

// Projected gives the SHA-256 hashes of the texts that Kedge wrote. If they are lost,
// Kedge reports edits that nobody made; nothing worse happens.
func (s *Ledger) Projected(p *projects.Project) map[string]bool {
	known := map[string]bool{}
	for _, line := range s.projectedLines(p) {
		known[line] = true
	}
	return known
}

func (s *Ledger) projectedLines(p *projects.Project) []string {
	b, err := os.ReadFile(s.ProjectedPath(p))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.home.Log.Warn("cannot read the list of the files that Kedge wrote", "project", p.ID, "err", err)
	}
	return strings.Fields(string(b))
}

// RememberProjected adds a hash to those of Projected.
func (s *Ledger) RememberProjected(p *projects.Project, hash string) error {
	lines := s.projectedLines(p)
	if slices.Contains(lines, hash) {
		return nil
	}
	lines = append(lines, hash)
	if len(lines) > projectedMax {
		lines = lines[len(lines)-projectedMax/2:]
	}
	return s.saveProjected(p, lines)
}

func (s *Ledger) saveProjected(p *projects.Project, lines []string) error {
	if err := atomicfile.Write(s.ProjectedPath(p), []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot save the list of files that Kedge wrote: %w", err)
	}
	return nil
}
