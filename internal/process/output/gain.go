package output

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"kedge"
	"kedge/internal/text/redact"
)

// What condensing saved stands in $KEDGE_HOME/exec/gain.jsonl, a line for every command,
// longer than the outputs themselves are kept.
const (
	gainFile = "gain.jsonl"
	gainOld  = "gain.1.jsonl"
	gainMost = 1 << 20 // bytes at which it becomes the old one, which goes
)

// Gain is one command whose output was condensed, or would have been had it been long.
type Gain struct {
	At      time.Time `json:"at"`
	Command string    `json:"command"` // in two words
	Tokens  int       `json:"tokens"`  // of the whole output
	Shown   int       `json:"shown"`   // of what was printed of it
}

// AddGain writes down what one command saved.
func AddGain(home string, g Gain) error {
	g.Command = redact.Text(g.Command)
	b, err := json.Marshal(g)
	if err != nil {
		return kedge.Errorf(kedge.Internal, "kedge exec cannot note how many tokens were saved: %w", err)
	}
	file := filepath.Join(home, folder, gainFile)
	if info, err := os.Stat(file); err == nil && info.Size() > gainMost {
		_ = os.Rename(file, filepath.Join(home, folder, gainOld)) // else it grows a little more
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return kedge.Errorf(kedge.Internal, "kedge exec cannot note how many tokens were saved: %w", err)
	}
	_, err = f.Write(append(b, '\n')) // in one piece: others write too
	if err = errors.Join(err, f.Close()); err != nil {
		return kedge.Errorf(kedge.Internal, "kedge exec cannot note how many tokens were saved: %w", err)
	}
	return nil
}

// Gains gives what was written down, the oldest first. A line that cannot be read is
// passed over: its writer was killed.
func Gains(home string) ([]Gain, error) {
	list := []Gain{}
	for _, name := range []string{gainOld, gainFile} {
		f, err := os.Open(filepath.Join(home, folder, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, kedge.Errorf(kedge.Internal, "cannot read how many tokens kedge exec has saved: %w", err)
		}
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			var g Gain
			if json.Unmarshal(lines.Bytes(), &g) == nil && !g.At.IsZero() {
				list = append(list, g)
			}
		}
		if err := errors.Join(lines.Err(), f.Close()); err != nil {
			return nil, kedge.Errorf(kedge.Internal, "cannot read how many tokens kedge exec has saved: %w", err)
		}
	}
	return list, nil
}
