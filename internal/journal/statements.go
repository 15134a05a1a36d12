package journal

import (
	"context"
	"database/sql"
	"errors"
)

// statements is a connection that keeps what it has prepared: the writer runs
// the same dozen statements for every event, and preparing them anew would cost
// more than running them. Only one goroutine may use it.
type statements struct {
	conn *sql.Conn
	kept map[string]*sql.Stmt
}

func keepStatements(conn *sql.Conn) *statements {
	return &statements{conn: conn, kept: map[string]*sql.Stmt{}}
}

func (s *statements) prepare(query string) (*sql.Stmt, error) {
	if st, ok := s.kept[query]; ok {
		return st, nil
	}
	st, err := s.conn.PrepareContext(context.Background(), query)
	if err == nil {
		s.kept[query] = st
	}
	return st, err
}

// ExecContext runs a statement.
func (s *statements) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	st, err := s.prepare(query) //nolint:sqlclosecheck // kept until close
	if err != nil {
		return nil, err
	}
	return st.ExecContext(ctx, args...)
}

// QueryContext runs a query.
func (s *statements) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	st, err := s.prepare(query) //nolint:sqlclosecheck // kept until close
	if err != nil {
		return nil, err
	}
	return st.QueryContext(ctx, args...)
}

// QueryRowContext runs a query for one row.
func (s *statements) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	st, err := s.prepare(query) //nolint:sqlclosecheck // kept until close
	if err != nil {
		return s.conn.QueryRowContext(ctx, query, args...) // gives the same error, in a Row
	}
	return st.QueryRowContext(ctx, args...)
}

func (s *statements) close() error {
	var errs []error
	for _, st := range s.kept {
		errs = append(errs, st.Close())
	}
	return errors.Join(append(errs, s.conn.Close())...)
}
