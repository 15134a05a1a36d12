package watch

import (
	"fmt"
	"hash/fnv"
	"strings"

	"kedge/internal/text/words"
)

// circle remembers what was done since the work last changed for good: calls
// with their results, and what was said in turns.
type circle struct {
	open  map[string]act // calls that have no result yet, by id
	edits map[uint64]bool
	seen  map[uint64]int
	trail []uint64 // the last acts
	said  []byte   // in this turn so far
	turn  []string // the words of the turn before
	done  bool

	changes int // of the work: steps, and edits that were not made before
}

// act is a call that waits for its result.
type act struct {
	sum   uint64
	text  string
	edits bool
}

// Bounds of what is remembered.
const (
	maxActs  = 4096
	maxTrail = 8
	maxSaid  = 64 << 10 // of one turn; more than is ever compared
)

func (w *Watcher) feedCircle(ev Act) []Signal {
	c := &w.circle
	switch ev.Kind {
	case Call:
		c.call(ev)
	case Result:
		return w.circled(c.result(ev, w.limits.Repeats))
	case Say:
		c.hear(ev.Text)
	case Turn:
		return w.circled(c.turnOver(ev))
	case Step:
		c.changes++
		c.fresh()
	case Compact, Told:
		c.fresh()
	default:
	}
	return nil
}

// hear keeps the beginning of what is said in a turn: a program that never ends
// one must not fill the memory.
func (c *circle) hear(text string) {
	if room := maxSaid - len(c.said); room > 0 {
		c.said = append(append(c.said, ' '), text[:min(len(text), room-1)]...)
	}
}

// circled makes the signal, once until the work goes on. A session that goes in
// circles is in the middle of nothing.
func (w *Watcher) circled(reason string) []Signal {
	if reason == "" || w.circle.done {
		return nil
	}
	w.circle.done = true
	return []Signal{{Kind: Circling, Advice: HandOff, Reason: reason}}
}

func (c *circle) call(ev Act) {
	if c.open == nil || len(c.open) >= maxOpen {
		c.open = map[string]act{}
	}
	sum := hash(ev.Tool, ev.Input)
	c.open[ev.ID] = act{sum: sum, text: short(ev.Tool + " " + ev.Input), edits: len(ev.Paths) > 0}
}

// result counts an act; the reason is empty unless it was done too often.
func (c *circle) result(ev Act, most int) string {
	a, ok := c.open[ev.ID]
	if !ok {
		return ""
	}
	delete(c.open, ev.ID)
	if a.edits && !ev.Failed && !c.edits[a.sum] {
		c.fresh() // the work is another one from here on
		if c.edits == nil || len(c.edits) >= maxActs {
			c.edits = map[uint64]bool{}
		}
		c.edits[a.sum] = true
		c.changes++
	}
	sum := hash(fmt.Sprint(a.sum), ev.Output, fmt.Sprint(ev.Failed))
	if c.seen == nil || len(c.seen) >= maxActs {
		c.seen = map[uint64]int{}
	}
	c.seen[sum]++
	c.trail = append(c.trail, sum)
	if len(c.trail) > maxTrail {
		c.trail = c.trail[1:]
	}
	if most > 0 && c.seen[sum] >= most {
		return fmt.Sprintf("%q gave the same result %d times", a.text, c.seen[sum])
	}
	if n := c.period(); n > 0 {
		return fmt.Sprintf("the agent made the same %d tool calls twice in a row, with the same results", n)
	}
	return ""
}

// fresh forgets what was done before the work changed; which edits there were
// stays known, because making one again is no change.
func (c *circle) fresh() { c.seen, c.trail, c.turn, c.done = nil, nil, nil, false }

// period is how many different acts were done twice in turn (A-B-A-B); 0: none.
func (c *circle) period() int {
	for n := 2; 2*n <= len(c.trail); n++ {
		tail := c.trail[len(c.trail)-2*n:]
		same, differ := true, false
		for i := range n {
			same = same && tail[i] == tail[i+n]
			differ = differ || tail[i] != tail[0]
		}
		if same && differ {
			return n
		}
	}
	return 0
}

// turnOver compares what was said in this turn with the one before.
func (c *circle) turnOver(ev Act) string {
	c.hear(ev.Text)
	words := strings.Fields(strings.ToLower(string(c.said)))
	if len(words) > maxWords {
		words = words[:maxWords]
	}
	before := c.turn
	c.said, c.turn = nil, words
	if len(words) < minWords || len(before) < minWords {
		return ""
	}
	if s := similarity(before, words); s > nearEqual {
		return fmt.Sprintf("the texts of two turns in a row are %d %% the same", int(s*100))
	}
	return ""
}

// When turns are compared, and what counts as nearly equal.
const (
	minWords  = 12
	maxWords  = 2000
	nearEqual = 0.90
)

// similarity is the share of words that two texts have in common, each word as
// often as both have it.
func similarity(a, b []string) float64 {
	count := map[string]int{}
	for _, w := range a {
		count[w]++
	}
	common := 0
	for _, w := range b {
		if count[w] > 0 {
			count[w]--
			common++
		}
	}
	return 2 * float64(common) / float64(len(a)+len(b))
}

func hash(parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		_, _ = h.Write([]byte(p)) // a hash takes everything
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64()
}

// short is a text for people, in one line.
func short(s string) string {
	const most = 60
	return words.Clip(strings.Join(strings.Fields(s), " "), most)
}
