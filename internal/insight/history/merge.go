package history

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
)

// Each update adds a segment, and what is read again leaves messages behind that nobody
// has. So that a search does not have to look into ever more files, small segments and
// those that are mostly left behind are put together, when there are many.

const (
	mostSegments = 12
	fewSegments  = 4 // that are left small
)

// merge puts segments together where that is due.
func (l *Library) merge(ctx context.Context, m *manifest) error {
	live := make([]uint32, len(m.segments))
	for _, f := range m.files {
		for _, p := range f.pieces {
			live[p.segment] += p.n
		}
	}
	var old []int
	small := 0
	for i, s := range m.segments {
		switch {
		case live[i] == 0: // it is left out anyway
		case live[i] < s.docs/2:
			old = append(old, i)
		case s.size < segmentText/2:
			old = append(old, i)
			small++
		}
	}
	dead := len(old) - small
	if small <= mostSegments && dead == 0 {
		return nil
	}
	if small <= fewSegments { // the small ones can stay as they are
		old = slices.DeleteFunc(old, func(i int) bool { return live[i] >= m.segments[i].docs/2 })
	}
	return l.together(ctx, m, old)
}

// moved is a piece with the transcript that has it.
type moved struct {
	f *source
	i int // which of its pieces
}

// together copies the messages of segments into new ones.
func (l *Library) together(ctx context.Context, m *manifest, old []int) error {
	from := map[uint32]*segment{}
	defer func() {
		for _, s := range from {
			_ = s.close() // it was only read
		}
	}()
	for _, i := range old {
		s, err := openSegment(filepath.Join(l.folder(), m.segments[i].name), m.segments[i].size)
		if err != nil {
			return nil // who searches notices it, and begins a new index
		}
		from[uint32(i)] = s
	}
	var all []moved
	for _, f := range m.files {
		for i, p := range f.pieces {
			if from[p.segment] != nil {
				all = append(all, moved{f, i})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b moved) int { return cmp.Compare(key(a.f.File), key(b.f.File)) })
	w := &worker{l: l}
	fresh := map[*source][]piece{}
	for _, x := range all {
		if err := ctx.Err(); err != nil {
			break
		}
		p := x.f.pieces[x.i]
		holder := &source{pieces: fresh[x.f]}
		for i := range p.n {
			d := from[p.segment].doc(p.first + i)
			text, err := from[p.segment].text(d)
			if err != nil {
				w.close()
				return nil // likewise
			}
			w.add(holder, int(d.line), d.at, d.who, string(text))
		}
		fresh[x.f] = holder.pieces
	}
	w.close()
	if w.out.failed != nil || ctx.Err() != nil {
		return w.out.failed
	}
	base := uint32(len(m.segments))
	m.segments = append(m.segments, w.out.segments...)
	for f, list := range fresh {
		stay := slices.DeleteFunc(slices.Clone(f.pieces), func(p piece) bool { return from[p.segment] != nil })
		for _, p := range list {
			stay = append(stay, piece{base + p.segment&^ownSegment, p.first, p.n})
		}
		f.pieces = stay
	}
	return nil
}
