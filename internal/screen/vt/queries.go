package vt

import (
	"bytes"

	"kedge/internal/text/plain"
)

// Queries finds, in what a program prints, what makes a terminal answer. The bytes may
// come in any pieces. The zero value begins between two sequences.
type Queries struct {
	scan scanner
	at   int64 // bytes seen
}

// enq asks a terminal to say who it is.
const enq = 0x05

// Find tells where queries are in what was printed since the first call: from the first
// byte of each up to the one behind its end. A query counts where it ends.
func (q *Queries) Find(b []byte, found func(from, end int64)) {
	start := q.at
	q.at += int64(len(b))
	at := 0
	if q.scan.state != ground {
		n, done := q.scan.next(b)
		q.scan.keep(b[:n])
		q.scan.dropped = false
		if !done {
			return
		}
		at = n
		if q.scan.heldLen <= maxHeld && plain.Asks(q.scan.held) && !q.scan.cut {
			found(start+int64(at)-q.scan.heldLen, start+int64(at))
		}
		q.scan.held, q.scan.heldLen = q.scan.held[:0], 0
	}
	for {
		n := nextControl(b[at:])
		if n < 0 {
			return
		}
		at += n
		if b[at] == enq {
			found(start+int64(at), start+int64(at)+1)
			at++
			continue
		}
		size, done := q.scan.begin(b[at:])
		if !done {
			q.scan.keep(b[at:])
			return
		}
		if plain.Asks(b[at:at+size]) && !q.scan.cut {
			found(start+int64(at), start+int64(at+size))
		}
		at += size
	}
}

// Held is how many of the bytes seen belong to a query that may not have ended yet: no
// query is as long as some sequences.
func (q *Queries) Held() int64 {
	if q.scan.heldLen > maxHeld {
		return 0
	}
	return q.scan.heldLen
}

// Seen is how many bytes were looked at.
func (q *Queries) Seen() int64 { return q.at }

// nextControl is where the next sequence may begin; -1 for nowhere.
func nextControl(b []byte) int {
	first := len(b)
	for _, c := range []byte{esc, enq} {
		if i := bytes.IndexByte(b[:first], c); i >= 0 {
			first = i
		}
	}
	for at := 0; ; at++ {
		i := bytes.IndexByte(b[at:first], 0xc2) // what begins a C1 control
		if i < 0 {
			break
		}
		if at += i; at+1 == len(b) || isC1(b[at:]) {
			return at
		}
	}
	if first == len(b) {
		return -1
	}
	return first
}
