package journal

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"kedge"
)

// sealedVersion is the first version of a journal that has a seal and a tail. One that lacks
// them is not as Kedge left it.
const sealedVersion = 3

// newest is how many of the last events are verified whenever a journal is opened. Check and
// Rebuild verify all.
const newest = 64

// sealOf vouches for all events up to head, and says from where on links have a key.
func sealOf(key []byte, head mark) string {
	h := hmac.New(sha256.New, key)
	for _, f := range []string{"sealed", strconv.FormatInt(head.Seq, 10), head.Hash} {
		field(h, f)
	}
	return strconv.FormatInt(head.Seq, 10) + " " + hex.EncodeToString(h.Sum(nil))
}

// sealedAt is the last event that a seal vouches for.
func sealedAt(seal string) int64 {
	at, _, _ := strings.Cut(seal, " ")
	n, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return -1
	}
	return n
}

func readSeal(ctx context.Context, q queryer) (string, error) {
	var seal string
	err := q.QueryRowContext(ctx, `SELECT value FROM meta WHERE key = 'seal'`).Scan(&seal)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return seal, err
}

func writeSeal(ctx context.Context, q executor, key []byte, head mark) error {
	_, err := q.ExecContext(ctx, `INSERT INTO meta (key, value) VALUES ('seal', ?)`, sealOf(key, head))
	return err
}

// markAt is the mark of one event; without a hash if there is none.
func markAt(ctx context.Context, q queryer, seq int64) (mark, error) {
	m := mark{Seq: seq}
	err := q.QueryRowContext(ctx, `SELECT hash FROM events WHERE seq = ?`, seq).Scan(&m.Hash)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return m, err
}

// openChain finds out how the events are linked. A journal whose seal is not by this key
// is refused.
func (s *Store) openChain(ctx context.Context, key []byte, head mark) error {
	seal, err := readSeal(ctx, s.anchor)
	if err != nil {
		return err
	}
	switch {
	case seal == "" && (len(key) == 0 || s.version < sealedVersion || head.Seq == 0):
		return nil // an older Kedge wrote it; or it is new
	case seal == "":
		s.refuse("somebody removed the seal with which Kedge recognises the journal %q", s.dbPath())
		return nil
	case len(key) == 0:
		s.chain.sealed = head.Seq
		s.refuse("the key of the journal %q is missing, so Kedge cannot verify its events", s.dbPath())
		return nil
	}
	s.chain = chain{key: key, sealed: sealedAt(seal)}
	at, err := markAt(ctx, s.anchor, s.chain.sealed)
	if err == nil && !hmac.Equal([]byte(seal), []byte(sealOf(key, at))) {
		why := ""
		if s.chain.sealed > 0 {
			why = fmt.Sprintf(", or somebody changed its first %d events", s.chain.sealed)
		}
		s.refuse("the journal %q does not belong to the key of this KEDGE_HOME (%s)%s", s.dbPath(), KeyName, why)
	}
	return err
}

// verifyNewest refuses a journal whose last events are not linked as Kedge links them. What
// is to be sealed is verified whole.
func (s *Store) verifyNewest(ctx context.Context, tail, head mark, whole bool) error {
	prev := mark{}
	if from := min(tail.Seq, head.Seq) - newest; from > 0 && !whole {
		var err error
		if prev, err = markAt(ctx, s.anchor, from); err != nil {
			return err
		}
	}
	for r, err := range rowsOf(ctx, s.anchor, `SELECT `+eventColumns+` FROM events WHERE seq > ? ORDER BY seq`, prev.Seq) {
		if err != nil {
			return err
		}
		if !s.chain.follows(&r, prev) {
			s.refuse("event %d of the journal %q is missing, or somebody else wrote or changed it", prev.Seq+1, s.dbPath())
			return nil
		}
		prev = mark{Seq: r.Seq, Hash: r.Hash}
	}
	return nil
}

// seal seals a journal that has none: a new one, or one of an older Kedge, whose events were
// verified when it was opened.
func (w *writer) seal(ctx context.Context) error {
	key := w.s.key
	if len(key) == 0 || len(w.s.chain.key) > 0 {
		return nil
	}
	head, err := headOf(ctx, w.conn)
	if err == nil {
		err = writeSeal(ctx, w.conn, key, head)
	}
	w.s.chain = chain{key: key, sealed: head.Seq}
	return err
}

// refuse makes the store refuse to write, for the first reason that is found. A reason that
// says what to do keeps its hint.
func (s *Store) refuse(format string, args ...any) {
	e := kedge.Errorf(kedge.Conflict, format+"; Kedge reads the journal, but does not write to it", args...).WithHint("%s", s.restoreHint())
	if err, ok := args[0].(error); ok {
		e = e.WithHint("%s", kedge.HintOf(err))
	}
	s.refusal.CompareAndSwap(nil, e)
}
