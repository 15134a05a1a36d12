package journal

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"kedge"
)

// Check reads everything and reports what is wrong: the structure of the database, the
// chain of hashes, the tail against the journal, the documents against the events. It
// writes nothing. An error means that it could not look.
func (s *Store) Check(ctx context.Context) ([]kedge.Finding, error) {
	c := &checking{s: s, found: []kedge.Finding{}}
	if s.w != nil && s.Refusal() == nil {
		_ = s.w.stillThere() // it sets the refusal
	}
	if err := s.Refusal(); err != nil {
		c.report(kedge.LevelError, err.Error(), s.dbPath(), kedge.HintOf(err))
	}
	marks, odd, err := readTail(s.tailPath()) // before the snapshot: the journal may only be ahead of it
	if err != nil {
		return nil, err
	}
	conn, done, err := s.fresh(ctx, reading...)
	if err != nil && len(c.found) > 0 {
		return c.found, nil
	}
	if err != nil {
		return nil, err
	}
	defer done()
	if _, err := conn.ExecContext(ctx, `BEGIN`); err != nil {
		return nil, s.fault("check the journal", err)
	}
	for _, look := range []func(context.Context, *sql.Conn) error{c.structure, c.chainAndFolds} {
		if err := look(ctx, conn); err != nil {
			c.damage(err)
		}
	}
	if err := c.tail(ctx, conn, marks, odd); err != nil {
		c.damage(err)
	}
	return c.found, ctx.Err()
}

// checking collects what a check finds.
type checking struct {
	s     *Store
	found []kedge.Finding
}

func (c *checking) report(level kedge.Level, what, where, fix string) {
	f := kedge.Finding{Level: level, What: what, Where: where, Fix: fix}
	if !slices.Contains(c.found, f) {
		c.found = append(c.found, f)
	}
}

func (c *checking) damage(err error) {
	c.report(kedge.LevelError, "the journal cannot be read: "+err.Error(), c.s.dbPath(), c.s.restoreHint())
}

// structure asks SQLite about its pages, indexes and the search index.
func (c *checking) structure(ctx context.Context, conn *sql.Conn) error {
	rows, err := conn.QueryContext(ctx, `PRAGMA integrity_check(20)`)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return err
		}
		if line != "ok" {
			c.report(kedge.LevelError, "damaged: "+line, c.s.dbPath(), c.s.restoreHint())
		}
	}
	return rows.Err()
}

func (c *checking) chainAndFolds(ctx context.Context, conn *sql.Conn) error {
	want, bad, err := refold(ctx, conn, c.s.chain)
	if err != nil {
		return err
	}
	for _, b := range bad {
		c.report(kedge.LevelError, b.String(), fmt.Sprintf("%s event %d", c.s.dbPath(), b.seq), c.s.restoreHint())
	}
	if len(bad) > 0 {
		return nil // the folds of a broken chain say nothing
	}
	have, err := storedDocs(ctx, conn, c.s.aboutColumn())
	if err != nil {
		return err
	}
	for _, d := range have {
		k := docKey{d.kind, d.id}
		should := want[k]
		if c.s.version < aboutVersion {
			should.about = ""
		}
		if should != d {
			c.fold(k)
		}
		delete(want, k)
	}
	for _, d := range want.sorted() {
		c.fold(docKey{d.kind, d.id})
	}
	return nil
}

func (c *checking) fold(k docKey) {
	c.report(kedge.LevelError, fmt.Sprintf("the stored %s %q differs from what the events in Kedge's journal say", k.kind, k.id), c.s.dbPath(), "kedge rebuild")
}

// tail compares every line of the tail with the journal.
func (c *checking) tail(ctx context.Context, conn *sql.Conn, marks []mark, odd []tailLine) error {
	for _, l := range odd {
		where := fmt.Sprintf("%s:%d", c.s.tailPath(), l.n)
		if l.torn {
			c.report(kedge.LevelInfo, "a line was cut short by a crash", where, "nothing to do: nothing is lost")
		} else {
			c.report(kedge.LevelWarning, "a line is damaged", where, "nothing to do unless it happens again: then check the disk")
		}
	}
	hashes := map[int64]string{}
	for r, err := range rowsOf(ctx, conn, `SELECT `+eventColumns+` FROM events ORDER BY seq`) {
		if err != nil {
			return err
		}
		hashes[r.Seq] = r.Hash
	}
	for _, m := range marks {
		if m.Seq > 0 && hashes[m.Seq] != m.Hash {
			c.report(kedge.LevelError, fmt.Sprintf("event %d was saved, but is now missing or changed", m.Seq),
				fmt.Sprintf("%s event %d", c.s.dbPath(), m.Seq), c.s.restoreHint())
			return nil
		}
	}
	return nil
}
