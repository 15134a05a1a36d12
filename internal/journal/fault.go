package journal

import (
	"context"
	"errors"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"kedge"
)

// code is the extended SQLite result code in err, 0 when there is none.
func code(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code()
	}
	return 0
}

// isFull tells that the disk has no room, for the data or for the shared index
// of the log. The transaction is undone and the next one may be tried: room can
// come back.
func isFull(err error) bool {
	c := code(err)
	return c&0xff == sqlite3.SQLITE_FULL || c == sqlite3.SQLITE_IOERR_SHMSIZE || errors.Is(err, syscall.ENOSPC)
}

// isFatal tells that the disk failed: after a failed fsync the kernel may have
// dropped the pages and call them clean, so that trying again would "succeed"
// without the data. Only a new process, which reads what is really there, may
// go on. Failures of the shared index and of locks lose nothing.
func isFatal(err error) bool {
	switch c := code(err); c {
	case sqlite3.SQLITE_IOERR_SHMOPEN, sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_SHMMAP,
		sqlite3.SQLITE_IOERR_SHMLOCK, sqlite3.SQLITE_IOERR_LOCK, sqlite3.SQLITE_IOERR_NOMEM:
		return false
	default:
		return c&0xff == sqlite3.SQLITE_IOERR || isDamage(err)
	}
}

// isDamage tells that the file is not a sound database.
func isDamage(err error) bool {
	c := code(err) & 0xff
	return c == sqlite3.SQLITE_CORRUPT || c == sqlite3.SQLITE_NOTADB
}

// fault makes the error that you see of one from SQLite.
func (s *Store) fault(doing string, err error) *kedge.Error {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return kedge.Errorf(kedge.Interrupted, "Kedge was interrupted before it could %s: %w", doing, err).WithHint("repeat your command")
	case isFull(err):
		return kedge.Errorf(kedge.Internal, "Kedge cannot %s, and wrote nothing: there is no space left for %q: %w", doing, s.dbPath(), err).
			WithHint("free some space on that disk, then repeat your command")
	case isDamage(err):
		return kedge.Errorf(kedge.Internal, "Kedge cannot %s: %q is damaged: %w", doing, s.dbPath(), err).
			WithHint("see what is damaged: kedge doctor; %s", s.restoreHint())
	default:
		return kedge.Errorf(kedge.Internal, "Kedge cannot %s: %w", doing, err).WithHint("see what is wrong: kedge doctor")
	}
}

// fail makes the store refuse everything from now on.
func (s *Store) fail(err error) *kedge.Error {
	e := kedge.Errorf(kedge.Internal, "the disk failed while Kedge wrote to %q: %w; the daemon writes nothing more until you restart it", s.dir, err).
		WithHint("check the disk and the journal: kedge down && kedge doctor")
	s.refusal.CompareAndSwap(nil, e)
	return s.refusal.Load()
}
