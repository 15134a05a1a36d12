package journal

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"iter"
	"time"

	"kedge"
)

const eventColumns = `seq, v, id, at, project, actor, type, data, request, hash`

// Seen gives the events of the first request with this key, if there was one.
func (s *Store) Seen(ctx context.Context, key string) ([]kedge.Event, bool, error) {
	if key == "" {
		return nil, false, nil
	}
	evs, err := eventsOfRequest(ctx, s.read, key)
	if err != nil {
		return nil, false, s.fault("read the journal", err)
	}
	return evs, len(evs) > 0, nil
}

func eventsOfRequest(ctx context.Context, q queryer, key string) ([]kedge.Event, error) {
	return collect(rowsOf(ctx, q, `SELECT `+eventColumns+` FROM events WHERE request = ? AND request <> '' ORDER BY seq`, key))
}

// RequestOf gives the key of the request that added an event, or "".
func (s *Store) RequestOf(ctx context.Context, seq int64) (string, error) {
	var key string
	err := s.read.QueryRowContext(ctx, `SELECT request FROM events WHERE seq = ?`, seq).Scan(&key)
	if errors.Is(err, sql.ErrNoRows) {
		return "", kedge.Errorf(kedge.NotFound, "Kedge's journal has no event %d", seq)
	}
	if err != nil {
		return "", s.fault("read the journal", err)
	}
	return key, nil
}

// Events gives all events after a sequence number, oldest first, in one list. A journal
// may be long: use Since where one event at a time is enough.
func (s *Store) Events(ctx context.Context, after int64) ([]kedge.Event, error) {
	out := []kedge.Event{}
	for ev, err := range s.Since(ctx, after) {
		if err != nil {
			return nil, err
		}
		out = append(out, ev)
	}
	return out, nil
}

// Last gives the sequence number of the newest event, 0 for an empty journal.
func (s *Store) Last(ctx context.Context) (int64, error) {
	head, err := headOf(ctx, s.read)
	if err != nil {
		return 0, s.fault("read the journal", err)
	}
	return head.Seq, nil
}

func collect(rows iter.Seq2[row, error]) ([]kedge.Event, error) {
	out := []kedge.Event{}
	for r, err := range rows {
		if err != nil {
			return nil, err
		}
		out = append(out, r.Event)
	}
	return out, nil
}

// rowsOf streams the rows of a query for eventColumns.
func rowsOf(ctx context.Context, q queryer, query string, args ...any) iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		rows, err := q.QueryContext(ctx, query, args...)
		if err != nil {
			yield(row{}, err)
			return
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			r, err := scanRow(rows)
			if !yield(r, err) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(row{}, err)
		}
	}
}

func scanRow(rows *sql.Rows) (row, error) {
	var r row
	var data string
	err := rows.Scan(&r.Seq, &r.V, &r.ID, &r.at, &r.Project, &r.Actor, &r.Type, &data, &r.request, &r.Hash)
	if err != nil {
		return r, err
	}
	r.Data = json.RawMessage(data)
	r.At, err = time.Parse(timeFormat, r.at)
	if err != nil {
		return r, kedge.Errorf(kedge.Internal, "event %d of Kedge's journal has an invalid time: %w", r.Seq, err)
	}
	return r, nil
}

// All gives the documents of a kind, by place, then id. The list is empty when there are
// none.
func All[T any](ctx context.Context, s *Store, kind Kind) ([]T, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT id, doc FROM docs WHERE kind = ? ORDER BY pos, id`, string(kind))
	if err != nil {
		return nil, s.fault("read the journal", err)
	}
	return decodeRows[T](s, kind, rows)
}

func decodeRows[T any](s *Store, kind Kind, rows *sql.Rows) ([]T, error) {
	defer func() { _ = rows.Close() }()
	out := []T{}
	for rows.Next() {
		var id, doc string
		if err := rows.Scan(&id, &doc); err != nil {
			return nil, s.fault("read the journal", err)
		}
		d, err := decodeDoc[T](kind, id, doc)
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	if err := rows.Err(); err != nil {
		return nil, s.fault("read the journal", err)
	}
	return out, nil
}

// Get gives one document; false when there is none.
func Get[T any](ctx context.Context, s *Store, kind Kind, id string) (T, bool, error) {
	var zero T
	var doc string
	err := s.read.QueryRowContext(ctx, `SELECT doc FROM docs WHERE kind = ? AND id = ?`, string(kind), id).Scan(&doc)
	if errors.Is(err, sql.ErrNoRows) {
		return zero, false, nil
	}
	if err != nil {
		return zero, false, s.fault("read the journal", err)
	}
	d, err := decodeDoc[T](kind, id, doc)
	return d, err == nil, err
}

func decodeDoc[T any](kind Kind, id, doc string) (T, error) {
	var d T
	if err := json.Unmarshal([]byte(doc), &d); err != nil {
		return d, kedge.Errorf(kedge.Internal, "what Kedge stored about %s %q is damaged: %w", kind, id, err).WithHint("rebuild it from the journal: kedge rebuild")
	}
	return d, nil
}
