package stored

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
)

// Tracked is an entry of an index. Of a path in conflict there are several.
type Tracked struct {
	Path, Mode, SHA string
	Skipped         bool // not checked out, in a sparse checkout
}

// The parts of an index.
const (
	headSize   = 12
	statSize   = 40 // of an entry, before the name of its object
	modeAt     = 24
	extended   = 0x4000 // flag: two more bytes of flags follow
	skipped    = 0x4000 // flag among those
	entryAlign = 8
)

// Index reads an index whose objects have names of this many digits, by path; false
// when git has to be asked: of an index that is split, sparse, damaged or newer.
func Index(b []byte, digits int) ([]Tracked, bool) {
	size := digits / 2
	if len(b) < headSize+size || string(b[:4]) != "DIRC" || !whole(b, digits) {
		return nil, false
	}
	version, count := binary.BigEndian.Uint32(b[4:]), int(binary.BigEndian.Uint32(b[8:]))
	if version < 2 || version > 4 || count > len(b)/statSize {
		return nil, false
	}
	r := indexReader{rest: b[headSize : len(b)-size], size: size, version: version}
	out := make([]Tracked, 0, count)
	for range count {
		e, ok := r.next()
		if !ok {
			return nil, false
		}
		out = append(out, e)
	}
	return out, r.plainEnd()
}

// whole holds an index against its checksum, which may be left out.
func whole(b []byte, digits int) bool {
	at := len(b) - digits/2
	h := sum(digits)
	_, _ = h.Write(b[:at]) // never fails
	return bytes.Equal(h.Sum(nil), b[at:]) || bytes.Equal(b[at:], make([]byte, digits/2))
}

type indexReader struct {
	rest    []byte
	size    int // of the name of an object
	version uint32
	path    string // of the entry before
}

func (r *indexReader) next() (Tracked, bool) {
	fixed := statSize + r.size + 2
	if len(r.rest) < fixed+2 {
		return Tracked{}, false
	}
	e := Tracked{
		Mode: fmt.Sprintf("%06o", binary.BigEndian.Uint32(r.rest[modeAt:])),
		SHA:  hex.EncodeToString(r.rest[statSize : statSize+r.size]),
	}
	if flags := binary.BigEndian.Uint16(r.rest[fixed-2:]); flags&extended != 0 {
		if r.version < 3 {
			return Tracked{}, false
		}
		e.Skipped = binary.BigEndian.Uint16(r.rest[fixed:])&skipped != 0
		fixed += 2
	}
	ok := false
	e.Path, ok = r.name(fixed)
	r.path = e.Path
	return e, ok && e.Path != "" && e.Path[len(e.Path)-1] != '/' // a folder stands in a sparse index only
}

// name reads the name that begins at a place, and goes behind the entry.
func (r *indexReader) name(at int) (string, bool) {
	kept := ""
	if r.version == 4 {
		drop, n := offset(r.rest[at:])
		if n == 0 || drop > len(r.path) {
			return "", false
		}
		kept, at = r.path[:len(r.path)-drop], at+n
	}
	end := bytes.IndexByte(r.rest[at:], 0)
	if end < 0 {
		return "", false
	}
	name := kept + string(r.rest[at:at+end])
	length := at + end + 1
	if r.version != 4 {
		length = (at + end + entryAlign) &^ (entryAlign - 1)
	}
	if length > len(r.rest) {
		return "", false
	}
	r.rest = r.rest[length:]
	return name, true
}

// offset reads a number as version 4 has it, and its length; 0 where there is none.
func offset(b []byte) (value, length int) {
	for i, c := range b[:min(len(b), 5)] {
		if i > 0 {
			value++
		}
		value = value<<7 | int(c&0x7f)
		if c&0x80 == 0 {
			return value, i + 1
		}
	}
	return 0, 0
}

// plainEnd tells whether nothing follows that changes what the entries mean: parts
// whose names begin with a capital letter may be passed over.
func (r *indexReader) plainEnd() bool {
	for b := r.rest; len(b) > 0; {
		if len(b) < 8 || b[0] < 'A' || b[0] > 'Z' {
			return false
		}
		n := int(binary.BigEndian.Uint32(b[4:]))
		if n < 0 || n > len(b)-8 {
			return false
		}
		b = b[8+n:]
	}
	return true
}
