package journal

import (
	"context"
)

const newestQuery = `SELECT id, doc FROM docs WHERE kind = ? ORDER BY pos DESC, id DESC`

// Newest gives the last document of a kind, and false when there is none. It reads only
// that one.
func Newest[T any](ctx context.Context, s *Store, kind Kind) (T, bool, error) {
	return NewestThat(ctx, s, kind, func(T) bool { return true })
}

// NewestThat gives the last document of a kind for which wanted is true, and false when
// there is none. It reads newer ones only.
func NewestThat[T any](ctx context.Context, s *Store, kind Kind, wanted func(T) bool) (T, bool, error) {
	var none T
	rows, err := s.read.QueryContext(ctx, newestQuery, string(kind))
	if err != nil {
		return none, false, s.fault("read the journal", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id, doc string
		if err := rows.Scan(&id, &doc); err != nil {
			return none, false, s.fault("read the journal", err)
		}
		d, err := decodeDoc[T](kind, id, doc)
		if err != nil || wanted(d) {
			return d, err == nil, err
		}
	}
	if err := rows.Err(); err != nil {
		return none, false, s.fault("read the journal", err)
	}
	return none, false, nil
}
