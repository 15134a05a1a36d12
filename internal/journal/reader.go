package journal

import (
	"context"
	"database/sql"
	"sync"
)

// reader is the pool of reading connections. It keeps what it has prepared: a
// command asks the daemon one small thing, and to parse the question anew each
// time took SQLite longer than to answer it. The questions are all in this
// package, so they are few.
type reader struct {
	db *sql.DB

	mu   sync.Mutex
	kept map[string]*sql.Stmt
}

func newReader(db *sql.DB) *reader { return &reader{db: db, kept: map[string]*sql.Stmt{}} }

// prepare gives a kept statement. It holds no lock while it waits for a
// connection: whoever has one may need the lock to get done with it.
func (r *reader) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	if st := r.keep(query, nil); st != nil {
		return st, nil
	}
	st, err := r.db.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	first := r.keep(query, st)
	if first != st {
		_ = st.Close() //nolint:sqlclosecheck // somebody was quicker, and nothing was done with this one
	}
	return first, nil
}

// keep gives the statement kept for a query, which becomes st if there is none.
func (r *reader) keep(query string, st *sql.Stmt) *sql.Stmt {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kept[query] == nil && st != nil {
		r.kept[query] = st
	}
	return r.kept[query]
}

// QueryContext runs a query.
func (r *reader) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	st, err := r.prepare(ctx, query) //nolint:sqlclosecheck // kept until close
	if err != nil {
		return nil, err
	}
	return st.QueryContext(ctx, args...)
}

// QueryRowContext runs a query for one row.
func (r *reader) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	st, err := r.prepare(ctx, query) //nolint:sqlclosecheck // kept until close
	if err != nil {
		return r.db.QueryRowContext(ctx, query, args...) // gives the same error, in a Row
	}
	return st.QueryRowContext(ctx, args...)
}

// Close closes the connections and with them what is prepared there.
func (r *reader) Close() error { return r.db.Close() }
