package history

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"strings"
	"testing"
)

// FuzzManifest: whatever the bytes are, reading them ends, and what is accepted is written
// back the same.
func FuzzManifest(f *testing.F) {
	m := &manifest{segments: []segmentFile{{"seg-1", 100, 3}}, files: []*source{{stamp: "a.b", end: 7, pieces: []piece{{0, 1, 2}}}}}
	m.files[0].File.Path, m.files[0].Title = "/x", "t"
	f.Add(m.encode())
	f.Add((&manifest{}).encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		b = append(bytes.Clone(b[:max(0, len(b)-4)]), 0, 0, 0, 0) // with a checksum that fits
		binary.LittleEndian.PutUint32(b[len(b)-4:], crc32.Checksum(b[:len(b)-4], castagnoli))
		m, err := decodeManifest(b)
		if err != nil {
			return
		}
		again, err := decodeManifest(m.encode())
		if err != nil || !bytes.Equal(again.encode(), m.encode()) {
			t.Errorf("it does not come back: %v", err)
		}
	})
}

// FuzzSegment: a segment of any bytes is refused or can be searched without harm; one that
// was written gives back what was put in.
func FuzzSegment(f *testing.F) {
	f.Add([]byte("one zebra, Ärger"), []byte("per-file pools"), uint16(3), byte(1))
	f.Add([]byte{0xff, 'a', 0xe2, 0x84, 0xaa}, []byte("_"), uint16(900), byte(0))
	f.Fuzz(func(t *testing.T, a, b []byte, at uint16, flip byte) {
		var out bytes.Buffer
		w := newBuilder(&out)
		var texts [][]byte
		for i, text := range [][]byte{a, b, append(bytes.Clone(a), b...)} {
			if len(text) > 0 {
				w.add(i+1, uint32(i), You, bytes.Clone(text))
				texts = append(texts, text)
			}
		}
		size, err := w.finish()
		if err != nil || size != int64(out.Len()) {
			t.Fatalf("%d of %d: %v", size, out.Len(), err)
		}
		s, err := readSegment(bytes.NewReader(out.Bytes()), size, "x")
		if err != nil || int(s.n) != len(texts) {
			t.Fatalf("%v: %v", s, err)
		}
		for i, text := range texts {
			got, err := s.text(s.doc(uint32(i)))
			if err != nil || !bytes.Equal(got, text) {
				t.Errorf("%q comes back as %q: %v", text, got, err)
			}
			for _, tok := range tokensOf(strings.ToValidUTF8(string(text), " ")) {
				if inside, _ := s.with(tok); !inside.has(uint32(i)) {
					t.Errorf("%q is not found in %q", tok, text)
				}
			}
		}
		torn := bytes.Clone(out.Bytes())
		torn[int(at)%len(torn)] ^= flip
		if s, err := readSegment(bytes.NewReader(torn), size, "x"); err == nil {
			for i := range s.n {
				if got, err := s.text(s.doc(i)); err == nil && !bytes.Equal(got, texts[i]) {
					t.Errorf("a damaged text is given: %q", got)
				}
			}
		}
	})
}
