package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"kedge"
)

// restoredName is the folder in which a restored journal is made. It has this name only once
// the journal in it is whole; from then on the restoration is finished, whatever happens.
const restoredName = "restored"

// reportName is the file in it, and later among the old files, that says what is missing.
const reportName = "restored.json"

// maxMissing bounds the list of events that a restored journal lacks.
const maxMissing = 200

// RestoreOptions say what to restore.
type RestoreOptions struct {
	Now        func() time.Time
	Key        []byte // of this KEDGE_HOME
	From       string // the folder of a backup; "" for the journal itself, as far as it is whole
	Unverified bool   // keep events that cannot be verified, because their key is lost or you know who wrote them
}

// Restored says what became of a journal.
type Restored struct {
	Kept       int64     `json:"kept"`       // events, from the first on
	Unverified int64     `json:"unverified"` // of these, which Kedge could not verify
	Missing    []Missing `json:"missing"`    // events that were saved, or stood behind a damaged one, and are gone
	More       int64     `json:"more"`       // missing ones that the list has no room for
	Aside      string    `json:"aside"`      // the folder in which the files are that were replaced
}

// Missing is an event that a restored journal lacks. What is known of it is what the damaged
// journal says, which may be wrong.
type Missing struct {
	Seq   int64           `json:"seq"`
	At    time.Time       `json:"at,omitzero"`
	Actor kedge.Actor     `json:"actor,omitempty"`
	Type  kedge.EventType `json:"type,omitempty"`
	Why   string          `json:"why"`
}

// Restore makes the journal in dir whole again: from a backup, or from its own events up to
// the first that is damaged. No process may have the journal open. What was there before is
// kept in a folder beside it. If Restore is interrupted, the next one finishes it.
func Restore(ctx context.Context, dir string, o RestoreOptions) (Restored, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	at := filepath.Join(dir, restoredName)
	if unfinished(dir) {
		return finishRestore(dir)
	}
	if err := os.RemoveAll(at); err != nil { // what a finished restoration could not remove
		return Restored{}, kedge.Errorf(kedge.Internal, "cannot restore the journal in %q: %w", dir, err)
	}
	saved, err := readTailEnd(filepath.Join(dir, tailName))
	if err != nil {
		return Restored{}, err
	}
	src, err := readSource(ctx, dir, o)
	if err != nil {
		return Restored{}, err
	}
	temp, err := os.MkdirTemp(dir, ".restore-")
	if err != nil {
		return Restored{}, kedge.Errorf(kedge.Internal, "cannot restore the journal: %w", err)
	}
	defer func() { _ = os.RemoveAll(temp) }()
	if err := src.writeInto(ctx, temp, o); err != nil {
		return Restored{}, err
	}
	r := src.restored(saved)
	r.Aside = filepath.Join(dir, "damaged-"+o.Now().UTC().Format("20060102T150405.000Z"))
	if err := writeReport(temp, r); err != nil {
		return Restored{}, kedge.Errorf(kedge.Internal, "cannot restore the journal: %w", err)
	}
	if err := errors.Join(os.Rename(temp, at), syncPath(dir)); err != nil {
		return Restored{}, kedge.Errorf(kedge.Internal, "cannot restore the journal: %w", err)
	}
	return r, swapIn(dir, r.Aside)
}

// finishRestore puts a restored journal in place that an interrupted Restore has made.
func finishRestore(dir string) (Restored, error) {
	var r Restored
	text, err := os.ReadFile(filepath.Join(dir, restoredName, reportName))
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		return r, kedge.Errorf(kedge.Internal, "cannot finish the interrupted restore of the journal in %q: %w", dir, err)
	}
	return r, swapIn(dir, r.Aside)
}

// unfinished tells whether a restored journal waits to be put in place.
func unfinished(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, restoredName, reportName))
	return err == nil
}

// writeReport keeps what Restore will answer: if it is interrupted, the next one answers it.
func writeReport(dir string, r Restored) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(dir, reportName)
	return errors.Join(os.WriteFile(path, append(text, '\n'), 0o600), syncPath(path), syncPath(dir))
}

// source is what can be read of a journal that is restored.
type source struct {
	rows       []row
	missing    []Missing
	more       int64
	unverified int64
	chain      chain
	seal       string // as it was, if it still vouches for the rows
}

