package audit

// Point is how full a context was at one reply.
type Point struct {
	Reply  int64  `json:"reply"` // which one of the session, from 1
	At     string `json:"at"`    // empty is unknown
	Tokens int64  `json:"tokens"`
}

// Compacted is where a summary took the place of a context.
type Compacted struct {
	Line   int    `json:"line"`          // of the transcript
	At     string `json:"at"`            // empty is unknown
	Reply  int64  `json:"reply"`         // how many replies came before it
	Before *int64 `json:"before_tokens"` // context of the reply before it; nil is unknown
	After  *int64 `json:"after_tokens"`  // context of the reply after it; nil: none is known
}

// points bounds a curve: enough for a picture as wide as a page.
const points = 40

// turn counts the replies that the session's own context was given to.
func (c *Counter) turn(nested bool) {
	if n := len(c.used); n > c.told {
		c.told = n
		c.turns += one(!nested)
	}
}

// compact ends what the context carried so far.
func (c *Counter) compact(e *Entry) {
	c.f.Compactions++
	c.settle()
	c.carried = c.carried[:0]
	c.compacted = append(c.compacted, Compacted{Line: e.Line, At: e.At, Reply: c.turns})
}

// full is the context at every reply of the session's own whose usage is known.
func (c *Counter) full() []Point {
	var list []Point
	n := int64(0)
	for _, r := range c.used {
		if r.Nested {
			continue
		}
		n++
		if r.Known {
			list = append(list, Point{Reply: n, At: r.At, Tokens: r.Usage.Context()})
		}
	}
	return list
}

// curve is how the context filled, in few points, and where it was compacted.
func (c *Counter) curve() ([]Point, []Compacted) {
	all := c.full()
	out := append([]Compacted{}, c.compacted...)
	for i := range out {
		for _, p := range all {
			if p.Reply > out[i].Reply {
				out[i].After = ptr(p.Tokens)
				break
			}
			out[i].Before = ptr(p.Tokens)
		}
	}
	return thin(all, points), out
}

// thin keeps the highest point of each of so many parts of a curve.
func thin(list []Point, most int) []Point {
	if len(list) <= most {
		return append([]Point{}, list...)
	}
	out := make([]Point, 0, most)
	for i := range most {
		part := list[i*len(list)/most : (i+1)*len(list)/most]
		top := part[0]
		for _, p := range part {
			if p.Tokens > top.Tokens {
				top = p
			}
		}
		out = append(out, top)
	}
	return out
}

// Levels brings a curve to so many figures, each the highest of its part, for a picture of
// that width. A shorter curve stays as it is.
func Levels(curve []Point, most int) []int64 {
	var out []int64
	for _, p := range thin(curve, most) {
		out = append(out, p.Tokens)
	}
	return out
}

// carry is what a result put into the context, and to which sum the replies that were given
// it again are added.
type carry struct {
	to           *int64
	chars, since int64
}

// keep notes that a result is part of the context from now on.
func (c *Counter) keep(chars int64, sums ...*int64) {
	for _, to := range sums {
		c.carried = append(c.carried, carry{to: to, chars: chars, since: c.turns})
	}
}

// settle adds what was carried up to now.
func (c *Counter) settle() {
	for i := range c.carried {
		k := &c.carried[i]
		*k.to += k.chars * (c.turns - k.since)
		k.since = c.turns
	}
}
