package journal

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"kedge"
)

// Rebuild rebuilds all documents from the events, in one transaction: readers see the
// old ones or the new. It refuses a journal whose chain is broken.
func (s *Store) Rebuild(ctx context.Context) error {
	j := &job{ctx: ctx, task: func(w *writer) error { return w.rebuild(ctx) }, done: make(chan struct{})}
	if err := s.do(ctx, j); err != nil {
		return err
	}
	return j.err
}

func (w *writer) rebuild(ctx context.Context) error {
	if _, err := w.conn.ExecContext(ctx, `BEGIN IMMEDIATE`); err != nil {
		return err
	}
	err := w.refold(ctx)
	if err == nil {
		_, err = w.conn.ExecContext(ctx, `COMMIT`)
	}
	if err != nil {
		_, _ = w.conn.ExecContext(context.WithoutCancel(ctx), `ROLLBACK`)
	}
	return err
}

func (w *writer) refold(ctx context.Context) error {
	all, bad, err := refold(ctx, w.conn, w.s.chain)
	if err != nil {
		return err
	}
	if len(bad) > 0 {
		return kedge.Errorf(kedge.Conflict, "Kedge rebuilt nothing, because its journal is damaged: %s %s", w.s.dbPath(), bad[0].String()).WithHint("see what is damaged: kedge doctor")
	}
	if _, err := w.conn.ExecContext(ctx, `DELETE FROM docs; DELETE FROM search`); err != nil {
		return err
	}
	for _, c := range all.sorted() {
		if err := putDoc(ctx, w.conn, c); err != nil {
			return err
		}
	}
	_, err = w.conn.ExecContext(ctx, `INSERT INTO meta (key, value) VALUES ('fold', ?1) ON CONFLICT DO UPDATE SET value = ?1`, foldVersion)
	return err
}

// docKey names a document.
type docKey struct {
	kind Kind
	id   string
}

// folded is the state of all documents, folded in memory.
type folded map[docKey]change

func (d folded) get(kind Kind, id string) (string, int64, bool, error) {
	c, ok := d[docKey{kind, id}]
	return c.doc, c.pos, ok, nil
}

func (d folded) sorted() []change {
	all := make([]change, 0, len(d))
	for _, c := range d {
		all = append(all, c)
	}
	slices.SortFunc(all, compareChanges)
	return all
}

func compareChanges(a, b change) int {
	if c := strings.Compare(string(a.kind), string(b.kind)); c != 0 {
		return c
	}
	return strings.Compare(a.id, b.id)
}

// broken is an event that does not belong where it stands.
type broken struct {
	seq int64
	why string
}

func (b broken) String() string { return fmt.Sprintf("event %d %s", b.seq, b.why) }

// refold reads the whole journal, checks its chain and folds it in memory. It
// stops at the first break: what comes after rests on it.
func refold(ctx context.Context, q queryer, links chain) (folded, []broken, error) {
	all := folded{}
	var head mark
	for r, err := range rowsOf(ctx, q, `SELECT `+eventColumns+` FROM events ORDER BY seq`) {
		if err != nil {
			return nil, nil, err
		}
		if !links.follows(&r, head) {
			return all, []broken{{head.Seq + 1, "is missing or was changed"}}, nil
		}
		head = mark{Seq: r.Seq, Hash: r.Hash}
		changes, err := fold(r.Event, all.get)
		if err != nil {
			return all, []broken{{r.Seq, "cannot be applied: " + err.Error()}}, nil
		}
		for _, c := range changes {
			all[docKey{c.kind, c.id}] = c
		}
	}
	return all, nil, nil
}

// Dump writes every document, sorted, one per line. Equal journals give equal dumps,
// before and after a rebuild.
func (s *Store) Dump(ctx context.Context, w io.Writer) error {
	docs, err := storedDocs(ctx, s.read, s.aboutColumn())
	if err != nil {
		return s.fault("read the journal", err)
	}
	slices.SortFunc(docs, compareChanges)
	out := bufio.NewWriter(w)
	for _, c := range docs {
		_, _ = fmt.Fprintln(out, c.dump())
	}
	return out.Flush()
}

func (c change) dump() string {
	return fmt.Sprintf("%s %q %d %s %q %q %q", c.kind, c.id, c.pos, c.doc, c.text.title, c.text.body, c.about)
}

// storedDocs reads the documents and their words as they lie in the tables.
func storedDocs(ctx context.Context, q queryer, about string) ([]change, error) {
	rows, err := q.QueryContext(ctx,
		`SELECT d.kind, d.id, d.pos, d.doc, coalesce(s.title, ''), coalesce(s.body, ''), `+about+`
		   FROM docs d LEFT JOIN search s ON s.rowid = d.n`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var docs []change
	for rows.Next() {
		var c change
		if err := rows.Scan(&c.kind, &c.id, &c.pos, &c.doc, &c.text.title, &c.text.body, &c.about); err != nil {
			return nil, err
		}
		docs = append(docs, c)
	}
	return docs, rows.Err()
}
