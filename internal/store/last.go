package store

import "context"

// Last gives the sequence number of the newest event; 0 when there is none. With
// Events it lets the journal be read backwards.
func (s *Store) Last(ctx context.Context) (int64, error) {
	var seq int64
	if err := s.read.QueryRowContext(ctx, `SELECT COALESCE(MAX(seq), 0) FROM events`).Scan(&seq); err != nil {
		return 0, s.fault("read the journal", err)
	}
	return seq, nil
}
