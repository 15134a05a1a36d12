package history

import (
	"bufio"
	"encoding/binary"
	"hash/crc32"
	"io"
	"unicode"
	"unicode/utf8"
)

// builder makes one segment. Texts go to the file as they come; tokens, and which messages
// have them, are kept until the end.
type builder struct {
	w     *bufio.Writer
	err   error
	text  int64 // bytes written
	docs  []byte
	n     uint32 // messages
	dict  []byte // the tokens, each with a line feed behind it
	list  []entry
	table []uint32 // by hash: index in list, from 1; 0 is free
	pairs []pair
	tok   []byte
}

// entry is one token: where it ends in dict, how many messages have it, and which was the
// last.
type entry struct {
	hash uint64
	from uint32 // in dict
	size uint32
	n    uint32
	last uint32 // from 1
}

// pair says that a message has a token.
type pair struct{ token, doc uint32 }

const (
	docSize   = 24 // bytes of a message's record
	firstSize = 1 << 12
)

func newBuilder(w io.Writer) *builder {
	const buffer = 1 << 18
	return &builder{w: bufio.NewWriterSize(w, buffer), table: make([]uint32, firstSize)}
}

// doc is a message's record in a segment.
type doc struct {
	text int64
	size uint32
	sum  uint32 // of the text
	line uint32
	at   uint32 // seconds since 1970; 0 is unknown
	who  Who
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// add puts a message into the segment.
func (b *builder) add(line int, at uint32, who Who, text []byte) {
	if b.err != nil || len(text) == 0 {
		return
	}
	b.docs = doc{text: b.text, size: uint32(len(text)), sum: crc32.Checksum(text, castagnoli), line: uint32(line), at: at, who: who}.append(b.docs)
	_, b.err = b.w.Write(text)
	b.text += int64(len(text))
	b.tokens(text)
	b.n++
}

// append writes a record. The text's place has 40 bits, beside which there is room for who
// said it.
func (d doc) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(d.text)<<8|uint64(d.who))
	b = binary.LittleEndian.AppendUint32(b, d.size)
	b = binary.LittleEndian.AppendUint32(b, d.sum)
	b = binary.LittleEndian.AppendUint32(b, d.line)
	return binary.LittleEndian.AppendUint32(b, d.at)
}

func docAt(b []byte, i uint32) doc {
	b = b[int(i)*docSize:]
	place := binary.LittleEndian.Uint64(b)
	return doc{
		text: int64(place >> 8), who: Who(place), size: binary.LittleEndian.Uint32(b[8:]), sum: binary.LittleEndian.Uint32(b[12:]),
		line: binary.LittleEndian.Uint32(b[16:]), at: binary.LittleEndian.Uint32(b[20:]),
	}
}

// The hash of a token, of which each byte is mixed in.
const (
	hashStart = 0xcbf29ce484222325
	hashPrime = 0x9e3779b97f4a7c15
)

// tokens goes over a text and notes its tokens.
func (b *builder) tokens(text []byte) {
	for i := 0; i < len(text); {
		if classes[text[i]] == 0 {
			i++
			continue
		}
		h, size := b.token(text[i:])
		if len(b.tok) > 0 {
			b.note(b.tok, h)
		}
		i += size
	}
}

// token takes the token at the beginning of a text into b.tok, in small letters, with its
// hash. Where there is none, it passes one character that belongs into none.
func (b *builder) token(text []byte) (h uint64, size int) {
	tok := b.tok[:0]
	h = hashStart
	for size < len(text) {
		c := classes[text[size]]
		if c == 0 {
			break
		}
		if c != beyond {
			tok = append(tok, c)
			h = (h ^ uint64(c)) * hashPrime
			size++
			continue
		}
		r, n := utf8.DecodeRune(text[size:])
		if !letter(r) {
			if size == 0 {
				size = n
			}
			break
		}
		from := len(tok)
		tok = utf8.AppendRune(tok, unicode.ToLower(r))
		for _, c := range tok[from:] {
			h = (h ^ uint64(c)) * hashPrime
		}
		size += n
	}
	b.tok = tok
	return h, size
}

