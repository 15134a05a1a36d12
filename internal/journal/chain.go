package journal

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"strconv"
	"time"

	"kedge"
)

// row is an event as it lies in the table.
type row struct {
	kedge.Event
	at      string // the exact text, which is what is hashed
	request string
}

// timeFormat keeps milliseconds, always three digits, so that text sorts as
// time does and a reread event equals the one first given.
const timeFormat = "2006-01-02T15:04:05.000Z"

// chain links the events of a journal. Nobody without the key can write an event that
// belongs behind the others. Up to the event sealed, which an older Kedge wrote, a link has
// no key; the seal vouches for that part as it was found.
type chain struct {
	key    []byte // nil: no link has one
	sealed int64
}

// sum is the hash of a row that follows prev. Every field goes in with its
// length before it, so that no two different rows make the same bytes.
func (c chain) sum(r *row, prev string) string {
	h := sha256.New()
	if len(c.key) > 0 && r.Seq > c.sealed {
		h = hmac.New(sha256.New, c.key)
	}
	for _, f := range []string{
		prev, strconv.FormatInt(r.Seq, 10), strconv.Itoa(r.V), string(r.ID), r.at,
		string(r.Project), string(r.Actor), string(r.Type), string(r.Data), r.request,
	} {
		field(h, f)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func field(h hash.Hash, s string) {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(len(s)))
	h.Write(n[:])
	h.Write([]byte(s))
}

// link gives an event its place after prev: sequence, id, time and hash.
func (c chain) link(ev kedge.Event, request string, prev mark, at time.Time) row {
	at = at.UTC().Truncate(time.Millisecond)
	ev.Seq, ev.At = prev.Seq+1, at
	ev.ID = kedge.EventID(kedge.NewID("evt", at))
	if ev.V == 0 {
		ev.V = 1
	}
	r := row{Event: ev, at: at.Format(timeFormat), request: request}
	r.Hash = c.sum(&r, prev.Hash)
	return r
}

// follows tells whether r is what must come after prev.
func (c chain) follows(r *row, prev mark) bool {
	return r.Seq == prev.Seq+1 && r.Hash == c.sum(r, prev.Hash)
}
