package history

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Index is the index as it was when it was opened. Close lets go of its files.
type Index struct {
	files    []*source
	segments []*segment
	owners   [][]owner // of each segment, in the order of its messages
}

// owner is a row of messages of a segment and the transcript that has them.
type owner struct {
	first, n uint32
	file     int
}

// open opens the segments of a manifest.
func (l *Library) open(m *manifest) (*Index, error) {
	x := &Index{files: m.files, owners: make([][]owner, len(m.segments))}
	for _, s := range m.segments {
		seg, err := openSegment(filepath.Join(l.folder(), s.name), s.size)
		if err == nil && seg.n != s.docs {
			_ = seg.close() // it was only read
			err = damaged(s.name, "it has another number of messages")
		}
		if err != nil {
			x.Close()
			return nil, err
		}
		x.segments = append(x.segments, seg)
	}
	for i, f := range m.files {
		for _, p := range f.pieces {
			x.owners[p.segment] = append(x.owners[p.segment], owner{p.first, p.n, i})
		}
	}
	for _, list := range x.owners {
		slices.SortFunc(list, func(a, b owner) int { return cmp.Compare(a.first, b.first) })
	}
	return x, nil
}

// Close lets go of the files.
func (x *Index) Close() {
	for _, s := range x.segments {
		_ = s.close() // it was only read
	}
}

// shortest is the fewest characters that stand for an id.
const shortest = 6

// Named gives the conversations whose id, or whose file's name, is this, or begins or ends so.
func (x *Index) Named(id string) []Conversation {
	var whole, part []Conversation
	for _, f := range x.files {
		name := f.File.Name()
		switch {
		case f.ID == id || name == id:
			whole = append(whole, f.Conversation)
		case len(id) < shortest:
		case strings.HasPrefix(f.ID, id) || strings.HasPrefix(name, id) || strings.HasSuffix(name, id):
			part = append(part, f.Conversation)
		}
	}
	if len(whole) > 0 {
		return whole
	}
	return part
}

// Filter says which conversations are searched.
type Filter struct {
	Agent   string
	Since   time.Time             // what was said before is not found
	Project func(dir string) bool // nil: all
	Who     []Who                 // whose words; empty: all
}
