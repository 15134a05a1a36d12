package stored

import (
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
)

// Edit gives an index with paths put in or replaced, and others taken out; nil is an
// empty index. What is put in has no times, so that git looks into the file before it
// calls it unchanged. What is left has the times that it had: whoever writes the index
// gives the file the time of the one that it is made of, for git takes an entry that
// is as young as its index for one that it must look into. False when git has to do
// it.
func Edit(b []byte, digits int, put []Tracked, gone []string) ([]byte, bool) {
	version, entries, ok := rawEntries(b, digits)
	if !ok {
		return nil, false
	}
	out := map[string]bool{}
	for _, p := range gone {
		out[p] = true
	}
	for _, e := range put {
		out[e.Path] = true
	}
	entries = slices.DeleteFunc(entries, func(e rawEntry) bool { return out[e.path] })
	for _, e := range put {
		raw, ok := newEntry(e, digits)
		if !ok {
			return nil, false
		}
		entries = append(entries, rawEntry{e.Path, raw})
	}
	slices.SortStableFunc(entries, func(a, b rawEntry) int { return strings.Compare(a.path, b.path) })
	return writeIndex(version, entries, digits), true
}

// rawEntry is an entry as it is stored, up to its name.
type rawEntry struct {
	path string
	raw  []byte
}

// rawEntries reads the entries of an index in one of the plain versions.
func rawEntries(b []byte, digits int) (version uint32, entries []rawEntry, ok bool) {
	if b == nil {
		return 2, nil, true
	}
	list, ok := Index(b, digits)
	if version = 0; ok {
		version = binary.BigEndian.Uint32(b[4:])
	}
	if version != 2 && version != 3 {
		return 0, nil, false
	}
	at := headSize
	for _, e := range list {
		fixed := statSize + digits/2 + 2
		if binary.BigEndian.Uint16(b[at+fixed-2:])&extended != 0 {
			fixed += 2
		}
		entries = append(entries, rawEntry{e.Path, b[at : at+fixed]})
		at += (fixed + len(e.Path) + entryAlign) &^ (entryAlign - 1)
	}
	return version, entries, true
}

// nameMask is as much of the length of a name as an entry says.
const nameMask = 0xfff

func newEntry(e Tracked, digits int) ([]byte, bool) {
	mode, err := strconv.ParseUint(e.Mode, 8, 32)
	sha, hexErr := hex.DecodeString(e.SHA)
	if err != nil || hexErr != nil || len(e.SHA) != digits || e.Path == "" || strings.ContainsRune(e.Path, 0) {
		return nil, false
	}
	raw := make([]byte, statSize, statSize+digits/2+2)
	binary.BigEndian.PutUint32(raw[modeAt:], uint32(mode))
	raw = append(raw, sha...)
	return binary.BigEndian.AppendUint16(raw, uint16(min(len(e.Path), nameMask))), true
}

func writeIndex(version uint32, entries []rawEntry, digits int) []byte {
	b := []byte("DIRC")
	b = binary.BigEndian.AppendUint32(b, version)
	b = binary.BigEndian.AppendUint32(b, uint32(len(entries)))
	for _, e := range entries {
		size := len(e.raw) + len(e.path)
		b = append(append(b, e.raw...), e.path...)
		b = append(b, make([]byte, (size+entryAlign)&^(entryAlign-1)-size)...)
	}
	h := sum(digits)
	_, _ = h.Write(b) // never fails
	return h.Sum(b)
}