// readSource reads a journal row by row, up to the first that does not belong there.
func readSource(ctx context.Context, dir string, o RestoreOptions) (*source, error) {
	at := &Store{dir: dir}
	key := o.Key
	if o.From != "" {
		at.dir = o.From
		own, err := readKey(filepath.Join(o.From, KeyName))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err == nil {
			key = own
		}
	}
	if _, err := os.Stat(at.dbPath()); err != nil {
		return nil, kedge.Errorf(kedge.NotFound, "there is no journal in %q", at.dir).WithHint("restore a backup: kedge restore --from FOLDER")
	}
	conn, done, err := at.fresh(ctx, copying...)
	if err != nil {
		return nil, err
	}
	defer done()
	src := &source{missing: []Missing{}}
	if err := src.openChain(ctx, conn, key); err != nil {
		return nil, kedge.Errorf(kedge.Conflict, "nothing of the journal %q can be read: %w", at.dbPath(), err).
			WithHint("%s", (&Store{dir: dir}).startOverHint())
	}
	if src.chain.sealed < 0 && !o.Unverified {
		return nil, kedge.Errorf(kedge.Conflict, "Kedge cannot verify any event of the journal %q, because its key (%s) is lost or was replaced; Kedge restored nothing", at.dbPath(), KeyName).
			WithHint("stop the daemon (kedge down), copy %s of a backup into KEDGE_HOME, and start it again; or keep all events without verifying them: kedge restore --project %s --unverified", KeyName, filepath.Base(dir))
	}
	src.read(ctx, conn, o.Unverified)
	if o.From != "" {
		src.readLater(ctx, &Store{dir: dir})
	}
	return src, nil
}

// readLater lists what the replaced journal has and the backup has not, as far as it can be
// read.
func (s *source) readLater(ctx context.Context, present *Store) {
	if _, err := os.Stat(present.dbPath()); err != nil {
		return
	}
	conn, done, err := present.fresh(ctx, copying...)
	if err != nil {
		return
	}
	defer done()
	for r, err := range rowsOf(ctx, conn, `SELECT `+eventColumns+` FROM events WHERE seq > ? ORDER BY seq`, len(s.rows)) {
		if err != nil {
			return
		}
		s.lacks(Missing{Seq: r.Seq, At: r.At, Actor: r.Actor, Type: r.Type, Why: "it is not in the backup"})
	}
}

// openChain finds out how the rows are linked. Without a seal that the key made, no row can
// be verified.
func (s *source) openChain(ctx context.Context, conn queryer, key []byte) error {
	var version int
	if err := conn.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version); err != nil {
		return err
	}
	seal, err := readSeal(ctx, conn)
	if err != nil {
		return err
	}
	if seal == "" && version < sealedVersion {
		return nil
	}
	s.chain = chain{key: key, sealed: max(sealedAt(seal), 0)}
	at, err := markAt(ctx, conn, s.chain.sealed)
	if err == nil && len(key) > 0 && seal == sealOf(key, at) {
		s.seal = seal
		return nil
	}
	s.chain = chain{sealed: -1} // no row follows
	return err
}

// read takes rows as long as each belongs where it stands, and lists the others.
func (s *source) read(ctx context.Context, conn queryer, unverified bool) {
	all, head := folded{}, mark{}
	why := ""
	for r, err := range rowsOf(ctx, conn, `SELECT `+eventColumns+` FROM events ORDER BY seq`) {
		if err != nil {
			s.lacks(Missing{Seq: head.Seq + 1, Why: "this and all behind it cannot be read: " + err.Error()})
			return
		}
		belongs := s.chain.sealed >= 0 && s.chain.follows(&r, head)
		if why == "" && !belongs && !(unverified && r.Seq == head.Seq+1) {
			why = "somebody else wrote or changed it"
			if r.Seq != head.Seq+1 {
				why = fmt.Sprintf("it comes after event %d, which is missing", head.Seq+1)
			}
		} else if why == "" {
			changes, err := fold(r.Event, all.get)
			if err != nil {
				why = "it cannot be applied: " + err.Error()
			}
			for _, c := range changes {
				all[docKey{c.kind, c.id}] = c
			}
		}
		if why != "" {
			s.lacks(Missing{Seq: r.Seq, At: r.At, Actor: r.Actor, Type: r.Type, Why: why})
			why = "it stands behind an event that is damaged"
			continue
		}
		if !belongs {
			s.unverified++
		}
		s.rows = append(s.rows, r)
		head = mark{Seq: r.Seq, Hash: r.Hash}
	}
}

func (s *source) lacks(m Missing) {
	if len(s.missing) < maxMissing {
		s.missing = append(s.missing, m)
	} else {
		s.more++
	}
}

// restored says what was kept, and what Kedge had saved and is not there: seen by the tail
// alone.
func (s *source) restored(saved mark) Restored {
	seen := int64(len(s.rows)+len(s.missing)) + s.more
	if n := len(s.missing); n > 0 {
		seen = max(seen, s.missing[n-1].Seq+s.more)
	}
	why := "Kedge had saved it, and nothing of it is left"
	for seq := seen + 1; seq <= saved.Seq; seq++ {
		s.lacks(Missing{Seq: seq, Why: why})
	}
	return Restored{Kept: int64(len(s.rows)), Unverified: s.unverified, Missing: s.missing, More: s.more}
}

