package slot

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"kedge"
	"kedge/internal/process/atomicfile"
	"kedge/internal/text/strict"
)

// Landing is a move of a branch of the user's that Kedge is about to make.
type Landing struct {
	Ref  string `json:"ref"`
	From string `json:"from"`
	To   string `json:"to"`
}

// maxLandings bounds how many are remembered of a run: longer no session works.
const maxLandings = 500

// KeepLanding writes down a move before it is made, so that nobody takes it for the
// doing of a session that works meanwhile.
func (s *Slots) KeepLanding(id kedge.RunID, l Landing) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	file := s.landingsFile(id)
	all, err := readLandings(file)
	if err != nil || slices.Contains(all, l) {
		return err
	}
	all = append(all, l)
	text, err := json.Marshal(all[max(0, len(all)-maxLandings):])
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot save the list of landed work of run %s: %w", id, err)
	}
	if err := os.MkdirAll(s.recordsDir(id), 0o700); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot make the folder for the files of run %s: %w", id, err)
	}
	return atomicfile.Write(file, append(text, '\n'), 0o600)
}

// Landings are the moves of all runs, whether or not each was made.
func (s *Slots) Landings() ([]Landing, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	files, err := filepath.Glob(filepath.Join(s.root(), "run-*.d", landings))
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot list the landed work of runs in %q: %w", s.root(), err)
	}
	var out []Landing
	for _, f := range files {
		some, err := readLandings(f)
		if err != nil {
			return nil, err
		}
		out = append(out, some...)
	}
	return out, nil
}

const landings = "landings.json"

func (s *Slots) landingsFile(id kedge.RunID) string {
	return filepath.Join(s.recordsDir(id), landings)
}

func readLandings(file string) ([]Landing, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot read the list of landed work: %w", err)
	}
	var out []Landing
	return out, strict.Decode(file, text, &out)
}
