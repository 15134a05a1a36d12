// Package journal stores the journal of one project: an append-only, hash-chained list of
// events in SQLite, and the documents and the search index that are folded from it. When
// Append has returned, its events are on disk; otherwise they are on disk completely or
// not at all. A request key takes effect once. Secrets that package redact knows are
// never written. Damage is reported, not repaired: a database that is behind its tail
// file accepts no more writes. The package never deletes or changes an event, and a
// reader never writes to the database.
//
// The database is the record. The tail file is a second copy of its end, to detect
// damage. The tail is synced every 64 lines and on Close, not with every append. After a
// power loss, the tail may lack up to 64 appends, so damage to only these appends is not
// detected. After a SIGKILL, the tail is complete.
package journal

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"kedge"
)

// The files of a store.
const (
	dbName   = "kedge.db"
	tailName = "journal.tail"
)

// Options say how a store is opened.
type Options struct {
	Now      func() time.Time // nil is time.Now
	ReadOnly bool             // for reading beside, or without, the process that writes
	Key      []byte           // of OpenKey; nil for a journal that is not sealed
	Refusal  error            // why nothing may be written, for example because the key cannot be read
	Existing bool             // makes no journal where none is

	pin      bool // keeps all writes on one thread, so that a test can count them
	pageSize int  // of a new database; 0 is SQLite's own. Small ones let a test flip every byte
}

// Store is an opened journal. It may be used by many goroutines.
type Store struct {
	dir     string
	now     func() time.Time
	key     []byte // with which a journal is sealed that is not yet
	chain   chain
	version int // of the schema
	read    *reader

	// anchor is a reading connection that lives as long as the store. While it
	// is open SQLite does not checkpoint by itself when the writer closes, so
	// every checkpoint is one whose errors we see.
	anchor *sql.Conn

	queue *queue  // nil when read only
	w     *writer // owned by the goroutine that runs it

	refusal atomic.Pointer[kedge.Error] // why nothing is appended any more
	closed  atomic.Bool
}

// Open opens the journal in dir, and makes it (folder 0700, files 0600) unless ReadOnly
// is set. A journal that has lost events still opens, for reading: see Refusal. NotFound
// means that there is nothing to read.
func Open(dir string, o Options) (*Store, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot open Kedge's journal: %w", err)
	}
	if err := prepare(dir, o); err != nil {
		return nil, err
	}
	s := &Store{dir: dir, now: o.Now, key: o.Key}
	if err := s.open(o); err != nil {
		_ = s.closeDBs() // the first error is the one to show
		return nil, err
	}
	return s, nil
}

// open connects for reading, judges what is there, and only then lets a writer
// near it: a newer or a damaged journal must stay as it was found.
func (s *Store) open(o Options) error {
	ctx := context.Background()
	if err := s.openReader(ctx); err != nil {
		return err
	}
	version, err := s.readVersion(ctx)
	if err != nil {
		return err
	}
	s.version = version
	tail, err := readTailEnd(s.tailPath())
	if err != nil {
		return err
	}
	switch {
	case version > latest():
		return kedge.Errorf(kedge.Conflict, "the journal %q has version %d, and this version of Kedge reads only up to version %d", s.dbPath(), version, latest()).
			WithHint("install a newer Kedge; this one is %s", kedge.Version)
	case version == 0:
		return kedge.Errorf(kedge.Conflict, "the journal %q is empty or damaged, and Kedge had saved %d events in it", s.dbPath(), tail.Seq).
			WithHint("%s", s.startOverHint())
	}
	if o.Refusal != nil {
		s.refuse("%w", o.Refusal)
	}
	if err := s.judgeAtOnce(ctx, tail, o); err != nil {
		return s.fault("read the journal", err)
	}
	if o.ReadOnly || s.Refusal() != nil {
		return nil //nolint:nilerr // a store that refuses to write is open for reading
	}
	s.version = latest() // the writer sees to that
	return s.startWriter(o)
}

// judgeAtOnce judges the journal as it is at one moment: a writer may seal it meanwhile, and
// append.
func (s *Store) judgeAtOnce(ctx context.Context, tail mark, o Options) error {
	if _, err := s.anchor.ExecContext(ctx, `BEGIN`); err != nil {
		return err
	}
	err := s.judge(ctx, tail, o)
	_, end := s.anchor.ExecContext(ctx, `COMMIT`)
	return errors.Join(err, end)
}

// judge sets the refusal of a journal that is not as Kedge left it.
func (s *Store) judge(ctx context.Context, tail mark, o Options) error {
	head, err := headOf(ctx, s.anchor)
	if err != nil {
		return err
	}
	if err := s.compareTail(ctx, tail, head); err != nil {
		return err
	}
	if err := s.openChain(ctx, o.Key, head); err != nil || s.Refusal() != nil {
		return err
	}
	if o.ReadOnly {
		return s.verifyNewest(ctx, tail, head, false)
	}
	if err := s.countEvents(ctx, head); err != nil || s.Refusal() != nil {
		return err
	}
	return s.verifyNewest(ctx, tail, head, len(o.Key) > 0 && len(s.chain.key) == 0)
}

