// Package tape stores everything that a session printed: an append-only log of bytes in
// segments of a fixed size, and an index beside it. The index has the times of offsets,
// the sizes of the terminal, the places where bytes were lost because the disk was full,
// and the end.
//
// Offsets count the bytes in the log, from 0, and never change. Bytes are in the file
// before anyone sees them. A full disk never blocks the writer: it counts the bytes that
// it cannot write, and records the gap at its place. Only Drop removes bytes, for
// retention: whole segments, from the front. A reader reports the removed part.
//
// From the log, the package computes the screen of the terminal at any offset. A file of
// snapshots beside the log makes this fast. It does not use a snapshot that is damaged or
// does not fit the log.
package tape

import (
	"encoding/binary"
	"path/filepath"
	"strconv"
	"time"
)

// SegmentSize is the length of every segment but the last.
const SegmentSize = 8 << 20

// Kind says what a mark in the index means.
type Kind uint32

// The kinds of mark. The numbers are on disk and never change.
const (
	Time   Kind = 1 // the log had this length at this time
	Resize Kind = 2 // A = columns, B = rows
	Gap    Kind = 3 // B = bytes that were lost here
	Exit   Kind = 4 // A = exit code; B = signal, 0 for none
)

// Mark is one record of the index.
type Mark struct {
	Kind   Kind
	A      uint32
	B      uint64
	Offset int64
	At     time.Time
}

// markSize is the length of a record on disk.
const markSize = 32

func (m Mark) encode() []byte {
	b := make([]byte, 0, markSize)
	b = binary.BigEndian.AppendUint32(b, uint32(m.Kind))
	b = binary.BigEndian.AppendUint32(b, m.A)
	b = binary.BigEndian.AppendUint64(b, m.B)
	b = binary.BigEndian.AppendUint64(b, uint64(m.Offset))
	return binary.BigEndian.AppendUint64(b, uint64(m.At.UnixMilli()))
}

func decodeMark(b []byte) Mark {
	return Mark{
		Kind:   Kind(binary.BigEndian.Uint32(b)),
		A:      binary.BigEndian.Uint32(b[4:]),
		B:      binary.BigEndian.Uint64(b[8:]),
		Offset: int64(binary.BigEndian.Uint64(b[16:])),
		At:     time.UnixMilli(int64(binary.BigEndian.Uint64(b[24:]))).UTC(),
	}
}

func segmentPath(dir string, n int64) string {
	return filepath.Join(dir, "log."+strconv.FormatInt(n, 10))
}

// IndexName is the name of the file of marks in a session's folder: it is there
// from the beginning, and empty as long as nothing was held.
const IndexName = "index"

func indexPath(dir string) string { return filepath.Join(dir, IndexName) }
