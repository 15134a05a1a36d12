package audit

import (
	"math"
	"slices"
	"time"
)

// packed is a reply in less than half the room, for reports over all sessions of a machine.
type packed struct {
	key    uint64
	at     int64 // milliseconds since 1970; unknown: no time is so early
	usd    float64
	tokens [5]uint32
	model  uint16 // of the names of its session
	known  bool
	nested bool
	told   bool // usd is what the program itself says
}

const unknownTime = math.MinInt64

// Pack keeps the replies in less room. Only EachReply, Once and Reckon find them then.
func (f *Figures) Pack() {
	f.packed = make([]packed, 0, len(f.Replies))
	for i := range f.Replies {
		r := &f.Replies[i]
		model := slices.Index(f.names, r.Model)
		if model < 0 {
			model = len(f.names)
			f.names = append(f.names, r.Model)
		}
		u := r.Usage
		p := packed{key: r.Key, at: unknownTime, model: uint16(model), known: r.Known, nested: r.Nested}
		for i, n := range [...]int64{u.Input, u.CacheRead, u.CacheWrite, u.Output, u.Hour} {
			p.tokens[i] = uint32(min(max(n, 0), math.MaxUint32))
		}
		if at, err := time.Parse(time.RFC3339, r.At); err == nil {
			p.at = at.UnixMilli()
		}
		if r.USD != nil {
			p.usd, p.told = *r.USD, true
		}
		f.packed = append(f.packed, p)
	}
	f.Replies = nil
}

// Bare leaves out what figures are summed up from: replies, files and commands.
func (f *Figures) Bare() { f.Replies, f.packed, f.names, f.Files, f.Ran = nil, nil, nil, nil, nil }

func (f *Figures) unpacked(p *packed) ReplyUse {
	n := p.tokens
	r := ReplyUse{
		Key: p.key, Model: f.names[p.model], Known: p.known, Nested: p.nested,
		Usage: Usage{Input: int64(n[0]), CacheRead: int64(n[1]), CacheWrite: int64(n[2]), Output: int64(n[3]), Hour: int64(n[4])},
	}
	if p.at != unknownTime {
		r.At = time.UnixMilli(p.at).UTC().Format("2006-01-02T15:04:05.000Z")
	}
	if p.told {
		r.USD = ptr(p.usd)
	}
	return r
}

// EachReply gives the replies of a session, packed ones too.
func (f *Figures) EachReply(take func(*ReplyUse)) {
	for i := range f.Replies {
		take(&f.Replies[i])
	}
	for i := range f.packed {
		r := f.unpacked(&f.packed[i])
		take(&r)
	}
}

// keys gives the keys of the replies, and which of them are nested.
func (f *Figures) keys(take func(key uint64, nested bool)) {
	for i := range f.Replies {
		take(f.Replies[i].Key, f.Replies[i].Nested)
	}
	for i := range f.packed {
		take(f.packed[i].key, f.packed[i].nested)
	}
}

// drop leaves replies out, and tells how many.
func (f *Figures) drop(copied func(key uint64) bool) int {
	before := len(f.Replies) + len(f.packed)
	f.Replies = slices.DeleteFunc(f.Replies, func(r ReplyUse) bool { return copied(r.Key) })
	f.packed = slices.DeleteFunc(f.packed, func(p packed) bool { return copied(p.key) })
	return before - len(f.Replies) - len(f.packed)
}
