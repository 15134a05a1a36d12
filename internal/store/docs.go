package store

import (
	"context"
	"database/sql"
	"errors"

	"kedge"
)

// foldInto folds an event into the tables, in the event's own transaction.
func foldInto(ctx context.Context, conn *statements, ev kedge.Event) error {
	changes, err := fold(ev, func(kind Kind, id string) (doc string, pos int64, ok bool, err error) {
		err = conn.QueryRowContext(ctx, `SELECT doc, pos FROM docs WHERE kind = ? AND id = ?`, string(kind), id).Scan(&doc, &pos)
		if errors.Is(err, sql.ErrNoRows) {
			return "", 0, false, nil
		}
		return doc, pos, err == nil, err
	})
	if err != nil {
		return err
	}
	for _, c := range changes {
		if err := putDoc(ctx, conn, c); err != nil {
			return err
		}
	}
	return nil
}

// searched are the kinds that a search finds.
var searched = map[Kind]bool{KindNote: true, KindDecision: true, KindFeature: true, KindRisk: true, KindCheckpoint: true}

// putDoc writes one document. The search index is touched only when the words
// change: most changes are of status, and the index is the dearest of the three.
func putDoc(ctx context.Context, conn *statements, c change) error {
	var n int64
	err := conn.QueryRowContext(ctx,
		`INSERT INTO docs (kind, id, pos, doc) VALUES (?1, ?2, ?3, ?4)
		 ON CONFLICT (kind, id) DO UPDATE SET pos = ?3, doc = ?4 RETURNING n`,
		string(c.kind), c.id, c.pos, c.doc).Scan(&n)
	if err != nil || !searched[c.kind] {
		return err
	}
	var was words
	err = conn.QueryRowContext(ctx, `SELECT title, body FROM search WHERE rowid = ?`, n).Scan(&was.title, &was.body)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		_, err = conn.ExecContext(ctx, `INSERT INTO search (rowid, title, body) VALUES (?, ?, ?)`, n, c.text.title, c.text.body)
	case err == nil && was != c.text:
		_, err = conn.ExecContext(ctx, `UPDATE search SET title = ?, body = ? WHERE rowid = ?`, c.text.title, c.text.body, n)
	}
	return err
}
