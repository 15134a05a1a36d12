package watch

import (
	"fmt"
	"strings"
)

// quality counts, turn by turn, what went wrong: commands that failed and things
// that the model refused or gave up on.
type quality struct {
	turns []bool // whether each of the last turns went wrong
	wrong bool   // this turn so far
	said  bool
}

// lookBack is over how many turns quality is judged.
const lookBack = 10

func (w *Watcher) feedQuality(ev Act) []Signal {
	q := &w.quality
	switch ev.Kind {
	case Result:
		q.wrong = q.wrong || ev.Failed
	case Say:
		q.wrong = q.wrong || refuses(ev.Text)
	case Turn:
		q.wrong = q.wrong || refuses(ev.Text)
		q.turns = append(q.turns, q.wrong)
		q.wrong = false
		if len(q.turns) > 2*lookBack {
			q.turns = q.turns[1:]
		}
		return w.judgeQuality()
	case Compact, Step:
		q.turns, q.wrong, q.said = nil, false, false
	default:
	}
	return nil
}

// judgeQuality compares the last turns with those before: quality falls when
// more goes wrong than the limit and than before.
func (w *Watcher) judgeQuality() []Signal {
	q := &w.quality
	if w.limits.Failures <= 0 || q.said || len(q.turns) < lookBack {
		return nil
	}
	last := count(q.turns[len(q.turns)-lookBack:])
	before := count(q.turns[:len(q.turns)-lookBack])
	if last < w.limits.Failures || last <= before {
		return nil
	}
	q.said = true
	return []Signal{w.soften(Signal{
		Kind: Quality, Advice: HandOff, Reason: fmt.Sprintf("%d of the last %d turns went wrong", last, lookBack),
	})}
}

func count(turns []bool) int {
	n := 0
	for _, wrong := range turns {
		if wrong {
			n++
		}
	}
	return n
}

// refusals are what models say that do not do what they were asked.
var refusals = []string{
	"i can't help", "i cannot help", "i'm unable to", "i am unable to", "i won't be able to", "i'm not able to", "i cannot assist", "i can't assist",
}

func refuses(text string) bool {
	text = strings.ToLower(strings.ReplaceAll(text, "’", "'"))
	for _, r := range refusals {
		if strings.Contains(text, r) {
			return true
		}
	}
	return false
}
