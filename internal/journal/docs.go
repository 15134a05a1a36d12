package journal

import (
	"context"
	"database/sql"
	"errors"
)

// storedDoc looks documents up in the tables.
func storedDoc(ctx context.Context, conn *statements) lookup {
	return func(kind Kind, id string) (doc string, pos int64, ok bool, err error) {
		err = conn.QueryRowContext(ctx, `SELECT doc, pos FROM docs WHERE kind = ? AND id = ?`, string(kind), id).Scan(&doc, &pos)
		if errors.Is(err, sql.ErrNoRows) {
			return "", 0, false, nil
		}
		return doc, pos, err == nil, err
	}
}

// draft is the documents that events have changed and that are not written yet,
// over those that are. A document that many events of a transaction change is
// written once.
type draft struct {
	under lookup
	docs  folded
	order []docKey // of the first change of each
}

func newDraft(under lookup) *draft { return &draft{under: under, docs: folded{}} }

func (d *draft) get(kind Kind, id string) (string, int64, bool, error) {
	if doc, pos, ok, _ := d.docs.get(kind, id); ok {
		return doc, pos, true, nil
	}
	return d.under(kind, id)
}

func (d *draft) put(c change) {
	k := docKey{c.kind, c.id}
	if _, ok := d.docs[k]; !ok {
		d.order = append(d.order, k)
	}
	d.docs[k] = c
}

// take adds the changes of a draft that was made over this one.
func (d *draft) take(over *draft) {
	for _, k := range over.order {
		d.put(over.docs[k])
	}
}

func (d *draft) write(ctx context.Context, conn *statements) error {
	for _, k := range d.order {
		if err := putDoc(ctx, conn, d.docs[k]); err != nil {
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
	if err := putRow(ctx, conn, c); err != nil || !searched[c.kind] {
		return err
	}
	var n int64
	if err := conn.QueryRowContext(ctx, `SELECT n FROM docs WHERE kind = ? AND id = ?`, string(c.kind), c.id).Scan(&n); err != nil {
		return err
	}
	var was words
	err := conn.QueryRowContext(ctx, `SELECT title, body FROM search WHERE rowid = ?`, n).Scan(&was.title, &was.body)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		_, err = conn.ExecContext(ctx, `INSERT INTO search (rowid, title, body) VALUES (?, ?, ?)`, n, c.text.title, c.text.body)
	case err == nil && was != c.text:
		_, err = conn.ExecContext(ctx, `UPDATE search SET title = ?, body = ? WHERE rowid = ?`, c.text.title, c.text.body, n)
	}
	return err
}

// putRow writes the document itself. An upsert that returns n would be one
// statement instead of three, but one before which SQLite copies the pages, in
// case it has to be undone alone; that cost more than all else.
func putRow(ctx context.Context, conn *statements, c change) error {
	for _, query := range []string{
		`UPDATE docs SET doc = ?4 WHERE kind = ?1 AND id = ?2 AND pos = ?3 AND about = ?5`, // most often: no index changes
		`UPDATE docs SET pos = ?3, doc = ?4, about = ?5 WHERE kind = ?1 AND id = ?2`,
		`INSERT INTO docs (kind, id, pos, doc, about) VALUES (?1, ?2, ?3, ?4, ?5)`,
	} {
		res, err := conn.ExecContext(ctx, query, string(c.kind), c.id, c.pos, c.doc, c.about)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n > 0 {
			return err
		}
	}
	return nil
}