// writeInto makes a whole journal of the rows. They keep their links if the key of this
// KEDGE_HOME made them; otherwise they get new ones, for which a new seal vouches.
func (s *source) writeInto(ctx context.Context, dir string, o RestoreOptions) error {
	if err := create(dir, 0); err != nil {
		return err
	}
	if s.seal == "" || s.unverified > 0 || string(s.chain.key) != string(o.Key) || s.chain.sealed > int64(len(s.rows)) {
		s.relink()
	}
	st := &Store{dir: dir}
	db, conn, err := st.openWriter(ctx)
	if err != nil {
		return err
	}
	err = s.insert(ctx, conn, o.Key)
	if err = errors.Join(err, conn.Close(), db.Close()); err != nil {
		return st.fault("restore the journal", err)
	}
	// The writer folds the events, writes the tail and seals what has no seal.
	st, err = Open(dir, Options{Now: o.Now, Key: o.Key})
	if err != nil {
		return err
	}
	if err := st.Refusal(); err != nil {
		return errors.Join(err, st.Close())
	}
	if err := st.Close(); err != nil {
		return err
	}
	return errors.Join(syncPath(filepath.Join(dir, dbName)), syncPath(filepath.Join(dir, tailName)), syncPath(dir))
}

// relink links the rows without a key.
func (s *source) relink() {
	s.seal = ""
	prev := ""
	for i := range s.rows {
		s.rows[i].Hash = chain{}.sum(&s.rows[i], prev)
		prev = s.rows[i].Hash
	}
}

func (s *source) insert(ctx context.Context, conn executor, key []byte) error {
	if _, err := conn.ExecContext(ctx, `BEGIN IMMEDIATE`); err != nil {
		return err
	}
	var head mark
	for i := range s.rows {
		if err := insertRow(ctx, conn, &s.rows[i]); err != nil {
			return err
		}
		head = mark{Seq: s.rows[i].Seq, Hash: s.rows[i].Hash}
	}
	var err error
	switch {
	case s.seal != "":
		_, err = conn.ExecContext(ctx, `INSERT INTO meta (key, value) VALUES ('seal', ?)`, s.seal)
	case len(key) > 0:
		err = writeSeal(ctx, conn, key, head)
	}
	if err == nil {
		_, err = conn.ExecContext(ctx, `COMMIT`)
	}
	return err
}

// swapIn puts the restored journal in place. Every step may be done again: what was there is
// copied first, and the folder with the restored journal goes last.
func swapIn(dir, aside string) error {
	at := filepath.Join(dir, restoredName)
	db, tail := filepath.Join(dir, dbName), filepath.Join(dir, tailName)
	for _, step := range []func() error{
		func() error { return keepOld(dir, aside) },
		func() error { return removeLeftovers(db + ".new") },
		func() error { return removeAll(db+"-wal", db+"-shm") },
		func() error { return moveOver(filepath.Join(at, dbName), db) },
		func() error { return moveOver(filepath.Join(at, tailName), tail) },
		func() error { return syncPath(dir) },
		func() error { return copyFile(filepath.Join(at, reportName), filepath.Join(aside, reportName)) },
		func() error { return removeAll(filepath.Join(at, reportName)) }, // from here on it is finished
		func() error { return syncPath(at) },
		func() error { return os.RemoveAll(at) },
		func() error { return syncPath(dir) },
	} {
		if err := step(); err != nil {
			return kedge.Errorf(kedge.Internal, "cannot move the restored journal into %q: %w", dir, err).WithHint("finish it: kedge restore")
		}
	}
	return nil
}

// keepOld copies the files of the old journal.
func keepOld(dir, aside string) error {
	if err := os.MkdirAll(aside, 0o700); err != nil {
		return err
	}
	for _, name := range []string{dbName, dbName + "-wal", tailName} {
		if err := copyFile(filepath.Join(dir, name), filepath.Join(aside, name)); err != nil {
			return err
		}
	}
	return syncPath(aside)
}

// copyFile copies a file, if there is one. A copy that exists is the one of the first try.
func copyFile(from, to string) error {
	if _, err := os.Stat(to); err == nil {
		return nil
	}
	in, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	part := to + ".part"
	out, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		return err
	}
	return os.Rename(part, to)
}

func removeAll(paths ...string) error {
	for _, p := range paths {
		if err := os.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// moveOver moves a file, unless that was done before.
func moveOver(from, to string) error {
	if err := os.Rename(from, to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
