package store

import (
	"context"
	"database/sql"
	"errors"

	"kedge"
)

// Newest gives the last document of a kind, by its place; false when there is
// none. Only that one is decoded.
func Newest[T any](ctx context.Context, s *Store, kind Kind) (T, bool, error) {
	var zero T
	var id, doc string
	err := s.read.QueryRowContext(ctx, `SELECT id, doc FROM docs WHERE n =
		(SELECT n FROM docs WHERE kind = ? ORDER BY pos DESC, id DESC LIMIT 1)`, string(kind)).Scan(&id, &doc)
	if errors.Is(err, sql.ErrNoRows) {
		return zero, false, nil
	}
	if err != nil {
		return zero, false, s.fault("read the journal", err)
	}
	d, err := decodeDoc[T](kind, id, doc)
	return d, err == nil, err
}

// About gives the documents of a kind that hold the text anywhere in their JSON,
// in their order. The caller looks closer: this only spares it decoding all.
func About[T any](ctx context.Context, s *Store, kind Kind, text string) ([]T, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT id, doc FROM docs WHERE kind = ? AND instr(doc, ?) > 0 ORDER BY pos, id`, string(kind), text)
	if err != nil {
		return nil, s.fault("read the journal", err)
	}
	return decodeRows[T](s, kind, rows)
}

// AboutFeature is About for what names a feature in the field "feature".
func AboutFeature[T any](ctx context.Context, s *Store, kind Kind, id kedge.FeatureID) ([]T, error) {
	return About[T](ctx, s, kind, `"feature":"`+string(id)+`"`)
}