// countEvents refuses a journal from whose middle an event is gone: what is appended behind
// the gap would be lost when the journal is restored.
func (s *Store) countEvents(ctx context.Context, head mark) error {
	var n int64
	err := s.anchor.QueryRowContext(ctx, `SELECT count(*) FROM events`).Scan(&n)
	if err == nil && n != head.Seq {
		s.refuse("the journal %q has %d events, and the newest one has the number %d", s.dbPath(), n, head.Seq)
	}
	return err
}

// compareTail sets the refusal of a journal that is behind its tail, or has none.
func (s *Store) compareTail(ctx context.Context, tail, head mark) error {
	switch {
	case tail.Hash == "" && s.version >= sealedVersion:
		s.refuse("the file %q is missing or damaged, so Kedge cannot tell whether the newest events of the journal beside it are missing too", s.tailPath())
		return nil
	case tail.Seq == 0:
		return nil
	case head.Seq < tail.Seq:
		s.refuse("the newest events of the journal %q are missing: it has %d, and Kedge had saved %d", s.dbPath(), head.Seq, tail.Seq)
		return nil
	}
	at, err := markAt(ctx, s.anchor, tail.Seq)
	if err == nil && at.Hash != tail.Hash {
		s.refuse("the journal %q is not the one that Kedge saved, because event %d differs", s.dbPath(), tail.Seq)
	}
	return err
}

// restoreHint says how to go on with a damaged journal.
func (s *Store) restoreHint() string {
	restore := "kedge restore --project " + filepath.Base(s.dir)
	return "keep the undamaged events, and see what is missing: " + restore + "; or restore a backup: " + restore + " --from FOLDER"
}

// startOverHint is for a journal of which nothing can be read.
func (s *Store) startOverHint() string {
	anew := kedge.Step("kedge", "down").AndThen(kedge.Step("mv", s.dir, s.dir+".old"))
	return "restore a backup: kedge restore --project " + filepath.Base(s.dir) + " --from FOLDER; or, to start again without this project's journal: " + anew.String()
}

// Refusal gives the reason why the store accepts no more events, or nil: it is behind
// its tail, or a write failed.
func (s *Store) Refusal() error {
	if e := s.refusal.Load(); e != nil {
		return e
	}
	return nil
}

// Dir gives the folder of the store.
func (s *Store) Dir() string { return s.dir }

// Close waits for appends in progress, moves the write-ahead log into the database and
// closes it. Closing twice is harmless.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	var err error
	if s.queue != nil {
		s.queue.close()
		err = <-s.w.stopped
	}
	return errors.Join(err, s.closeDBs())
}

// closeDBs closes the readers; the writer is gone by then, so that the anchor
// is the last to go.
func (s *Store) closeDBs() error {
	var errs []error
	if s.anchor != nil {
		errs = append(errs, s.anchor.Close())
	}
	if s.read != nil {
		errs = append(errs, s.read.Close())
	}
	if err := errors.Join(errs...); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot close Kedge's journal: %w", err)
	}
	return nil
}

func (s *Store) dbPath() string   { return filepath.Join(s.dir, dbName) }
func (s *Store) tailPath() string { return filepath.Join(s.dir, tailName) }

// prepare makes the folder and an empty journal, or, for a reader, sees that
// there is one.
func prepare(dir string, o Options) error {
	path := filepath.Join(dir, dbName)
	if unfinished(dir) {
		return kedge.Errorf(kedge.Conflict, "restoring the journal in %q was interrupted", dir).WithHint("finish it: kedge restore")
	}
	_, err := os.Stat(path)
	if err == nil {
		return nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return kedge.Errorf(kedge.Internal, "cannot open Kedge's journal: %w", err)
	}
	tail, err := readTailEnd(filepath.Join(dir, tailName))
	switch {
	case err != nil:
		return err
	case tail.Seq > 0:
		return kedge.Errorf(kedge.Conflict, "the journal %q is missing, and Kedge had saved %d events in it", path, tail.Seq).
			WithHint("%s", (&Store{dir: dir}).startOverHint())
	case o.Existing:
		return kedge.Errorf(kedge.Conflict, "the journal %q is missing, and Kedge does not make a new one in its place", path).
			WithHint("%s", (&Store{dir: dir}).startOverHint())
	case o.ReadOnly:
		return kedge.Errorf(kedge.NotFound, "there is no journal in %q", dir).WithHint("set up Kedge in your repository: kedge init")
	}
	return create(dir, o.pageSize)
}

// syncPath puts a file, or the names in a folder, on disk.
func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
