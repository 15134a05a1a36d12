package gate

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"kedge"
	"kedge/internal/process/atomicfile"
	"kedge/internal/text/strict"
)

// Begun is what is written down of a gate before anything of it runs, and
// when it has its verdict.
type Begun struct {
	Version int            `json:"version"`
	Run     kedge.RunID    `json:"run,omitempty"`
	Tree    string         `json:"tree"`
	Beside  int            `json:"beside,omitempty"` // how many other gates ran when a check timed out: it is tried alone
	Verdict *kedge.Verdict `json:"verdict,omitempty"`
}

func begunFile(dir string) string { return filepath.Join(dir, "gate.json") }

// ReadBegun reads what a folder of logs has of its gate; nothing where it has none.
func ReadBegun(dir string) (Begun, error) {
	b := Begun{Version: 1}
	text, err := os.ReadFile(begunFile(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return b, nil
	}
	if err != nil {
		return b, kedge.Errorf(kedge.Internal, "cannot read the list of checks that were running: %w", err)
	}
	return b, strict.Decode(begunFile(dir), text, &b)
}

// RunOf is the run whose gate or setup has its logs in a folder; empty when it
// is none's.
func RunOf(dir string) kedge.RunID {
	b, err := ReadBegun(dir)
	if err != nil {
		return ""
	}
	return b.Run
}

// Write keeps it in the folder of the logs.
func (b Begun) Write(dir string) error {
	text, err := json.Marshal(b)
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot save the list of checks that are running: %w", err)
	}
	return atomicfile.Write(begunFile(dir), append(text, '\n'), 0o600)
}

// Given is the verdict, where there is one.
func (b Begun) Given() kedge.Verdict {
	if b.Verdict == nil {
		return kedge.Verdict{}
	}
	return *b.Verdict
}
