package journal

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"kedge"
)

// KeyName is the file in KEDGE_HOME, and in a backup, with the key of the journals.
const KeyName = "journal.key"

const keySize = 32

// OpenKey reads the key of the journals in a KEDGE_HOME. It makes one where there is none,
// unless readOnly is set; then the key is nil.
func OpenKey(home string, readOnly bool) ([]byte, error) {
	path := filepath.Join(home, KeyName)
	key, err := readKey(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if readOnly {
		return nil, nil
	}
	if err := makeKey(path); err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot write the key of the journals, %q: %w", path, err).
			WithHint("see what is wrong: kedge doctor")
	}
	return readKey(path)
}

func readKey(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	key, err := hex.DecodeString(string(bytes.TrimSpace(text)))
	if err != nil || len(key) != keySize {
		return nil, kedge.Errorf(kedge.Conflict, "the key of the journals, %q, is damaged", path).
			WithHint("restore that file from a backup: cp BACKUP/%s %s", KeyName, path)
	}
	return key, nil
}

// makeKey writes a new key under its name when it is whole. If another process was quicker,
// that one's key stays.
func makeKey(path string) error {
	key := make([]byte, keySize)
	if _, err := rand.Read(key); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".journal-key-") // 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.WriteString(hex.EncodeToString(key) + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncPath(filepath.Dir(path))
}

// Sealed tells whether the journal in dir needs the key.
func Sealed(dir string) bool {
	s := &Store{dir: dir}
	if _, err := os.Stat(s.dbPath()); err != nil {
		return false
	}
	conn, done, err := s.fresh(context.Background(), copying...)
	if err != nil {
		return false
	}
	defer done()
	seal, err := readSeal(context.Background(), conn)
	return err == nil && seal != ""
}

// LostKey is the error of a KEDGE_HOME whose journals need a key that is gone.
func LostKey(home string) error {
	return kedge.Errorf(kedge.Conflict, "the key of the journals, %q, is missing, so Kedge cannot verify its events", filepath.Join(home, KeyName)).
		WithHint("stop the daemon (kedge down), and copy %s of a backup there; or keep all events without verifying them: kedge restore --unverified", KeyName)
}

// ReplaceKey makes a new key. A damaged one stays beside it.
func ReplaceKey(home string, now time.Time) ([]byte, error) {
	path := filepath.Join(home, KeyName)
	err := os.Rename(path, path+".damaged-"+now.UTC().Format("20060102T150405.000Z"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, kedge.Errorf(kedge.Internal, "cannot move the damaged key of the journals aside: %w", err)
	}
	return OpenKey(home, false)
}
