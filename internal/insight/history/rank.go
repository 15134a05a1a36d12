package history

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"kedge"
)

// weights are how much the words of each count: people look for what was said, and less for
// what was only called.
var weights = [...]float64{You: 1.2, Agent: 1.1, Thinking: 0.85, Tool: 0.55, Summary: 0.8, Title: 0.7, Program: 0.3, Output: 0.25}

// closer is how many messages are looked at closely, with their texts.
const closer = 400

// rank puts the hits into their order: by how rare their words are, whether they stand
// there as whole words and near each other, who said them, and when.
func (s *search) rank(ctx context.Context) error {
	for i := range s.hits {
		s.hits[i].score = s.rough(&s.hits[i])
	}
	s.sort()
	for i := range s.hits[:min(closer, len(s.hits))] {
		if ctx.Err() != nil {
			return kedge.Errorf(kedge.Interrupted, "interrupted: %w", context.Cause(ctx))
		}
		h := &s.hits[i]
		b, err := s.x.segments[h.segment].text(h.d)
		if err != nil {
			return err
		}
		h.score *= s.close(newView(string(b)))
	}
	// What was looked at closely has a factor of at least 1, so the rest stays behind it.
	s.sort()
	return nil
}

func (s *search) sort() {
	slices.SortStableFunc(s.hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.d.at, a.d.at), cmp.Compare(a.file, b.file), cmp.Compare(a.d.line, b.d.line))
	})
}

// rough is the score without a look at the text.
func (s *search) rough(h *hit) float64 {
	sum := 0.0
	for i := range s.words {
		w := 0.7
		if s.whole[i][h.segment].has(h.doc) {
			w = 1
		}
		sum += w * s.rare[i]
	}
	const usual = 800 // bytes
	sum /= 1 + 0.2*math.Log1p(float64(h.d.size)/usual)
	return sum * weights[h.d.who] * s.fresh(h.d.at)
}

// fresh is how much the age of a message counts: one of half a year ago counts three
// quarters of one of today.
func (s *search) fresh(at uint32) float64 {
	const half = 180 * 24 * time.Hour
	if at == 0 {
		return 0.7
	}
	age := max(s.o.Now.Sub(time.Unix(int64(at), 0)), 0)
	return 0.5 + 0.5*math.Exp2(-float64(age)/float64(half))
}

// close is the factor for how the words stand in a text, from 1.
func (s *search) close(v *view) float64 {
	factor := 1.0
	spots := v.spots(s.words)
	if from, to, n := window(spots, len(s.words)); n > 1 && n == len(s.words) {
		const near = 60 // bytes for each word
		factor += 0.8 * math.Exp2(-float64(to-from)/float64(near*n))
	}
	factor += 0.08 * math.Log1p(float64(len(spots)))
	return factor * (1 + 0.3*s.asked(v, spots))
}

// asked is which part of the words with which a question asks stand near the words that
// are looked for.
func (s *search) asked(v *view, spots []spot) float64 {
	const around = 300 // bytes
	n, found := 0, 0.0
	for _, w := range s.q.Words {
		if !w.Asks || len(w.Like) == 0 {
			continue
		}
		n++
		for _, p := range spots {
			near := v.low[max(0, p.from-around):min(len(v.low), p.to+around)]
			if slices.ContainsFunc(w.Like, func(like string) bool { return strings.Contains(near, like) }) {
				found++
				break
			}
		}
	}
	if n == 0 {
		return 0
	}
	return found / float64(n)
}

// tell puts the hits together by conversation.
func (s *search) tell(r *Result) error {
	byFile := map[int]int{}
	var order [][]hit
	for _, h := range s.hits {
		i, known := byFile[h.file]
		if !known {
			i = len(order)
			byFile[h.file] = i
			order = append(order, nil)
		}
		order[i] = append(order[i], h)
	}
	r.Sessions = len(order)
	seen := map[uint64]int{}
	for _, list := range order {
		f := Found{Conversation: s.x.files[list[0].file].Conversation, score: list[0].score, text: uint64(list[0].d.sum)<<32 | uint64(list[0].d.size)}
		if first, again := seen[f.text]; again && !s.o.Apart {
			r.Found[first].Same++
			continue
		}
		if s.o.Limit > 0 && len(r.Found) >= s.o.Limit {
			seen[f.text] = -1
			break
		}
		seen[f.text] = len(r.Found)
		for i, h := range list {
			m, err := s.match(h, i < s.o.Matches)
			if err != nil {
				return err
			}
			f.Matches = append(f.Matches, m)
		}
		r.Found = append(r.Found, f)
	}
	return nil
}

// match tells a hit.
func (s *search) match(h hit, passage bool) (Match, error) {
	m := Match{Line: int(h.d.line), Who: h.d.who}
	if h.d.at != 0 {
		m.At = time.Unix(int64(h.d.at), 0).UTC()
	}
	if !passage {
		return m, nil
	}
	b, err := s.x.segments[h.segment].text(h.d)
	if err != nil {
		return m, err
	}
	m.Passage, m.Marks = newView(string(b)).passage(s.words, s.o.Size)
	return m, nil
}
