package history

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math/bits"
	"os"
	"sort"

	"kedge"
)

// A segment is a file of messages that does not change: their texts, one behind the other;
// then its parts, which are the records of the messages, the tokens, where each token begins,
// where each list begins, and the lists of messages; then a foot that says how large the
// parts are, with their checksums.

const (
	parts    = 5
	magic    = "kedgehst"
	footSize = parts*12 + 8 + len(magic) + 4
)

// segment is one that is open for reading.
type segment struct {
	r      io.ReaderAt
	close  func() error
	n      uint32 // messages
	docs   []byte
	dict   []byte
	places []byte
	starts []byte
	lists  []byte
}

// damaged says that a file of the index is not what was written.
func damaged(name, what string) error {
	return kedge.Errorf(kedge.Internal, "the file %q of the index of past conversations is damaged: %w", name, &damage{what})
}

// damage is what is wrong with a file of the index.
type damage struct{ what string }

func (d *damage) Error() string { return d.what }

// openSegment reads the parts of a segment and checks them. Texts are read when they are
// asked for.
func openSegment(path string, size int64) (*segment, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	s, err := readSegment(f, size, path)
	if err != nil {
		_ = f.Close() // it was only read
		return nil, err
	}
	s.close = f.Close
	return s, nil
}

func readSegment(r io.ReaderAt, size int64, name string) (*segment, error) {
	foot := make([]byte, footSize)
	if size < int64(footSize) {
		return nil, damaged(name, "it is too short")
	}
	if _, err := r.ReadAt(foot, size-int64(footSize)); err != nil {
		return nil, damaged(name, "it is too short")
	}
	end := footSize - 4
	if crc32.Checksum(foot[:end], castagnoli) != binary.LittleEndian.Uint32(foot[end:]) || string(foot[end-len(magic):end]) != magic {
		return nil, damaged(name, "its end is not one")
	}
	at := binary.LittleEndian.Uint64(foot[parts*12:])
	s := &segment{r: r, close: func() error { return nil }}
	into := [parts]*[]byte{&s.docs, &s.dict, &s.places, &s.starts, &s.lists}
	for i, p := range into {
		n, sum := binary.LittleEndian.Uint64(foot[i*12:]), binary.LittleEndian.Uint32(foot[i*12+8:])
		if at > uint64(size) || n > uint64(size)-at {
			return nil, damaged(name, "a part is longer than the file")
		}
		*p = make([]byte, n)
		if _, err := r.ReadAt(*p, int64(at)); err != nil {
			return nil, damaged(name, "a part is not there")
		}
		if crc32.Checksum(*p, castagnoli) != sum {
			return nil, damaged(name, "the checksum of a part is wrong")
		}
		at += n
	}
	return s, s.check(name)
}

// check looks whether the parts fit each other, so that nothing behind it has to.
func (s *segment) check(name string) error {
	if len(s.docs)%docSize != 0 || len(s.places)%4 != 0 || len(s.places) < 4 || len(s.starts) != len(s.places) {
		return damaged(name, "its parts do not fit each other")
	}
	s.n = uint32(len(s.docs) / docSize)
	if !rising(s.places, len(s.dict)) || !rising(s.starts, len(s.lists)) {
		return damaged(name, "a place lies outside of its part")
	}
	return nil
}

// rising tells whether numbers do not fall and end at the given one.
func rising(b []byte, last int) bool {
	before := uint32(0)
	for i := 0; i < len(b); i += 4 {
		n := binary.LittleEndian.Uint32(b[i:])
		if n < before {
			return false
		}
		before = n
	}
	return int(before) == last
}

// doc gives the record of a message.
func (s *segment) doc(i uint32) doc { return docAt(s.docs, i) }

// text reads the text of a message.
func (s *segment) text(d doc) ([]byte, error) {
	const most = 1 << 28
	if d.size > most {
		return nil, damaged("segment", "a text is too long")
	}
	b := make([]byte, d.size)
	if _, err := s.r.ReadAt(b, d.text); err != nil {
		return nil, damaged("segment", "a text is not there")
	}
	if crc32.Checksum(b, castagnoli) != d.sum {
		return nil, damaged("segment", "the checksum of a text is wrong")
	}
	return b, nil
}

func (s *segment) place(i int) int { return int(binary.LittleEndian.Uint32(s.places[4*i:])) }

// set is a set of the messages of a segment.
type set []uint64

func (s *segment) newSet() set { return make(set, (s.n+63)/64) }

func (x set) has(i uint32) bool { return x[i/64]&(1<<(i%64)) != 0 }
func (x set) add(i uint32)      { x[i/64] |= 1 << (i % 64) }
func (x set) drop(i uint32)     { x[i/64] &^= 1 << (i % 64) }

func (x set) and(y set) {
	for i := range x {
		x[i] &= y[i]
	}
}

func (x set) len() (n int) {
	for _, w := range x {
		n += bits.OnesCount64(w)
	}
	return n
}

// each calls f with every message of the set, in their order, until f says false.
func (x set) each(f func(i uint32) bool) {
	for i, w := range x {
		for ; w != 0; w &= w - 1 {
			if !f(uint32(i*64 + bits.TrailingZeros64(w))) {
				return
			}
		}
	}
}

// with gives the messages that have a token in which a word stands, and of these the ones
// that have the word as a whole token.
func (s *segment) with(word string) (inside, whole set) {
	inside, whole = s.newSet(), s.newSet()
	count := len(s.places)/4 - 1
	for at := 0; at < len(s.dict); {
		i := bytes.Index(s.dict[at:], []byte(word))
		if i < 0 {
			break
		}
		at += i
		id := sort.Search(count, func(i int) bool { return s.place(i+1) > at })
		if id >= count {
			break
		}
		s.list(id, inside)
		if s.place(id) == at && s.place(id+1) == at+len(word)+1 {
			s.list(id, whole)
		}
		at = s.place(id + 1)
	}
	return inside, whole
}

// list adds the messages that have a token.
func (s *segment) list(id int, to set) {
	b := s.lists[binary.LittleEndian.Uint32(s.starts[4*id:]):binary.LittleEndian.Uint32(s.starts[4*id+4:])]
	doc := uint64(0)
	for len(b) > 0 {
		d, n := binary.Uvarint(b)
		if n <= 0 {
			return
		}
		b = b[n:]
		if doc += d; doc >= uint64(s.n) {
			return
		}
		to.add(uint32(doc))
	}
}