// note remembers that the message has a token.
func (b *builder) note(tok []byte, h uint64) {
	h ^= h >> 32
	mask := uint32(len(b.table) - 1)
	for at := uint32(h) & mask; ; at = (at + 1) & mask {
		i := b.table[at]
		if i == 0 {
			b.insert(at, tok, h)
			return
		}
		e := &b.list[i-1]
		if e.hash != h || int(e.size) != len(tok) || string(b.dict[e.from:e.from+e.size]) != string(tok) {
			continue
		}
		if e.last != b.n+1 {
			e.last = b.n + 1
			e.n++
			b.pairs = append(b.pairs, pair{i - 1, b.n})
		}
		return
	}
}

// insert adds a token that is new.
func (b *builder) insert(at uint32, tok []byte, h uint64) {
	id := uint32(len(b.list))
	b.list = append(b.list, entry{hash: h, from: uint32(len(b.dict)), size: uint32(len(tok)), n: 1, last: b.n + 1})
	b.dict = append(append(b.dict, tok...), '\n')
	b.pairs = append(b.pairs, pair{id, b.n})
	b.table[at] = id + 1
	const most = 2 // of four places, so many are taken
	if len(b.list)*4 > len(b.table)*most {
		b.grow()
	}
}

func (b *builder) grow() {
	b.table = make([]uint32, 2*len(b.table))
	mask := uint32(len(b.table) - 1)
	for i := range b.list {
		at := uint32(b.list[i].hash) & mask
		for b.table[at] != 0 {
			at = (at + 1) & mask
		}
		b.table[at] = uint32(i) + 1
	}
}

// lists gives, for every token, the messages that have it: each as its distance from the
// one before. Where a list begins stands in starts, which has one more than there are tokens.
func (b *builder) lists() (starts, lists []byte) {
	place := make([]uint32, len(b.list)+1)
	for i := range b.list {
		place[i+1] = place[i] + b.list[i].n
	}
	docs := make([]uint32, len(b.pairs))
	next := append([]uint32(nil), place[:len(b.list)]...)
	for _, p := range b.pairs { // in the order of the messages
		docs[next[p.token]] = p.doc
		next[p.token]++
	}
	b.pairs = nil
	starts = make([]byte, 0, 4*(len(b.list)+1))
	lists = make([]byte, 0, len(docs)*2)
	for i := range b.list {
		starts = binary.LittleEndian.AppendUint32(starts, uint32(len(lists)))
		last := uint32(0)
		for _, d := range docs[place[i]:place[i+1]] {
			lists = binary.AppendUvarint(lists, uint64(d-last))
			last = d
		}
	}
	return binary.LittleEndian.AppendUint32(starts, uint32(len(lists))), lists
}

// ends is where each token begins in the dictionary, with one more at the end.
func (b *builder) places() []byte {
	out := make([]byte, 0, 4*(len(b.list)+1))
	for i := range b.list {
		out = binary.LittleEndian.AppendUint32(out, b.list[i].from)
	}
	return binary.LittleEndian.AppendUint32(out, uint32(len(b.dict)))
}

// finish writes what belongs behind the texts, and says how large the whole is.
func (b *builder) finish() (size int64, err error) {
	if b.err != nil {
		return 0, b.err
	}
	starts, lists := b.lists()
	foot := []byte{}
	size = b.text
	for _, part := range [parts][]byte{b.docs, b.dict, b.places(), starts, lists} {
		if _, err := b.w.Write(part); err != nil {
			return 0, err
		}
		foot = binary.LittleEndian.AppendUint64(foot, uint64(len(part)))
		foot = binary.LittleEndian.AppendUint32(foot, crc32.Checksum(part, castagnoli))
		size += int64(len(part))
	}
	foot = binary.LittleEndian.AppendUint64(foot, uint64(b.text))
	foot = append(foot, magic...)
	foot = binary.LittleEndian.AppendUint32(foot, crc32.Checksum(foot, castagnoli))
	if _, err := b.w.Write(foot); err != nil {
		return 0, err
	}
	return size + int64(len(foot)), b.w.Flush()
}
