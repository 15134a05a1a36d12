package journal

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"kedge"

	_ "modernc.org/sqlite" // the driver
)

//go:embed migrations/*.sql
var migrations embed.FS

// foldVersion is raised when the fold of an event changes; a store folded by
// another version is folded anew when it is next opened for writing.
const foldVersion = "6"

// create makes an empty journal beside its name and gives it the name when it
// is whole and on disk: a database is never seen half made, and SQLite's first
// steps, before it has a write-ahead log, never need undoing.
func create(dir string, pageSize int) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot make the folder of Kedge's journal: %w", err)
	}
	path := filepath.Join(dir, dbName)
	temp := path + ".new"
	for _, step := range []func() error{
		func() error { return removeLeftovers(temp) },
		func() error { return os.WriteFile(temp, nil, 0o600) },
		func() error { return createAt(temp, pageSize) },
		func() error { return syncPath(temp) },
		func() error { return os.WriteFile(filepath.Join(dir, tailName), []byte(mark{}.line()), 0o600) },
		func() error { return syncPath(filepath.Join(dir, tailName)) },
		func() error { return os.Rename(temp, path) },
		func() error { return syncPath(dir) },
		func() error { return syncPath(filepath.Dir(dir)) },
	} {
		if err := step(); err != nil {
			return (&Store{dir: dir}).fault("make the journal", err)
		}
	}
	return nil
}

// removeLeftovers removes what a process that died in create left; no event was
// ever in it.
func removeLeftovers(temp string) error {
	for _, side := range []string{"", "-journal", "-wal", "-shm"} {
		if err := os.Remove(temp + side); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// createAt writes the schema; closing the only connection leaves one file.
func createAt(path string, pageSize int) error {
	ctx := context.Background()
	db, err := sql.Open("sqlite", dsn(path, "mode=rw"))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	conn, err := db.Conn(ctx)
	if err == nil {
		_, err = conn.ExecContext(ctx, fmt.Sprintf(`PRAGMA page_size = %d; PRAGMA synchronous = FULL; PRAGMA journal_mode = WAL`, pageSize))
	}
	if err == nil {
		err = migrate(ctx, conn)
	}
	if conn != nil {
		err = errors.Join(err, conn.Close())
	}
	return errors.Join(err, db.Close())
}

// copying, reading and writing are the settings of connections. Checkpoints are made by
// hand (see writer): SQLite swallows the errors of automatic ones.
var (
	copying = []string{"mode=ro", "_pragma=busy_timeout(60000)"}
	reading = append(copying[:2:2], "_pragma=query_only(1)")
	writing = []string{
		"mode=rw", "_pragma=busy_timeout(60000)", "_pragma=journal_mode(WAL)",
		"_pragma=synchronous(FULL)", "_pragma=wal_autocheckpoint(0)",
	}
)

// openReader connects for reading.
//
// mode=ro works beside a living writer and on what a killed one left: SQLite
// still makes, maps and recovers the -shm file, which is an index of the log
// and no part of the database, and it never writes to kedge.db or to the log.
func (s *Store) openReader(ctx context.Context) error {
	db, err := sql.Open("sqlite", dsn(s.dbPath(), reading...))
	if err != nil {
		return s.fault("open the journal", err)
	}
	db.SetMaxOpenConns(8)
	db.SetMaxIdleConns(4)
	db.SetConnMaxIdleTime(5 * time.Second) // each has memory of its own, and a daemon mostly waits
	s.read = newReader(db)
	s.anchor, err = db.Conn(ctx)
	if err != nil {
		return s.fault("open the journal", err)
	}
	return nil
}

// fresh gives a reading connection of its own, for work that the pool's cannot
// do: a backup writes, elsewhere, which query_only forbids; and the search
// index of a connection that has been used before checks its integrity against
// what it remembers.
func (s *Store) fresh(ctx context.Context, params ...string) (*sql.Conn, func(), error) {
	db, err := sql.Open("sqlite", dsn(s.dbPath(), params...))
	if err != nil {
		return nil, nil, s.fault("open the journal", err)
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		_ = db.Close()
		return nil, nil, s.fault("open the journal", err)
	}
	return conn, func() { _, _ = conn.Close(), db.Close() }, nil
}

// openWriter connects for writing.
func (s *Store) openWriter(ctx context.Context) (*sql.DB, *sql.Conn, error) {
	db, err := sql.Open("sqlite", dsn(s.dbPath(), writing...))
	if err != nil {
		return nil, nil, s.fault("open the journal", err)
	}
	db.SetMaxOpenConns(1)
	conn, err := db.Conn(ctx)
	if err != nil {
		_ = db.Close()
		return nil, nil, s.fault("open the journal", err)
	}
	return db, conn, nil
}

func dsn(path string, params ...string) string {
	u := url.URL{Scheme: "file", Path: path, RawQuery: strings.Join(params, "&")}
	return u.String()
}

func (s *Store) readVersion(ctx context.Context) (int, error) {
	var v int
	if err := s.anchor.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&v); err != nil {
		return 0, s.fault("read the journal", err)
	}
	return v, nil
}

// latest is the version that the newest migration makes.
func latest() int { return len(migrationFiles()) }

// migrationFiles lists the migrations in order; number N makes version N.
func migrationFiles() []fs.DirEntry {
	files, err := migrations.ReadDir("migrations")
	if err != nil {
		panic(err) // they are compiled in
	}
	return files
}

// migrate brings the schema to the latest version, each step whole or not at
// all.
func migrate(ctx context.Context, conn executor) error {
	var have int
	if err := conn.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&have); err != nil {
		return err
	}
	for i, f := range migrationFiles() {
		if i < have {
			continue
		}
		script, err := migrations.ReadFile("migrations/" + f.Name())
		if err != nil {
			return err
		}
		sql := "BEGIN IMMEDIATE;\n" + string(script) + "\nPRAGMA user_version = " + strconv.Itoa(i+1) + ";\nCOMMIT;"
		if _, err := conn.ExecContext(ctx, sql); err != nil {
			_, _ = conn.ExecContext(ctx, `ROLLBACK`)
			return err
		}
	}
	return nil
}

// mark is a place in the journal: a sequence number and the hash there.
type mark struct {
	Seq  int64
	Hash string
}

// executor also writes.
type executor interface {
	queryer
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// queryer is what reads need of a connection or a pool.
type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// headOf is the last event's mark; the zero mark of an empty journal.
func headOf(ctx context.Context, q queryer) (mark, error) {
	var m mark
	rows, err := q.QueryContext(ctx, `SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1`)
	if err != nil {
		return m, err
	}
	defer func() { _ = rows.Close() }()
	if rows.Next() {
		err = rows.Scan(&m.Seq, &m.Hash)
	}
	if err == nil {
		err = rows.Err()
	}
	return m, err
}
