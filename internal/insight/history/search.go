package history

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"slices"
	"sort"
	"time"

	"kedge"
)

// Options say how much of what was found is told.
type Options struct {
	Limit   int // conversations; 0 is all
	Matches int // of each conversation, the best with their passages; 0 is none
	Size    int // of a passage, in bytes
	Now     time.Time
	Apart   bool // conversations with the same passage are told one by one
}

// search is one search while it is made.
type search struct {
	x     *Index
	q     Query
	f     Filter
	o     Options
	words []Word
	live  []set     // by segment: what may be found
	has   [][]set   // by word and segment: what has the word
	whole [][]set   // likewise, as a whole token
	rare  []float64 // by word
	hits  []hit
}

// hit is a message that has the words.
type hit struct {
	segment int
	doc     uint32
	file    int
	d       doc
	score   float64
}

// Search finds the messages that have the words, the best first. Where none has all words,
// it finds those that have the most telling ones.
func (x *Index) Search(ctx context.Context, q Query, f Filter, o Options) (Result, error) {
	s := &search{x: x, q: q, f: f, o: o, words: q.needed()}
	r := Result{}
	for _, w := range s.words {
		r.Words = append(r.Words, w.Text)
	}
	r.Searched, r.Unread = x.searched(f)
	if len(s.words) == 0 || r.Searched == 0 {
		return r, nil
	}
	s.live = x.live(f)
	if err := s.look(ctx); err != nil {
		return r, err
	}
	missing, err := s.find(ctx)
	if err != nil {
		return r, err
	}
	r.Missing = missing
	if err := s.rank(ctx); err != nil {
		return r, err
	}
	r.Messages = len(s.hits)
	return r, s.tell(&r)
}

// searched counts the conversations that a filter leaves.
func (x *Index) searched(f Filter) (n int, unread []Conversation) {
	for _, s := range x.files {
		if !f.conversation(s) {
			continue
		}
		n++
		if s.Why != "" {
			unread = append(unread, s.Conversation)
		}
	}
	return n, unread
}

func (f Filter) conversation(s *source) bool {
	return (f.Agent == "" || s.File.Agent == f.Agent) && (f.Project == nil || f.Project(s.Dir)) &&
		(f.Since.IsZero() || s.Ended.IsZero() || !s.Ended.Before(f.Since))
}

// live gives the messages that a filter leaves.
func (x *Index) live(f Filter) []set {
	since := uint32(0)
	if !f.Since.IsZero() {
		since = uint32(max(f.Since.Unix(), 0))
	}
	out := make([]set, len(x.segments))
	for i, s := range x.segments {
		out[i] = s.newSet()
		for _, o := range x.owners[i] {
			if !f.conversation(x.files[o.file]) {
				continue
			}
			for n := o.first; n < o.first+o.n; n++ {
				if since == 0 && len(f.Who) == 0 {
					out[i].add(n)
				} else if d := s.doc(n); (d.at == 0 || d.at >= since) && (len(f.Who) == 0 || slices.Contains(f.Who, d.who)) {
					out[i].add(n)
				}
			}
		}
	}
	return out
}

// look finds where each word can be, by its tokens.
func (s *search) look(ctx context.Context) error {
	total := 0
	for _, l := range s.live {
		total += l.len()
	}
	for _, w := range s.words {
		has, whole := make([]set, len(s.live)), make([]set, len(s.live))
		n := 0
		for i, seg := range s.x.segments {
			if ctx.Err() != nil {
				return kedge.Errorf(kedge.Interrupted, "interrupted: %w", context.Cause(ctx))
			}
			has[i], whole[i] = slices.Clone(s.live[i]), slices.Clone(s.live[i])
			for _, t := range w.tokens {
				inside, all := seg.with(t)
				has[i].and(inside)
				whole[i].and(all)
			}
			n += has[i].len()
		}
		s.has, s.whole = append(s.has, has), append(s.whole, whole)
		s.rare = append(s.rare, math.Log(1+float64(total+1)/float64(n+1)))
	}
	return nil
}

// find takes the messages that have all words; where there is none, those with the words
// that together are rarest.
func (s *search) find(ctx context.Context) (missing []string, err error) {
	all := make([]int, len(s.words))
	for i := range all {
		all[i] = i
	}
	sets, err := s.having(ctx, all)
	if err != nil || s.take(sets) || len(all) == 1 || s.q.Exact {
		return nil, err
	}
	best, weight := []int(nil), 0.0
	var found []set
	const most = 8 // words: of so many, all choices are tried
	order := slices.Clone(all)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.rare[b], s.rare[a]) })
	order = order[:min(len(order), most)]
	for choice := 1; choice < 1<<len(order)-1 || len(order) < len(all) && choice < 1<<len(order); choice++ {
		var some []int
		sum := 0.0
		for i, w := range order {
			if choice&(1<<i) != 0 {
				some, sum = append(some, w), sum+s.rare[w]
			}
		}
		if sum <= weight {
			continue
		}
		sets, err := s.having(ctx, some)
		if err != nil {
			return nil, err
		}
		if any(sets) {
			best, weight, found = some, sum, sets
		}
	}
	s.take(found)
	for i, w := range s.words {
		if best != nil && !slices.Contains(best, i) {
			missing = append(missing, w.Text)
		}
	}
	if best != nil {
		slices.Sort(best)
		s.only(best)
	}
	return missing, nil
}

// only goes on with some of the words.
func (s *search) only(some []int) {
	var words []Word
	var whole [][]set
	var rare []float64
	for _, i := range some {
		words, whole, rare = append(words, s.words[i]), append(whole, s.whole[i]), append(rare, s.rare[i])
	}
	s.words, s.whole, s.rare = words, whole, rare
}

func any(sets []set) bool {
	return slices.ContainsFunc(sets, func(x set) bool { return x.len() > 0 })
}

// having gives the messages that have some of the words. Of words that are not one token,
// the texts themselves decide.
func (s *search) having(ctx context.Context, some []int) ([]set, error) {
	var texts []string
	for _, i := range some {
		if !s.words[i].byToken() {
			texts = append(texts, s.words[i].Text)
		}
	}
	out := make([]set, len(s.live))
	for i, seg := range s.x.segments {
		out[i] = slices.Clone(s.live[i])
		for _, w := range some {
			out[i].and(s.has[w][i])
		}
		if len(texts) == 0 {
			continue
		}
		if err := out[i].verify(ctx, seg, texts); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// verify leaves the messages that have all texts.
func (x set) verify(ctx context.Context, seg *segment, texts []string) (err error) {
	var low []byte
	x.each(func(i uint32) bool {
		if ctx.Err() != nil {
			err = kedge.Errorf(kedge.Interrupted, "interrupted: %w", context.Cause(ctx))
			return false
		}
		var b []byte
		if b, err = seg.text(seg.doc(i)); err != nil {
			return false
		}
		low = fold(low[:0], b)
		for _, t := range texts {
			if !bytes.Contains(low, []byte(t)) {
				x.drop(i)
				break
			}
		}
		return true
	})
	return err
}

// take makes hits of sets, and tells whether there are any.
func (s *search) take(sets []set) bool {
	for i, set := range sets {
		set.each(func(n uint32) bool {
			s.hits = append(s.hits, hit{segment: i, doc: n, file: s.x.owner(i, n), d: s.x.segments[i].doc(n)})
			return true
		})
	}
	return len(s.hits) > 0
}

// owner gives the transcript that has a message.
func (x *Index) owner(segment int, n uint32) int {
	list := x.owners[segment]
	i := sort.Search(len(list), func(i int) bool { return list[i].first+list[i].n > n })
	return list[i].file
}
