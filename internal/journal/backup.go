package journal

import (
	"context"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"

	"kedge"
)

// Backup writes a copy of the journal to a new folder at path: kedge.db, journal.tail and
// the key. You can open the copy, or restore it (see Restore). It is taken at one moment,
// checked, on disk when Backup returns, and appears under its name only then. Backup never
// overwrites.
func (s *Store) Backup(ctx context.Context, path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return kedge.Errorf(kedge.Invalid, "cannot make the backup: %w", err)
	}
	if _, err := os.Lstat(path); err == nil {
		return kedge.Errorf(kedge.Conflict, "cannot make the backup: %q exists already", path).WithHint("name a folder that does not exist yet")
	}
	temp, err := os.MkdirTemp(filepath.Dir(path), ".kedge-backup-") // 0700
	if err != nil {
		return kedge.Errorf(kedge.Invalid, "cannot make the backup in %q: %w", path, err)
	}
	if err := s.backupInto(ctx, temp); err != nil {
		_ = os.RemoveAll(temp) // the first error is the one to show
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		_ = os.RemoveAll(temp)
		return kedge.Errorf(kedge.Conflict, "cannot make the backup in %q: %w", path, err)
	}
	if err := syncPath(filepath.Dir(path)); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot make the backup in %q: %w", path, err)
	}
	return nil
}

func (s *Store) backupInto(ctx context.Context, dir string) error {
	db := filepath.Join(dir, dbName)
	conn, done, err := s.fresh(ctx, copying...)
	if err != nil {
		return err
	}
	defer done()
	if _, err := conn.ExecContext(ctx, `VACUUM INTO ?`, db); err != nil {
		return s.fault("back up the journal", err)
	}
	if err := os.Chmod(db, 0o600); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot make the backup: %w", err)
	}
	names := []string{db, filepath.Join(dir, tailName), dir}
	if len(s.key) > 0 {
		key := filepath.Join(dir, KeyName)
		if err := os.WriteFile(key, []byte(hex.EncodeToString(s.key)+"\n"), 0o600); err != nil {
			return kedge.Errorf(kedge.Internal, "cannot make the backup: %w", err)
		}
		names = append(names, key)
	}
	if err := s.verifyBackup(ctx, dir); err != nil {
		return err
	}
	// What the check left behind belongs to no one.
	for _, side := range []string{"-wal", "-shm"} {
		if err := os.Remove(db + side); err != nil && !errors.Is(err, os.ErrNotExist) {
			return kedge.Errorf(kedge.Internal, "cannot make the backup: %w", err)
		}
	}
	for _, name := range names {
		if err := syncPath(name); err != nil {
			return kedge.Errorf(kedge.Internal, "cannot make the backup: %w", err)
		}
	}
	return nil
}

// verifyBackup writes the copy's tail and checks it as a store.
func (s *Store) verifyBackup(ctx context.Context, dir string) error {
	copied := &Store{dir: dir}
	conn, done, err := copied.fresh(ctx, reading...)
	if err != nil {
		return err
	}
	head, err := headOf(ctx, conn)
	done()
	if err != nil {
		return copied.fault("check the backup", err)
	}
	if err := os.WriteFile(copied.tailPath(), []byte(head.line()), 0o600); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot make the backup: %w", err)
	}
	if copied, err = Open(dir, Options{ReadOnly: true, Key: s.key}); err != nil {
		return err
	}
	defer func() { _ = copied.Close() }()
	found, err := copied.Check(ctx)
	if err != nil {
		return err
	}
	for _, f := range found {
		if f.Level == kedge.LevelError {
			return kedge.Errorf(kedge.Conflict, "the journal is damaged, so no backup was made: %s", f.What).WithHint("see what is damaged: kedge doctor")
		}
	}
	return nil
}
